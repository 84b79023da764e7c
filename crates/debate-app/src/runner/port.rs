//! Debates that run themselves, kept: what the runner asks of a storage engine.

use std::sync::Arc;

use async_trait::async_trait;
use debate_core::runner::{
    Begin, Budget, Call, CallEnd, ListPlace, NotBegun, OnUnknown, Opening, Order, Record, Run,
    RunQuery, Standing, StepEnd, Turn,
};
use debate_core::{Fingerprint, ModelName, RequestKey, RunId, Seq, Term, TurnId};
use jiff::{SignedDuration, Timestamp};

use super::RunnerError;
use crate::StoreError;

/// Debates that run themselves, kept. Each method is one business operation and one transaction;
/// what each leaves behind is decided by the rules (`debate_core::runner::Record`). A write rings
/// for its debate after its commit, and [`Subject::RUNNER_WORK`](crate::Subject::RUNNER_WORK) too
/// where it left work that is due, now or later.
#[async_trait]
pub trait RunnerStore: Send + Sync {
    /// Keeps a new debate, unless the same request did before.
    async fn create(&self, create: Create) -> Result<Created, RunnerError>;

    /// Does to a debate what someone asks; the debate as it stands then.
    async fn command(&self, request: CommandRequest) -> Result<Run, RunnerError>;

    /// Forgets a debate and all that was said in it.
    async fn delete(&self, run: RunId) -> Result<(), RunnerError>;

    /// A debate, all that was said in it, and what it cost.
    async fn story(&self, run: RunId) -> Result<Story, RunnerError>;

    /// Every call that was made for a debate, in order.
    async fn calls(&self, run: RunId) -> Result<Vec<Call>, RunnerError>;

    /// What came after a position, oldest first: as much of it as makes a page.
    async fn newer_than(&self, run: RunId, since: Since) -> Result<RunNews, RunnerError>;

    /// A page of the list, last changed first.
    async fn list(&self, query: RunQuery) -> Result<RunPage, RunnerError>;

    /// Takes the debate that has been due for longest, if one is. Calls that its last holder left
    /// in flight become unknown.
    async fn take(&self, take: Take) -> Result<Found, StoreError>;

    /// Records a call that is about to be made.
    async fn begin(&self, run: RunId, begin: Begin) -> Result<Result<Call, NotBegun>, StoreError>;

    /// Says that its holder is still at work on a debate; none if it is not its any more.
    async fn renew(&self, renew: Renew) -> Result<Option<Standing>, StoreError>;

    /// Keeps what a step came to. What its call cost is kept in any case.
    async fn settle(&self, settle: Settle) -> Result<Settlement, StoreError>;
}

/// A debate to be kept.
#[derive(Debug, Clone)]
pub struct Create {
    /// What the client asked for.
    pub opening: Opening,
    /// By which it may ask again, and what makes it the same request.
    pub key: Option<(RequestKey, Fingerprint)>,
    /// When.
    pub at: Timestamp,
}

/// A command to a run.
#[derive(Debug, Clone)]
pub struct CommandRequest {
    /// To which run.
    pub run: RunId,
    /// The command, with what the client sent along.
    pub order: Order,
    /// What the run must keep to in order to start.
    pub budget: Arc<Budget>,
    /// When.
    pub at: Timestamp,
}

/// What a creation left behind.
#[derive(Debug, Clone)]
pub enum Created {
    /// It is new.
    Fresh(Run),
    /// The same request had come before; the debate as it stands.
    Replayed(Run),
}

/// A debate, all that was said in it, and what it cost.
#[derive(Debug, Clone)]
pub struct Story {
    /// The debate as it stands.
    pub run: Run,
    /// What was said, oldest first.
    pub turns: Vec<Turn>,
    /// What was asked for, model by model.
    pub costs: Vec<Cost>,
}

/// What the calls to one model cost, together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// Which one.
    pub model: ModelName,
    /// How many calls.
    pub calls: u64,
    /// How many of them have no known outcome.
    pub unknown: u64,
    /// The tokens it was asked with, as far as it told.
    pub prompt_tokens: u64,
    /// The same, with the bytes of the prompt in place of each count that it did not tell: what
    /// counts as cost.
    pub charged_prompt_tokens: u64,
    /// The tokens it answered with; where it did not tell, those it was allowed.
    pub completion_tokens: u64,
}

/// A reader's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nothing seen yet.
    Start,
    /// Everything up to this turn.
    Turn(TurnId),
    /// Everything up to this place.
    Seq(Seq),
}

/// What a reader has not seen.
#[derive(Debug, Clone)]
pub struct RunNews {
    /// The debate as it stands.
    pub run: Run,
    /// The reader's position.
    pub seen: Seq,
    /// What came after it, oldest first.
    pub newer: Vec<Turn>,
    /// The last place there is.
    pub last: Seq,
}

/// A page of the list.
#[derive(Debug, Clone)]
pub struct RunPage {
    /// The debates, last changed first.
    pub runs: Vec<Run>,
    /// Where the next page begins, if there is one.
    pub next: Option<ListPlace>,
}

/// A worker who comes for work.
#[derive(Debug, Clone)]
pub struct Take {
    /// Who, for whoever looks into the database.
    pub holder: String,
    /// When.
    pub at: Timestamp,
    /// For how long it may fall silent.
    pub lease: SignedDuration,
    /// What it does about a call whose outcome nobody knows.
    pub on_unknown: OnUnknown,
}

/// What a worker finds.
#[derive(Debug, Clone)]
pub enum Found {
    /// A debate to do a step of, which is its own now.
    Step(Box<Task>),
    /// One that only had to be tidied up; there may be more.
    Tidied,
    /// Nothing.
    Nothing {
        /// When the next one is due, if one is.
        next: Option<Timestamp>,
    },
}

/// A debate to do a step of.
#[derive(Debug, Clone)]
pub struct Task {
    /// The debate.
    pub record: Record,
    /// What was said in it, oldest first.
    pub turns: Vec<Turn>,
}

/// A holder's sign of life.
#[derive(Debug, Clone, Copy)]
pub struct Renew {
    /// At what.
    pub run: RunId,
    /// In which term.
    pub term: Term,
    /// When.
    pub at: Timestamp,
    /// For how long it may fall silent from now on.
    pub lease: SignedDuration,
}

/// The end of a step.
#[derive(Debug, Clone)]
pub struct Settle {
    /// Of what.
    pub run: RunId,
    /// In which term.
    pub term: Term,
    /// What came of its last call, if one was made.
    pub call: Option<CallEnd>,
    /// How it ended.
    pub end: StepEnd,
    /// When.
    pub at: Timestamp,
}

/// What became of the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It counts.
    Kept,
    /// The debate went on, or is gone, without it.
    Dropped,
}
