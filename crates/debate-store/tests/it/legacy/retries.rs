//! Retries of requests to an original server are recognised after the migration.

use debate_app::arena::{ArenaError, WriteOutcome};
use debate_core::arena::{ArgumentType, DebateType, Draft, Move, NewDebate, Role};
use debate_core::{RequestKey, Seq, Title};

use super::fixture::{Layout, OldArgument, OldDebate, closed_file, id_at, story};
use crate::engine::Engine;
use crate::support::{
    CLOSE, OPPOSE, PROPOSE, RULE, content, debate_id, draft, key, open, opening, title,
};

/// The request of an original argument, as a client sends it today.
fn request_of(old: &OldDebate, argument: &OldArgument, key: RequestKey) -> Draft {
    let last_of_closed = old.arguments.last().is_some_and(|last| last.key == argument.key)
        && old.state().name() == "CLOSED";
    let mv = match (argument.kind, argument.role) {
        (ArgumentType::Claim, Role::Opponent) => OPPOSE,
        (ArgumentType::Claim, _) => PROPOSE,
        (ArgumentType::Appeal, _) => Move::Appeal,
        (ArgumentType::Resolution, _) => Move::Resolve,
        (ArgumentType::Intervention, _) => Move::Intervene,
        (ArgumentType::Ruling, _) => {
            if last_of_closed {
                CLOSE
            } else {
                RULE
            }
        }
        (ArgumentType::Motion, _) => panic!("a motion is not an answer"),
    };
    Draft {
        target: argument.parent.map(|seq| id_at(old.number, seq)),
        content: content(&argument.content),
        key,
        ..draft(9_999, mv)
    }
}

fn opening_of(old: &OldDebate, motion: &OldArgument) -> NewDebate {
    NewDebate {
        title: Title::new(old.title.clone()).unwrap_or_else(|_| title("over the limit")),
        debate_type: old.debate_type,
        motion: content(&motion.content),
        ..opening(old.number)
    }
}

async fn assert_known(on: &Engine, old: &OldDebate) {
    for (seq, argument) in (1..).zip(&old.arguments).skip(1) {
        let Some(name) = argument.key else { continue };
        let request = request_of(old, argument, key(name));
        let again = on.try_argument(debate_id(old.number), request.clone()).await;
        let again = again.expect("a retry is welcome");
        assert_eq!(
            (again.outcome, again.argument.seq),
            (WriteOutcome::Replayed, Seq::new(seq)),
            "{name}"
        );
        assert_eq!(again.debate.state, old.state(), "{name}");

        let other = Draft { content: content("something else"), ..request };
        let outcome = on.try_argument(debate_id(old.number), other).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn retried_argument_of_an_original_server_returns_the_first_answer() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let on = folder.engine();
        for old in story() {
            assert_known(&on, &old).await;
            assert_eq!(on.arguments(debate_id(old.number)).await, old.expected_arguments(layout));
        }
    }
}

#[tokio::test]
async fn retried_open_of_an_original_server_returns_the_first_answer() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let on = folder.engine();
        for old in story().iter().filter(|old| old.title.chars().count() <= Title::MOST) {
            let retry = opening_of(old, &old.arguments[0]);
            let again = on.store.open(open(retry.clone(), 1)).await.unwrap();
            assert_eq!((again.outcome, again.argument.seq), (WriteOutcome::Replayed, Seq::FIRST));
            assert_eq!(again.debate, old.debate(layout));

            let other = NewDebate { debate_type: DebateType::CodingPlan, ..retry.clone() };
            let outcome = on.store.open(open(other, 1)).await;
            assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
            let stranger = NewDebate { key: key("another"), ..retry };
            let outcome = on.store.open(open(stranger, 1)).await;
            assert!(matches!(outcome, Err(ArenaError::DebateExists(_))), "{outcome:?}");
        }
    }
}

/// The fingerprint of a ruling includes `close`. The same text without it is a different request,
/// although the original server did not store the field.
#[tokio::test]
async fn retried_ruling_of_an_original_server_is_compared_by_its_effect() {
    let folder = closed_file(Layout::Prisma, &story());
    let on = folder.engine();
    for (number, name, other) in [(5, "close", RULE), (3, "rule", CLOSE)] {
        let old = &story()[number - 1];
        let request = request_of(old, old.arguments.last().unwrap(), key(name));
        let outcome = on.try_argument(debate_id(old.number), Draft { mv: other, ..request }).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
    }
}

/// Rulings and interventions have no target in the request, so the parent that an original server
/// stored does not belong to the request.
#[tokio::test]
async fn retried_ruling_with_a_parent_returns_the_first_answer() {
    let mut debates = story();
    debates[2].arguments[3].parent = Some(3);
    let folder = closed_file(Layout::Prisma, &debates);
    let on = folder.engine();
    let kept = on.arguments(debate_id(3)).await;
    assert_eq!(kept[3].parent, Some(id_at(3, 3)));

    let asked = OldArgument { parent: None, ..debates[2].arguments[3].clone() };
    let request = request_of(&debates[2], &asked, key("rule"));
    let again = on.try_argument(debate_id(3), request).await.expect("a retry is welcome");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
}
