//! A database for one test, on a server that many tests may share.

use std::sync::{Mutex, PoisonError};

use anyhow::Context;

use crate::cluster::Cluster;
use crate::sql;

/// Names a server for a whole test run: the URL of one of its superusers.
const SHARED: &str = "AW_TEST_POSTGRES";

/// This process's server, if the environment names none. It ends with the process.
static PROCESS_CLUSTER: Mutex<Option<Cluster>> = Mutex::new(None);

/// The superuser's URL of the shared server: the one that `AW_TEST_POSTGRES` names, or one that is
/// started for this process.
pub fn shared() -> anyhow::Result<String> {
    if let Ok(url) = std::env::var(SHARED) {
        return Ok(url);
    }
    let mut own = PROCESS_CLUSTER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cluster) = &*own {
        return Ok(cluster.url("postgres"));
    }
    Ok(own.insert(Cluster::start()?).url("postgres"))
}

/// A database for one test, dropped with this value.
pub struct Database {
    url: String,
    name: String,
    superuser: String,
}

impl Database {
    /// An empty database on the shared server.
    pub fn fresh() -> anyhow::Result<Self> {
        Self::create(&shared()?)
    }

    pub(crate) fn create(superuser: &str) -> anyhow::Result<Self> {
        let name = format!("aw_test_{:016x}", fastrand::u64(..));
        let url = with_database(superuser, &name)
            .with_context(|| format!("{SHARED} must be like postgres://USER@HOST:PORT/DATABASE"))?;
        sql::run(superuser, &[&format!("create database {name}")])?;
        Ok(Self { url, name, superuser: superuser.to_owned() })
    }

    /// The URL of the database for a superuser.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The name of the database, without the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs statements in the database as the superuser: see [`sql::run`].
    pub fn sql(&self, statements: &[&str]) -> anyhow::Result<String> {
        sql::run(&self.url, statements)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // `force` ends connections that are still open. If the server is gone, so is the database.
        let statement = format!("drop database if exists {} with (force)", self.name);
        sql::run(&self.superuser, &[&statement]).ok();
    }
}

/// The same server, user and parameters with another database.
fn with_database(url: &str, name: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (place, parameters) = match rest.split_once('?') {
        Some((place, parameters)) => (place, format!("?{parameters}")),
        None => (rest, String::new()),
    };
    let server = place.split('/').next()?;
    Some(format!("{scheme}://{server}/{name}{parameters}"))
}
