//! The shared state of one run: servers, debates, history, counters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::checker::{Row, Transcript};
use crate::client::{Answer, Api, Reply, RoundRobin};
use crate::draft::Draft;
use crate::history::{ContentHash, History, Micros, Operation, Outcome, Seq, Step};
use crate::rules::{Event, Kind, Role, State};
use crate::server::{HANG_TIMEOUT, Server};
use crate::storage::UNAVAILABLE;

/// A debate as a client last saw it; others may have changed it since.
#[derive(Debug, Clone)]
pub(crate) struct KnownDebate {
    pub(crate) debate: Uuid,
    pub(crate) seq: Seq,
    pub(crate) newest: Uuid,
    pub(crate) state: State,
}

/// The state that all clients of a run share.
#[derive(Debug)]
pub(crate) struct SharedState {
    /// The servers that receive writes.
    writing: RoundRobin,
    /// The servers that receive reads and subscriptions.
    reading: RoundRobin,
    reads: Reads,
    pub(crate) history: History,
    /// The debates that are not closed.
    open: Mutex<Vec<KnownDebate>>,
    /// Every debate whose creation was requested.
    requested: Mutex<BTreeSet<Uuid>>,
    counts: Mutex<BTreeMap<String, u64>>,
    numbers: AtomicU32,
}

/// The condition under which a debate can be read and followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// The server is up.
    Always,
    /// The server and its storage are up.
    WithStorage,
}

/// An argument as every transport sends it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Argument {
    pub(crate) id: Uuid,
    pub(crate) seq: Seq,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) role: Role,
    pub(crate) parent_id: Option<Uuid>,
    pub(crate) content: String,
    #[serde(default)]
    pub(crate) client_request_id: Option<String>,
}

/// The fields of a debate that the run needs.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Debate {
    pub(crate) id: Uuid,
    pub(crate) state: State,
}

/// A debate and one argument: the response to a write, and the content of an event.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Entry {
    pub(crate) debate: Debate,
    pub(crate) argument: Argument,
}

#[derive(Debug, Deserialize)]
struct FullDebate {
    debate: Debate,
    motion: Argument,
    arguments: Vec<Argument>,
}

impl SharedState {
    /// A run with one server.
    pub(crate) fn new(api: Api) -> Self {
        Self::with_servers(
            RoundRobin::new(api.clone(), Vec::new()),
            RoundRobin::new(api, Vec::new()),
        )
    }

    /// A run with two servers; every client uses both in turn.
    pub(crate) fn both(servers: [&Server; 2]) -> Self {
        let [one, other] = servers.map(|server| &server.api);
        let rota = || RoundRobin::new(one.clone(), vec![other.clone()]);
        Self::with_servers(rota(), rota())
    }

    /// A run that writes on one server and reads on the other.
    pub(crate) fn across(writing: &Server, reading: &Server) -> Self {
        let rota = |server: &Server| RoundRobin::new(server.api.clone(), Vec::new());
        Self::with_servers(rota(writing), rota(reading))
    }

    fn with_servers(writing: RoundRobin, reading: RoundRobin) -> Self {
        Self {
            writing,
            reading,
            reads: Reads::Always,
            history: History::default(),
            open: Mutex::default(),
            requested: Mutex::default(),
            counts: Mutex::default(),
            numbers: AtomicU32::new(1),
        }
    }

    /// Marks the storage as temporarily unavailable: reads and subscriptions may be refused.
    pub(crate) fn with_storage_outages(self) -> Self {
        Self { reads: Reads::WithStorage, ..self }
    }

    /// The next server for reads and subscriptions.
    pub(crate) fn api(&self) -> &Api {
        self.reading.next()
    }

    pub(crate) fn may_lack_storage(&self) -> bool {
        self.reads == Reads::WithStorage
    }

    /// Whether this status is the expected refusal while storage is unavailable.
    pub(crate) fn is_storage_refusal(&self, status: u16) -> bool {
        let (away, _) = UNAVAILABLE;
        self.may_lack_storage() && status == away
    }

    /// A unique number for a client, a subscriber or a key.
    pub(crate) fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Increments a counter by name, for the report and for expectations.
    pub(crate) fn count(&self, what: impl Into<String>) {
        *lock(&self.counts).entry(what.into()).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        lock(&self.counts).clone()
    }

    /// The sum of the counters whose name starts with `prefix`.
    pub(crate) fn count_with_prefix(&self, beginning: &str) -> u64 {
        let counts = lock(&self.counts);
        counts.iter().filter(|(name, _)| name.starts_with(beginning)).map(|(_, n)| n).sum()
    }

    pub(crate) fn open_debates(&self) -> usize {
        lock(&self.open).len()
    }

    pub(crate) fn pick(&self, rng: &mut fastrand::Rng) -> Option<KnownDebate> {
        let open = lock(&self.open);
        rng.choice(open.iter()).cloned()
    }

    pub(crate) fn all_open(&self) -> Vec<KnownDebate> {
        lock(&self.open).clone()
    }

    /// Sends `draft` once and records the outcome. Returns `None` if the server does not listen.
    pub(crate) async fn attempt(&self, client: u32, draft: &Draft) -> Option<Outcome> {
        let t_start = self.history.now();
        let answer = self.writing.next().post(&draft.path(), &draft.body()).await;
        self.record(client, draft, t_start, answer)
    }

    /// Records the outcome of a request that began at `t_start`.
    pub(crate) fn record(
        &self,
        client: u32,
        draft: &Draft,
        t_start: Micros,
        answer: Answer,
    ) -> Option<Outcome> {
        let t_end = self.history.now();
        if draft.event.kind == Kind::Motion {
            lock(&self.requested).insert(draft.debate);
        }
        let outcome = self.parse_outcome(draft, answer)?;
        self.history.step(Step {
            client,
            op: Operation::Write(draft.event),
            key: draft.key.clone(),
            debate: draft.debate,
            content_hash: draft.content_hash(),
            t_start,
            t_end,
            outcome: outcome.clone(),
        });
        Some(outcome)
    }

    fn parse_outcome(&self, draft: &Draft, answer: Answer) -> Option<Outcome> {
        let reply = match answer {
            Answer::Answered(reply) => reply,
            Answer::NotSent => return None,
            Answer::Lost(why) => {
                self.count("no answer");
                return Some(Outcome::Indefinite(why));
            }
        };
        self.count(reply.summary());
        if reply.status.is_client_error() {
            self.update_state(draft.debate, reply.error().get("current_state"));
            return Some(Outcome::Refused(reply.code().to_owned()));
        }
        let entry = Entry::deserialize(reply.data());
        match entry {
            Ok(entry) if reply.status.is_success() => {
                self.update_known(&entry);
                let fresh = reply.status.as_u16() == 201;
                if fresh == reply.replayed {
                    self.count("WRONG: a replay without its header, or a header without a replay");
                }
                let Argument { seq, id, .. } = entry.argument;
                Some(Outcome::Ok { seq, id, fresh })
            }
            Ok(_) | Err(_) => Some(Outcome::Indefinite(reply.summary())),
        }
    }

    /// Keeps the newest state of a debate; a closed debate receives no further moves.
    fn update_known(&self, entry: &Entry) {
        let Entry { debate, argument } = entry;
        let mut open = lock(&self.open);
        let known = KnownDebate {
            debate: debate.id,
            seq: argument.seq,
            newest: argument.id,
            state: debate.state,
        };
        match open.iter_mut().find(|other| other.debate == debate.id) {
            Some(other) if other.seq < known.seq => *other = known,
            Some(_) => {}
            None if argument.kind == Kind::Motion => open.push(known),
            None => {}
        }
        open.retain(|known| known.state != State::Closed);
    }

    fn update_state(&self, debate: Uuid, state: Option<&Value>) {
        let Some(Ok(state)) = state.map(State::deserialize) else { return };
        let mut open = lock(&self.open);
        if let Some(known) = open.iter_mut().find(|known| known.debate == debate) {
            known.state = state;
        }
        open.retain(|known| known.state != State::Closed);
    }

    /// Reads a debate and records its newest argument.
    pub(crate) async fn read(&self, client: u32, debate: Uuid) {
        let t_start = self.history.now();
        let Answer::Answered(reply) = self.api().get(&format!("/debates/{debate}?limit=1")).await
        else {
            return;
        };
        let t_end = self.history.now();
        let outcome = match (reply.status.as_u16(), FullDebate::deserialize(reply.data())) {
            (200, Ok(whole)) => {
                let newest = whole.arguments.last().unwrap_or(&whole.motion);
                Outcome::Ok { seq: newest.seq, id: newest.id, fresh: false }
            }
            (400..500, _) => Outcome::Refused(reply.code().to_owned()),
            _ => Outcome::Indefinite(reply.summary()),
        };
        self.count(format!("read {}", reply.summary()));
        let content_hash = ContentHash::new(Kind::Motion, Role::Proposer, None, "");
        let (op, key) = (Operation::Read, String::new());
        self.history.step(Step { client, op, key, debate, content_hash, t_start, t_end, outcome });
    }

    /// Every argument of a debate.
    pub(crate) async fn arguments(&self, debate: Uuid) -> anyhow::Result<Vec<Argument>> {
        let reply = self.api().get_answered(&format!("/debates/{debate}")).await?;
        let whole = FullDebate::deserialize(reply.data())?;
        Ok([whole.motion].into_iter().chain(whole.arguments).collect())
    }

    /// The final transcripts of all debates, for the checker. All servers must return the same.
    pub(crate) async fn transcripts(&self) -> anyhow::Result<Vec<Transcript>> {
        let debates = lock(&self.requested).clone();
        let mut transcripts = Vec::with_capacity(debates.len());
        for debate in debates {
            let mut shown = Vec::new();
            for api in self.all_servers() {
                shown.push(self.transcript(api, debate).await?);
            }
            if shown.windows(2).any(|pair| pair.first() != pair.last()) {
                self.count(format!("WRONG: debate {debate} is not the same on all servers"));
            }
            transcripts.extend(shown.pop().flatten());
        }
        Ok(transcripts)
    }

    /// Each server of the run once.
    fn all_servers(&self) -> Vec<&Api> {
        let mut all: Vec<_> = self.reading.all().chain(self.writing.all()).collect();
        all.sort_by(|one, other| one.address.cmp(&other.address));
        all.dedup_by(|one, other| one.address == other.address);
        all
    }

    /// A debate as one server shows it; none if it does not exist.
    async fn transcript(&self, api: &Api, debate: Uuid) -> anyhow::Result<Option<Transcript>> {
        let began = Instant::now();
        loop {
            let reply = api.get_answered(&format!("/debates/{debate}")).await?;
            match reply.status.as_u16() {
                200 => return transcript(&reply).map(Some),
                404 => return Ok(None),
                // A cut connection is noticed at its next use.
                status if self.is_storage_refusal(status) && began.elapsed() < HANG_TIMEOUT => {}
                _ => bail!("reading debate {debate} at the end: {}", reply.summary()),
            }
        }
    }
}

fn transcript(reply: &Reply) -> anyhow::Result<Transcript> {
    let whole = FullDebate::deserialize(reply.data()).context("a debate that can't be read")?;
    let rows = [whole.motion].into_iter().chain(whole.arguments).map(Row::from).collect();
    Ok(Transcript { debate: whole.debate.id, state: whole.debate.state, rows })
}

impl From<Argument> for Row {
    fn from(argument: Argument) -> Self {
        let Argument { id, seq, kind, role, parent_id, content, client_request_id } = argument;
        let content_hash = ContentHash::new(kind, role, parent_id, &content);
        Self { seq, id, kind, role, key: client_request_id, content_hash }
    }
}

impl KnownDebate {
    /// A random allowed move in this debate.
    pub(crate) fn random_move(&self, rng: &mut fastrand::Rng) -> Option<Event> {
        let allowed_events: Vec<_> = crate::rules::allowed_events(self.state).collect();
        rng.choice(allowed_events)
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
