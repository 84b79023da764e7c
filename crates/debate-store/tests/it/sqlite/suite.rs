//! The contract, kept by SQLite.

use std::future::{Ready, ready};

use crate::contract::contract_suite;
use crate::engine::{Engine, hub};
use crate::sqlite::file::Folder;

/// Ready at once; an engine that is a server of its own has to be waited for.
fn empty() -> Ready<Engine> {
    let folder = Folder::new();
    let hub = hub();
    let store = folder.open_with(&hub).expect("an empty folder can be used");
    ready(Engine::new(store, hub, Box::new(folder)))
}

contract_suite!(crate::sqlite::suite::empty);
