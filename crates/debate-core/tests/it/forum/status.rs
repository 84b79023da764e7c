//! What may become of a thing, every move in every status.

use debate_core::forum::guardrail::{
    AfterFailure, Appeal, CLAIM_TIME, Claim, ClaimRefusal, Decision, EvaluationAttempt,
    GuardrailRefusal, GuardrailStatus, Move, Ruling, active_claim, after_failure, claim,
    next_status, require_claim,
};
use jiff::SignedDuration;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::instant;

const MOVES: [Move; 6] = [
    Move::Settle(Decision::Approve),
    Move::Settle(Decision::Reject),
    Move::Settle(Decision::Flag),
    Move::Review(Ruling::Approve),
    Move::Review(Ruling::Reject),
    Move::Appeal,
];

use GuardrailStatus::{Approved, Flagged, Pending, Rejected};

type Led = Result<GuardrailStatus, GuardrailRefusal>;

const SHOWN: Led = Ok(Approved);
const GONE: Led = Ok(Rejected);
const ASKED: Led = Ok(Flagged);
const DONE: Led = Err(GuardrailRefusal::Settled);
const NOT_ASKED: Led = Err(GuardrailRefusal::NotFlagged);
const NO_CASE: Led = Err(GuardrailRefusal::NotRejected);
const AGAIN: Led = Err(GuardrailRefusal::AppealedBefore);

/// A row for each status; the columns are the moves above.
#[rustfmt::skip]
const TABLE: [(GuardrailStatus, Appeal, [Led; 6]); 8] = [
    (Pending,  Appeal::Unused, [SHOWN, GONE, ASKED, NOT_ASKED, NOT_ASKED, NO_CASE]),
    (Pending,  Appeal::Used,   [SHOWN, GONE, ASKED, NOT_ASKED, NOT_ASKED, NO_CASE]),
    (Approved, Appeal::Unused, [DONE, DONE, DONE, NOT_ASKED, NOT_ASKED, NO_CASE]),
    (Approved, Appeal::Used,   [DONE, DONE, DONE, NOT_ASKED, NOT_ASKED, NO_CASE]),
    (Rejected, Appeal::Unused, [DONE, DONE, DONE, NOT_ASKED, NOT_ASKED, ASKED]),
    (Rejected, Appeal::Used,   [DONE, DONE, DONE, NOT_ASKED, NOT_ASKED, AGAIN]),
    (Flagged,  Appeal::Unused, [DONE, DONE, DONE, SHOWN, GONE, NO_CASE]),
    (Flagged,  Appeal::Used,   [DONE, DONE, DONE, SHOWN, GONE, NO_CASE]),
];

#[test]
fn every_move_in_every_status_does_what_the_contract_says() {
    for (status, appeal, row) in TABLE {
        for (mv, expected) in MOVES.into_iter().zip(row) {
            assert_eq!(
                next_status(status, appeal, mv),
                expected,
                "{mv:?} in {status:?}, {appeal:?}"
            );
        }
    }
}

#[test]
fn names_lead_back_to_what_they_name() {
    for status in GuardrailStatus::ALL {
        assert_eq!(GuardrailStatus::from_name(status.name()), Some(status));
    }
    for decision in Decision::ALL {
        assert_eq!(Decision::from_name(decision.name()), Some(decision));
    }
    for ruling in Ruling::ALL {
        assert_eq!(Ruling::from_name(ruling.name()), Some(ruling));
    }
}

proptest! {
    #[test]
    fn approved_is_final_and_there_is_one_appeal(moves in vec(0..6_usize, 0..30)) {
        let (mut status, mut appeal, mut appeals) = (Pending, Appeal::Unused, 0);
        for mv in moves.into_iter().map(|at| MOVES[at]) {
            let Ok(moved) = next_status(status, appeal, mv) else { continue };
            prop_assert_ne!(status, Approved);
            prop_assert_ne!(moved, Pending, "nothing goes back to waiting");
            if mv == Move::Appeal {
                (appeal, appeals) = (Appeal::Used, appeals + 1);
            }
            status = moved;
        }
        prop_assert!(appeals <= 1);
    }
}

#[test]
fn a_claim_holds_half_an_hour_and_only_its_holder_decides() {
    let now = instant(0);
    let ann = claim(None, "ann", now).unwrap();
    assert_eq!(ann, Claim { reviewer: "ann".to_owned(), until: now + CLAIM_TIME });
    let taken = ClaimRefusal::Taken { reviewer: "ann".to_owned(), until: ann.until };
    assert_eq!(claim(Some(&ann), "bob", now), Err(taken));
    assert_eq!(require_claim(Some(&ann), "ann", now), Ok(()));
    assert_eq!(require_claim(Some(&ann), "bob", now), Err(ClaimRefusal::NotClaimed));
    assert_eq!(require_claim(None, "ann", now), Err(ClaimRefusal::NotClaimed));
    let (last, over) = (ann.until - SignedDuration::from_micros(1), ann.until);
    assert_eq!(require_claim(Some(&ann), "ann", last), Ok(()));
    assert_eq!(require_claim(Some(&ann), "ann", over), Err(ClaimRefusal::NotClaimed));
    assert_eq!(active_claim(Some(&ann), over), None);
    assert_eq!(claim(Some(&ann), "bob", over).unwrap().reviewer, "bob");
}

proptest! {
    #[test]
    fn nobody_decides_while_another_holds(
        steps in vec((0..3_usize, 0..40_u32, any::<bool>()), 1..40),
    ) {
        let names = ["ann", "bob", "cem"];
        let (mut current, mut minute): (Option<Claim>, u32) = (None, 0);
        for (who, wait, gives_back) in steps {
            minute += wait;
            let (now, who) = (instant(minute * 60), names[who]);
            let held = active_claim(current.as_ref(), now);
            let held_by_other = held.is_some_and(|held| held.reviewer != who);
            match claim(current.as_ref(), who, now) {
                Ok(taken) => {
                    prop_assert!(!held_by_other);
                    prop_assert!(require_claim(Some(&taken), who, now).is_ok());
                    current = (!gives_back).then_some(taken);
                }
                Err(_) => prop_assert!(held_by_other),
            }
        }
    }
}

#[test]
fn an_examination_is_tried_three_times_and_then_a_human_looks() {
    let seconds = |number, jitter| match after_failure(EvaluationAttempt::new(number), jitter) {
        AfterFailure::RetryIn(wait) => Some(wait.as_secs_f64()),
        AfterFailure::Flag => None,
    };
    assert_eq!(seconds(1, 0), Some(5.0));
    assert_eq!(seconds(1, u16::MAX), Some(7.5));
    assert_eq!(seconds(2, 0), Some(20.0));
    assert_eq!(seconds(2, u16::MAX), Some(30.0));
    assert_eq!(seconds(3, 0), None);
    assert_eq!(seconds(4, 0), None);
    assert!(!EvaluationAttempt::new(3).is_over() && EvaluationAttempt::new(4).is_over());
}
