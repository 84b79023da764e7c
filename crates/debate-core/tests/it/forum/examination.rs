//! Examinations under workers that die, stall and come back, and under humans.

use debate_core::Term;
use debate_core::Work;
use debate_core::forum::guardrail::{
    Attempt, ClaimRefusal, Decision, Examination, Refusal, ReviewRefusal, Ruling, Status, Taken,
    after_failure,
};
use jiff::SignedDuration;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::instant;

const LEASE: SignedDuration = SignedDuration::from_secs(30);

fn take(examination: Examination, second: u32) -> (Examination, Attempt) {
    match examination.taken(instant(second), LEASE) {
        Taken::Task(taken, attempt) => (taken, attempt),
        Taken::Flagged(_) | Taken::NotDue => panic!("it is to be had"),
    }
}

#[test]
fn one_worker_has_it_until_its_lease_ends() {
    let (held, attempt) = take(Examination::asked(instant(0)), 0);
    assert_eq!((attempt.number(), held.term), (1, Term::new(1)));
    assert_eq!(held.clone().taken(instant(29), LEASE), Taken::NotDue);
    let renewed = held.clone().renewed(held.term, instant(20), LEASE).expect("it is its own");
    assert_eq!(renewed.taken(instant(31), LEASE), Taken::NotDue);
    let (stolen, attempt) = take(held.clone(), 30);
    assert_eq!(attempt.number(), 2);
    // The one who comes back too late changes nothing.
    assert_eq!(stolen.clone().settled(held.term, Decision::Approve), None);
    assert_eq!(stolen.clone().renewed(held.term, instant(31), LEASE), None);
    let settled = stolen.clone().settled(stolen.term, Decision::Approve).expect("it is its own");
    assert_eq!((settled.status, settled.work), (Status::Approved, Work::None));
}

#[test]
fn whoever_dies_three_times_of_it_leaves_it_to_a_human() {
    let mut examination = Examination::asked(instant(0));
    for number in 0..3 {
        examination = take(examination, number * 30).0;
    }
    match examination.taken(instant(90), LEASE) {
        Taken::Flagged(flagged) => assert_eq!(flagged.status, Status::Flagged),
        Taken::Task(..) | Taken::NotDue => panic!("it was tried three times"),
    }
}

#[test]
fn giving_it_back_untried_does_not_count() {
    let (held, _) = take(Examination::asked(instant(0)), 0);
    let back = held.clone().let_go(held.term, instant(5)).expect("it is its own");
    assert_eq!(take(back, 5).1, Attempt::FIRST);
}

fn flagged() -> Examination {
    let (held, _) = take(Examination::asked(instant(0)), 0);
    held.clone().settled(held.term, Decision::Flag).expect("it is its own")
}

#[test]
fn a_human_claims_before_deciding() {
    let not_claimed = Err(ReviewRefusal::Claim(ClaimRefusal::NotClaimed));
    assert_eq!(flagged().reviewed("ann", Ruling::Approve, instant(1)), not_claimed);
    assert_eq!(flagged().released("ann", instant(1)), not_claimed);
    let claimed = flagged().claimed("ann", instant(1)).expect("nobody has it");
    assert_eq!(claimed.clone().reviewed("bob", Ruling::Approve, instant(2)), not_claimed);
    let done = claimed.reviewed("ann", Ruling::Reject, instant(2)).expect("it is hers");
    assert_eq!((done.status, &done.claim), (Status::Rejected, &None));
    let not_flagged = Err(ReviewRefusal::Guardrail(Refusal::NotFlagged));
    assert_eq!(done.clone().claimed("bob", instant(3)), not_flagged);
    let again = done.appealed().expect("it is the first time");
    let claimed = again.claimed("bob", instant(4)).expect("nobody has it");
    let done = claimed.reviewed("bob", Ruling::Reject, instant(5)).expect("it is his");
    assert_eq!(done.appealed(), Err(Refusal::AppealedBefore));
}

proptest! {
    /// Workers take it, fail, stall, die and come back in any order and with any term.
    #[test]
    fn nothing_is_stuck_and_nothing_is_approved_by_failure(
        steps in vec((0..5_u8, 0..40_u32, 0..5_u64), 1..60),
    ) {
        let (mut examination, mut second) = (Examination::asked(instant(0)), 0);
        for (step, wait, term) in steps {
            second += wait;
            let (at, now, term) = (instant(second), examination.clone(), Term::new(term));
            let then = after_failure(Attempt::new(now.attempts), 0);
            let moved = match step {
                0 | 1 => match now.clone().taken(at, LEASE) {
                    Taken::Task(taken, _) | Taken::Flagged(taken) => Some(taken),
                    Taken::NotDue => None,
                },
                2 => now.clone().failed(term, then, at),
                3 => now.clone().renewed(term, at, LEASE),
                _ => now.clone().let_go(term, at),
            };
            let by_holder = step >= 2 && moved.is_some();
            prop_assert!(!by_holder || term == now.term, "only the newest term writes");
            examination = moved.unwrap_or(now);
            let pending = examination.status == Status::Pending;
            prop_assert_eq!(pending, examination.work.due().is_some());
            prop_assert!(pending || examination.status == Status::Flagged);
            prop_assert!(examination.attempts <= Attempt::MOST);
        }
    }
}
