//! Operations of `aw db` on a database of either engine.

use anyhow::Context;
use debate_app::moving::{Archive, Vault};
use debate_store::{Consent, Migrated, Postgres, Sqlite, Survey};

use crate::carry_over::CarryOverScreen;
use crate::database::Place;

impl Place {
    /// Where it is, for people: no password is in it.
    pub(super) fn shown(&self) -> anyhow::Result<String> {
        match self {
            Self::File { path, .. } => Ok(path.display().to_string()),
            Self::Server { url, origin } => Postgres::place_of(url).with_context(|| origin.clone()),
        }
    }

    pub(super) async fn survey(&self) -> anyhow::Result<Survey> {
        match self {
            Self::File { path, .. } => Ok(Sqlite::survey(path)?),
            Self::Server { url, origin } => {
                Postgres::survey(url).await.with_context(|| origin.clone())
            }
        }
    }

    pub(super) async fn migrate(&self, consent: Consent) -> anyhow::Result<Migrated> {
        match self {
            Self::File { path, .. } => {
                let mut screen = CarryOverScreen::new();
                let mut show = |event| screen.show(event);
                Ok(Sqlite::migrate_reporting(path, consent, &mut show)?)
            }
            Self::Server { url, origin } => {
                Postgres::migrate(url).await.with_context(|| origin.clone())
            }
        }
    }

    pub(super) async fn read(&self) -> anyhow::Result<Box<dyn Archive>> {
        match self {
            Self::File { path, .. } => Ok(Box::new(Sqlite::read(path)?)),
            Self::Server { url, origin } => {
                Ok(Box::new(Postgres::read(url).await.with_context(|| origin.clone())?))
            }
        }
    }

    pub(super) async fn fill(&self) -> anyhow::Result<Box<dyn Vault>> {
        match self {
            Self::File { path, .. } => Ok(Box::new(Sqlite::fill(path)?)),
            Self::Server { url, origin } => {
                Ok(Box::new(Postgres::fill(url).await.with_context(|| origin.clone())?))
            }
        }
    }
}
