//! Deletion of debates.

use debate_app::StreamPosition;
use debate_app::arena::{ArenaError, ArgumentSelection, TranscriptLimit};
use debate_core::arena::{Draft, Move, NewDebate};
use debate_core::{Limit, Seq};

use crate::contract::list::{everything, totals};
use crate::engine::{Engine, missing_debate};
use crate::support::{OPPOSE, argument_id, debate_id, draft, key, motion_id, open, opening, title};

pub(crate) async fn deleted_debate_is_not_found_by_any_operation(on: &Engine) {
    let debate = on.open_long_debate(3).await;
    on.delete(debate).await.expect("the debate exists");
    let gone = [
        on.store.transcript(debate, TranscriptLimit::All).await.map(|_| ()),
        on.store.transcript(debate, TranscriptLimit::Newest(0)).await.map(|_| ()),
        on.store.page(debate, Seq::FIRST, Seq::new(4)).await.map(|_| ()),
        on.store
            .newer_than(debate, StreamPosition::Start, ArgumentSelection::Newest(10))
            .await
            .map(|_| ()),
        on.store
            .newer_than(debate, StreamPosition::Item(argument_id(1)), ArgumentSelection::Newest(10))
            .await
            .map(|_| ()),
        on.store
            .newer_than(debate, StreamPosition::Seq(Seq::new(2)), ArgumentSelection::Newest(10))
            .await
            .map(|_| ()),
        on.try_argument(debate, draft(50, OPPOSE)).await.map(|_| ()),
        on.try_argument(debate, draft(1, OPPOSE)).await.map(|_| ()),
        on.delete(debate).await,
    ];
    for (index, outcome) in gone.into_iter().enumerate() {
        assert!(
            matches!(outcome, Err(ArenaError::UnknownDebate(id)) if id == debate),
            "way {index}: {outcome:?}"
        );
    }
    assert!(everything(on, Limit::DEFAULT).await.debates.is_empty());
    assert_eq!(totals(on).await.any, 0);
}

pub(crate) async fn delete_of_a_missing_debate_fails(on: &Engine) {
    on.open_debate(1).await;
    let outcome = on.delete(missing_debate()).await;
    assert!(
        matches!(outcome, Err(ArenaError::UnknownDebate(id)) if id == missing_debate()),
        "{outcome:?}"
    );
    assert_eq!(totals(on).await.any, 1);
}

pub(crate) async fn delete_removes_the_arguments_of_the_debate(on: &Engine) {
    let debate = on.open_long_debate(2).await;
    let other = on.open_debate(2).await;
    on.delete(debate).await.expect("the debate exists");
    for target in [motion_id(1), argument_id(1), argument_id(2)] {
        let answer = Draft { target: Some(target), ..draft(50, OPPOSE) };
        let outcome = on.try_argument(other, answer).await;
        assert!(
            matches!(outcome, Err(ArenaError::UnknownArgument(id)) if id == target),
            "{outcome:?}"
        );
    }
}

pub(crate) async fn delete_leaves_other_debates_unchanged(on: &Engine) {
    let kept = on.play_moves(2, &[OPPOSE, Move::Appeal]).await;
    let (before, log) = (on.transcript(kept).await.debate, on.arguments(kept).await);
    let debate = on.open_long_debate(2).await;
    on.delete(debate).await.expect("the debate exists");
    assert_eq!((on.transcript(kept).await.debate, on.arguments(kept).await), (before, log));
}

pub(crate) async fn open_with_the_id_of_a_deleted_debate_is_refused(on: &Engine) {
    let debate = on.open_long_debate(3).await;
    on.delete(debate).await.expect("the debate exists");
    let openings = [
        // A late retry, then another debate with the same id.
        opening(1),
        NewDebate { key: key("another"), title: title("Another"), ..opening(1) },
    ];
    for opening in openings {
        let outcome = on.store.open(open(opening, 70)).await;
        let is_gone = matches!(outcome, Err(ArenaError::DebateDeleted(id)) if id == debate);
        assert!(is_gone, "{outcome:?}");
    }
    assert_eq!(totals(on).await.any, 0);
    let outcome = on.try_argument(debate, draft(50, OPPOSE)).await;
    assert!(matches!(outcome, Err(ArenaError::UnknownDebate(_))), "{outcome:?}");
}

pub(crate) async fn id_of_a_refused_delete_can_be_opened(on: &Engine) {
    let outcome = on.delete(debate_id(1)).await;
    assert!(matches!(outcome, Err(ArenaError::UnknownDebate(_))), "{outcome:?}");
    on.open_debate(1).await;
}
