//! The runner's port: the operations that a storage engine implements.

use std::sync::Arc;

use async_trait::async_trait;
use debate_core::runner::{
    BeginCall, BeginCallError, Budget, Call, CallResult, CommandRequest, ListPosition, NewRun, Run,
    RunQuery, RunRecord, StepResult, Turn, UnknownOutcomePolicy,
};
use debate_core::{Fingerprint, ModelName, RequestKey, RunId, Seq, TurnId};
use jiff::Timestamp;

use super::RunnerError;
use crate::{Lease, LeaseRequest, LeaseStore, StoreError, StreamPosition, WorkOffer};

/// Storage of runs. Each method is one business operation and one transaction; the rules decide
/// the result (`debate_core::runner::RunRecord`). A write notifies the subscribers of its run
/// after its commit, and those of [`Subject::RUNNER_WORK`](crate::Subject::RUNNER_WORK) if work
/// is due, now or later. Saving the result of a step also saves the cost of its call, even if
/// the lease is lost.
#[async_trait]
pub trait RunnerStore: LeaseStore<RunId, StepReport> {
    /// Creates a run, unless the same request did before.
    async fn create(&self, create: CreateRun) -> Result<CreatedRun, RunnerError>;

    /// Executes a client's command, and returns the run after it.
    async fn command(&self, request: RunCommand) -> Result<Run, RunnerError>;

    /// Deletes a run with its turns and calls. The charge for its calls stays.
    async fn delete(&self, run: RunId) -> Result<(), RunnerError>;

    /// A run with its turns and its usage by model.
    async fn story(&self, run: RunId) -> Result<Story, RunnerError>;

    /// All calls of a run, in the order of its turns.
    async fn calls(&self, run: RunId) -> Result<Vec<Call>, RunnerError>;

    /// The turns after a position, oldest first, at most a page.
    async fn newer_than(
        &self,
        run: RunId,
        since: StreamPosition<TurnId>,
    ) -> Result<NewTurns, RunnerError>;

    /// Everything that changed in a run after a position, in one snapshot. The turns are at most a
    /// page.
    async fn changes(&self, run: RunId, after: Seq) -> Result<RunChanges, RunnerError>;

    /// A page of runs, last changed first.
    async fn list(&self, query: RunQuery) -> Result<RunListPage, RunnerError>;

    /// Acquires the run that has been due for longest, if one is. The calls that its last holder
    /// left in flight become unknown.
    async fn acquire(
        &self,
        request: LeaseRequest,
        on_unknown: UnknownOutcomePolicy,
    ) -> Result<WorkOffer<RunTask>, StoreError>;

    /// Records a call that is about to be made.
    async fn begin_call(
        &self,
        run: RunId,
        begin: BeginCall,
    ) -> Result<Result<Call, BeginCallError>, StoreError>;
}

/// A request to create a run.
#[derive(Debug, Clone)]
pub struct CreateRun {
    /// The topic and the settings.
    pub opening: NewRun,
    /// The idempotency key, and the fingerprint of the request.
    pub key: Option<(RequestKey, Fingerprint)>,
    /// The time of the request.
    pub at: Timestamp,
}

/// A command to a run.
#[derive(Debug, Clone)]
pub struct RunCommand {
    /// The run that the command changes.
    pub run: RunId,
    /// The command and its arguments.
    pub order: CommandRequest,
    /// The limits that a run must respect to start.
    pub budget: Arc<Budget>,
    /// The time of the request.
    pub at: Timestamp,
}

/// The result of [`RunnerStore::create`].
#[derive(Debug, Clone)]
pub enum CreatedRun {
    /// The run is new.
    Fresh(Run),
    /// An earlier request created the run; its current state.
    Replayed(Run),
}

/// A run with its turns and its usage by model.
#[derive(Debug, Clone)]
pub struct Story {
    /// The run in its current state.
    pub run: Run,
    /// The turns, oldest first.
    pub turns: Vec<Turn>,
    /// The usage of each model that was called.
    pub costs: Vec<Cost>,
}

/// The sum of all calls to one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The model that was called.
    pub model: ModelName,
    /// The number of calls.
    pub calls: u64,
    /// The number of calls whose outcome is unknown.
    pub unknown: u64,
    /// The prompt tokens that the provider reported.
    pub prompt_tokens: u64,
    /// The same, with the bytes of the prompt in place of each count that was not reported: the
    /// tokens that are charged.
    pub charged_prompt_tokens: u64,
    /// The completion tokens; where they were not reported, the limit of the call.
    pub completion_tokens: u64,
}

/// The turns after a reader's position.
#[derive(Debug, Clone)]
pub struct NewTurns {
    /// The run in its current state.
    pub run: Run,
    /// The position after which the reader reads.
    pub seen: Seq,
    /// The turns after it, oldest first.
    pub newer: Vec<Turn>,
    /// The last position of the run.
    pub last: Seq,
}

/// The changes of a run after a reader's position.
#[derive(Debug, Clone)]
pub struct RunChanges {
    /// The turns after the position.
    pub turns: NewTurns,
    /// All turns of the judge, oldest first, if one of them is after the position; else none.
    pub judge_turns: Vec<Turn>,
    /// The calls from the round of the position on, in the order of the turns.
    pub calls: Vec<Call>,
    /// The usage of each model that was called.
    pub costs: Vec<Cost>,
}

/// A page of runs.
#[derive(Debug, Clone)]
pub struct RunListPage {
    /// The runs, last changed first.
    pub runs: Vec<Run>,
    /// The start of the next page, if there is one.
    pub next: Option<ListPosition>,
}

/// A run that is leased for one step.
#[derive(Debug, Clone)]
pub struct RunTask {
    /// The run with its lease and counters.
    pub record: RunRecord,
    /// All turns of the run, oldest first.
    pub turns: Vec<Turn>,
}

impl RunTask {
    /// The lease under which the result of the step is saved.
    #[must_use]
    pub const fn lease(&self) -> Lease<RunId> {
        Lease { item: self.record.run.id, fencing_token: self.record.fencing_token }
    }
}

/// The end of a step.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The result of the step's last call, if it made one that is not saved yet.
    pub call: Option<CallResult>,
    /// A new turn, a retry, a release, or the end of the run.
    pub end: StepResult,
}
