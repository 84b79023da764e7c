//! Statuses and commands, against the contract's table written out.

use debate_core::runner::{
    Command, End, Ended, Flight, Limit, Refusal, Standing, Status, StopReason, Then, ended, next,
};

use Standing::{Canceled, Completed, Created, Failed, Running, Stopped, Stopping};

const STANDINGS: [Standing; 10] = [
    Created,
    Running,
    Stopping,
    Stopped,
    Failed,
    Completed(Limit::Rounds),
    Completed(Limit::Runtime),
    Completed(Limit::OutputTokens),
    Completed(Limit::JudgeEarlyStop),
    Canceled,
];

const NO: Option<Standing> = None;
const GOES: Option<Standing> = Some(Running);
const WINDS_DOWN: Option<Standing> = Some(Stopping);
const PAUSES: Option<Standing> = Some(Stopped);
const ENDS: Option<Standing> = Some(Canceled);

/// Section 1: a row for each standing; the columns are start, resume, retry, stop with a turn in
/// flight, stop without one, cancel.
#[rustfmt::skip]
const TABLE: [(Standing, [Option<Standing>; 6]); 10] = [
    (Created,                          [GOES, GOES, NO,   NO,         NO,     ENDS]),
    (Running,                          [NO,   NO,   NO,   WINDS_DOWN, PAUSES, ENDS]),
    (Stopping,                         [NO,   NO,   NO,   NO,         NO,     ENDS]),
    (Stopped,                          [GOES, GOES, NO,   NO,         NO,     ENDS]),
    (Failed,                           [GOES, GOES, GOES, NO,         NO,     ENDS]),
    (Completed(Limit::Rounds),         [NO,   NO,   NO,   NO,         NO,     NO]),
    (Completed(Limit::Runtime),        [NO,   NO,   NO,   NO,         NO,     NO]),
    (Completed(Limit::OutputTokens),   [NO,   NO,   NO,   NO,         NO,     NO]),
    (Completed(Limit::JudgeEarlyStop), [NO,   NO,   NO,   NO,         NO,     NO]),
    (Canceled,                         [NO,   NO,   NO,   NO,         NO,     NO]),
];

#[test]
fn every_command_in_every_status_does_what_the_contract_says() {
    assert_eq!(TABLE.map(|(standing, _)| standing), STANDINGS);
    for (standing, [start, resume, retry, stop, stop_idle, cancel]) in TABLE {
        let cells = [
            (Command::Start, Flight::Idle, start),
            (Command::Start, Flight::Turn, start),
            (Command::Resume, Flight::Idle, resume),
            (Command::Resume, Flight::Turn, resume),
            (Command::Retry, Flight::Idle, retry),
            (Command::Retry, Flight::Turn, retry),
            (Command::Stop, Flight::Turn, stop),
            (Command::Stop, Flight::Idle, stop_idle),
            (Command::Cancel, Flight::Idle, cancel),
            (Command::Cancel, Flight::Turn, cancel),
        ];
        for (command, flight, expected) in cells {
            let refusal = Refusal { status: standing.status(), command };
            let expected = expected.ok_or(refusal);
            assert_eq!(next(standing, flight, command), expected, "{command:?} in {standing:?}");
        }
    }
}

#[test]
fn every_end_of_a_step_leaves_a_debate_that_is_not_stopping() {
    let spoke = End::Spoke(Then::GoOn);
    let last_word = End::Spoke(Then::Complete(Limit::Rounds));
    let over = End::Over(Limit::Runtime);
    let table = [
        (Running, spoke, Running),
        (Running, last_word, Completed(Limit::Rounds)),
        (Running, over, Completed(Limit::Runtime)),
        (Running, End::WillRetry, Running),
        (Running, End::Failed, Failed),
        (Running, End::LetGo, Running),
        (Stopping, spoke, Stopped),
        (Stopping, last_word, Completed(Limit::Rounds)),
        (Stopping, over, Completed(Limit::Runtime)),
        (Stopping, End::WillRetry, Stopped),
        (Stopping, End::Failed, Stopped),
        (Stopping, End::LetGo, Stopped),
    ];
    for (standing, end, expected) in table {
        assert_eq!(ended(standing, end), Ended::Kept(expected), "{end:?} in {standing:?}");
    }
    for standing in STANDINGS.into_iter().filter(|s| ![Running, Stopping].contains(s)) {
        for end in [spoke, last_word, over, End::WillRetry, End::Failed, End::LetGo] {
            assert_eq!(ended(standing, end), Ended::Dropped, "{end:?} in {standing:?}");
        }
    }
}

#[test]
fn a_standing_is_kept_as_a_status_and_its_one_reason() {
    for standing in STANDINGS {
        assert_eq!(Standing::of(standing.status(), standing.reason()), Some(standing));
    }
    let mut kept = 0;
    for status in Status::ALL {
        for reason in StopReason::ALL.map(Some).into_iter().chain([None]) {
            kept += usize::from(Standing::of(status, reason).is_some());
        }
    }
    assert_eq!(kept, STANDINGS.len(), "no other pair is a standing");
}

#[test]
fn a_refusal_says_what_was_asked_and_where_the_debate_stood() {
    let refusal = next(Completed(Limit::Rounds), Flight::Idle, Command::Resume).unwrap_err();
    assert_eq!(refusal.to_string(), "cannot resume a run that is completed");
}

#[test]
fn statuses_reasons_and_commands_have_the_contracts_names_and_are_found_by_them() {
    let statuses = ["created", "running", "stopping", "stopped", "failed", "completed", "canceled"];
    assert_eq!(Status::ALL.map(Status::name), statuses);
    assert_eq!(Status::ALL.map(|status| status.to_string()), statuses);
    assert_eq!(statuses.map(Status::named), Status::ALL.map(Some));

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
    assert_eq!(reasons.map(StopReason::named), StopReason::ALL.map(Some));

    let commands = ["start", "resume", "retry", "stop", "cancel"];
    assert_eq!(Command::ALL.map(Command::name), commands);
    assert_eq!((Status::named("Running"), StopReason::named("")), (None, None));
}
