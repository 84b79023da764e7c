//! The contract, kept by SQLite.

use std::future::{Ready, ready};

use crate::contract::contract_suite;
use crate::engine::{Engine, notifier};
use crate::sqlite::temp_database::Folder;

/// Ready at once; an engine that is a server of its own has to be waited for.
fn empty() -> Ready<Engine> {
    let folder = Folder::new();
    let notifier = notifier();
    let store = folder.open_with(&notifier).expect("an empty folder can be used");
    ready(Engine::new(store, notifier, Box::new(folder)))
}

contract_suite!(crate::sqlite::suite::empty);
