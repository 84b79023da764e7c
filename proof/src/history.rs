//! What every client did and was told, and what every subscriber saw: the checker's evidence.
//!
//! Times are microseconds of this process's monotonic clock since the history began, so that
//! "before" means before, whatever the wall clock does.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::fold::{Event, Kind, Role, State};

/// Microseconds since the history began.
pub type Micros = u64;

/// A place in a debate's log: 1 is the motion, 0 is before it.
pub type Seq = u32;

/// What stands for a request's words: equal hashes, equal requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Payload(String);

impl Payload {
    /// Of everything that the log shows of an argument.
    #[must_use]
    pub fn of(kind: Kind, role: Role, parent: Option<Uuid>, content: &str) -> Self {
        let text = format!("{kind:?} {role:?} {parent:?} {content}");
        let digest = Sha256::digest(text.as_bytes());
        let hash = digest.iter().take(8).fold(0, |hash, &byte| (hash << 8) | u64::from(byte));
        Self(format!("{hash:016x}"))
    }
}

/// What a client asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Op {
    /// To add this.
    Write(Event),
    /// To see the debate.
    Read,
}

/// What it was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Outcome {
    /// A write is at this place; or a read saw this as the newest.
    Ok {
        /// Where.
        seq: Seq,
        /// Which argument.
        id: Uuid,
        /// Whether the server called it new; a replay is not.
        fresh: bool,
    },
    /// It was refused, with this code.
    Refused(String),
    /// Nobody knows: no answer came, or one that says the server failed.
    Indefinite(String),
}

/// One request of one client.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// Who asked.
    pub client: u32,
    /// For what.
    pub op: Op,
    /// The idempotency key; empty for a read.
    pub key: String,
    /// Where.
    pub debate: Uuid,
    /// What was said.
    pub payload: Payload,
    /// When the request began.
    pub t_start: Micros,
    /// When its outcome was known.
    pub t_end: Micros,
    /// What came of it.
    pub outcome: Outcome,
}

/// How a subscriber follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Long poll.
    Wait,
    /// Server-sent events.
    Sse,
    /// WebSocket.
    Ws,
}

impl Transport {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Wait, Self::Sse, Self::Ws];
}

/// What a subscriber noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Saw {
    /// It began here and is to be told everything later. None: at a place that does not exist, so
    /// that it must be told to start over.
    Begin(Option<Seq>),
    /// An argument, and the state that came with it, where the transport says so.
    Argument {
        /// Its place.
        seq: Seq,
        /// Which.
        id: Uuid,
        /// The debate's state after it.
        state: Option<State>,
    },
    /// It was told to start over.
    Reset,
    /// A long poll that began at `since` and was to last `patience` ended with nothing newer than
    /// `after`.
    Nothing {
        /// What it had seen.
        after: Seq,
        /// When it began to wait.
        since: Micros,
        /// For how long it was ready to.
        patience: Micros,
    },
    /// Something that the contract does not allow.
    Wrong(String),
}

/// One thing that one subscriber noticed.
#[derive(Debug, Clone, Serialize)]
pub struct Sighting {
    /// Who.
    pub sub: u32,
    /// How it follows.
    pub kind: Transport,
    /// What it follows.
    pub debate: Uuid,
    /// When.
    pub t: Micros,
    /// What.
    pub saw: Saw,
}

/// The growing record of one run.
#[derive(Debug)]
pub struct History {
    began: Instant,
    steps: Mutex<Vec<Step>>,
    sightings: Mutex<Vec<Sighting>>,
}

impl Default for History {
    fn default() -> Self {
        Self { began: Instant::now(), steps: Mutex::default(), sightings: Mutex::default() }
    }
}

impl History {
    /// The time.
    #[must_use]
    pub fn now(&self) -> Micros {
        micros(self.began.elapsed())
    }

    /// Adds a request.
    pub fn step(&self, step: Step) {
        hold(&self.steps).push(step);
    }

    /// Adds what a subscriber noticed, now.
    pub fn saw(&self, sub: u32, kind: Transport, debate: Uuid, saw: Saw) {
        // The clock is read under the lock, so that the list is in the order of its times.
        let mut sightings = hold(&self.sightings);
        sightings.push(Sighting { sub, kind, debate, t: self.now(), saw });
    }

    /// All requests so far.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        hold(&self.steps).clone()
    }

    /// Everything noticed so far.
    #[must_use]
    pub fn sightings(&self) -> Vec<Sighting> {
        hold(&self.sightings).clone()
    }

    /// Writes everything down, one JSON object a line, for a person to look into.
    pub fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for step in hold(&self.steps).iter() {
            serde_json::to_writer(&mut out, step)?;
            out.write_all(b"\n")?;
        }
        for sighting in hold(&self.sightings).iter() {
            serde_json::to_writer(&mut out, sighting)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }
}

/// A span in the history's unit.
#[must_use]
pub fn micros(span: Duration) -> Micros {
    Micros::try_from(span.as_micros()).unwrap_or(Micros::MAX)
}

/// Nothing here panics half-way, so a poisoned lock guards sound data.
fn hold<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
