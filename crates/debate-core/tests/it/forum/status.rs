//! The guardrail status of an item: every move in every status.

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

use Appeal::{Unused, Used};
use GuardrailStatus::{Approved, Flagged, Pending, Rejected};

type Outcome = Result<GuardrailStatus, GuardrailRefusal>;

const APPROVED: Outcome = Ok(Approved);
const REJECTED: Outcome = Ok(Rejected);
const FLAGGED: Outcome = Ok(Flagged);
const SETTLED: Outcome = Err(GuardrailRefusal::Settled);
const NOT_FLAGGED: Outcome = Err(GuardrailRefusal::NotFlagged);
const NOT_REJECTED: Outcome = Err(GuardrailRefusal::NotRejected);
const APPEALED: Outcome = Err(GuardrailRefusal::AppealedBefore);

/// A row for each status; the columns are the moves above.
#[rustfmt::skip]
const TABLE: [(GuardrailStatus, Appeal, [Outcome; 6]); 8] = [
    (Pending, Unused,  [APPROVED, REJECTED, FLAGGED, NOT_FLAGGED, NOT_FLAGGED, NOT_REJECTED]),
    (Pending, Used,    [APPROVED, REJECTED, FLAGGED, NOT_FLAGGED, NOT_FLAGGED, NOT_REJECTED]),
    (Approved, Unused, [SETTLED,  SETTLED,  SETTLED, NOT_FLAGGED, NOT_FLAGGED, NOT_REJECTED]),
    (Approved, Used,   [SETTLED,  SETTLED,  SETTLED, NOT_FLAGGED, NOT_FLAGGED, NOT_REJECTED]),
    (Rejected, Unused, [SETTLED,  SETTLED,  SETTLED, NOT_FLAGGED, NOT_FLAGGED, FLAGGED]),
    (Rejected, Used,   [SETTLED,  SETTLED,  SETTLED, NOT_FLAGGED, NOT_FLAGGED, APPEALED]),
    (Flagged, Unused,  [SETTLED,  SETTLED,  SETTLED, APPROVED,    REJECTED,    NOT_REJECTED]),
    (Flagged, Used,    [SETTLED,  SETTLED,  SETTLED, APPROVED,    REJECTED,    NOT_REJECTED]),
];

#[test]
fn move_in_every_status_follows_the_contract() {
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
fn status_names_are_parsed_back() {
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
    fn approval_is_final_and_one_appeal_is_allowed(moves in vec(0..6_usize, 0..30)) {
        let (mut status, mut appeal, mut appeals) = (Pending, Unused, 0);
        for mv in moves.into_iter().map(|at| MOVES[at]) {
            let Ok(moved) = next_status(status, appeal, mv) else { continue };
            prop_assert_ne!(status, Approved);
            prop_assert_ne!(moved, Pending, "nothing goes back to waiting");
            if mv == Move::Appeal {
                (appeal, appeals) = (Used, appeals + 1);
            }
            status = moved;
        }
        prop_assert!(appeals <= 1);
    }
}

#[test]
fn claim_lasts_half_an_hour_and_only_its_holder_decides() {
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
    fn reviewer_cannot_decide_while_another_holds_the_claim(
        steps in vec((0..3_usize, 0..40_u32, any::<bool>()), 1..40),
    ) {
        let names = ["ann", "bob", "cem"];
        let (mut current, mut minute): (Option<Claim>, u32) = (None, 0);
        for (who, wait, gives_back) in steps {
            minute += wait;
            let (now, who) = (instant(minute * 60), names[who]);
            let leased_run = active_claim(current.as_ref(), now);
            let held_by_other = leased_run.is_some_and(|leased_run| leased_run.reviewer != who);
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
fn evaluation_is_flagged_after_three_attempts() {
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
