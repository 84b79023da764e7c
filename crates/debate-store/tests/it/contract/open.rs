//! Opening a debate.

use debate_app::arena::{ArenaError, TranscriptLimit, WriteOutcome};
use debate_core::arena::{ArgumentType, DebateType, Move, NewDebate, Role, State};
use debate_core::{Limit, Seq};

use crate::contract::list::{everything, totals};
use crate::engine::Engine;
use crate::support::{
    OPPOSE, append, content, debate_id, draft, instant, key, motion_id, open, opening, title,
};

pub(crate) async fn open_saves_the_debate_with_its_motion(on: &Engine) {
    let opening = NewDebate {
        title: title("  Über\tTabs 🦀 "),
        debate_type: DebateType::CodingPlan,
        motion: content("Zwei\r\nZeilen"),
        ..opening(1)
    };
    let written = on.store.open(open(opening, 7)).await.expect("the id is free");
    assert_eq!(written.outcome, WriteOutcome::Fresh);
    assert_eq!(written.debate.id, debate_id(1));
    assert_eq!(written.debate.title, "  Über\tTabs 🦀 ");
    assert_eq!(written.debate.debate_type, DebateType::CodingPlan);
    assert_eq!(written.debate.state, State::AwaitingOpponent);
    assert_eq!((written.debate.created_at, written.debate.updated_at), (instant(7), instant(7)));

    let motion = &written.argument;
    assert_eq!((motion.id, motion.debate), (motion_id(1), debate_id(1)));
    assert_eq!((motion.seq, motion.parent), (Seq::FIRST, None));
    assert_eq!((motion.kind, motion.role), (ArgumentType::Motion, Role::Proposer));
    assert_eq!(motion.content, "Zwei\r\nZeilen");
    assert_eq!(motion.request_key.as_deref(), Some("open"));
    assert_eq!(motion.created_at, instant(7));
    assert_eq!(motion.state_after, State::AwaitingOpponent);

    let seen = on.transcript(debate_id(1)).await;
    assert_eq!((seen.debate, seen.motion), (written.debate, written.argument));
    assert!(seen.arguments.is_empty());
    assert_eq!(seen.through, Seq::FIRST);
}

pub(crate) async fn retried_open_returns_the_first_answer_and_changes_nothing(on: &Engine) {
    let first = on.open_debate_as(opening(1)).await;
    let retry = NewDebate { motion_id: motion_id(77), ..opening(1) };
    let again = on.store.open(open(retry, 50)).await.expect("a retry is welcome");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
    assert_eq!((&again.debate, &again.argument), (&first.debate, &first.argument));
    assert_eq!(on.arguments(debate_id(1)).await, [first.argument]);
    assert_eq!(on.transcript(debate_id(1)).await.debate, first.debate);
    assert_eq!(totals(on).await.any, 1);
}

pub(crate) async fn retried_open_returns_the_current_state_of_the_debate(on: &Engine) {
    let first = on.open_debate_as(opening(1)).await;
    let moved = on.add_argument(debate_id(1), 5, OPPOSE).await;
    let again = on.store.open(open(opening(1), 50)).await.expect("a retry is welcome");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
    assert_eq!(again.argument, first.argument);
    assert_eq!(again.debate, moved.debate);
}

pub(crate) async fn open_with_a_used_key_and_other_content_is_refused(on: &Engine) {
    on.open_debate(1).await;
    let others = [
        NewDebate { title: title("Another"), ..opening(1) },
        NewDebate { debate_type: DebateType::CodingPlan, ..opening(1) },
        NewDebate { motion: content("Another"), ..opening(1) },
        NewDebate { auto_ruling: Some(true), ..opening(1) },
        NewDebate { auto_ruling: Some(false), ..opening(1) },
    ];
    for other in others {
        let outcome = on.store.open(open(other, 50)).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
    }
    assert_eq!(on.transcript(debate_id(1)).await.debate.title, "Debate 1");
}

pub(crate) async fn open_with_an_id_in_use_and_another_key_is_refused(on: &Engine) {
    let first = on.open_debate_as(opening(1)).await;
    for title_of_other in ["Debate 1", "Another"] {
        let other = NewDebate {
            key: key("another"),
            motion_id: motion_id(2),
            title: title(title_of_other),
            ..opening(1)
        };
        let outcome = on.store.open(open(other, 50)).await;
        assert!(
            matches!(outcome, Err(ArenaError::DebateExists(id)) if id == debate_id(1)),
            "{outcome:?}"
        );
    }
    assert_eq!(on.transcript(debate_id(1)).await.debate, first.debate);
    assert_eq!(on.arguments(debate_id(1)).await, [first.argument]);
}

pub(crate) async fn open_with_the_key_of_an_argument_is_refused(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 5, OPPOSE).await;
    let opening = NewDebate { key: key("key-5"), ..opening(1) };
    let outcome = on.store.open(open(opening, 50)).await;
    assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
}

pub(crate) async fn same_key_in_two_debates_names_two_requests(on: &Engine) {
    let first = on.open_debate(1).await;
    let second = on.open_debate(2).await;
    assert_eq!(opening(1).key, opening(2).key);
    for (number, debate) in [(5, first), (6, second)] {
        let mut draft = draft(number, OPPOSE);
        draft.key = key("shared");
        on.add_draft(debate, draft, number).await;
    }
    assert_eq!(on.arguments(first).await.len(), 2);
    assert_eq!(on.arguments(second).await.len(), 2);
}

/// `auto_ruling` of the request applies whatever the server's setting is later.
pub(crate) async fn auto_ruling_of_the_request_overrides_the_setting(on: &Engine) {
    let table = [
        (None, true, State::Closed),
        (None, false, State::AwaitingArbitrator),
        (Some(true), false, State::Closed),
        (Some(false), true, State::AwaitingArbitrator),
    ];
    for (number, (auto_ruling, custom, expected)) in (1..).zip(table) {
        let debate =
            on.open_debate_as(NewDebate { auto_ruling, ..opening(number) }).await.debate.id;
        on.add_argument(debate, 10 * number, OPPOSE).await;
        let mut append = append(debate, draft(10 * number + 1, Move::Resolve), 60);
        append.auto_ruling = custom;
        let written = on.store.append(append).await.expect("the proposer is awaited");
        assert_eq!(written.debate.state, expected, "{auto_ruling:?} {custom}");
        assert_eq!(on.transcript(debate).await.debate.state, expected, "{auto_ruling:?} {custom}");
    }
}

pub(crate) async fn new_store_has_no_debates(on: &Engine) {
    let nothing = everything(on, Limit::DEFAULT).await;
    assert!(nothing.debates.is_empty());
    assert_eq!((nothing.total, nothing.next), (0, None));
    let outcome = on.store.transcript(debate_id(1), TranscriptLimit::All).await;
    assert!(
        matches!(outcome, Err(ArenaError::UnknownDebate(id)) if id == debate_id(1)),
        "{outcome:?}"
    );
}
