//! A client that retries across the change of servers is known by its old keys.

use debate_app::arena::{ArenaError, WriteOutcome};
use debate_core::arena::{ArgumentType, DebateType, Draft, Move, NewDebate, Role};
use debate_core::{RequestKey, Seq, Title};

use super::fixture::{Layout, OldArgument, OldDebate, id_at, left_behind, story};
use crate::engine::Engine;
use crate::support::{
    CLOSE, OPPOSE, PROPOSE, RULE, content, debate_id, draft, key, open, opening, title,
};

/// The request that made an old argument, as a client sends it today.
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
        let again = on.tried(debate_id(old.number), request.clone()).await;
        let again = again.expect("a retry is welcome");
        assert_eq!(
            (again.outcome, again.argument.seq),
            (WriteOutcome::Replayed, Seq::new(seq)),
            "{name}"
        );
        assert_eq!(again.debate.state, old.state(), "{name}");

        let other = Draft { content: content("something else"), ..request };
        let outcome = on.tried(debate_id(old.number), other).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn retried_argument_of_an_original_server_returns_the_first_answer() {
    for layout in Layout::BOTH {
        let folder = left_behind(layout, &story());
        let on = folder.engine();
        for old in story() {
            assert_known(&on, &old).await;
            assert_eq!(on.log(debate_id(old.number)).await, old.log(layout));
        }
    }
}

#[tokio::test]
async fn retried_open_of_an_original_server_returns_the_first_answer() {
    for layout in Layout::BOTH {
        let folder = left_behind(layout, &story());
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

/// The key of a ruling that closed says so: the same words with `close` left out are another
/// request, although the old server had not kept the word.
#[tokio::test]
async fn retried_ruling_of_an_original_server_is_compared_by_its_effect() {
    let folder = left_behind(Layout::Prisma, &story());
    let on = folder.engine();
    for (number, name, other) in [(5, "close", RULE), (3, "rule", CLOSE)] {
        let old = &story()[number - 1];
        let request = request_of(old, old.arguments.last().unwrap(), key(name));
        let outcome = on.tried(debate_id(old.number), Draft { mv: other, ..request }).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
    }
}

/// Nobody can name a target in a ruling or an intervention, so what an old server noted as their
/// parent was its own idea and no part of the request.
#[tokio::test]
async fn retried_ruling_with_a_parent_returns_the_first_answer() {
    let mut debates = story();
    debates[2].arguments[3].parent = Some(3);
    let folder = left_behind(Layout::Prisma, &debates);
    let on = folder.engine();
    let kept = on.log(debate_id(3)).await;
    assert_eq!(kept[3].parent, Some(id_at(3, 3)));

    let asked = OldArgument { parent: None, ..debates[2].arguments[3].clone() };
    let request = request_of(&debates[2], &asked, key("rule"));
    let again = on.tried(debate_id(3), request).await.expect("a retry is welcome");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
}
