//! Writers: random allowed and forbidden moves, concurrent duplicates, replays and reused
//! keys, on shared debates.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::draft::{Draft, has_target};
use crate::history::Outcome;
use crate::rules::{self, Event, Kind, Role};
use crate::shared_state::{KnownDebate, SharedState};

/// The pause before a retry, or while the server is down.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// The maximum number of retries of an unknown outcome at the end.
const RETRIES_MAX: u32 = 200;

/// The behaviour of writers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriterSettings {
    pub(crate) writers: usize,
    /// The number of debates that are kept open.
    pub(crate) debates: usize,
    /// The maximum number of filler bytes in an argument.
    pub(crate) content_max: usize,
    /// The maximum pause between two moves of one writer.
    pub(crate) pause_ms_max: u64,
    /// Whether debates are also closed.
    pub(crate) may_close: bool,
}

impl WriterSettings {
    /// Enough to keep a debug build busy without overloading two cores.
    pub(crate) const ORDINARY: Self =
        Self { writers: 8, debates: 40, content_max: 600, pause_ms_max: 8, may_close: true };
}

/// Running writers, until they are stopped.
pub(crate) struct Writers {
    stop: watch::Sender<bool>,
    tasks: JoinSet<Vec<Draft>>,
    shared: Arc<SharedState>,
}

impl Writers {
    /// Opens the first debates, then starts all writers.
    pub(crate) async fn start(
        shared: &Arc<SharedState>,
        settings: WriterSettings,
        rng: &mut fastrand::Rng,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let mut first = Writer::new(shared, settings, rng.fork());
        for _ in shared.open_debates()..settings.debates {
            first.open().await;
        }
        tasks.spawn(async { first.unsettled });
        for _ in 0..settings.writers {
            let mut writer = Writer::new(shared, settings, rng.fork());
            let stopped = stopped.clone();
            tasks.spawn(async move {
                while !*stopped.borrow() {
                    writer.turn().await;
                }
                writer.unsettled
            });
        }
        Self { stop, tasks, shared: Arc::clone(shared) }
    }

    /// Stops the writers and returns the requests of unknown outcome.
    pub(crate) async fn stop(self) -> Unsettled {
        let Self { stop, tasks, shared } = self;
        stop.send_replace(true);
        let drafts = tasks.join_all().await.into_iter().flatten().collect();
        Unsettled { drafts, shared }
    }
}

/// Requests of unknown outcome.
pub(crate) struct Unsettled {
    pub(crate) drafts: Vec<Draft>,
    shared: Arc<SharedState>,
}

impl Unsettled {
    /// Retries with the same key until the outcome is known, a bounded number of times. The
    /// checker reports the rest.
    pub(crate) async fn settle(self) {
        let shared = &self.shared;
        let settled = self.drafts.into_iter().map(|draft| async move {
            let client = shared.number();
            for _ in 0..RETRIES_MAX {
                match shared.attempt(client, &draft).await {
                    Some(Outcome::Ok { .. } | Outcome::Refused(_)) => break,
                    Some(Outcome::Indefinite(_)) | None => tokio::time::sleep(RETRY_PAUSE).await,
                }
            }
        });
        futures_util::stream::iter(settled).buffer_unordered(16).collect::<Vec<()>>().await;
    }
}

/// Opens `count` debates concurrently; returns those that were acknowledged.
pub(crate) async fn open_debates(
    shared: &Arc<SharedState>,
    count: usize,
    rng: &mut fastrand::Rng,
) -> Vec<KnownDebate> {
    let settings = WriterSettings { content_max: 40, ..WriterSettings::ORDINARY };
    let openings = (0..count).map(|_| {
        let mut writer = Writer::new(shared, settings, rng.fork());
        async move { writer.open().await }
    });
    futures_util::stream::iter(openings).buffer_unordered(64).collect::<Vec<()>>().await;
    shared.all_open()
}

/// A motion with a new key.
pub(crate) fn new_motion(shared: &Arc<SharedState>, rng: &mut fastrand::Rng) -> Draft {
    Writer::new(shared, WriterSettings::ORDINARY, rng.fork()).motion()
}

/// A given argument in a debate.
pub(crate) fn compose_argument(
    shared: &Arc<SharedState>,
    known: &KnownDebate,
    event: Event,
) -> Draft {
    let key = format!("s-{}", shared.number());
    let target = has_target(event.kind).then_some(known.newest);
    let content = format!("words of {key}");
    Draft { debate: known.debate, event, key, target, content, auto_ruling: true }
}

/// Makes one more allowed move in every open debate, so that every waiting subscriber is notified.
pub(crate) async fn write_to_every_debate(shared: &Arc<SharedState>, rng: &mut fastrand::Rng) {
    let mut writer = Writer::new(shared, WriterSettings::ORDINARY, rng.fork());
    for known in shared.all_open() {
        let goes_on = |event: &Event| !event.closes && event.kind != Kind::Resolution;
        let events: Vec<_> = rules::allowed_events(known.state).filter(goes_on).collect();
        if let Some(event) = rng.choice(events) {
            writer.send(&compose_argument(shared, &known, event)).await;
        }
    }
    let Writer { unsettled: drafts, .. } = writer;
    Unsettled { drafts, shared: Arc::clone(shared) }.settle().await;
}

struct Writer {
    client: u32,
    shared: Arc<SharedState>,
    settings: WriterSettings,
    rng: fastrand::Rng,
    unsettled: Vec<Draft>,
}

impl Writer {
    fn new(shared: &Arc<SharedState>, settings: WriterSettings, rng: fastrand::Rng) -> Self {
        let client = shared.number();
        Self { client, shared: Arc::clone(shared), settings, rng, unsettled: Vec::new() }
    }

    async fn open(&mut self) {
        let draft = self.motion();
        self.send(&draft).await;
    }

    fn motion(&mut self) -> Draft {
        let debate = uuid::Builder::from_random_bytes(self.rng.u128(..).to_be_bytes()).into_uuid();
        let event = Event::new(Kind::Motion, Role::Proposer);
        let content = self.content("motion");
        let auto_ruling = self.rng.u8(..4) > 0;
        let key = format!("open-{}", self.shared.number());
        Draft { debate, event, key, target: None, content, auto_ruling }
    }

    async fn turn(&mut self) {
        let pause = Duration::from_millis(self.rng.u64(0..=self.settings.pause_ms_max));
        tokio::time::sleep(pause).await;
        if self.shared.open_debates() < self.settings.debates {
            return self.open().await;
        }
        let Some(known) = self.shared.pick(&mut self.rng) else { return };
        let event = if self.rng.u8(..100) < 12 { None } else { known.random_move(&mut self.rng) };
        let draft = self.compose(&known, event);
        if self.rng.u8(..100) < 8 {
            self.send_duplicates(&draft).await;
        } else {
            self.send(&draft).await;
        }
    }

    /// An argument for `known`; without a given event, one that may be forbidden.
    fn compose(&mut self, known: &KnownDebate, event: Option<Event>) -> Draft {
        let event = event.unwrap_or_else(|| {
            let not_a_motion = Event::ALL.into_iter().filter(|event| event.kind != Kind::Motion);
            self.rng.choice(not_a_motion.collect::<Vec<_>>()).expect("there are seven")
        });
        let event = self.prefer_open(event);
        let key = format!("k-{}-{}", self.client, self.shared.number());
        let content = self.content(&key);
        // Now and then an answer to something that was never said.
        let odd = self.rng.u8(..100) < 2;
        let newest = if odd { Uuid::from_u128(self.rng.u128(..)) } else { known.newest };
        let target = has_target(event.kind).then_some(newest);
        Draft { debate: known.debate, event, key, target, content, auto_ruling: true }
    }

    /// Lets most debates continue for a while, so that there is something to follow.
    fn prefer_open(&mut self, event: Event) -> Event {
        let is_final = event.closes || event.kind == Kind::Resolution;
        if !is_final || (self.settings.may_close && self.rng.u8(..100) < 12) {
            return event;
        }
        match event.kind {
            Kind::Ruling => Event { closes: false, ..event },
            Kind::Resolution => Event::new(Kind::Claim, Role::Proposer),
            Kind::Motion | Kind::Claim | Kind::Appeal | Kind::Intervention => event,
        }
    }

    fn content(&mut self, key: &str) -> String {
        let filler = self.rng.usize(0..=self.settings.content_max);
        format!("{key}: {}", "·x".repeat(filler / 3))
    }

    async fn send(&mut self, draft: &Draft) {
        let outcome = self.shared.attempt(self.client, draft).await;
        self.follow_up(draft, outcome).await;
    }

    /// Sends the same request twice concurrently, like a client with a short time limit.
    async fn send_duplicates(&mut self, draft: &Draft) {
        let (one, two) = tokio::join!(
            self.shared.attempt(self.client, draft),
            self.shared.attempt(self.client, draft)
        );
        self.shared.count("twins");
        self.follow_up(draft, one).await;
        self.follow_up(draft, two).await;
    }

    async fn follow_up(&mut self, draft: &Draft, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Ok { .. }) => self.after_success(draft).await,
            Some(Outcome::Refused(_)) => {}
            Some(Outcome::Indefinite(_)) => {
                // Some ask again soon, some much later.
                let is_hasty = self.rng.bool();
                tokio::time::sleep(RETRY_PAUSE).await;
                let settled = is_hasty
                    && matches!(
                        self.shared.attempt(self.client, draft).await,
                        Some(Outcome::Ok { .. } | Outcome::Refused(_))
                    );
                if !settled {
                    self.unsettled.push(draft.clone());
                }
            }
            None => tokio::time::sleep(RETRY_PAUSE).await,
        }
    }

    async fn after_success(&mut self, draft: &Draft) {
        let again = match self.rng.u8(..100) {
            0..20 => return self.shared.read(self.client, draft.debate).await,
            20..26 => {
                self.shared.count("reused keys");
                draft.with_other_content()
            }
            26..30 => {
                self.shared.count("replays");
                draft.clone()
            }
            30.. => return,
        };
        let outcome = self.shared.attempt(self.client, &again).await;
        if matches!(outcome, Some(Outcome::Indefinite(_))) {
            self.unsettled.push(again);
        }
    }
}
