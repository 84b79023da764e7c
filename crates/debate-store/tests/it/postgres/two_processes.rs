//! Two processes on one database.

use aw_testbed::Database;
use debate_app::arena::{ArenaError, ArenaStore, WriteOutcome};
use debate_app::{Notification, Storage};
use debate_core::arena::{ListFilter, Role, SeatRefusal, Side, slug_candidates};
use debate_store::{Postgres, PostgresOptions};
use futures_util::future::join_all;
use tokio_postgres::NoTls;

use crate::contract::list::{listed, query};
use crate::contract::slugs::colliding_openings;
use crate::engine::{Engine, notifier, seqs_up_to, turn, with_deadline};
use crate::postgres::store_on;
use crate::seating::{OPPONENT, digest, refusal, seated, with_token};
use crate::support::{OPPOSE, PROPOSE, append, debate_id, draft, key, open, opening};

async fn both(database: &Database) -> (Engine, Engine) {
    (store_on(database.url()).await, store_on(database.url()).await)
}

fn fresh() -> Database {
    Database::fresh().expect("PostgreSQL can be started")
}

#[tokio::test]
async fn append_notifies_subscribers_in_the_other_process() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let debate = here.open_debate(1).await;
    let mut subscription = here.subscribe(debate);
    there.add_argument(debate, 1, OPPOSE).await;
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    assert_eq!(here.arguments(debate).await.len(), 2);
}

#[tokio::test]
async fn delete_notifies_subscribers_in_the_other_process() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let debate = here.open_debate(1).await;
    let mut subscription = here.subscribe(debate);
    there.delete(debate).await.unwrap();
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    let gone = here.try_argument(debate, draft(1, OPPOSE)).await.unwrap_err();
    assert!(matches!(gone, ArenaError::UnknownDebate(_)), "{gone:?}");
}

#[tokio::test]
async fn sequence_has_no_gaps_after_writes_of_two_processes() {
    const EACH: u32 = 60;
    let database = fresh();
    let (here, there) = both(&database).await;
    let debate = here.open_debate(1).await;
    // Each process tries both sides repeatedly; the rules accept one at a time.
    let writers = (0..8).map(|writer: u32| {
        let engine = if writer.is_multiple_of(2) { &here } else { &there };
        async move {
            let mut written = 0;
            for number in (1 + writer * 1000..).take(usize::try_from(EACH).unwrap()) {
                match engine.try_argument(debate, draft(number, turn(number))).await {
                    Ok(answer) => {
                        assert_eq!(answer.outcome, WriteOutcome::Fresh);
                        written += 1;
                    }
                    Err(ArenaError::Refused(_)) => {}
                    Err(err) => panic!("{err:?}"),
                }
            }
            written
        }
    });
    let written: u32 = with_deadline(join_all(writers)).await.into_iter().sum();
    assert!(written > 0, "no write succeeded");
    let log = there.arguments(debate).await;
    assert_eq!(
        log.iter().map(|argument| argument.seq).collect::<Vec<_>>(),
        seqs_up_to(written + 1)
    );
}

#[tokio::test]
async fn request_to_both_processes_is_written_once() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let debate = here.open_debate(1).await;
    for number in 1..=40 {
        // The ids differ, as when two servers receive the same request.
        let mut twin = draft(number + 10_000, turn(number));
        let request = draft(number, turn(number));
        twin.key = request.key.clone();
        twin.content = request.content.clone();
        let (one, other) = tokio::join!(
            here.store.append(append(debate, request, number)),
            there.store.append(append(debate, twin, number)),
        );
        let (one, other) = (one.unwrap(), other.unwrap());
        assert_eq!(one.argument.id, other.argument.id);
        let fresh =
            [one.outcome, other.outcome].iter().filter(|how| **how == WriteOutcome::Fresh).count();
        assert_eq!(fresh, 1, "request {number}");
    }
    assert_eq!(here.arguments(debate).await.len(), 41);
}

#[tokio::test]
async fn debate_opened_in_both_processes_is_opened_once() {
    let database = fresh();
    let (here, there) = both(&database).await;
    for number in 1..=40 {
        let (one, other) = tokio::join!(
            here.store.open(open(opening(number), 0)),
            there.store.open(open(opening(number), 0)),
        );
        let (one, other) = (one.unwrap(), other.unwrap());
        let fresh =
            [one.outcome, other.outcome].iter().filter(|how| **how == WriteOutcome::Fresh).count();
        assert_eq!(fresh, 1, "debate {number}");
    }
}

#[tokio::test]
async fn debate_id_is_opened_by_one_of_two_processes() {
    let database = fresh();
    let (here, there) = both(&database).await;
    for number in 1..=40 {
        let mut rival = opening(number);
        rival.key = key("rival");
        rival.motion_id = crate::support::motion_id(number + 10_000);
        let (one, other) = tokio::join!(
            here.store.open(open(opening(number), 0)),
            there.store.open(open(rival, 0)),
        );
        let winners = usize::from(one.is_ok()) + usize::from(other.is_ok());
        assert_eq!(winners, 1, "debate {number}: {one:?} {other:?}");
        let loser = one.err().or(other.err()).unwrap();
        let id = debate_id(number);
        assert!(matches!(loser, ArenaError::DebateExists(taken) if taken == id), "{loser:?}");
    }
}

#[tokio::test]
async fn debate_deleted_by_one_process_cannot_be_opened_by_the_other() {
    let database = fresh();
    let (here, there) = both(&database).await;
    here.open_debate(1).await;
    here.delete(debate_id(1)).await.unwrap();
    let outcome = there.store.open(open(opening(1), 0)).await;
    assert!(matches!(outcome, Err(ArenaError::DebateDeleted(_))), "{outcome:?}");
}

const OPENED: &str =
    "insert into debates (id, title, debate_type, state, last_seq, created_at, updated_at, slug)
     values ($1, 'Debate', 'general_debate', 'AWAITING_OPPONENT', 1, 0, 0, $2)";

const DELETED: &str = "insert into deleted_debates (id, deleted_at, slug) values ($1, 0, $2)";

/// Waits until a transaction waits for the lock of another.
async fn until_blocked(database: &Database) {
    let waits = "select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock')";
    let connected = tokio_postgres::connect(database.url(), NoTls).await;
    let (watcher, wire) = connected.expect("the server accepts connections");
    tokio::spawn(wire);
    let is_blocked = || async {
        let row = watcher.query_one(waits, &[]).await.expect("the view can be read");
        row.get::<_, bool>(0)
    };
    let until_blocked = async {
        while !is_blocked().await {
            tokio::task::yield_now().await;
        }
    };
    with_deadline(until_blocked).await;
}

/// Another process opens and deletes a debate between the two round trips of a batch that opens it.
#[tokio::test]
async fn open_during_a_delete_finds_the_tombstone() {
    let database = fresh();
    let on = store_on(database.url()).await;
    let id = debate_id(1).uuid();
    let (other, wire) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
    tokio::spawn(wire);
    other.batch_execute("begin").await.unwrap();
    other.execute(OPENED, &[&id, &"another-0123"]).await.unwrap();
    let store = on.store.clone();
    let opening = tokio::spawn(async move { store.open(open(opening(1), 0)).await });
    until_blocked(&database).await;
    other.execute("delete from debates where id = $1", &[&id]).await.unwrap();
    other.execute(DELETED, &[&id, &"another-0123"]).await.unwrap();
    other.batch_execute("commit").await.unwrap();
    let outcome = with_deadline(opening).await.expect("it does not panic");
    assert!(matches!(outcome, Err(ArenaError::DebateDeleted(_))), "{outcome:?}");
    assert_eq!(listed(&on, query(ListFilter::Any, 50)).await.total, 0);
}

/// The same with another debate that has the slug.
#[tokio::test]
async fn open_during_the_delete_of_a_debate_with_its_slug_gets_another_slug() {
    let database = fresh();
    let on = store_on(database.url()).await;
    let id = debate_id(2).uuid();
    let slug = slug_candidates("Debate 1", debate_id(1)).remove(0);
    let (other, wire) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
    tokio::spawn(wire);
    other.batch_execute("begin").await.unwrap();
    other.execute(OPENED, &[&id, &slug]).await.unwrap();
    let store = on.store.clone();
    let opening = tokio::spawn(async move { store.open(open(opening(1), 0)).await });
    until_blocked(&database).await;
    other.execute("delete from debates where id = $1", &[&id]).await.unwrap();
    other.execute(DELETED, &[&id, &slug]).await.unwrap();
    other.batch_execute("commit").await.unwrap();
    let opened = with_deadline(opening).await.expect("it does not panic").expect("the id is free");
    assert!(opened.debate.slug.starts_with(&slug) && opened.debate.slug.len() > slug.len());
}

#[tokio::test]
async fn debates_with_the_same_first_slug_are_opened_in_both_processes() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let [one, other] = colliding_openings(2).try_into().unwrap();
    let (one, other) =
        tokio::join!(here.store.open(open(one, 0)), there.store.open(open(other, 0)));
    let (one, other) = (one.unwrap().debate, other.unwrap().debate);
    assert_ne!(one.slug, other.slug);
    assert_eq!(there.store.debate_by_slug(&one.slug).await.unwrap(), Some(one.id));
    assert_eq!(here.store.debate_by_slug(&other.slug).await.unwrap(), Some(other.id));
}

#[tokio::test]
async fn released_token_is_invalid_in_the_other_process_at_once() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let debate = here.open_seated(1).await;
    let mut subscription = there.subscribe(debate);
    there.play(debate, 1, OPPOSE).await;
    here.play(debate, 2, PROPOSE).await;
    here.release(debate, Side::Opponent, with_token(OPPONENT)).await.unwrap();
    let refused = refusal(there.append_as(debate, draft(3, OPPOSE), with_token(OPPONENT)).await);
    assert_eq!(refused, SeatRefusal::Invalid { role: Role::Opponent, holder: None });
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    there.take(debate, Side::Opponent, "next").await.unwrap();
    here.append_as(debate, draft(4, OPPOSE), with_token("next")).await.unwrap();
    let seats = here.store.seats(debate).await.unwrap().expect("it has seats");
    assert_eq!(seats.opponent.holder().map(|holder| holder.token), Some(digest("next")));
}

#[tokio::test]
async fn seat_is_taken_in_one_of_two_processes() {
    let database = fresh();
    let (here, there) = both(&database).await;
    for number in 1..=20 {
        let debate = here.open_debate_as(seated(number)).await.debate.id;
        let (one, other) = tokio::join!(
            here.take(debate, Side::Opponent, "one"),
            there.take(debate, Side::Opponent, "other"),
        );
        assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
        let refused = refusal(if one.is_ok() { other } else { one });
        assert!(matches!(refused, SeatRefusal::Taken { .. }), "{refused:?}");
    }
}

#[tokio::test]
async fn counters_of_two_processes_add_up() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let debate = here.open_debate(1).await;
    there.open_debate(2).await;
    there.add_argument(debate, 1, OPPOSE).await;
    here.delete(debate_id(2)).await.unwrap();
    for engine in [&here, &there] {
        assert_eq!(listed(engine, query(ListFilter::Any, 50)).await.total, 1);
        assert_eq!(listed(engine, query(ListFilter::PendingFirstOpponent, 50)).await.total, 0);
    }
}

#[tokio::test]
async fn conflict_with_another_process_does_not_affect_the_health() {
    let database = fresh();
    let options = PostgresOptions::at(database.url().to_owned());
    let here = Postgres::open(&options, notifier()).await.unwrap();
    let there = Postgres::open(&options, notifier()).await.unwrap();
    for number in 1..=40 {
        let (one, other) = tokio::join!(
            here.open(open(opening(number), 0)),
            there.open(open(opening(number), 0)),
        );
        assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
        for store in [&here, &there] {
            assert!(store.status().failure.is_none(), "{:?}", store.status().failure);
        }
    }
}
