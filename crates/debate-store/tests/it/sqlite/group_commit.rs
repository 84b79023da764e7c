//! Group commit: requests share a transaction, and nothing of it shows.

use std::pin::pin;

use debate_app::StoreError;
use debate_app::arena::{ArenaError, WrittenArgument};
use debate_core::DebateId;
use debate_core::arena::{Draft, State};
use debate_store::SqliteOptions;
use futures_util::FutureExt;
use futures_util::future::join_all;
use rusqlite::Connection;

use crate::contract::concurrency::sequence_has_no_gaps_after_64_parallel_writers;
use crate::contract::list::{Totals, totals};
use crate::engine::{Engine, has_changed, in_time};
use crate::sqlite::temp_database::{Folder, engine_at};
use crate::support::{
    OPPOSE, PROPOSE, argument_id, debate_id, draft, key, motion_id, open, opening,
};

const DEBATES: u32 = 40;

/// Keeps the writer waiting, so that whatever is queued meanwhile is committed together.
fn hold_up(folder: &Folder) -> Connection {
    let conn = folder.stranger();
    conn.execute_batch("begin immediate").expect("nobody writes just now");
    conn
}

/// Sends all of these at once, in one batch but for the first few.
async fn together(
    on: &Engine,
    folder: &Folder,
    drafts: Vec<(DebateId, Draft)>,
) -> Vec<Result<WrittenArgument, ArenaError>> {
    let held = hold_up(folder);
    let mut all = pin!(join_all(drafts.into_iter().map(|(id, draft)| on.tried(id, draft))));
    assert!(all.as_mut().now_or_never().is_none(), "everything is queued, nothing is written");
    drop(held);
    all.await
}

async fn opened(on: &Engine) {
    let openings = (1..=DEBATES).map(|number| on.store.open(open(opening(number), number)));
    assert!(join_all(openings).await.into_iter().all(|outcome| outcome.is_ok()));
}

#[tokio::test]
async fn refused_request_does_not_affect_others_in_its_batch() {
    let folder = Folder::new();
    let on = folder.engine();
    opened(&on).await;
    let mut drafts = Vec::new();
    for number in 1..=DEBATES {
        let id = debate_id(number);
        drafts.push((id, draft(1000 + number, PROPOSE)));
        drafts.push((id, Draft { key: key("open"), ..draft(2000 + number, OPPOSE) }));
        drafts.push((id, Draft { target: Some(argument_id(404)), ..draft(3000 + number, OPPOSE) }));
        drafts.push((id, draft(number, OPPOSE)));
    }
    for (number, four) in (1..).zip(together(&on, &folder, drafts).await.chunks(4)) {
        let [early, reused, astray, good] = four else { panic!("there are four of each") };
        assert!(matches!(early, Err(ArenaError::Refused(_))), "{early:?}");
        assert!(matches!(reused, Err(ArenaError::KeyReused)), "{reused:?}");
        assert!(matches!(astray, Err(ArenaError::NoSuchArgument(_))), "{astray:?}");
        let kept = on.seen(debate_id(number)).await.arguments;
        assert_eq!(kept.iter().collect::<Vec<_>>(), [&good.as_ref().unwrap().argument]);
    }
}

/// An argument whose id is taken can't be kept, and the rules do not know: storage itself fails.
#[tokio::test]
async fn failing_request_does_not_affect_others_in_its_batch() {
    let folder = Folder::new();
    let on = folder.engine();
    opened(&on).await;
    let mut subscriptions: Vec<_> =
        (1..=DEBATES).map(|number| on.listen(debate_id(number))).collect();
    let drafts = (1..=DEBATES)
        .map(|number| match number % 4 {
            0 => (debate_id(number), Draft { id: motion_id(1), ..draft(number, OPPOSE) }),
            _ => (debate_id(number), draft(number, OPPOSE)),
        })
        .collect();
    let outcomes = together(&on, &folder, drafts).await;
    for ((number, outcome), subscription) in (1..=DEBATES).zip(&outcomes).zip(&mut subscriptions) {
        let seen = on.seen(debate_id(number)).await;
        if number % 4 == 0 {
            assert!(
                matches!(outcome, Err(ArenaError::Store(StoreError::Unexpected(_)))),
                "{outcome:?}"
            );
            assert_eq!((seen.debate.state, seen.arguments.len()), (State::AwaitingOpponent, 0));
            assert!(!has_changed(subscription), "{number}");
        } else {
            let argument = outcome.as_ref().unwrap().argument.clone();
            assert_eq!(seen.debate.state, State::AwaitingProposer);
            assert_eq!(seen.arguments, [argument]);
            assert!(has_changed(subscription), "{number}");
        }
    }
    let (unopposed, answered) = (10, 30);
    let by_state = [unopposed, answered, 0, 0, 0];
    assert_eq!(totals(&on).await, Totals { any: 40, unopposed, by_state });
}

#[tokio::test]
async fn failed_request_can_be_retried_with_the_same_key() {
    let folder = Folder::new();
    let on = folder.engine();
    let debate = on.opened(1).await;
    let failing = Draft { id: motion_id(1), ..draft(1, OPPOSE) };
    on.tried(debate, failing).await.unwrap_err();
    on.added(debate, 1, OPPOSE).await;
    assert_eq!(on.log(debate).await.len(), 2);
}

#[tokio::test]
async fn full_queue_refuses_requests_and_completes_accepted_ones() {
    let folder = Folder::new();
    let path = folder.path();
    let on = engine_at(&SqliteOptions {
        readers: 1,
        queue_max: 4,
        batch_max: 2,
        ..SqliteOptions::at(path)
    });
    for number in 1..=20 {
        on.opened(number).await;
    }
    let drafts = (1..=20).map(|number| (debate_id(number), draft(number, OPPOSE))).collect();
    let outcomes = together(&on, &folder, drafts).await;
    let mut turned_away = 0;
    for (number, outcome) in (1..).zip(outcomes) {
        let arguments = on.seen(debate_id(number)).await.arguments;
        match outcome {
            Ok(written) => assert_eq!(arguments, [written.argument]),
            Err(ArenaError::Store(StoreError::Overloaded)) => {
                turned_away += 1;
                assert!(arguments.is_empty());
            }
            Err(err) => panic!("{err:?}"),
        }
    }
    assert!((14..=16).contains(&turned_away), "four wait and at most two are being written");
}

/// Whoever hangs up after the request was taken does not undo it.
#[tokio::test]
async fn write_completes_after_its_client_disconnected() {
    let folder = Folder::new();
    let on = folder.engine();
    let debate = on.opened(1).await;
    let mut subscription = on.listen(debate);
    let held = hold_up(&folder);
    assert!(on.tried(debate, draft(1, OPPOSE)).now_or_never().is_none());
    drop(held);
    in_time(subscription.changed()).await;
    assert_eq!(on.log(debate).await.len(), 2);
}

#[tokio::test]
async fn batch_size_of_one_and_one_reader_are_sufficient() {
    let folder = Folder::new();
    let path = folder.path();
    let bounds =
        SqliteOptions { readers: 1, queue_max: 64, batch_max: 1, ..SqliteOptions::at(path) };
    let on = engine_at(&bounds);
    sequence_has_no_gaps_after_64_parallel_writers(&on).await;
}
