//! Statuses and commands, compared with the contract's table.

use debate_core::runner::{
    AfterTurn, Command, CommandRefusal, RunLimit, RunState, Status, StepOutcome, StopReason,
    WorkerActivity, next_state, state_after_step,
};

use RunState::{Canceled, Completed, Created, Failed, Running, Stopped, Stopping};

const RUN_STATES: [RunState; 10] = [
    Created,
    Running,
    Stopping,
    Stopped,
    Failed,
    Completed(RunLimit::Rounds),
    Completed(RunLimit::Runtime),
    Completed(RunLimit::OutputTokens),
    Completed(RunLimit::JudgeEarlyStop),
    Canceled,
];

const NO: Option<RunState> = None;
const RUNNING: Option<RunState> = Some(Running);
const STOPPING: Option<RunState> = Some(Stopping);
const STOPPED: Option<RunState> = Some(Stopped);
const CANCELED: Option<RunState> = Some(Canceled);

/// Section 1: a row for each run state; the columns are start, resume, retry, stop during a call,
/// stop without a call, cancel.
#[rustfmt::skip]
const TABLE: [(RunState, [Option<RunState>; 6]); 10] = [
    (Created,                             [RUNNING, RUNNING, NO,      NO,       NO,      CANCELED]),
    (Running,                             [NO,      NO,      NO,      STOPPING, STOPPED, CANCELED]),
    (Stopping,                            [NO,      NO,      NO,      NO,       NO,      CANCELED]),
    (Stopped,                             [RUNNING, RUNNING, NO,      NO,       NO,      CANCELED]),
    (Failed,                              [RUNNING, RUNNING, RUNNING, NO,       NO,      CANCELED]),
    (Completed(RunLimit::Rounds),         [NO,      NO,      NO,      NO,       NO,      NO]),
    (Completed(RunLimit::Runtime),        [NO,      NO,      NO,      NO,       NO,      NO]),
    (Completed(RunLimit::OutputTokens),   [NO,      NO,      NO,      NO,       NO,      NO]),
    (Completed(RunLimit::JudgeEarlyStop), [NO,      NO,      NO,      NO,       NO,      NO]),
    (Canceled,                            [NO,      NO,      NO,      NO,       NO,      NO]),
];

#[test]
fn command_in_every_status_follows_the_contract() {
    assert_eq!(TABLE.map(|(standing, _)| standing), RUN_STATES);
    for (standing, [start, resume, retry, stop, stop_idle, cancel]) in TABLE {
        let cells = [
            (Command::Start, WorkerActivity::Idle, start),
            (Command::Start, WorkerActivity::InTurn, start),
            (Command::Resume, WorkerActivity::Idle, resume),
            (Command::Resume, WorkerActivity::InTurn, resume),
            (Command::Retry, WorkerActivity::Idle, retry),
            (Command::Retry, WorkerActivity::InTurn, retry),
            (Command::Stop, WorkerActivity::InTurn, stop),
            (Command::Stop, WorkerActivity::Idle, stop_idle),
            (Command::Cancel, WorkerActivity::Idle, cancel),
            (Command::Cancel, WorkerActivity::InTurn, cancel),
        ];
        for (command, flight, expected) in cells {
            let refusal = CommandRefusal { status: standing.status(), command };
            let expected = expected.ok_or(refusal);
            assert_eq!(
                next_state(standing, flight, command),
                expected,
                "{command:?} in {standing:?}"
            );
        }
    }
}

#[test]
fn run_is_not_stopping_after_any_end_of_a_step() {
    let spoke = StepOutcome::Turn(AfterTurn::Continue);
    let last_word = StepOutcome::Turn(AfterTurn::Complete(RunLimit::Rounds));
    let over = StepOutcome::LimitReached(RunLimit::Runtime);
    let table = [
        (Running, spoke, Running),
        (Running, last_word, Completed(RunLimit::Rounds)),
        (Running, over, Completed(RunLimit::Runtime)),
        (Running, StepOutcome::Retry, Running),
        (Running, StepOutcome::Failed, Failed),
        (Running, StepOutcome::Released, Running),
        (Stopping, spoke, Stopped),
        (Stopping, last_word, Completed(RunLimit::Rounds)),
        (Stopping, over, Completed(RunLimit::Runtime)),
        (Stopping, StepOutcome::Retry, Stopped),
        (Stopping, StepOutcome::Failed, Stopped),
        (Stopping, StepOutcome::Released, Stopped),
    ];
    for (standing, end, expected) in table {
        assert_eq!(state_after_step(standing, end), Some(expected), "{end:?} in {standing:?}");
    }
    for standing in RUN_STATES.into_iter().filter(|s| ![Running, Stopping].contains(s)) {
        for end in
            [spoke, last_word, over, StepOutcome::Retry, StepOutcome::Failed, StepOutcome::Released]
        {
            assert_eq!(state_after_step(standing, end), None, "{end:?} in {standing:?}");
        }
    }
}

#[test]
fn run_state_is_stored_as_a_status_and_its_reason() {
    for standing in RUN_STATES {
        assert_eq!(RunState::from_parts(standing.status(), standing.reason()), Some(standing));
    }
    let mut stored = 0;
    for status in Status::ALL {
        for reason in StopReason::ALL.map(Some).into_iter().chain([None]) {
            stored += usize::from(RunState::from_parts(status, reason).is_some());
        }
    }
    assert_eq!(stored, RUN_STATES.len(), "no other pair is a standing");
}

#[test]
fn only_completed_and_canceled_runs_are_final() {
    for standing in RUN_STATES {
        let expected = [Status::Completed, Status::Canceled].contains(&standing.status());
        assert_eq!(standing.is_final(), expected, "{standing:?}");
    }
}

#[test]
fn refusal_names_command_and_status() {
    let refusal =
        next_state(Completed(RunLimit::Rounds), WorkerActivity::Idle, Command::Resume).unwrap_err();
    assert_eq!(refusal.to_string(), "cannot resume a run that is completed");
}

#[test]
fn status_reason_and_command_names_follow_the_contract_and_are_parsed_back() {
    let statuses = ["created", "running", "stopping", "stopped", "failed", "completed", "canceled"];
    assert_eq!(Status::ALL.map(Status::name), statuses);
    assert_eq!(Status::ALL.map(|status| status.to_string()), statuses);
    assert_eq!(statuses.map(Status::from_name), Status::ALL.map(Some));

    let reasons = [
        "max_rounds",
        "max_runtime_seconds",
        "max_total_output_tokens",
        "judge_early_stop",
        "manual_stop",
        "canceled",
        "error",
    ];
    assert_eq!(StopReason::ALL.map(StopReason::name), reasons);
    assert_eq!(reasons.map(StopReason::from_name), StopReason::ALL.map(Some));

    let commands = ["start", "resume", "retry", "stop", "cancel"];
    assert_eq!(Command::ALL.map(Command::name), commands);
    assert_eq!((Status::from_name("Running"), StopReason::from_name("")), (None, None));
}
