//! Leases of a run: stops, interrupted calls, runtime, and the outcome of calls.

use std::time::Duration;

use debate_core::runner::{
    Acquired, Actor, BeginCall, BeginCallError, CallDraft, CallResult, CallStatus, Charge, Command,
    DailyLimits, INTERRUPTED_ERROR, RunRecord, RunState, StepResult, UNKNOWN_OUTCOME_ERROR,
    UnknownOutcomePolicy,
};
use debate_core::{CallId, CallTokens, LeaseState, Usage};
use uuid::Uuid;

use super::support::{LEASE, cursor_at, leased_run, model};
use crate::support::instant;

fn acquire(record: &RunRecord, second: u32) -> RunRecord {
    match record.acquire(0, UnknownOutcomePolicy::Retry, instant(second), LEASE) {
        Acquired::Step(record) => record,
        Acquired::Cleaned(_) => panic!("there is something to do"),
    }
}

#[test]
fn stop_waits_for_the_worker_until_its_lease_ends() {
    for (second, expected) in
        [(0, RunState::Stopping), (14, RunState::Stopping), (15, RunState::Stopped)]
    {
        let stopped = leased_run().apply_command(Command::Stop, instant(second));
        assert_eq!(stopped.expect("it runs").run.state, expected, "second {second}");
    }
}

#[test]
fn interrupted_calls_are_repeated_or_fail_the_run() {
    use UnknownOutcomePolicy::{Fail, Retry};
    for (tries, interrupted, policy, error) in [
        (0, 0, Retry, None),
        (0, 0, Fail, None),
        (4, 0, Retry, None),
        (0, 1, Fail, Some(UNKNOWN_OUTCOME_ERROR)),
        (0, 1, Retry, None),
        (2, 1, Retry, None),
        (3, 1, Retry, Some(INTERRUPTED_ERROR)),
        (0, 5, Retry, Some(INTERRUPTED_ERROR)),
    ] {
        let record = RunRecord { tries, ..leased_run() };
        let row = (tries, interrupted, policy);
        match (record.acquire(interrupted, policy, instant(20), LEASE), error) {
            (Acquired::Step(after), None) => {
                assert_eq!(after.run.state, RunState::Running, "{row:?}");
                assert_eq!(after.tries, tries + interrupted, "{row:?}");
            }
            (Acquired::Cleaned(after), Some(error)) => {
                assert_eq!(after.run.state, RunState::Failed, "{row:?}");
                assert_eq!(after.run.last_error.as_deref(), Some(error), "{row:?}");
                assert_eq!(after.lease, LeaseState::Idle, "{row:?}");
            }
            (acquired, _) => panic!("{row:?}: {acquired:?}"),
        }
    }
}

#[test]
fn runtime_counts_held_leases_and_waits_for_retries() {
    let ran = |record: &RunRecord| record.run.ran.as_secs();
    let leased = leased_run();
    let renewed = leased.renew(leased.fencing_token, instant(10), LEASE).expect("it is held");
    assert_eq!(ran(&renewed), 10);
    let retry = StepResult::Retry { error: "busy".to_owned(), wait: Duration::from_secs(3) };
    let finished = renewed.finish_step(renewed.fencing_token, retry, None, instant(14));
    let (waiting, _) = finished.expect("it is held");
    assert_eq!(ran(&waiting), 14 + 3);
    assert_eq!((waiting.lease, waiting.tries), (LeaseState::Due { at: instant(17) }, 1));
    // Time before the lease does not count, nor does time after its end.
    let lost = acquire(&waiting, 100);
    assert_eq!(ran(&lost), 17);
    let taken_over = acquire(&lost, 200);
    assert_eq!(ran(&taken_over), 17 + 15);
    let canceled = taken_over.apply_command(Command::Cancel, instant(204)).expect("it runs");
    assert_eq!(ran(&canceled), 32 + 4);
    let set_back = taken_over.apply_command(Command::Cancel, instant(150)).expect("it runs");
    assert_eq!(ran(&set_back), 32, "a clock that was set back reduces nothing");
}

fn begin(record: &RunRecord, after: Option<CallResult>) -> BeginCall {
    let call = CallDraft {
        id: CallId::new(Uuid::from_u128(1)),
        cursor: cursor_at(1, Actor::DebaterA),
        model: model("demo:fast"),
        allowed: CallTokens::constant::<600>(),
        prompt_bytes: 100,
        rates: None,
        at: instant(1),
    };
    let limits = DailyLimits::default();
    BeginCall { fencing_token: record.fencing_token, after, call, limits }
}

#[test]
fn stopping_run_repeats_a_call_but_begins_no_turn() {
    let stopping = leased_run().apply_command(Command::Stop, instant(1)).expect("it runs");
    let first = stopping.begin_call(&begin(&stopping, None), Charge::default(), 0);
    assert_eq!(first.map(|_| ()), Err(BeginCallError::Stopping));
    let call = CallId::new(Uuid::from_u128(9));
    let unusable = CallResult { call, status: CallStatus::Ok, usage: Usage::ZERO };
    let second = stopping.begin_call(&begin(&stopping, Some(unusable)), Charge::default(), 1);
    assert_eq!(second.map(|(_, call)| call.number), Ok(2));
}

#[test]
fn call_is_finished_once_its_outcome_is_known() {
    let record = leased_run();
    let (record, call) =
        record.begin_call(&begin(&record, None), Charge::default(), 0).expect("it is held");
    for (status, finished_at) in [
        (CallStatus::Ok, Some(instant(5))),
        (CallStatus::Error, Some(instant(5))),
        (CallStatus::Unknown, None),
    ] {
        let end = CallResult { call: call.id, status, usage: Usage::reported(7, 9) };
        let (after, ended) = record.finish_call(&call, &end, instant(5)).expect("it was open");
        assert_eq!((ended.status, ended.finished_at), (status, finished_at));
        assert_eq!((ended.usage, after.run.spent), (Usage::reported(7, 9), 9));
        let again = after.finish_call(&ended, &end, instant(6));
        assert_eq!(again.is_some(), status == CallStatus::Unknown, "{status:?}");
    }
}
