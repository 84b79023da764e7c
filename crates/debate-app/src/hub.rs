//! News of writes, for everything that waits: long polls, sockets, streams.
//!
//! The hub carries no data, only "look again". A waiter reads the store, which is the one source
//! of truth, so a lost or doubled ring can do no harm. Rooms are counted: the last waiter to leave
//! takes the room with it, so memory follows the waiters and not the debates.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::DebateId;
use tokio::sync::watch;

/// How many may wait at once.
#[derive(Debug, Clone, Copy)]
pub struct HubLimits {
    /// In the whole process.
    pub waiters_max: usize,
    /// On one debate.
    pub waiters_per_debate_max: usize,
}

/// As many wait already as may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("as many clients are waiting as the server allows")]
pub struct Crowded;

/// Why a bell stopped ringing out silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rung {
    /// The debate moved: look again.
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
    by_debate: HashMap<DebateId, Room>,
    waiters: usize,
    closed: bool,
}

#[derive(Debug)]
struct Room {
    bell: watch::Sender<()>,
    waiters: usize,
}

impl Hub {
    /// An empty hub.
    #[must_use]
    pub fn new(limits: HubLimits) -> Arc<Self> {
        Arc::new(Self { rooms: Mutex::default(), limits })
    }

    /// Hears every ring for `debate` from now on, until dropped.
    pub fn listen(self: &Arc<Self>, debate: DebateId) -> Result<Bell, Crowded> {
        let mut rooms = self.rooms();
        let in_room = rooms.by_debate.get(&debate).map_or(0, |room| room.waiters);
        if rooms.waiters >= self.limits.waiters_max || in_room >= self.limits.waiters_per_debate_max
        {
            return Err(Crowded);
        }
        if rooms.closed {
            // A receiver without its sender: it says "closing" at once.
            let (_, rings) = watch::channel(());
            return Ok(Bell { rings, _place: None });
        }
        rooms.waiters += 1;
        let room = rooms
            .by_debate
            .entry(debate)
            .or_insert_with(|| Room { bell: watch::Sender::new(()), waiters: 0 });
        room.waiters += 1;
        let rings = room.bell.subscribe();
        Ok(Bell { rings, _place: Some(Place { hub: Arc::clone(self), debate }) })
    }

    /// Tells everyone who listens to `debate` to look again. Called after a commit, never before.
    pub fn ring(&self, debate: DebateId) {
        if let Some(room) = self.rooms().by_debate.get(&debate) {
            room.bell.send_replace(());
        }
    }

    /// Lets every waiter go, now and from now on.
    pub fn close(&self) {
        let mut rooms = self.rooms();
        rooms.closed = true;
        rooms.waiters = 0;
        rooms.by_debate.clear();
    }

    /// How many listen now.
    #[must_use]
    pub fn waiters(&self) -> usize {
        self.rooms().waiters
    }

    /// How many debates are listened to now.
    #[must_use]
    pub fn debates(&self) -> usize {
        self.rooms().by_debate.len()
    }

    /// The debates that are listened to now: for whoever may have missed what moved them.
    #[must_use]
    pub fn listened(&self) -> Vec<DebateId> {
        self.rooms().by_debate.keys().copied().collect()
    }

    fn leave(&self, debate: DebateId) {
        let mut rooms = self.rooms();
        let Some(room) = rooms.by_debate.get_mut(&debate) else {
            return; // closed meanwhile
        };
        room.waiters -= 1;
        if room.waiters == 0 {
            rooms.by_debate.remove(&debate);
        }
        rooms.waiters -= 1;
    }

    /// No code that holds the lock can panic half-way, so a poisoned lock guards sound data.
    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One waiter's ear at one debate.
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
    debate: DebateId,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hub.leave(self.debate);
    }
}
