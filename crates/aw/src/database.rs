//! The database that a server uses.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use debate_app::arena::ArenaStore;
use debate_app::forum::ForumStore;
use debate_app::runner::RunnerStore;
use debate_app::{Hub, RateWindows, SessionStore, Storage};
use debate_store::{Postgres, PostgresOptions, Sqlite, SqliteOptions};

use crate::carry_over::CarryOverScreen;
use crate::config::{Config, DatabaseArgs};
use crate::settings::{Found, Sources, expand_home};

/// The location of the database. It has no Debug: a URL may contain a password.
#[derive(Clone)]
pub(crate) enum Place {
    /// A SQLite file, and whether nobody chose it.
    File { path: PathBuf, by_default: bool },
    /// A PostgreSQL server, and who named it.
    Server { url: String, origin: String },
}

/// A database in use, as everyone who stands on it sees it.
pub(crate) struct Opened {
    pub(crate) arena: Arc<dyn ArenaStore>,
    pub(crate) runner: Arc<dyn RunnerStore>,
    pub(crate) forum: Arc<dyn ForumStore>,
    pub(crate) windows: Arc<dyn RateWindows>,
    pub(crate) sessions: Arc<dyn SessionStore>,
    pub(crate) storage: Arc<dyn Storage>,
    /// Where it is, for people.
    pub(crate) place: String,
}

/// The default of `DEBATE_DB_DIR`.
pub(crate) const FOLDER: &str = "~/.aweave/db";
/// The default of `DEBATE_DB_NAME`.
pub(crate) const NAME: &str = "debate.db";

/// Where the first server of this family kept its debates.
const OLD_PLACE: &str = "~/.aweave/debate.db";

/// A path wins over a folder and a name; a URL must stand alone.
pub(crate) fn place(args: &DatabaseArgs, sources: &Sources) -> anyhow::Result<Place> {
    let flag = |name, value: &'_ Option<String>| value.clone().map(|text| (name, text));
    let find = |flag: Option<(&'static str, String)>, variable| {
        sources.find(flag.as_ref().map(|(name, text)| (*name, text)), variable)
    };
    let path = find(flag("db-path", &args.db_path), "DEBATE_DB_PATH");
    let url = find(flag("database-url", &args.database_url), "DEBATE_DATABASE_URL");
    let folder = find(None, "DEBATE_DB_DIR");
    let name = find(None, "DEBATE_DB_NAME");
    match (path, url) {
        (Some(path), Some(url)) => bail!(
            "{} and {} both select a database; remove one of the two settings",
            path.origin,
            url.origin
        ),
        (Some(path), None) => Ok(Place::File { path: path.path(), by_default: false }),
        (None, Some(url)) => by_url(&url),
        (None, None) => {
            let by_default = folder.is_none() && name.is_none();
            let folder = folder.map_or_else(|| expand_home(FOLDER), |found| found.path());
            let name = name.map_or_else(|| NAME.to_owned(), |found| found.text);
            Ok(Place::File { path: folder.join(name), by_default })
        }
    }
}

/// A place that was named by itself: a URL, or else a path.
pub(crate) fn named(place: &Found) -> anyhow::Result<Place> {
    let is_url = ["file:", "sqlite:", "postgres:", "postgresql:"]
        .iter()
        .any(|scheme| place.text.starts_with(scheme));
    if is_url || place.text.contains("://") {
        return by_url(place);
    }
    Ok(Place::File { path: place.path(), by_default: false })
}

fn by_url(url: &Found) -> anyhow::Result<Place> {
    let (scheme, rest) = url.text.split_once(':').unwrap_or(("", &url.text));
    match scheme {
        "file" | "sqlite" if !rest.is_empty() => {
            // Three slashes or one: an absolute path either way.
            let path = expand_home(rest.strip_prefix("//").unwrap_or(rest));
            Ok(Place::File { path, by_default: false })
        }
        "postgres" | "postgresql" => {
            Ok(Place::Server { url: url.text.trim().to_owned(), origin: url.origin.clone() })
        }
        // The URL may hold a password, so none of it is repeated.
        _ => Err(url.bad_secret("file:PATH, sqlite:PATH or postgres://…").into()),
    }
}

impl Place {
    /// Opens it; every write rings `hub`.
    pub(crate) async fn open(&self, config: &Config, hub: Arc<Hub>) -> anyhow::Result<Opened> {
        let (bounds, consent) = (&config.bounds, config.consent);
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
                let mut screen = CarryOverScreen::new();
                let store = Sqlite::open_reporting(&options, hub, &mut |event| screen.show(event))
                    .with_context(|| format!("cannot open the database {}", path.display()))?;
                if is_new {
                    tell_of_older();
                }
                Ok(Opened::of(store, path.display().to_string()))
            }
            Self::Server { url, origin } => {
                let options = PostgresOptions {
                    queue_max: bounds.write_queue_max,
                    batch_max: bounds.write_batch_max,
                    deadline: config.database_timeout,
                    ..PostgresOptions::at(url.clone())
                };
                let store = Postgres::open(&options, hub).await;
                let store = store.with_context(|| origin.clone())?;
                let place = store.place().to_owned();
                Ok(Opened::of(store, place))
            }
        }
    }
}

impl Opened {
    fn of<S>(store: S, place: String) -> Self
    where
        S: ArenaStore + RunnerStore + ForumStore + RateWindows + SessionStore + Storage + 'static,
    {
        let store = Arc::new(store);
        let (arena, runner, forum) = (store.clone(), store.clone(), store.clone());
        let (windows, sessions) = (store.clone(), store.clone());
        Self { arena, runner, forum, windows, sessions, storage: store, place }
    }
}

fn tell_of_older() {
    let old = expand_home(OLD_PLACE);
    if old.exists() {
        let old = old.display();
        println!("Found the database of an earlier server at {old}; it was not changed.");
        println!("To use it: aw serve --db-path {old}\n");
    }
}
