//! The database that a server uses.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use debate_app::arena::ArenaStore;
use debate_app::forum::ForumStore;
use debate_app::runner::RunnerStore;
use debate_app::{Notifier, RateWindows, SessionStore, Storage};
use debate_settings::table::{DATABASE_URL, DB_DIR, DB_NAME, DB_PATH};
use debate_settings::{SettingValue, Sources, expand_home};
use debate_store::{Postgres, PostgresOptions, Sqlite, SqliteOptions};

use crate::config::Config;
use crate::legacy_migration::MigrationScreen;

/// The location of the database. It has no Debug: a URL may contain a password.
#[derive(Clone)]
pub(crate) enum DatabaseLocation {
    /// A SQLite file, and whether its path is the default.
    File { path: PathBuf, by_default: bool },
    /// A PostgreSQL server, and the setting that names it.
    Server { url: String, origin: String },
}

/// An open database behind the ports of all contexts.
pub(crate) struct OpenDatabase {
    pub(crate) arena: Arc<dyn ArenaStore>,
    pub(crate) runner: Arc<dyn RunnerStore>,
    pub(crate) forum: Arc<dyn ForumStore>,
    pub(crate) windows: Arc<dyn RateWindows>,
    pub(crate) sessions: Arc<dyn SessionStore>,
    pub(crate) storage: Arc<dyn Storage>,
    /// The path or URL without a password.
    pub(crate) name: String,
}

/// The default path of the original servers.
const ORIGINAL_PATH: &str = "~/.aweave/debate.db";

/// The database that the settings select. A path has precedence over a folder and a name; a path
/// and a URL exclude each other.
pub(crate) fn configured_location(sources: &Sources) -> anyhow::Result<DatabaseLocation> {
    let (path, url) =
        (sources.configured_value(&DB_PATH)?, sources.configured_value(&DATABASE_URL)?);
    match (path, url) {
        (Some(path), Some(url)) => bail!(
            "{} and {} both select a database; remove one of the two settings",
            path.origin,
            url.origin
        ),
        (Some(path), None) => {
            Ok(DatabaseLocation::File { path: path.to_path(), by_default: false })
        }
        (None, Some(url)) => parse_url(&url),
        (None, None) => {
            let by_default = sources.configured_value(&DB_DIR)?.is_none()
                && sources.configured_value(&DB_NAME)?.is_none();
            let folder = expand_home(&sources.text(&DB_DIR)?);
            let name = sources.text(&DB_NAME)?;
            Ok(DatabaseLocation::File { path: folder.join(name), by_default })
        }
    }
}

/// The database that a single text names: a URL or a path.
pub(crate) fn parse_location(text: &SettingValue) -> anyhow::Result<DatabaseLocation> {
    let is_url = ["file:", "sqlite:", "postgres:", "postgresql:"]
        .iter()
        .any(|scheme| text.text.starts_with(scheme));
    if is_url || text.text.contains("://") {
        return parse_url(text);
    }
    Ok(DatabaseLocation::File { path: text.to_path(), by_default: false })
}

fn parse_url(url: &SettingValue) -> anyhow::Result<DatabaseLocation> {
    let (scheme, rest) = url.text.split_once(':').unwrap_or(("", &url.text));
    match scheme {
        "file" | "sqlite" if !rest.is_empty() => {
            // `sqlite:///path` and `sqlite:/path` are the same absolute path.
            let path = expand_home(rest.strip_prefix("//").unwrap_or(rest));
            Ok(DatabaseLocation::File { path, by_default: false })
        }
        "postgres" | "postgresql" => Ok(DatabaseLocation::Server {
            url: url.text.trim().to_owned(),
            origin: url.origin.clone(),
        }),
        // The URL may contain a password, so the error does not repeat it.
        _ => Err(url.invalid_secret("file:PATH, sqlite:PATH or postgres://…").into()),
    }
}

impl DatabaseLocation {
    /// Opens the database. The store announces every commit to `notifier`.
    pub(crate) async fn open(
        &self,
        config: &Config,
        notifier: Arc<Notifier>,
    ) -> anyhow::Result<OpenDatabase> {
        let (bounds, consent) = (&config.limits, config.consent);
        match self {
            Self::File { path, by_default } => {
                let options = SqliteOptions {
                    readers: bounds.readers,
                    queue_max: bounds.write_queue_max,
                    batch_max: bounds.write_batch_max,
                    free_bytes_min: bounds.free_bytes_min,
                    consent,
                    ..SqliteOptions::at(path.clone())
                };
                let is_new = *by_default && !path.exists();
                let mut screen = MigrationScreen::new();
                let store =
                    Sqlite::open_reporting(&options, notifier, &mut |event| screen.show(event))
                        .with_context(|| format!("cannot open the database {}", path.display()))?;
                if is_new {
                    print_original_database();
                }
                Ok(OpenDatabase::new(store, path.display().to_string()))
            }
            Self::Server { url, origin } => {
                let options = PostgresOptions {
                    queue_max: bounds.write_queue_max,
                    batch_max: bounds.write_batch_max,
                    deadline: config.database_timeout,
                    ..PostgresOptions::at(url.clone())
                };
                let store = Postgres::open(&options, notifier).await;
                let store = store.with_context(|| origin.clone())?;
                let name = store.server_name().to_owned();
                Ok(OpenDatabase::new(store, name))
            }
        }
    }
}

impl OpenDatabase {
    fn new<S>(store: S, name: String) -> Self
    where
        S: ArenaStore + RunnerStore + ForumStore + RateWindows + SessionStore + Storage + 'static,
    {
        let store = Arc::new(store);
        let (arena, runner, forum) = (store.clone(), store.clone(), store.clone());
        let (windows, sessions) = (store.clone(), store.clone());
        Self { arena, runner, forum, windows, sessions, storage: store, name }
    }
}

fn print_original_database() {
    let old = expand_home(ORIGINAL_PATH);
    if old.exists() {
        let old = old.display();
        println!("Found the database of an earlier server at {old}; it was not changed.");
        println!("To use it: aw serve --db-path {old}\n");
    }
}
