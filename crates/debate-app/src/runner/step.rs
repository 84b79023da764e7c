//! The workers of the runner, and one step of a run: one turn, or its end.

use std::time::Duration;

use async_trait::async_trait;
use debate_core::runner::{
    Actor, AfterTurn, Attempt, BeginCallError, CallResult, Cursor, CursorRepair, Judgement,
    Metadata, NotAVerdict, Outcome, Plan, PromptInput, Retry, RunProgress, RunRecord, StepResult,
    TurnDraft, UnknownOutcomePolicy, Verdict, build_prompt, plan, repair_prompt, retry,
};
use debate_core::{CallTokens, Fence, Prompt, RunId, TurnId};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::call::{CallOutcome, CallRequest};
use super::{RunTask, Runner, StepReport};
use crate::failpoint::{self, Failpoint};
use crate::lease::{WorkSource, jitter, persist};
use crate::llm::{Answer, FinishReason, LlmError};
use crate::{Lease, LeaseRequest, Settlement, StoreError, Subject, WorkOffer, Workers};

/// Parses a judge's answer. The parser is a parameter because JSON is read in `debate-llm`.
pub type ReadVerdict = fn(&str) -> Result<Verdict, NotAVerdict>;

/// Executes the steps of leased runs.
pub(super) struct StepRunner {
    pub(super) runner: Runner,
    pub(super) read_verdict: ReadVerdict,
    pub(super) options: WorkerOptions,
}

impl StepReport {
    const fn new(call: Option<CallResult>, end: StepResult) -> Self {
        Self { call, end }
    }
}

/// A turn that the plan of a run asks for.
struct TurnRequest<'t> {
    task: &'t RunTask,
    cursor: Cursor,
    allowed: CallTokens,
    then: AfterTurn,
}

impl<'t> TurnRequest<'t> {
    fn call_request(
        &self,
        prompt: Prompt,
        allowed: CallTokens,
        after: Option<CallResult>,
    ) -> CallRequest<'t> {
        let model = self.task.record.run.settings.model_for(self.cursor.actor);
        CallRequest {
            record: &self.task.record,
            cursor: self.cursor,
            model: model.clone(),
            prompt,
            allowed,
            after,
        }
    }
}

impl StepRunner {
    pub(super) fn lease_duration(&self) -> SignedDuration {
        SignedDuration::try_from(self.options.lease).unwrap_or(SignedDuration::MAX)
    }

    /// Executes one step of a leased run, saves its result and releases the run.
    pub(super) async fn step(&self, task: RunTask) {
        failpoint::abort_at(Failpoint::BeforeAttempt);
        let RunTask { record, turns } = &task;
        let settings = &record.run.settings;
        let last = turns.last().map(|turn| turn.cursor);
        if let Some(CursorRepair { stored, from_turns }) =
            CursorRepair::detect(record.run.cursor, last, settings.judge_mode)
        {
            tracing::warn!(
                run.id = %record.run.id,
                cursor.stored = ?stored,
                cursor.from_turns = ?from_turns,
                "cursor disagrees with the turns; repaired"
            );
        }
        let report = match plan(settings, &progress(&task, record.run.spent)) {
            Plan::Complete { cursor, limit } => {
                StepReport::new(None, StepResult::LimitReached { cursor, limit })
            }
            Plan::Call { cursor, allowed, then } => {
                self.request_turn(&TurnRequest { task: &task, cursor, allowed, then }).await
            }
        };
        let has_turn = matches!(report.end, StepResult::Turn { .. });
        self.settle(task.lease(), report).await;
        if has_turn {
            failpoint::abort_at(Failpoint::AfterCommit);
        }
    }

    /// Calls the model whose turn it is.
    async fn request_turn(&self, request: &TurnRequest<'_>) -> StepReport {
        let RunTask { record, turns } = request.task;
        let brief = PromptInput { topic: &record.run.topic, settings: &record.run.settings, turns };
        let fence = Fence::new(Uuid::new_v4().into_bytes());
        let prompt = build_prompt(&brief, request.cursor, &fence);
        let reply = self.call(request.call_request(prompt.clone(), request.allowed, None)).await;
        match reply {
            CallOutcome::Answer(call, answer, took) => match request.cursor.actor {
                Actor::DebaterA | Actor::DebaterB => {
                    StepReport::new(Some(call), turn_result(request, answer, took, None))
                }
                Actor::Judge => self.judge_turn(request, prompt, call, (answer, took)).await,
            },
            CallOutcome::Failed(call, err) => {
                StepReport::new(Some(call), failure_result(record, &err))
            }
            CallOutcome::Abandoned(call) => StepReport::new(call, StepResult::Released),
            CallOutcome::NotBegun(BeginCallError::Lost | BeginCallError::Stopping) => {
                StepReport::new(None, StepResult::Released)
            }
            CallOutcome::NotBegun(
                error @ (BeginCallError::OverBudget(_) | BeginCallError::ModelWithoutPrice),
            ) => StepReport::new(None, StepResult::Failed { error: error.to_string() }),
        }
    }

    /// The judge's turn. Without a valid verdict in `answer` the judge is called once more.
    async fn judge_turn(
        &self,
        request: &TurnRequest<'_>,
        prompt: Prompt,
        call: CallResult,
        (answer, took): (Answer, u64),
    ) -> StepReport {
        let why = match (self.read_verdict)(&answer.text) {
            Ok(verdict) => {
                let judgement = Judgement::Given(verdict);
                return StepReport::new(
                    Some(call),
                    turn_result(request, answer, took, Some(judgement)),
                );
            }
            Err(why) => why,
        };
        let missing = |call, answer| {
            StepReport::new(
                Some(call),
                turn_result(request, answer, took, Some(Judgement::Missing)),
            )
        };
        let charged = u64::from(call.usage.charged_tokens(request.allowed.number()));
        let spent = request.task.record.run.spent.saturating_add(charged);
        let Some(allowed) = tokens_for_repair(request, spent) else { return missing(call, answer) };
        let version = request.task.record.run.settings.prompt_version;
        let again = repair_prompt(prompt, version, answer.text.clone(), why);
        match self.call(request.call_request(again, allowed, Some(call))).await {
            CallOutcome::Answer(call, answer, took) => {
                let judgement =
                    (self.read_verdict)(&answer.text).map_or(Judgement::Missing, Judgement::Given);
                StepReport::new(Some(call), turn_result(request, answer, took, Some(judgement)))
            }
            // The turn is saved without a verdict: a judge is asked to repair its answer once.
            CallOutcome::Failed(call, err) => {
                let run = request.task.record.run.id;
                tracing::warn!(run.id = %run, error = %err, "asking for a valid verdict failed");
                missing(call, answer)
            }
            CallOutcome::Abandoned(call) => StepReport::new(call, StepResult::Released),
            CallOutcome::NotBegun(BeginCallError::Lost) => {
                StepReport::new(Some(call), StepResult::Released)
            }
            CallOutcome::NotBegun(
                BeginCallError::Stopping
                | BeginCallError::OverBudget(_)
                | BeginCallError::ModelWithoutPrice,
            ) => missing(call, answer),
        }
    }

    async fn settle(&self, lease: Lease<RunId>, report: StepReport) {
        let (store, at) = (&self.runner.store, self.runner.clock.now());
        match persist(|| store.settle(lease, report.clone(), at)).await {
            Ok(Settlement::Saved) => {}
            Ok(Settlement::Discarded) => {
                tracing::info!(run.id = %lease.item, "lease lost; result discarded");
            }
            // Another worker continues from the saved turns after the lease.
            Err(err) => {
                tracing::error!(run.id = %lease.item, error = %err, "saving the result failed");
            }
        }
    }
}

/// The progress of the run if `spent` tokens are used.
fn progress(task: &RunTask, spent: u64) -> RunProgress {
    let run = &task.record.run;
    RunProgress::from_turns(&task.turns, run.settings.judge_mode, run.ran, spent)
}

/// The token limit of a second call for the same turn; none if the run has reached a limit.
fn tokens_for_repair(request: &TurnRequest<'_>, spent: u64) -> Option<CallTokens> {
    match plan(&request.task.record.run.settings, &progress(request.task, spent)) {
        Plan::Call { cursor, allowed, .. } => (cursor == request.cursor).then_some(allowed),
        Plan::Complete { .. } => None,
    }
}

/// The result of a step whose call took `took` milliseconds and became a turn.
fn turn_result(
    request: &TurnRequest<'_>,
    answer: Answer,
    took: u64,
    judgement: Option<Judgement>,
) -> StepResult {
    let language = request.task.record.run.settings.output_language.label_language();
    let content = match &judgement {
        Some(judgement) => judgement.content(language),
        None => answer.text,
    };
    let draft = TurnDraft {
        id: TurnId::new(Uuid::now_v7()),
        cursor: request.cursor,
        content,
        model: answer.model,
        usage: answer.usage,
        metadata: Metadata {
            outcome: outcome(answer.finish_reason),
            judgement,
            duration_ms: Some(took),
        },
    };
    StepResult::Turn { draft, then: request.then }
}

const fn outcome(reason: FinishReason) -> Outcome {
    match reason {
        FinishReason::Complete => Outcome::Ok,
        FinishReason::Truncated => Outcome::Truncated,
        FinishReason::Refused => Outcome::Refused,
    }
}

/// The result of a step whose call failed: a retry, or the end of the run.
fn failure_result(record: &RunRecord, err: &LlmError) -> StepResult {
    let attempt = Attempt::new(record.tries.saturating_add(1));
    let retry = attempt.map_or(Retry::GiveUp, |attempt| retry(attempt, err.failure, jitter()));
    let message = err.message.clone();
    match retry {
        Retry::GiveUp => StepResult::Failed { error: message },
        Retry::After { wait, attempt } => {
            let (number, most, seconds) = (attempt.number(), Attempt::MOST, wait.as_secs_f32());
            let message = format!("{message}; attempt {number} of {most} in {seconds:.0} s");
            StepResult::Retry { error: message, wait }
        }
    }
}

/// Settings of the runner's workers.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// The number of steps that are executed at once; 0 leaves the work to other processes.
    pub workers: usize,
    /// Duration of a lease without a renewal.
    pub lease: Duration,
    /// The treatment of a run with a call whose outcome is unknown.
    pub on_unknown: UnknownOutcomePolicy,
    /// Maximum duration of one call to a provider.
    pub call_timeout: Duration,
    /// Time that a call gets to finish after the server began to shut down.
    pub grace: Duration,
}

impl Runner {
    /// Starts workers that execute the steps of runs.
    #[must_use]
    pub fn start_workers(&self, read_verdict: ReadVerdict, options: WorkerOptions) -> Workers {
        let (subscription, count) =
            (self.notifier.subscribe_worker(Subject::RUNNER_WORK), options.workers);
        let step_runner = StepRunner { runner: self.clone(), read_verdict, options };
        let steps = RunSteps { step_runner, holder: Uuid::new_v4().simple().to_string() };
        Workers::start("runner", steps, subscription, count)
    }
}

/// Acquires runs and executes one step of each.
struct RunSteps {
    step_runner: StepRunner,
    /// The name of this process in the database.
    holder: String,
}

#[async_trait]
impl WorkSource for RunSteps {
    type Task = RunTask;

    async fn acquire(&self) -> Result<WorkOffer<RunTask>, StoreError> {
        let step_runner = &self.step_runner;
        let (holder, at, duration) =
            (self.holder.clone(), self.now(), step_runner.lease_duration());
        let request = LeaseRequest { holder, at, duration };
        step_runner.runner.store.acquire(request, step_runner.options.on_unknown).await
    }

    async fn work(&self, task: RunTask) {
        self.step_runner.step(task).await;
    }

    fn now(&self) -> Timestamp {
        self.step_runner.runner.clock.now()
    }
}
