//! The failures of a round trip, and what each means for its transaction.

use debate_app::StoreError;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use super::fault::{Fault, is_transient};
use super::migrate::CURRENT_VERSION;

/// How often a write is tried that another process got in the way of.
pub(super) const TRIES_MAX: u32 = 5;

/// Why a round trip failed.
pub(super) enum RoundTripError {
    /// The server refused it, and nothing of it is in the database.
    Refused {
        err: StoreError,
        /// Another try may well succeed.
        transient: bool,
    },
    /// The connection is gone. Whether the writes are in the database is not known, if their
    /// commit was on its way.
    Lost {
        err: StoreError,
        commit_sent: bool,
        /// The commit was not answered within the deadline, on a connection that was open.
        stalled: bool,
    },
}

impl RoundTripError {
    pub(super) fn refused(err: tokio_postgres::Error) -> Self {
        let transient = is_transient(&err);
        Self::Refused { err: Fault::from(err).0, transient }
    }

    /// Nothing was committed, and nothing is on its way.
    pub(super) const fn unsent(err: StoreError) -> Self {
        Self::Lost { err, commit_sent: false, stalled: false }
    }

    pub(super) fn into_fault(self) -> Fault {
        match self {
            Self::Refused { err, .. } | Self::Lost { err, .. } => Fault(err),
        }
    }
}

/// What the database holds can't be read: another try would read the same.
impl From<Fault> for RoundTripError {
    fn from(Fault(err): Fault) -> Self {
        Self::Refused { err, transient: false }
    }
}

/// Refuses a write to a database whose layout another release has changed. `version` is what
/// `WRITE_SETTINGS` found.
pub(super) fn check_layout(version: Option<&Row>) -> Result<(), RoundTripError> {
    let found: Option<&str> = version.map(|row| row.try_get(0)).transpose().map_err(Fault::from)?;
    if found.and_then(|found| found.parse().ok()) == Some(CURRENT_VERSION) {
        return Ok(());
    }
    let found = found.unwrap_or("none");
    let why = format!(
        "the database has schema version {found}, but this release writes {CURRENT_VERSION}; \
         stop this server and start the newer release"
    );
    Err(Fault::away(why).into())
}

/// Whether the server ends the connection: it shuts down, an operator ended the session, or it no
/// longer accepts writes while another host may.
pub(super) fn is_connection_ending(err: &tokio_postgres::Error) -> bool {
    err.code().is_some_and(|code| {
        let is_ending = code.code().starts_with("57P") || code.code() == "25P03";
        is_ending || *code == SqlState::READ_ONLY_SQL_TRANSACTION
    })
}
