//! News of writes, for everything that waits: long polls, sockets, streams.
//!
//! The hub carries no data, only "look again". A waiter reads the store, which is the one source
//! of truth, so a lost or doubled ring can do no harm. Rooms are counted: the last waiter to leave
//! takes the room with it, so memory follows the waiters and not what they wait for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::{DebateId, EvaluationId, RunId, SolutionId};
use tokio::sync::watch;
use uuid::Uuid;

use crate::pools::{HubLimits, PoolCounts, Pools, Waiter};

/// What can be listened to. Ids of all sorts are random, so that no two mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject(Uuid);

impl Subject {
    /// That there may be something for the runner's workers to do.
    pub const RUNNER_WORK: Self = Self(Uuid::from_u128(1));
    /// That there may be something for the guardrails' workers to examine.
    pub const GUARDRAIL_WORK: Self = Self(Uuid::from_u128(2));

    /// The subject that goes by this id.
    #[must_use]
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id itself, for other processes.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<DebateId> for Subject {
    fn from(debate: DebateId) -> Self {
        Self(debate.uuid())
    }
}

impl From<RunId> for Subject {
    fn from(run: RunId) -> Self {
        Self(run.uuid())
    }
}

impl From<EvaluationId> for Subject {
    fn from(evaluation: EvaluationId) -> Self {
        Self(evaluation.uuid())
    }
}

impl From<SolutionId> for Subject {
    fn from(solution: SolutionId) -> Self {
        Self(solution.uuid())
    }
}

/// The limit on waiting clients is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many clients are waiting")]
pub struct Crowded;

/// Why a bell stopped ringing out silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rung {
    /// The subject moved: look again.
    Moved,
    /// The server is closing down: nothing more will come.
    Closing,
}

/// Where waiters listen and stores ring.
#[derive(Debug)]
pub struct Hub {
    rooms: Mutex<Rooms>,
    limits: HubLimits,
}

#[derive(Debug, Default)]
struct Rooms {
    by_subject: HashMap<Subject, Room>,
    waiters: Pools,
    closed: bool,
}

#[derive(Debug)]
struct Room {
    bell: watch::Sender<()>,
    listeners: usize,
    /// How many of them are counted.
    waiters: PoolCounts,
}

/// Whether a listener is counted, and refused when too many are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Client(Waiter),
    Server,
}

impl Hub {
    /// An empty hub.
    #[must_use]
    pub fn new(limits: HubLimits) -> Arc<Self> {
        Arc::new(Self { rooms: Mutex::default(), limits })
    }

    /// Hears every ring for `subject` from now on, until dropped. For a client of the arena.
    pub fn listen(self: &Arc<Self>, subject: impl Into<Subject>) -> Result<Bell, Crowded> {
        self.listen_as(Waiter::Arena, subject)
    }

    /// As `listen`, for a client of any family.
    pub fn listen_as(
        self: &Arc<Self>,
        waiter: Waiter,
        subject: impl Into<Subject>,
    ) -> Result<Bell, Crowded> {
        let subject = subject.into();
        let mut rooms = self.rooms();
        let beside = rooms.by_subject.get(&subject).map(|room| room.waiters).unwrap_or_default();
        rooms.waiters.check(self.limits, waiter, beside)?;
        Ok(self.enter(&mut rooms, subject, Standing::Client(waiter)))
    }

    /// As `listen`, for the server's own workers: they are as many as the server chose, so they are
    /// neither counted nor refused.
    #[must_use]
    pub fn attend(self: &Arc<Self>, subject: impl Into<Subject>) -> Bell {
        self.enter(&mut self.rooms(), subject.into(), Standing::Server)
    }

    fn enter(self: &Arc<Self>, rooms: &mut Rooms, subject: Subject, standing: Standing) -> Bell {
        if rooms.closed {
            // A receiver without its sender: it says "closing" at once.
            let (_, rings) = watch::channel(());
            return Bell { rings, _place: None };
        }
        let room = rooms.by_subject.entry(subject).or_insert_with(|| Room {
            bell: watch::Sender::new(()),
            listeners: 0,
            waiters: PoolCounts::default(),
        });
        room.listeners += 1;
        let rings = room.bell.subscribe();
        if let Standing::Client(waiter) = standing {
            room.waiters.enter(waiter);
            rooms.waiters.enter(waiter);
        }
        Bell { rings, _place: Some(Place { hub: Arc::clone(self), subject, standing }) }
    }

    /// Tells everyone who listens to `subject` to look again. Called after a commit, never before.
    pub fn ring(&self, subject: impl Into<Subject>) {
        if let Some(room) = self.rooms().by_subject.get(&subject.into()) {
            room.bell.send_replace(());
        }
    }

    /// Lets every waiter go, now and from now on.
    pub fn close(&self) {
        let mut rooms = self.rooms();
        rooms.closed = true;
        rooms.waiters = Pools::default();
        rooms.by_subject.clear();
    }

    /// How many listen now.
    #[must_use]
    pub fn waiters(&self) -> usize {
        self.rooms().waiters.total()
    }

    /// How many debates somebody waits on now.
    #[must_use]
    pub fn debates(&self) -> usize {
        self.rooms().by_subject.values().filter(|room| room.waiters.total() > 0).count()
    }

    /// What is listened to now: for whoever may have missed what moved it.
    #[must_use]
    pub fn listened(&self) -> Vec<Subject> {
        self.rooms().by_subject.keys().copied().collect()
    }

    fn leave(&self, subject: Subject, standing: Standing) {
        let mut rooms = self.rooms();
        let Some(room) = rooms.by_subject.get_mut(&subject) else {
            return; // closed meanwhile
        };
        room.listeners -= 1;
        if let Standing::Client(waiter) = standing {
            room.waiters.leave(waiter);
        }
        if room.listeners == 0 {
            rooms.by_subject.remove(&subject);
        }
        if let Standing::Client(waiter) = standing {
            rooms.waiters.leave(waiter);
        }
    }

    /// No code that holds the lock can panic half-way, so a poisoned lock guards sound data.
    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One listener's ear at one subject.
#[derive(Debug)]
pub struct Bell {
    rings: watch::Receiver<()>,
    /// Given back when the waiter leaves, however it leaves.
    _place: Option<Place>,
}

impl Bell {
    /// Waits for the next ring; rings since the last call, or since `listen`, count once.
    pub async fn rung(&mut self) -> Rung {
        match self.rings.changed().await {
            Ok(()) => Rung::Moved,
            Err(_) => Rung::Closing,
        }
    }
}

#[derive(Debug)]
struct Place {
    hub: Arc<Hub>,
    subject: Subject,
    standing: Standing,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hub.leave(self.subject, self.standing);
    }
}
