//! Searches on PostgreSQL have connections of their own and a bounded queue.

use aw_testbed::Database;
use debate_app::StoreError;
use debate_app::arena::ArenaError;
use debate_core::SearchText;
use debate_core::arena::{ListFilter, ListQuery};
use futures_util::future::{join_all, select_all};
use tokio_postgres::{Client, NoTls};

use crate::contract::list::{listed, query};
use crate::engine::with_deadline;
use crate::postgres::store_on;

/// Two searches run and eight wait.
const ADMITTED: usize = 10;

/// A connection whose open transaction keeps every search waiting.
async fn block_searches(database: &Database) -> Client {
    let (client, wire) = tokio_postgres::connect(database.url(), NoTls).await.expect("it runs");
    tokio::spawn(wire);
    let lock = "begin; lock table debate_search in access exclusive mode";
    client.batch_execute(lock).await.expect("no search runs yet");
    client
}

#[tokio::test]
async fn searches_over_the_limit_are_refused_and_lists_do_not_wait() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let on = store_on(database.url()).await;
    on.open_debate(1).await;
    let blocker = block_searches(&database).await;
    let text = SearchText::new("motion").expect("it is short");
    let search = ListQuery { search: Some(text), ..query(ListFilter::Any, 10) };
    let searches = (0..=ADMITTED).map(|_| {
        let (store, search) = (on.store.clone(), search.clone());
        Box::pin(async move { store.list(search).await })
    });
    let (first, _, others) = with_deadline(select_all(searches)).await;
    assert!(matches!(first, Err(ArenaError::Store(StoreError::Overloaded))), "{first:?}");
    assert_eq!(with_deadline(listed(&on, query(ListFilter::Any, 10))).await.total, 1);

    blocker.batch_execute("rollback").await.unwrap();
    for outcome in with_deadline(join_all(others)).await {
        assert_eq!(outcome.expect("it was admitted").total, 1);
    }
}
