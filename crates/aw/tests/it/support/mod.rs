//! Helpers that all contexts share: servers, clients, and records of responses.

pub(crate) mod browser;
mod cli;
mod contract;
mod debate;
pub(crate) mod forum;
mod home;
pub(crate) mod injection;
mod machine;
pub(crate) mod page_checks;
pub(crate) mod proxy;
mod raw;
mod record;
mod reply;
mod run;
pub(crate) mod seats;
mod server;
mod sse;
pub(crate) mod visitor;
mod ws;

pub(crate) use cli::{Cli, Output, free_port};
pub(crate) use debate::{Debate, argument_id, create_body, new_id};
pub(crate) use home::Engine;
pub(crate) use machine::Machine;
pub(crate) use raw::Connection;
pub(crate) use record::Record;
pub(crate) use reply::Reply;
pub(crate) use run::{Run, add_model, with_model, with_short_lease};
pub(crate) use server::{Server, Setup, client};
pub(crate) use sse::{Event, Events};
pub(crate) use ws::Ws;

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longer than any step of a test takes: only a hang reaches it.
pub(crate) const HANG: Duration = Duration::from_mins(1);

/// The pause of `until` between two checks, so that the server gets processor time.
const PAUSE: Duration = Duration::from_millis(5);

/// Checks `condition`, usually by a request, until it holds.
pub(crate) async fn until<F, Fut>(what: &str, mut condition: F)
where
    F: FnMut() -> Fut,
    Fut: Future<Output = bool>,
{
    let watch = async {
        while !condition().await {
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(HANG, watch).await.unwrap_or_else(|_| panic!("never happened: {what}"));
}

/// The folder into which `scripts/test` installs npm packages.
pub(crate) fn npm_packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/node_modules")
}
