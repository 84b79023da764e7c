//! The contract suite on PostgreSQL.

use aw_testbed::Database;
use debate_store::{Postgres, PostgresOptions};

use crate::contract::contract_suite;
use crate::engine::{Engine, notifier};

async fn empty() -> Engine {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let notifier = notifier();
    let options = PostgresOptions::at(database.url().to_owned());
    let store =
        Postgres::open(&options, notifier.clone()).await.expect("an empty database can be used");
    Engine::new(store, notifier, Box::new(database))
}

contract_suite!(crate::postgres::suite::empty);
