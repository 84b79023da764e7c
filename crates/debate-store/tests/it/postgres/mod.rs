//! Tests on PostgreSQL: the contract suite, and engine-specific behaviour.

mod connect_errors;
mod forum;
mod hosts;
mod outage;
mod pooler;
mod runner;
mod schema_change;
mod search_queue;
mod suite;
mod tls;
mod two_processes;

use debate_store::{Postgres, PostgresOptions};

use crate::engine::{Engine, notifier};

/// A further store on a database, which the database cannot tell from another process.
pub(crate) async fn store_on(url: &str) -> Engine {
    store_with(&PostgresOptions::at(url.to_owned())).await
}

pub(crate) async fn store_with(options: &PostgresOptions) -> Engine {
    let notifier = notifier();
    let store = Postgres::open(options, notifier.clone()).await.expect("the database can be used");
    Engine::new(store, notifier, Box::new(()))
}
