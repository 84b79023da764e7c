//! Evaluations by workers that crash, stall and return, and by reviewers.

use std::time::Duration;

use debate_core::FencingToken;
use debate_core::LeaseState;
use debate_core::forum::guardrail::{
    Acquired, AfterFailure, ClaimRefusal, Decision, Evaluation, EvaluationAttempt,
    GuardrailRefusal, GuardrailStatus, ReviewRefusal, Ruling, after_failure,
};
use jiff::SignedDuration;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::instant;

const LEASE: SignedDuration = SignedDuration::from_secs(30);

fn take(examination: Evaluation, second: u32) -> (Evaluation, EvaluationAttempt) {
    match examination.acquire(instant(second), LEASE) {
        Acquired::Task(taken, attempt) => (taken, attempt),
        Acquired::Flagged(_) | Acquired::NotDue => panic!("it is to be had"),
    }
}

#[test]
fn evaluation_has_one_worker_until_its_lease_ends() {
    let (leased_run, attempt) = take(Evaluation::new(instant(0)), 0);
    assert_eq!((attempt.number(), leased_run.fencing_token), (1, FencingToken::new(1)));
    assert_eq!(leased_run.clone().acquire(instant(29), LEASE), Acquired::NotDue);
    let renewed = leased_run
        .clone()
        .renew(leased_run.fencing_token, instant(20), LEASE)
        .expect("it is its own");
    assert_eq!(renewed.acquire(instant(31), LEASE), Acquired::NotDue);
    let (stolen, attempt) = take(leased_run.clone(), 30);
    assert_eq!(attempt.number(), 2);
    // A worker that returns after its lease changes nothing.
    assert_eq!(stolen.clone().settle(leased_run.fencing_token, Decision::Approve), None);
    assert_eq!(stolen.clone().renew(leased_run.fencing_token, instant(31), LEASE), None);
    let settled =
        stolen.clone().settle(stolen.fencing_token, Decision::Approve).expect("it is its own");
    assert_eq!((settled.status, settled.lease), (GuardrailStatus::Approved, LeaseState::Idle));
}

#[test]
fn evaluation_is_flagged_after_three_crashed_attempts() {
    let mut examination = Evaluation::new(instant(0));
    for number in 0..3 {
        examination = take(examination, number * 30).0;
    }
    match examination.acquire(instant(90), LEASE) {
        Acquired::Flagged(flagged) => {
            assert_eq!(flagged.status, GuardrailStatus::Flagged);
            // The last worker cannot write any more.
            assert_eq!(flagged.fencing_token, FencingToken::new(4));
        }
        Acquired::Task(..) | Acquired::NotDue => panic!("it was tried three times"),
    }
}

#[test]
fn released_evaluation_does_not_count_as_an_attempt() {
    let (leased_run, _) = take(Evaluation::new(instant(0)), 0);
    let back =
        leased_run.clone().release(leased_run.fencing_token, instant(5)).expect("it is its own");
    assert_eq!(take(back, 5).1, EvaluationAttempt::FIRST);
}

#[test]
fn failed_evaluation_is_due_after_its_wait_or_flagged() {
    let (held, _) = take(Evaluation::new(instant(0)), 0);
    let token = held.fencing_token;
    let wait = AfterFailure::RetryIn(Duration::from_secs(7));
    let waiting = held.clone().fail(token, wait, instant(3)).expect("it is its own");
    assert_eq!(waiting.lease, LeaseState::Due { at: instant(10) });
    assert_eq!(waiting.clone().acquire(instant(9), LEASE), Acquired::NotDue);
    assert_eq!(take(waiting.clone(), 10).1.number(), 2);
    assert_eq!(waiting.fail(token, wait, instant(4)), None, "the lease is given back");
    let flagged = held.fail(token, AfterFailure::Flag, instant(3)).expect("it is its own");
    assert_eq!((flagged.status, flagged.lease), (GuardrailStatus::Flagged, LeaseState::Idle));
}

fn flagged() -> Evaluation {
    let (leased_run, _) = take(Evaluation::new(instant(0)), 0);
    leased_run.clone().settle(leased_run.fencing_token, Decision::Flag).expect("it is its own")
}

#[test]
fn reviewer_must_claim_before_deciding() {
    let not_claimed = Err(ReviewRefusal::Claim(ClaimRefusal::NotClaimed));
    assert_eq!(flagged().review("ann", Ruling::Approve, instant(1)), not_claimed);
    assert_eq!(flagged().release_claim("ann", instant(1)), not_claimed);
    let claimed = flagged().claim("ann", instant(1)).expect("the item is unclaimed");
    assert_eq!(claimed.clone().review("bob", Ruling::Approve, instant(2)), not_claimed);
    let done = claimed.review("ann", Ruling::Reject, instant(2)).expect("it is hers");
    assert_eq!((done.status, &done.claim), (GuardrailStatus::Rejected, &None));
    let not_flagged = Err(ReviewRefusal::Guardrail(GuardrailRefusal::NotFlagged));
    assert_eq!(done.clone().claim("bob", instant(3)), not_flagged);
    let again = done.appeal().expect("it is the first time");
    let claimed = again.claim("bob", instant(4)).expect("the item is unclaimed");
    let done = claimed.review("bob", Ruling::Reject, instant(5)).expect("it is his");
    assert_eq!(done.appeal(), Err(GuardrailRefusal::AppealedBefore));
}

#[test]
fn released_or_expired_claim_is_free_for_another_reviewer() {
    let claimed = flagged().claim("ann", instant(0)).expect("the item is unclaimed");
    assert!(claimed.clone().claim("bob", instant(1)).is_err());
    let released = claimed.clone().release_claim("ann", instant(1)).expect("it is hers");
    assert_eq!(released.claim, None);
    assert!(released.claim("bob", instant(1)).is_ok());
    assert!(claimed.claim("bob", instant(30 * 60)).is_ok());
}

proptest! {
    /// Workers acquire, fail, stall, crash and return in any order and with any fencing token.
    #[test]
    fn failed_evaluation_is_neither_stuck_nor_approved(
        steps in vec((0..5_u8, 0..40_u32, 0..5_u64), 1..60),
    ) {
        let (mut examination, mut second) = (Evaluation::new(instant(0)), 0);
        for (step, wait, term) in steps {
            second += wait;
            let (at, now, term) = (instant(second), examination.clone(), FencingToken::new(term));
            let then = after_failure(EvaluationAttempt::new(now.attempts), 0);
            let moved = match step {
                0 | 1 => match now.clone().acquire(at, LEASE) {
                    Acquired::Task(taken, _) | Acquired::Flagged(taken) => Some(taken),
                    Acquired::NotDue => None,
                },
                2 => now.clone().fail(term, then, at),
                3 => now.clone().renew(term, at, LEASE),
                _ => now.clone().release(term, at),
            };
            let by_holder = step >= 2 && moved.is_some();
            prop_assert!(!by_holder || term == now.fencing_token, "only the newest term writes");
            examination = moved.unwrap_or(now);
            let pending = examination.status == GuardrailStatus::Pending;
            prop_assert_eq!(pending, examination.lease.due().is_some());
            prop_assert!(pending || examination.status == GuardrailStatus::Flagged);
            prop_assert!(examination.attempts <= EvaluationAttempt::MOST);
        }
    }
}
