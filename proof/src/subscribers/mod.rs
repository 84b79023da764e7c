//! Subscribers of every transport: they are disconnected at random, resume from their position and
//! record everything that they see.

mod sse;
mod stalled;
mod wait;
mod ws;

pub(crate) use stalled::{StalledSubscriber, StartPosition};

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::history::{ObservedEvent, Seq, Transport};
use crate::rules::State;
use crate::shared_state::{Argument, SharedState};

/// The pause before reconnecting to a server that is down.
const RETRY_PAUSE: Duration = Duration::from_millis(25);

/// Longer than any run: the client does not cut such a connection.
const UNLIMITED_LIFETIME: Duration = Duration::from_hours(1);

/// The current task of all subscribers.
#[derive(Debug, Clone)]
enum SubscriberMode {
    /// Follow, disconnect at random, follow another debate when one is closed.
    Follow,
    /// Follow without disconnecting: new events must arrive on the open connection.
    Stay,
    /// Leave as soon as everything up to these positions was seen.
    Leave(Arc<HashMap<Uuid, Seq>>),
}

/// All subscribers of a run.
pub(crate) struct Subscribers {
    mode: watch::Sender<SubscriberMode>,
    tasks: JoinSet<()>,
    progress: Vec<Arc<Progress>>,
}

/// A subscriber's current debate and position, readable by other tasks.
#[derive(Debug, Default)]
struct Progress {
    following: std::sync::Mutex<Option<Uuid>>,
    position: AtomicU32,
}

/// The number and behaviour of subscribers.
#[derive(Debug, Clone)]
pub(crate) struct SubscriberSettings {
    /// The number of subscribers per transport.
    pub(crate) each: usize,
    pub(crate) kinds: Vec<Transport>,
    /// The maximum lifetime of a connection before its client closes it.
    pub(crate) life_ms_max: u64,
}

impl Subscribers {
    pub(crate) fn start(
        shared: &Arc<SharedState>,
        settings: &SubscriberSettings,
        rng: &mut fastrand::Rng,
    ) -> Self {
        let (mode, heard) = watch::channel(SubscriberMode::Follow);
        let mut tasks = JoinSet::new();
        let mut progress = Vec::new();
        for kind in settings.kinds.iter().flat_map(|kind| std::iter::repeat_n(*kind, settings.each))
        {
            let own = Arc::new(Progress::default());
            progress.push(Arc::clone(&own));
            let subscriber = Subscriber {
                shared: Arc::clone(shared),
                kind,
                rng: rng.fork(),
                mode: heard.clone(),
                progress: own,
                life_ms_max: settings.life_ms_max,
            };
            tasks.spawn(subscriber.run());
        }
        Self { mode, tasks, progress }
    }

    /// Waits until every subscriber follows a debate.
    pub(crate) async fn wait_until_all_follow(&self, timeout: Duration) -> bool {
        let look = async {
            while !self.progress.iter().all(|progress| progress.follows()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(timeout, look).await.is_ok()
    }

    /// Stops the random disconnects.
    pub(crate) fn stay(&self) {
        self.mode.send_replace(SubscriberMode::Stay);
    }

    /// Waits until every subscriber has reached `ends`, for at most `timeout`.
    pub(crate) async fn wait_until_caught_up(
        &self,
        ends: &HashMap<Uuid, Seq>,
        timeout: Duration,
    ) -> bool {
        let all_there = || self.progress.iter().all(|progress| progress.is_at_end(ends));
        let watch = async {
            while !all_there() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(timeout, watch).await.is_ok()
    }

    /// Ends each subscriber that has seen everything, and the others after `timeout`. The checker
    /// reports what they missed.
    pub(crate) async fn leave(self, ends: HashMap<Uuid, Seq>, timeout: Duration) {
        let Self { mode, mut tasks, .. } = self;
        mode.send_replace(SubscriberMode::Leave(Arc::new(ends)));
        let everyone = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(timeout, everyone).await.is_err() {
            tasks.shutdown().await;
        }
    }
}

impl Progress {
    fn follows(&self) -> bool {
        self.following.lock().is_ok_and(|following| following.is_some())
    }

    fn is_at_end(&self, ends: &HashMap<Uuid, Seq>) -> bool {
        let following = self.following.lock().map_or(None, |following| *following);
        following
            .is_none_or(|debate| ends.get(&debate) == Some(&self.position.load(Ordering::Relaxed)))
    }

    fn follow(&self, debate: Option<Uuid>, position: Seq) {
        if let Ok(mut following) = self.following.lock() {
            *following = debate;
            self.position.store(position, Ordering::Relaxed);
        }
    }
}

/// One client that follows one debate after another.
struct Subscriber {
    shared: Arc<SharedState>,
    kind: Transport,
    rng: fastrand::Rng,
    mode: watch::Receiver<SubscriberMode>,
    progress: Arc<Progress>,
    life_ms_max: u64,
}

impl Subscriber {
    async fn run(mut self) {
        while matches!(*self.mode.borrow(), SubscriberMode::Follow) {
            match self.choose_debate() {
                Some(following) => self.follow(following).await,
                None => tokio::time::sleep(RETRY_PAUSE).await,
            }
        }
        self.progress.follow(None, 0);
    }

    /// Selects the next debate: from its start, from its newest argument, or from a position
    /// that does not exist.
    fn choose_debate(&mut self) -> Option<Following> {
        let known = self.shared.pick(&mut self.rng)?;
        let (begin, position) = match (self.rng.u8(..10), self.kind) {
            (0..3, _) => (Some(known.seq), Position { seq: known.seq, id: Some(known.newest) }),
            (3, Transport::Sse) => {
                (None, Position { seq: 0, id: Some(Uuid::from_u128(self.rng.u128(..))) })
            }
            (3.., _) => (Some(0), Position::default()),
        };
        let progress = Arc::clone(&self.progress);
        let following = Following::new(&self.shared, self.kind, known.debate, position, progress);
        following.record(ObservedEvent::Begin(begin));
        Some(following)
    }

    async fn follow(&mut self, mut following: Following) {
        let mut mode = self.mode.clone();
        let debate = following.debate;
        let mut lives = self.rng.fork();
        while !following.is_complete() && !may_leave(&mode.borrow(), &following) {
            let stays = !matches!(*mode.borrow(), SubscriberMode::Follow);
            let life_ms = lives.u64(0..=self.life_ms_max);
            let life = if stays { UNLIMITED_LIFETIME } else { Duration::from_millis(life_ms) };
            let ended = tokio::select! {
                end = following.listen() => Some(end),
                () = tokio::time::sleep(life) => None,
                () = wait_until_complete(&mut mode, debate, &self.progress) => return,
            };
            match ended {
                None => self.shared.count("cut by the subscriber"),
                Some(ConnectionEnd::Complete) => return,
                Some(ConnectionEnd::Broken(how)) => {
                    self.shared.count(format!("{:?} {how}", self.kind));
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }
}

fn may_leave(mode: &SubscriberMode, following: &Following) -> bool {
    match mode {
        SubscriberMode::Follow | SubscriberMode::Stay => false,
        SubscriberMode::Leave(ends) => ends.get(&following.debate) == Some(&following.position.seq),
    }
}

/// Returns when everything was seen.
async fn wait_until_complete(
    mode: &mut watch::Receiver<SubscriberMode>,
    debate: Uuid,
    progress: &Progress,
) {
    let seen_all = |mode: &SubscriberMode| match mode {
        SubscriberMode::Follow | SubscriberMode::Stay => false,
        SubscriberMode::Leave(ends) => {
            ends.get(&debate) == Some(&progress.position.load(Ordering::Relaxed))
        }
    };
    if mode.wait_for(seen_all).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A position that the server sent to the subscriber.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    seq: Seq,
    id: Option<Uuid>,
}

/// The reason for the end of a connection.
enum ConnectionEnd {
    /// The debate is closed and all of it was seen.
    Complete,
    /// Any other reason, as a short text.
    Broken(String),
}

/// One debate followed by one subscriber.
struct Following {
    sub: u32,
    kind: Transport,
    debate: Uuid,
    shared: Arc<SharedState>,
    progress: Arc<Progress>,
    position: Position,
    /// The state that the server sent last.
    state: Option<State>,
}

impl Following {
    fn new(
        shared: &Arc<SharedState>,
        kind: Transport,
        debate: Uuid,
        position: Position,
        progress: Arc<Progress>,
    ) -> Self {
        progress.follow(Some(debate), position.seq);
        let (sub, shared) = (shared.number(), Arc::clone(shared));
        Self { sub, kind, debate, shared, progress, position, state: None }
    }

    /// Reads one connection to its end. Everything that was read is recorded even
    /// if this is dropped.
    async fn listen(&mut self) -> ConnectionEnd {
        match self.kind {
            Transport::Wait => wait::listen(self).await,
            Transport::Sse => sse::listen(self).await,
            Transport::Ws => ws::listen(self).await,
        }
    }

    /// Whether no further event can arrive. A stream reports its own end, which is
    /// part of the test.
    fn is_complete(&self) -> bool {
        self.kind != Transport::Sse && self.state == Some(State::Closed)
    }

    fn record(&self, event: ObservedEvent) {
        self.shared.history.observe(self.sub, self.kind, self.debate, event);
    }

    fn report_wrong(&self, what: impl Into<String>) -> ConnectionEnd {
        let what = what.into();
        self.record(ObservedEvent::Wrong(what.clone()));
        ConnectionEnd::Broken(format!("WRONG: {what}"))
    }

    fn receive(&mut self, argument: &Argument, state: Option<State>) {
        self.record(ObservedEvent::Argument { seq: argument.seq, id: argument.id, state });
        self.position = Position { seq: argument.seq, id: Some(argument.id) };
        self.state = state;
        self.progress.position.store(argument.seq, Ordering::Relaxed);
    }

    fn reset(&mut self) {
        self.record(ObservedEvent::Reset);
        (self.position, self.state) = (Position::default(), None);
        self.progress.position.store(0, Ordering::Relaxed);
    }
}
