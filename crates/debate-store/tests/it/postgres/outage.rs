//! Outages: the server restarts, or connections are cut.

use aw_testbed::{Cluster, Cut, Database, Mode, Proxy};
use debate_app::arena::{ArenaError, ArenaStore, WriteOutcome};
use debate_app::{Notification, Storage, StoreError};
use debate_core::DebateId;
use debate_store::{Postgres, PostgresOptions};

use crate::engine::{Engine, notifier, seqs_up_to, turn, with_deadline};
use crate::postgres::store_on;
use crate::support::{OPPOSE, PROPOSE, append, debate_id, draft, open, opening};

/// Repeats a write after each notification until it succeeds.
async fn until_written(engine: &Engine, debate: DebateId, number: u32) {
    let mut subscription = engine.subscribe(debate);
    loop {
        match engine.store.append(append(debate, draft(number, turn(number)), number)).await {
            Ok(_) => return,
            Err(ArenaError::Store(StoreError::Unavailable(_))) => {
                assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
            }
            Err(err) => panic!("{err:?}"),
        }
    }
}

async fn survives(mode: Mode) {
    let mut cluster = Cluster::start().expect("PostgreSQL can be started");
    let database = cluster.create_database().expect("it runs");
    let engine = store_on(database.url()).await;
    let debate = engine.open_debate(1).await;
    for number in 1..=9 {
        if number % 3 == 0 {
            cluster.restart(mode).expect("it comes back");
        }
        until_written(&engine, debate, number).await;
    }
    let log = engine.arguments(debate).await;
    assert_eq!(log.iter().map(|argument| argument.seq).collect::<Vec<_>>(), seqs_up_to(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_is_lost_by_a_restart_of_the_server() {
    survives(Mode::Fast).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_is_lost_by_a_crash_of_the_server() {
    survives(Mode::Immediate).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn status_reports_an_outage_until_the_server_is_back() {
    let mut cluster = Cluster::start().unwrap();
    let database = cluster.create_database().unwrap();
    let (options, notifier) = (PostgresOptions::at(database.url().to_owned()), notifier());
    let store = Postgres::open(&options, notifier.clone()).await.unwrap();
    store.open(open(opening(1), 0)).await.unwrap();
    cluster.stop(Mode::Fast).unwrap();
    let refused = with_deadline(store.open(open(opening(2), 0))).await.unwrap_err();
    assert!(matches!(refused, ArenaError::Store(StoreError::Unavailable(_))), "{refused:?}");
    assert!(matches!(store.status().failure, Some(StoreError::Unavailable(_))));
    // Subscribers are notified when the connection is re-established.
    let mut subscription = notifier.subscribe(debate_id(1)).unwrap();
    cluster.start_again().unwrap();
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    assert!(store.status().failure.is_none(), "{:?}", store.status().failure);
    store.open(open(opening(2), 0)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriber_is_notified_of_writes_after_a_restart() {
    let mut cluster = Cluster::start().unwrap();
    let database = cluster.create_database().unwrap();
    let (here, there) = (store_on(database.url()).await, store_on(database.url()).await);
    let debate = here.open_debate(1).await;
    let mut subscription = here.subscribe(debate);
    cluster.restart(Mode::Immediate).unwrap();
    until_written(&there, debate, 1).await;
    // The notification may be due to the reconnect; the test needs one, and all arguments.
    let heard = async {
        while here.arguments(debate).await.len() < 2 {
            assert_eq!(subscription.changed().await, Notification::Changed);
        }
    };
    with_deadline(heard).await;
}

async fn cut_at(cut: Cut) {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let proxy = Proxy::start(database.url()).expect("a port is free");
    let engine = store_on(proxy.url()).await;
    let debate = engine.open_debate(1).await;
    proxy.arm(cut);
    let written = with_deadline(engine.store.append(append(debate, draft(1, OPPOSE), 1)))
        .await
        .expect("it is written");
    assert!(!proxy.is_armed(), "the wire was never cut");
    assert_eq!(written.outcome, WriteOutcome::Fresh);
    let again =
        engine.store.append(append(debate, draft(1, OPPOSE), 2)).await.expect("it is written");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
    assert_eq!(again.argument.id, written.argument.id);
    engine.add_argument(debate, 2, PROPOSE).await;
    assert_eq!(engine.arguments(debate).await.len(), 3);
}

#[tokio::test]
async fn commit_without_an_answer_is_found_by_its_key() {
    cut_at(Cut::AfterCommit).await;
}

#[tokio::test]
async fn commit_that_was_not_delivered_is_repeated() {
    cut_at(Cut::BeforeCommit).await;
}

#[tokio::test]
async fn delete_without_an_answer_succeeds() {
    let database = Database::fresh().unwrap();
    let proxy = Proxy::start(database.url()).unwrap();
    let engine = store_on(proxy.url()).await;
    let debate = engine.open_debate(1).await;
    proxy.arm(Cut::AfterCommit);
    with_deadline(engine.delete(debate)).await.unwrap();
    assert!(!proxy.is_armed(), "the wire was never cut");
    let again = engine.delete(debate).await.unwrap_err();
    assert!(matches!(again, ArenaError::UnknownDebate(_)), "{again:?}");
}

#[tokio::test]
async fn new_writes_are_refused_while_a_commit_is_in_doubt() {
    let database = Database::fresh().unwrap();
    let proxy = Proxy::start(database.url()).unwrap();
    let engine = store_on(proxy.url()).await;
    let debate = engine.open_debate(1).await;
    proxy.arm_and_close(Cut::AfterCommit);
    let doubtful = engine.store.append(append(debate, draft(1, OPPOSE), 1));
    let meanwhile = async {
        while proxy.is_armed() {
            tokio::task::yield_now().await;
        }
        let refused = engine.store.append(append(debate, draft(2, PROPOSE), 2)).await.unwrap_err();
        assert!(matches!(refused, ArenaError::Store(StoreError::Unavailable(_))), "{refused:?}");
        proxy.open();
    };
    // If the second write waited, the connection would stay closed and the test would hang.
    let (written, ()) = with_deadline(async { tokio::join!(doubtful, meanwhile) }).await;
    assert_eq!(written.unwrap().outcome, WriteOutcome::Fresh);
}
