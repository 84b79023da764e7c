//! Forgetting a debate.

use debate_app::arena::{ArenaError, How, Newest, Since, Take};
use debate_core::arena::{Draft, Move};
use debate_core::{Limit, Seq};

use crate::contract::listing::{everything, totals};
use crate::engine::{Engine, nowhere};
use crate::support::{OPPOSE, argument_id, debate_id, draft, motion_id, open, opening};

pub(crate) async fn a_deleted_debate_is_gone_for_everyone(on: &Engine) {
    let debate = on.long_debate(3).await;
    on.store.delete(debate).await.expect("the debate exists");
    let gone = [
        on.store.transcript(debate, Newest::All).await.map(|_| ()),
        on.store.transcript(debate, Newest::Count(0)).await.map(|_| ()),
        on.store.page(debate, Seq::FIRST, Seq::new(4)).await.map(|_| ()),
        on.store.newer_than(debate, Since::Start, Take::Newest(10)).await.map(|_| ()),
        on.store
            .newer_than(debate, Since::Argument(argument_id(1)), Take::Newest(10))
            .await
            .map(|_| ()),
        on.store.newer_than(debate, Since::Seq(Seq::new(2)), Take::Newest(10)).await.map(|_| ()),
        on.tried(debate, draft(50, OPPOSE)).await.map(|_| ()),
        on.tried(debate, draft(1, OPPOSE)).await.map(|_| ()),
        on.store.delete(debate).await,
    ];
    for (index, outcome) in gone.into_iter().enumerate() {
        assert!(
            matches!(outcome, Err(ArenaError::NoSuchDebate(id)) if id == debate),
            "way {index}: {outcome:?}"
        );
    }
    assert!(everything(on, Limit::DEFAULT).await.debates.is_empty());
    assert_eq!(totals(on).await.any, 0);
}

pub(crate) async fn a_debate_that_never_was_can_not_be_deleted(on: &Engine) {
    on.opened(1).await;
    let outcome = on.store.delete(nowhere()).await;
    assert!(matches!(outcome, Err(ArenaError::NoSuchDebate(id)) if id == nowhere()), "{outcome:?}");
    assert_eq!(totals(on).await.any, 1);
}

pub(crate) async fn what_was_said_goes_with_its_debate(on: &Engine) {
    let debate = on.long_debate(2).await;
    let other = on.opened(2).await;
    on.store.delete(debate).await.expect("the debate exists");
    for target in [motion_id(1), argument_id(1), argument_id(2)] {
        let answer = Draft { target: Some(target), ..draft(50, OPPOSE) };
        let outcome = on.tried(other, answer).await;
        assert!(
            matches!(outcome, Err(ArenaError::NoSuchArgument(id)) if id == target),
            "{outcome:?}"
        );
    }
}

pub(crate) async fn other_debates_stay_as_they_are(on: &Engine) {
    let kept = on.played(2, &[OPPOSE, Move::Appeal]).await;
    let (before, log) = (on.seen(kept).await.debate, on.log(kept).await);
    let debate = on.long_debate(2).await;
    on.store.delete(debate).await.expect("the debate exists");
    assert_eq!((on.seen(kept).await.debate, on.log(kept).await), (before, log));
}

pub(crate) async fn an_id_can_be_used_again_and_its_keys_are_new(on: &Engine) {
    let debate = on.long_debate(3).await;
    on.store.delete(debate).await.expect("the debate exists");
    let again = on.store.open(open(opening(1), 70)).await.expect("the id is free again");
    assert_eq!((again.how, again.argument.seq), (How::Fresh, Seq::FIRST));
    let claim = on.added(debate, 1, OPPOSE).await;
    assert_eq!((claim.how, claim.argument.seq), (How::Fresh, Seq::new(2)));
    assert_eq!(on.log(debate_id(1)).await.len(), 2);
}
