//! Group commit: requests that share a transaction do not affect each other.

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
use crate::engine::{Engine, has_changed, with_deadline};
use crate::sqlite::temp_database::{TempDatabase, engine_at};
use crate::support::{
    OPPOSE, PROPOSE, argument_id, debate_id, draft, key, motion_id, open, opening,
};

const DEBATES: u32 = 40;

/// Delays the writer, so that the requests that are queued meanwhile share a commit.
fn hold_up(folder: &TempDatabase) -> Connection {
    let conn = folder.writable_connection();
    conn.execute_batch("begin immediate").expect("no other connection writes");
    conn
}

/// Sends all requests at once; all but the first few share a batch.
async fn together(
    on: &Engine,
    folder: &TempDatabase,
    drafts: Vec<(DebateId, Draft)>,
) -> Vec<Result<WrittenArgument, ArenaError>> {
    let held = hold_up(folder);
    let mut all = pin!(join_all(drafts.into_iter().map(|(id, draft)| on.try_argument(id, draft))));
    assert!(all.as_mut().now_or_never().is_none(), "everything is queued, nothing is written");
    drop(held);
    all.await
}

async fn open_all(on: &Engine) {
    let openings = (1..=DEBATES).map(|number| on.store.open(open(opening(number), number)));
    assert!(join_all(openings).await.into_iter().all(|outcome| outcome.is_ok()));
}

#[tokio::test]
async fn refused_request_does_not_affect_others_in_its_batch() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    open_all(&on).await;
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
        assert!(matches!(astray, Err(ArenaError::UnknownArgument(_))), "{astray:?}");
        let kept = on.transcript(debate_id(number)).await.arguments;
        assert_eq!(kept.iter().collect::<Vec<_>>(), [&good.as_ref().unwrap().argument]);
    }
}

/// The rules accept an argument with an id that is in use, and the insert fails.
#[tokio::test]
async fn failing_request_does_not_affect_others_in_its_batch() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    open_all(&on).await;
    let mut subscriptions: Vec<_> =
        (1..=DEBATES).map(|number| on.subscribe(debate_id(number))).collect();
    let drafts = (1..=DEBATES)
        .map(|number| match number % 4 {
            0 => (debate_id(number), Draft { id: motion_id(1), ..draft(number, OPPOSE) }),
            _ => (debate_id(number), draft(number, OPPOSE)),
        })
        .collect();
    let outcomes = together(&on, &folder, drafts).await;
    for ((number, outcome), subscription) in (1..=DEBATES).zip(&outcomes).zip(&mut subscriptions) {
        let seen = on.transcript(debate_id(number)).await;
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
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_debate(1).await;
    let failing = Draft { id: motion_id(1), ..draft(1, OPPOSE) };
    on.try_argument(debate, failing).await.unwrap_err();
    on.add_argument(debate, 1, OPPOSE).await;
    assert_eq!(on.arguments(debate).await.len(), 2);
}

#[tokio::test]
async fn full_queue_refuses_requests_and_completes_accepted_ones() {
    let folder = TempDatabase::new();
    let path = folder.path();
    let on = engine_at(&SqliteOptions {
        readers: 1,
        queue_max: 4,
        batch_max: 2,
        ..SqliteOptions::at(path)
    });
    for number in 1..=20 {
        on.open_debate(number).await;
    }
    let drafts = (1..=20).map(|number| (debate_id(number), draft(number, OPPOSE))).collect();
    let outcomes = together(&on, &folder, drafts).await;
    let mut turned_away = 0;
    for (number, outcome) in (1..).zip(outcomes) {
        let arguments = on.transcript(debate_id(number)).await.arguments;
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

/// A client that disconnects after its request was queued does not undo it.
#[tokio::test]
async fn write_completes_after_its_client_disconnected() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_debate(1).await;
    let mut subscription = on.subscribe(debate);
    let held = hold_up(&folder);
    assert!(on.try_argument(debate, draft(1, OPPOSE)).now_or_never().is_none());
    drop(held);
    with_deadline(subscription.changed()).await;
    assert_eq!(on.arguments(debate).await.len(), 2);
}

#[tokio::test]
async fn batch_size_of_one_and_one_reader_are_sufficient() {
    let folder = TempDatabase::new();
    let path = folder.path();
    let bounds =
        SqliteOptions { readers: 1, queue_max: 64, batch_max: 1, ..SqliteOptions::at(path) };
    let on = engine_at(&bounds);
    sequence_has_no_gaps_after_64_parallel_writers(&on).await;
}
