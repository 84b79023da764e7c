//! Idempotency: a retry gets the first answer, another request with the same key is refused.

use debate_app::arena::{ArenaError, WriteOutcome};
use debate_core::arena::{ArgumentType, Draft, Move, State};

use crate::engine::Engine;
use crate::support::{
    CLOSE, OPPOSE, PROPOSE, RULE, append, argument_id, closing_id, content, debate_id, draft, key,
    motion_id,
};

/// The same request with new ids, as a server builds it from a second delivery.
fn retried(number: u32, first: &Draft) -> Draft {
    Draft { id: argument_id(number), closing_id: closing_id(number), ..first.clone() }
}

pub(crate) async fn retry_with_the_same_key_returns_the_first_answer_and_changes_nothing(
    on: &Engine,
) {
    let debate = on.open_debate(1).await;
    let claim = Draft { target: Some(motion_id(1)), ..draft(1, OPPOSE) };
    let first = on.add_draft(debate, claim.clone(), 1).await;
    let log = on.arguments(debate).await;
    for number in 50..53 {
        let again =
            on.try_argument(debate, retried(number, &claim)).await.expect("a retry is welcome");
        assert_eq!(again.outcome, WriteOutcome::Replayed);
        assert_eq!((again.debate, again.argument), (first.debate.clone(), first.argument.clone()));
    }
    assert_eq!(on.arguments(debate).await, log);
    assert_eq!(on.transcript(debate).await.debate, first.debate);
}

pub(crate) async fn retry_of_every_argument_type_returns_the_first_answer(on: &Engine) {
    let debate = on.open_debate(1).await;
    let silence = Draft { content: content(""), ..draft(2, Move::Intervene) };
    let drafts = [
        draft(1, OPPOSE),
        silence,
        draft(3, RULE),
        draft(4, PROPOSE),
        draft(5, OPPOSE),
        draft(6, Move::Appeal),
        draft(7, RULE),
        draft(8, Move::Resolve),
    ];
    for (second, draft) in (1..).zip(&drafts) {
        let first = on.add_draft(debate, draft.clone(), second).await;
        let again = on.try_argument(debate, retried(50 + second, draft)).await.expect("a retry");
        assert_eq!((again.outcome, again.argument), (WriteOutcome::Replayed, first.argument));
        assert_eq!(again.debate, first.debate);
    }
    // A retry after the close is answered, although the same move would be refused.
    for (second, draft) in (1..).zip(&drafts) {
        let again = on.try_argument(debate, retried(90 + second, draft)).await.expect("a retry");
        assert_eq!((again.outcome, again.argument.id), (WriteOutcome::Replayed, draft.id));
        assert_eq!(again.debate.state, State::Closed);
    }
    assert_eq!(on.arguments(debate).await.len(), 10);
}

pub(crate) async fn retry_returns_the_current_state_of_the_debate(on: &Engine) {
    let debate = on.open_debate(1).await;
    let first = on.add_argument(debate, 1, OPPOSE).await;
    let moved = on.add_argument(debate, 2, Move::Appeal).await;
    let again = on.try_argument(debate, retried(50, &draft(1, OPPOSE))).await.expect("a retry");
    assert_eq!(again.argument, first.argument);
    assert_eq!(again.argument.state_after, State::AwaitingProposer);
    assert_eq!(again.debate, moved.debate);
}

pub(crate) async fn retried_resolution_adds_no_second_ruling(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 1, OPPOSE).await;
    let first = on.add_argument(debate, 2, Move::Resolve).await;
    let log = on.arguments(debate).await;
    let again =
        on.try_argument(debate, retried(50, &draft(2, Move::Resolve))).await.expect("a retry");
    assert_eq!(
        (again.outcome, again.argument.kind),
        (WriteOutcome::Replayed, ArgumentType::Resolution)
    );
    assert_eq!(again.debate, first.debate);
    assert_eq!(again.debate.state, State::Closed);
    assert_eq!(on.arguments(debate).await, log);
}

/// The server's setting does not belong to the request, so a retry is recognised after it changed.
pub(crate) async fn retry_is_recognised_after_the_auto_ruling_setting_changed(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 1, OPPOSE).await;
    on.add_argument(debate, 2, Move::Resolve).await;
    let mut append = append(debate, retried(50, &draft(2, Move::Resolve)), 60);
    append.auto_ruling = false;
    let again = on.store.append(append).await.expect("a retry is welcome");
    assert_eq!((again.outcome, again.debate.state), (WriteOutcome::Replayed, State::Closed));
    assert_eq!(on.arguments(debate).await.len(), 4);
}

pub(crate) async fn reused_key_with_any_other_field_is_refused(on: &Engine) {
    let debate = on.open_debate(1).await;
    let claim = Draft { target: Some(motion_id(1)), ..draft(1, OPPOSE) };
    on.add_draft(debate, claim.clone(), 1).await;
    let others = [
        Draft { mv: PROPOSE, ..claim.clone() },
        Draft { mv: Move::Appeal, ..claim.clone() },
        Draft { mv: Move::Resolve, ..claim.clone() },
        Draft { mv: Move::Intervene, ..claim.clone() },
        Draft { mv: RULE, ..claim.clone() },
        Draft { target: Some(argument_id(1)), ..claim.clone() },
        Draft { target: None, ..claim.clone() },
        Draft { content: content("Argument 1 "), ..claim.clone() },
        Draft { content: content(""), ..claim },
    ];
    for other in others {
        let outcome = on.try_argument(debate, retried(50, &other)).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{other:?}: {outcome:?}");
    }
    assert_eq!(on.arguments(debate).await.len(), 2);
}

pub(crate) async fn reused_key_of_a_ruling_with_another_effect_is_refused(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 1, Move::Intervene).await;
    on.add_argument(debate, 2, RULE).await;
    let other = Draft { mv: CLOSE, ..retried(50, &draft(2, RULE)) };
    let outcome = on.try_argument(debate, other).await;
    assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
    assert_eq!(on.transcript(debate).await.debate.state, State::AwaitingProposer);
}

pub(crate) async fn key_of_the_motion_is_refused_for_every_argument(on: &Engine) {
    let debate = on.open_debate(1).await;
    for (number, mv) in (1..).zip(Move::ALL) {
        let draft = Draft { key: key("open"), content: content("Motion 1"), ..draft(number, mv) };
        let outcome = on.try_argument(debate, draft).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{mv:?}: {outcome:?}");
    }
    assert_eq!(on.arguments(debate).await.len(), 1);
}

/// Keys are compared exactly: neither case nor surrounding spaces are normalised.
pub(crate) async fn keys_that_differ_in_one_character_are_different(on: &Engine) {
    let debate = on.open_debate(1).await;
    for (number, spelling) in (1..).zip(["key", "KEY", " key", "key ", "kéy", "ke\u{301}y"]) {
        let draft = Draft { key: key(spelling), ..draft(number, crate::engine::turn(number)) };
        on.add_draft(debate, draft, number).await;
    }
    assert_eq!(on.arguments(debate_id(1)).await.len(), 7);
}
