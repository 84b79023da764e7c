//! The contract, kept by PostgreSQL.

use aw_testbed::Database;
use debate_store::{Postgres, PostgresOptions};

use crate::contract::contract_suite;
use crate::engine::{Engine, hub};

async fn empty() -> Engine {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let hub = hub();
    let options = PostgresOptions::at(database.url().to_owned());
    let store = Postgres::open(&options, hub.clone()).await.expect("an empty database can be used");
    Engine::new(store, hub, Box::new(database))
}

contract_suite!(crate::postgres::suite::empty);
