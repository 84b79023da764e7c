//! The contract suite on SQLite.

use std::future::{Ready, ready};

use crate::contract::contract_suite;
use crate::engine::{Engine, notifier};
use crate::sqlite::temp_database::TempDatabase;

/// Async, because an engine with a server has to be waited for.
fn empty() -> Ready<Engine> {
    let folder = TempDatabase::new();
    let notifier = notifier();
    let store = folder.open_with(&notifier).expect("an empty folder can be used");
    ready(Engine::new(store, notifier, Box::new(folder)))
}

contract_suite!(crate::sqlite::suite::empty);
