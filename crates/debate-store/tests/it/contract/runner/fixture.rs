//! Runs and workers with default values that a test can override.

use std::sync::Arc;
use std::time::Duration;

use debate_app::runner::{
    CreateRun, CreatedRun, RunCommand, RunTask, RunnerError, StepReport, Story,
};
use debate_app::{LeaseRequest, Settlement, WorkOffer};
use debate_core::runner::{
    Actor, AfterTurn, BeginCall, BeginCallError, Call, CallDraft, CallResult, CallStatus, Command,
    Cursor, DailyLimits, Metadata, NanoUsd, NewRun, Outcome, Round, Run, RunDefaults, RunSettings,
    RunSettingsDraft, StepResult, TokenPrice, TurnDraft, UnknownOutcomePolicy, UsdRates,
};
use debate_core::{
    CallId, CallTokens, Fingerprint, ModelName, RequestKey, RunId, Topic, TurnId, Usage,
};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::engine::Engine;
use crate::support::{instant, key};

/// Ranges of ids that do not overlap, so that no two items of a test get the same id.
const RUNS: u128 = 0x2042_0000_0000;
const TURNS: u128 = 0x7042_0000_0000;
const CALLS: u128 = 0xca11_0000_0000;

/// Duration of a lease without a renewal.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(15);

pub(crate) fn run_id(number: u32) -> RunId {
    RunId::new(Uuid::from_u128(RUNS + u128::from(number)))
}

pub(crate) fn turn_id(number: u32) -> TurnId {
    TurnId::new(Uuid::from_u128(TURNS + u128::from(number)))
}

pub(crate) fn call_id(number: u32) -> CallId {
    CallId::new(Uuid::from_u128(CALLS + u128::from(number)))
}

pub(crate) fn model(name: &str) -> ModelName {
    ModelName::new(name).expect("tests use plain names")
}

pub(crate) fn settings(draft: RunSettingsDraft) -> RunSettings {
    let defaults = RunDefaults::with_models(model("demo:paced"), model("demo:judge"));
    RunSettings::merge(draft, &defaults).expect("tests ask for what can be")
}

pub(crate) fn opening(number: u32) -> NewRun {
    NewRun {
        run: run_id(number),
        topic: Topic::new(format!("Topic {number}")).expect("tests have short topics"),
        settings: settings(RunSettingsDraft::default()),
    }
}

pub(crate) fn create(number: u32) -> CreateRun {
    CreateRun { opening: opening(number), key: None, at: instant(0) }
}

/// As `create`, with an idempotency key.
pub(crate) fn create_with(number: u32, key: RequestKey, topic: &str) -> CreateRun {
    let mut create = create(number);
    create.opening.topic = Topic::new(topic.to_owned()).expect("tests have short topics");
    let fingerprint = Fingerprint::for_run(&create.opening.topic, &RunSettingsDraft::default());
    CreateRun { key: Some((key, fingerprint)), ..create }
}

pub(crate) fn a_key() -> RequestKey {
    key("once")
}

pub(crate) fn cursor_at(round: u32, actor: Actor) -> Cursor {
    Cursor { round: Round::new(round).expect("rounds begin with 1"), actor }
}

pub(crate) fn tokens(prompt: u32, completion: u32) -> Usage {
    Usage::reported(prompt, completion)
}

pub(crate) fn allowed(number: u32) -> CallTokens {
    CallTokens::new(number).expect("tests allow what can be")
}

pub(crate) fn take_at(at: Timestamp) -> LeaseRequest {
    LeaseRequest { holder: "a worker".to_owned(), at, duration: LEASE }
}

pub(crate) fn turn_draft(number: u32, place: Cursor) -> TurnDraft {
    TurnDraft {
        id: turn_id(number),
        cursor: place,
        content: format!("Turn {number}"),
        model: Some("a-model".to_owned()),
        usage: tokens(7, 40),
        metadata: Metadata { outcome: Outcome::Ok, judgement: None, duration_ms: Some(1234) },
    }
}

/// The result of a step with turn `number` at `cursor`.
pub(crate) fn turn_result(number: u32, place: Cursor) -> StepResult {
    StepResult::Turn { draft: turn_draft(number, place), then: AfterTurn::Continue }
}

pub(crate) fn call_result(number: u32, called: CallStatus, usage: Usage) -> CallResult {
    CallResult { call: call_id(number), status: called, usage }
}

/// The bytes of the prompt of each call that [`beginning`] makes.
pub(crate) const PROMPT_BYTES: u32 = 400;

/// The reservation of each call that [`beginning`] makes.
pub(crate) const RESERVED: u64 = 1000;

/// A daily limit on tokens only.
pub(crate) fn tokens_a_day(most: u64) -> DailyLimits {
    DailyLimits { tokens: Some(most), cost: None }
}

/// A daily limit on cost only, in billionths of a USD.
pub(crate) fn cost_a_day(most: u64) -> DailyLimits {
    DailyLimits { tokens: None, cost: Some(NanoUsd::new(most)) }
}

/// One USD for a million tokens of either kind: 1000 billionths for each token.
pub(crate) fn a_rate() -> UsdRates {
    let rate = TokenPrice::new("1").expect("it is a rate");
    UsdRates { input: rate, output: rate }
}

pub(crate) fn request(run: RunId, command: Command, at: Timestamp) -> RunCommand {
    RunCommand { run, order: command.into(), budget: Arc::default(), at }
}

/// Call `number` for the next turn of a run, with 600 tokens and a prompt of 400 bytes.
pub(crate) fn beginning(task: &RunTask, number: u32, at: Timestamp) -> BeginCall {
    BeginCall {
        fencing_token: task.record.fencing_token,
        after: None,
        call: CallDraft {
            id: call_id(number),
            cursor: task.record.run.cursor,
            model: model("openai:paid"),
            allowed: allowed(600),
            prompt_bytes: PROMPT_BYTES,
            rates: Some(a_rate()),
            at,
        },
        limits: DailyLimits::default(),
    }
}

impl Engine {
    /// Creates run `number` at second 0.
    pub(crate) async fn create_run(&self, number: u32) -> Run {
        self.create_run_as(create(number)).await
    }

    pub(crate) async fn create_run_as(&self, create: CreateRun) -> Run {
        match self.runs.create(create).await.expect("it can be made") {
            CreatedRun::Fresh(run) => run,
            CreatedRun::Replayed(run) => panic!("{} is there already", run.id),
        }
    }

    pub(crate) async fn command_run(
        &self,
        number: u32,
        command: Command,
        second: u32,
    ) -> Result<Run, RunnerError> {
        self.runs.command(request(run_id(number), command, instant(second))).await
    }

    /// As `commanded`, for a command that the rules allow.
    pub(crate) async fn command_run_ok(&self, number: u32, command: Command, second: u32) -> Run {
        self.command_run(number, command, second).await.expect("the rules allow it")
    }

    pub(crate) async fn delete_run(&self, number: u32) {
        self.runs.delete(run_id(number)).await.expect("it was there");
    }

    /// Creates run `number` and starts it.
    pub(crate) async fn start_run(&self, number: u32, second: u32) -> Run {
        self.create_run(number).await;
        self.command_run_ok(number, Command::Start, second).await
    }

    pub(crate) async fn acquire_run(&self, second: u32) -> WorkOffer<RunTask> {
        self.runs
            .acquire(take_at(instant(second)), UnknownOutcomePolicy::Retry)
            .await
            .expect("the store is well")
    }

    /// Acquires the run that is due.
    pub(crate) async fn acquire_run_task(&self, second: u32) -> RunTask {
        match self.acquire_run(second).await {
            WorkOffer::Task(task) => task,
            other @ (WorkOffer::Cleaned | WorkOffer::Nothing { .. }) => {
                panic!("no step: {other:?}")
            }
        }
    }

    /// Creates, starts and acquires run `number`, all in the same second.
    pub(crate) async fn start_and_acquire(&self, number: u32, second: u32) -> RunTask {
        self.start_run(number, second).await;
        let task = self.acquire_run_task(second).await;
        assert_eq!(task.record.run.id, run_id(number));
        task
    }

    pub(crate) async fn begin_call(&self, task: &RunTask, number: u32, second: u32) -> Call {
        let begin = beginning(task, number, instant(second));
        self.try_begin_call(task, begin).await.expect("the debate is held")
    }

    pub(crate) async fn try_begin_call(
        &self,
        task: &RunTask,
        begin: BeginCall,
    ) -> Result<Call, BeginCallError> {
        self.runs.begin_call(task.record.run.id, begin).await.expect("the store is well")
    }

    pub(crate) async fn settle_run(
        &self,
        task: &RunTask,
        call: Option<CallResult>,
        end: StepResult,
        second: u32,
    ) -> Settlement {
        let report = StepReport { call, end };
        let settled = self.runs.settle(task.lease(), report, instant(second));
        settled.await.expect("the store is well")
    }

    /// Whether the holder still has the lease.
    pub(crate) async fn renew_run(&self, task: &RunTask, second: u32) -> bool {
        let renewed = self.runs.renew(task.lease(), instant(second), LEASE);
        renewed.await.expect("the store is well") == Settlement::Saved
    }

    /// Executes one step: the call and turn `number`, in one second.
    pub(crate) async fn execute_step(&self, number: u32, second: u32) -> Cursor {
        let task = self.acquire_run_task(second).await;
        let call = self.begin_call(&task, number, second).await;
        let end = call_result(number, CallStatus::Ok, tokens(7, 40));
        let kept =
            self.settle_run(&task, Some(end), turn_result(number, call.cursor), second).await;
        assert_eq!(kept, Settlement::Saved);
        call.cursor
    }

    pub(crate) async fn story(&self, number: u32) -> Story {
        self.runs.story(run_id(number)).await.expect("it is there")
    }

    pub(crate) async fn run(&self, number: u32) -> Run {
        self.story(number).await.run
    }

    pub(crate) async fn only_call(&self, number: u32) -> Call {
        let calls = self.calls(number).await;
        let [call] = calls.try_into().expect("one call was made");
        call
    }

    pub(crate) async fn calls(&self, number: u32) -> Vec<Call> {
        self.runs.calls(run_id(number)).await.expect("it is there")
    }
}

/// The time at which the next run is due.
pub(crate) fn next_due(found: &WorkOffer<RunTask>) -> Option<Timestamp> {
    match found {
        WorkOffer::Nothing { next_due: next } => *next,
        other @ (WorkOffer::Task(_) | WorkOffer::Cleaned) => {
            panic!("there is something: {other:?}")
        }
    }
}

pub(crate) const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}
