//! Operations of `aw db` on a database of either engine.

use anyhow::Context;
use debate_store::{Archive, Consent, DatabaseStatus, Migration, Postgres, Sqlite};

use crate::database::DatabaseLocation;
use crate::legacy_migration::MigrationScreen;

impl DatabaseLocation {
    /// The path or URL without a password.
    pub(super) fn display_name(&self) -> anyhow::Result<String> {
        match self {
            Self::File { path, .. } => Ok(path.display().to_string()),
            Self::Server { url, origin } => {
                Postgres::display_name(url).with_context(|| origin.clone())
            }
        }
    }

    pub(super) async fn inspect(&self) -> anyhow::Result<DatabaseStatus> {
        match self {
            Self::File { path, .. } => Ok(Sqlite::inspect(path)?),
            Self::Server { url, origin } => {
                Postgres::inspect(url).await.with_context(|| origin.clone())
            }
        }
    }

    pub(super) async fn migrate(&self, consent: Consent) -> anyhow::Result<Migration> {
        match self {
            Self::File { path, .. } => {
                let mut screen = MigrationScreen::new();
                let mut show = |event| screen.show(event);
                Ok(Sqlite::migrate_reporting(path, consent, &mut show)?)
            }
            Self::Server { url, origin } => {
                Postgres::migrate(url).await.with_context(|| origin.clone())
            }
        }
    }

    pub(super) async fn source(&self) -> anyhow::Result<Archive> {
        match self {
            Self::File { path, .. } => Ok(Sqlite::source(path)?),
            Self::Server { url, origin } => {
                Postgres::source(url).await.with_context(|| origin.clone())
            }
        }
    }

    pub(super) async fn destination(&self) -> anyhow::Result<Archive> {
        match self {
            Self::File { path, .. } => Ok(Sqlite::destination(path)?),
            Self::Server { url, origin } => {
                Postgres::destination(url).await.with_context(|| origin.clone())
            }
        }
    }
}
