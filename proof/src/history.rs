//! The actions and responses of every client and the observations of every
//! subscriber: the checker's evidence.
//!
//! Times are microseconds of this process's monotonic clock since the history began, so that they
//! are ordered whatever the wall clock does.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::rules::{Event, Kind, Role, State};

/// Microseconds since the history began.
pub type Micros = u64;

/// A sequence number in a debate: 1 is the motion, 0 is before it.
pub type Seq = u32;

/// The hash of a request's content: equal hashes mean equal requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct ContentHash(String);

impl ContentHash {
    /// The hash of everything that the log shows of an argument.
    #[must_use]
    pub fn new(kind: Kind, role: Role, parent: Option<Uuid>, content: &str) -> Self {
        let text = format!("{kind:?} {role:?} {parent:?} {content}");
        let digest = Sha256::digest(text.as_bytes());
        let hash = digest.iter().take(8).fold(0, |hash, &byte| (hash << 8) | u64::from(byte));
        Self(format!("{hash:016x}"))
    }
}

/// The operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Operation {
    /// Adds an argument of this kind.
    Write(Event),
    /// Reads the newest argument.
    Read,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Outcome {
    /// A write is at this position, or a read saw this as the newest argument.
    Ok {
        /// The sequence number of the argument.
        seq: Seq,
        /// The id of the argument.
        id: Uuid,
        /// Whether the server acknowledged it as new; false for a replay.
        fresh: bool,
    },
    /// The server refused it with this code.
    Refused(String),
    /// The outcome is unknown: no response, or one that reports a server failure.
    Indefinite(String),
}

/// One request of one client.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// The number of the client.
    pub client: u32,
    /// The operation that was requested.
    pub op: Operation,
    /// The idempotency key; empty for a read.
    pub key: String,
    /// The id of the debate.
    pub debate: Uuid,
    /// The hash of the content.
    pub content_hash: ContentHash,
    /// The start of the request.
    pub t_start: Micros,
    /// The time at which the outcome was known.
    pub t_end: Micros,
    /// The outcome of the request.
    pub outcome: Outcome,
}

/// The way in which a subscriber follows a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// `GET /debates/{id}/wait`, the long poll.
    Wait,
    /// `GET /debates/{id}/events`, server-sent events.
    Sse,
    /// `GET /ws`, the WebSocket.
    Ws,
}

impl Transport {
    /// Every transport, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Wait, Self::Sse, Self::Ws];
}

/// An observation of a subscriber.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum ObservedEvent {
    /// It began after this position and must receive everything later. None: it began at a position
    /// that does not exist and must receive a reset.
    Begin(Option<Seq>),
    /// An argument, with the state if the transport sends one.
    Argument {
        /// The sequence number of the argument.
        seq: Seq,
        /// The id of the argument.
        id: Uuid,
        /// The debate's state after it.
        state: Option<State>,
    },
    /// The subscriber received a reset.
    Reset,
    /// A long poll that began at `since` with the time limit `timeout` ended without
    /// anything newer than `after`.
    Nothing {
        /// The position of the subscriber.
        after: Seq,
        /// The start of the wait.
        since: Micros,
        /// The requested time limit of the wait.
        timeout: Micros,
    },
    /// A response that the contract does not allow.
    Wrong(String),
}

/// One observation of one subscriber.
#[derive(Debug, Clone, Serialize)]
pub struct Observation {
    /// The number of the subscriber.
    pub sub: u32,
    /// The transport of the subscriber.
    pub kind: Transport,
    /// The debate that it follows.
    pub debate: Uuid,
    /// The time of the observation.
    pub t: Micros,
    /// The event that was observed.
    pub event: ObservedEvent,
}

/// The record of one run.
#[derive(Debug)]
pub struct History {
    began: Instant,
    steps: Mutex<Vec<Step>>,
    observations: Mutex<Vec<Observation>>,
}

impl Default for History {
    fn default() -> Self {
        Self { began: Instant::now(), steps: Mutex::default(), observations: Mutex::default() }
    }
}

impl History {
    /// Microseconds since the history began.
    #[must_use]
    pub fn now(&self) -> Micros {
        micros(self.began.elapsed())
    }

    /// Records a request with its outcome.
    pub fn step(&self, step: Step) {
        lock(&self.steps).push(step);
    }

    /// Records an observation with the current time.
    pub fn observe(&self, sub: u32, kind: Transport, debate: Uuid, event: ObservedEvent) {
        // The clock is read under the lock, so that the list is in the order of its times.
        let mut observations = lock(&self.observations);
        observations.push(Observation { sub, kind, debate, t: self.now(), event });
    }

    /// All requests so far.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        lock(&self.steps).clone()
    }

    /// All observations so far.
    #[must_use]
    pub fn observations(&self) -> Vec<Observation> {
        lock(&self.observations).clone()
    }

    /// Writes the history to a file, one JSON object per line, for analysis by a person.
    pub fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for step in lock(&self.steps).iter() {
            serde_json::to_writer(&mut out, step)?;
            out.write_all(b"\n")?;
        }
        for observation in lock(&self.observations).iter() {
            serde_json::to_writer(&mut out, observation)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }
}

/// A duration in the history's unit.
#[must_use]
pub fn micros(span: Duration) -> Micros {
    Micros::try_from(span.as_micros()).unwrap_or(Micros::MAX)
}

/// No code panics while it holds the lock, so a poisoned lock guards consistent data.
fn lock<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
