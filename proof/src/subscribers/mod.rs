//! Subscribers of every transport: they are disconnected at random, resume from their position and
//! record everything that they see.

mod sse;
mod stuck;
mod wait;
mod ws;

pub(crate) use stuck::{Begins, Stuck};

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::fold::State;
use crate::ground::{Argument, Ground};
use crate::history::{Saw, Seq, Transport};

/// The pause before reconnecting to a server that is down.
const BREATHER: Duration = Duration::from_millis(25);

/// Longer than any run: the client does not cut such a connection.
const FOR_GOOD: Duration = Duration::from_hours(1);

/// The current task of all subscribers.
#[derive(Debug, Clone)]
enum Stage {
    /// Follow, disconnect at random, follow another debate when one is closed.
    Follow,
    /// Follow without disconnecting: new events must arrive on the open connection.
    Stay,
    /// Leave as soon as everything up to these positions was seen.
    Leave(Arc<HashMap<Uuid, Seq>>),
}

/// All subscribers of a run.
pub(crate) struct Subscribers {
    stage: watch::Sender<Stage>,
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
pub(crate) struct Crowd {
    /// Subscribers per transport.
    pub(crate) each: usize,
    pub(crate) kinds: Vec<Transport>,
    /// The maximum lifetime of a connection before its client closes it.
    pub(crate) life_ms_max: u64,
}

impl Subscribers {
    pub(crate) fn start(ground: &Arc<Ground>, crowd: &Crowd, rng: &mut fastrand::Rng) -> Self {
        let (stage, heard) = watch::channel(Stage::Follow);
        let mut tasks = JoinSet::new();
        let mut progress = Vec::new();
        for kind in crowd.kinds.iter().flat_map(|kind| std::iter::repeat_n(*kind, crowd.each)) {
            let own = Arc::new(Progress::default());
            progress.push(Arc::clone(&own));
            let subscriber = Subscriber {
                ground: Arc::clone(ground),
                kind,
                rng: rng.fork(),
                stage: heard.clone(),
                progress: own,
                life_ms_max: crowd.life_ms_max,
            };
            tasks.spawn(subscriber.run());
        }
        Self { stage, tasks, progress }
    }

    /// Waits until every subscriber follows a debate.
    pub(crate) async fn all_follow(&self, patience: Duration) -> bool {
        let look = async {
            while !self.progress.iter().all(|progress| progress.follows()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(patience, look).await.is_ok()
    }

    /// Stops the random disconnects.
    pub(crate) fn stay(&self) {
        self.stage.send_replace(Stage::Stay);
    }

    /// Waits until every subscriber has reached `ends`, for at most `timeout`.
    pub(crate) async fn caught_up(&self, ends: &HashMap<Uuid, Seq>, patience: Duration) -> bool {
        let all_there = || self.progress.iter().all(|progress| progress.is_at_end(ends));
        let watch = async {
            while !all_there() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(patience, watch).await.is_ok()
    }

    /// Ends each subscriber that has seen everything, and the others after `timeout`. The checker
    /// reports what they missed.
    pub(crate) async fn leave(self, ends: HashMap<Uuid, Seq>, patience: Duration) {
        let Self { stage, mut tasks, .. } = self;
        stage.send_replace(Stage::Leave(Arc::new(ends)));
        let everyone = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(patience, everyone).await.is_err() {
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
    ground: Arc<Ground>,
    kind: Transport,
    rng: fastrand::Rng,
    stage: watch::Receiver<Stage>,
    progress: Arc<Progress>,
    life_ms_max: u64,
}

impl Subscriber {
    async fn run(mut self) {
        while matches!(*self.stage.borrow(), Stage::Follow) {
            match self.take_up() {
                Some(following) => self.follow(following).await,
                None => tokio::time::sleep(BREATHER).await,
            }
        }
        self.progress.follow(None, 0);
    }

    /// Selects the next debate: from its start, from its newest argument, or from a position
    /// that does not exist.
    fn take_up(&mut self) -> Option<Following> {
        let known = self.ground.pick(&mut self.rng)?;
        let (begin, place) = match (self.rng.u8(..10), self.kind) {
            (0..3, _) => (Some(known.seq), Place { seq: known.seq, id: Some(known.newest) }),
            (3, Transport::Sse) => {
                (None, Place { seq: 0, id: Some(Uuid::from_u128(self.rng.u128(..))) })
            }
            (3.., _) => (Some(0), Place::default()),
        };
        let progress = Arc::clone(&self.progress);
        let following = Following::new(&self.ground, self.kind, known.debate, place, progress);
        following.note(Saw::Begin(begin));
        Some(following)
    }

    async fn follow(&mut self, mut following: Following) {
        let mut stage = self.stage.clone();
        let debate = following.debate;
        let mut lives = self.rng.fork();
        while !following.has_all_of_it() && !may_leave(&stage.borrow(), &following) {
            let stays = !matches!(*stage.borrow(), Stage::Follow);
            let life_ms = lives.u64(0..=self.life_ms_max);
            let life = if stays { FOR_GOOD } else { Duration::from_millis(life_ms) };
            let ended = tokio::select! {
                parted = following.listen() => Some(parted),
                () = tokio::time::sleep(life) => None,
                () = told_to_leave(&mut stage, debate, &self.progress) => return,
            };
            match ended {
                None => self.ground.count("cut by the subscriber"),
                Some(Parted::Over) => return,
                Some(Parted::Gone(how)) => {
                    self.ground.count(format!("{:?} {how}", self.kind));
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
    }
}

fn may_leave(stage: &Stage, following: &Following) -> bool {
    match stage {
        Stage::Follow | Stage::Stay => false,
        Stage::Leave(ends) => ends.get(&following.debate) == Some(&following.place.seq),
    }
}

/// Returns when everything was seen.
async fn told_to_leave(stage: &mut watch::Receiver<Stage>, debate: Uuid, progress: &Progress) {
    let seen_all = |stage: &Stage| match stage {
        Stage::Follow | Stage::Stay => false,
        Stage::Leave(ends) => ends.get(&debate) == Some(&progress.position.load(Ordering::Relaxed)),
    };
    if stage.wait_for(seen_all).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A position that the server sent to the subscriber.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    seq: Seq,
    id: Option<Uuid>,
}

/// The reason for the end of a connection.
enum Parted {
    /// The debate is closed and all of it was seen.
    Over,
    /// Any other reason, as a short text.
    Gone(String),
}

/// One debate followed by one subscriber.
struct Following {
    sub: u32,
    kind: Transport,
    debate: Uuid,
    ground: Arc<Ground>,
    progress: Arc<Progress>,
    place: Place,
    /// The state that the server sent last.
    state: Option<State>,
}

impl Following {
    fn new(
        ground: &Arc<Ground>,
        kind: Transport,
        debate: Uuid,
        place: Place,
        progress: Arc<Progress>,
    ) -> Self {
        progress.follow(Some(debate), place.seq);
        let (sub, ground) = (ground.number(), Arc::clone(ground));
        Self { sub, kind, debate, ground, progress, place, state: None }
    }

    /// Reads one connection to its end. Everything that was read is recorded even
    /// if this is dropped.
    async fn listen(&mut self) -> Parted {
        match self.kind {
            Transport::Wait => wait::listen(self).await,
            Transport::Sse => sse::listen(self).await,
            Transport::Ws => ws::listen(self).await,
        }
    }

    /// Whether no further event can arrive. A stream reports its own end, which is
    /// part of the test.
    fn has_all_of_it(&self) -> bool {
        self.kind != Transport::Sse && self.state == Some(State::Closed)
    }

    fn note(&self, saw: Saw) {
        self.ground.history.saw(self.sub, self.kind, self.debate, saw);
    }

    fn wrong(&self, what: impl Into<String>) -> Parted {
        let what = what.into();
        self.note(Saw::Wrong(what.clone()));
        Parted::Gone(format!("WRONG: {what}"))
    }

    fn saw(&mut self, argument: &Argument, state: Option<State>) {
        self.note(Saw::Argument { seq: argument.seq, id: argument.id, state });
        self.place = Place { seq: argument.seq, id: Some(argument.id) };
        self.state = state;
        self.progress.position.store(argument.seq, Ordering::Relaxed);
    }

    fn reset(&mut self) {
        self.note(Saw::Reset);
        (self.place, self.state) = (Place::default(), None);
        self.progress.position.store(0, Ordering::Relaxed);
    }
}
