//! Several hosts in one URL, one of which accepts connections and never answers.

use std::time::Duration;

use aw_testbed::{Database, Proxy};
use debate_app::arena::ArenaError;
use debate_app::runner::RunnerError;
use debate_app::{Notification, StoreError};
use debate_core::DebateId;
use debate_store::PostgresOptions;

use crate::contract::runner::fixture::{create, run_id};
use crate::engine::{Engine, turn, with_deadline};
use crate::postgres::{store_on, store_with};
use crate::support::{append, draft};

/// Two addresses of one database, as if they were two hosts.
struct TwoHosts {
    database: Database,
    first: Proxy,
    second: Proxy,
}

impl TwoHosts {
    fn new() -> Self {
        let database = Database::fresh().expect("PostgreSQL can be started");
        let proxy = || Proxy::start(database.url()).expect("a port is free");
        let (first, second) = (proxy(), proxy());
        Self { database, first, second }
    }

    /// Both hosts, with a short deadline.
    fn options(&self) -> PostgresOptions {
        let address = |proxy: &Proxy| {
            let rest = proxy.url().split('@').nth(1).expect("the URL names a user");
            rest.split('/').next().expect("a URL has a server").to_owned()
        };
        let (one, both) =
            (address(&self.first), [&self.first, &self.second].map(address).join(","));
        let url = self.first.url().replace(&one, &both);
        PostgresOptions { deadline: Duration::from_secs(1), ..PostgresOptions::at(url) }
    }
}

/// Runs `attempt` until the store is available again.
async fn until_available<T, F>(attempt: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, StoreError>>,
{
    let tried = async {
        loop {
            match attempt().await {
                Ok(done) => return done,
                Err(StoreError::Unavailable(_) | StoreError::Overloaded) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Err(err) => panic!("{err:?}"),
            }
        }
    };
    with_deadline(tried).await
}

fn store_error(err: ArenaError) -> StoreError {
    let ArenaError::Store(err) = err else { panic!("{err:?}") };
    err
}

async fn append_until_available(engine: &Engine, debate: DebateId, number: u32) {
    let append = || async {
        let append = append(debate, draft(number, turn(number)), number);
        engine.store.append(append).await.map_err(store_error)
    };
    until_available(append).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arena_writes_move_to_the_next_host_when_one_stops_answering() {
    let hosts = TwoHosts::new();
    let engine = store_with(&hosts.options()).await;
    let debate = engine.open_debate(1).await;
    hosts.first.freeze();
    for number in 1..=4 {
        append_until_available(&engine, debate, number).await;
    }
    assert_eq!(engine.arguments(debate).await.len(), 5);
    // The other way: the first host answers again, the second does not.
    hosts.first.open();
    hosts.second.freeze();
    append_until_available(&engine, debate, 5).await;
    assert_eq!(engine.arguments(debate).await.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_runner_writes_move_to_the_next_host_when_one_stops_answering() {
    let hosts = TwoHosts::new();
    let engine = store_with(&hosts.options()).await;
    // Every connection of the pools leads to the first host.
    for number in 1..=4 {
        engine.create_run(number).await;
    }
    hosts.first.freeze();
    let store_error = |err| {
        let RunnerError::Store(err) = err else { panic!("{err:?}") };
        err
    };
    let add = || async { engine.runs.create(create(5)).await.map(|_| ()).map_err(store_error) };
    until_available(add).await;
    let read = || async { engine.runs.story(run_id(5)).await.map_err(store_error) };
    assert_eq!(until_available(read).await.run.id, run_id(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_arrive_through_the_next_host_when_one_stops_answering() {
    let hosts = TwoHosts::new();
    let here = store_with(&hosts.options()).await;
    let there = store_on(hosts.database.url()).await;
    let debate = here.open_debate(1).await;
    let mut subscription = here.subscribe(debate);
    hosts.first.freeze();
    there.add_argument(debate, 1, turn(1)).await;
    // The heartbeat of the listener times out; the listener connects to the other host and notifies
    // all subscribers.
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    there.add_argument(debate, 2, turn(2)).await;
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
}

#[tokio::test(flavor = "multi_thread")]
async fn start_uses_the_next_host_when_the_first_does_not_answer() {
    let hosts = TwoHosts::new();
    hosts.first.freeze();
    let engine = with_deadline(store_with(&hosts.options())).await;
    engine.open_debate(1).await;
}
