//! The failures of a round trip, and the state of its transaction after each.

use debate_app::StoreError;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use super::error::is_transient;
use super::migrate::CURRENT_VERSION;
use crate::engine::EngineError;

/// Maximum number of attempts of a write that conflicts with other processes.
pub(super) const TRIES_MAX: u32 = 5;

/// The reason why a round trip failed.
pub(super) enum RoundTripError {
    /// The server refused it, and nothing of it is in the database.
    Refused {
        err: StoreError,
        /// Whether another attempt may succeed.
        transient: bool,
    },
    /// The connection is lost. If the commit was sent, whether the writes are in
    /// the database is unknown.
    Lost {
        err: StoreError,
        commit_sent: bool,
        /// Whether the connection was open and the commit had no answer within the deadline.
        stalled: bool,
    },
}

impl RoundTripError {
    pub(super) fn from_refusal(err: tokio_postgres::Error) -> Self {
        let transient = is_transient(&err);
        Self::Refused { err: EngineError::from(err).0, transient }
    }

    /// A failure before a commit was sent.
    pub(super) const fn unsent(err: StoreError) -> Self {
        Self::Lost { err, commit_sent: false, stalled: false }
    }
}

impl From<RoundTripError> for EngineError {
    fn from(failure: RoundTripError) -> Self {
        match failure {
            RoundTripError::Refused { err, .. } | RoundTripError::Lost { err, .. } => Self(err),
        }
    }
}

/// A row that cannot be decoded: another attempt would read the same row.
impl From<EngineError> for RoundTripError {
    fn from(EngineError(err): EngineError) -> Self {
        Self::Refused { err, transient: false }
    }
}

/// Refuses a write to a database whose schema another release has changed. `version` is
/// the row of `WRITE_SETTINGS`.
pub(super) fn check_schema_version(version: Option<&Row>) -> Result<(), RoundTripError> {
    let found: Option<&str> =
        version.map(|row| row.try_get(0)).transpose().map_err(EngineError::from)?;
    if found.and_then(|found| found.parse().ok()) == Some(CURRENT_VERSION) {
        return Ok(());
    }
    let found = found.unwrap_or("none");
    let why = format!(
        "the database has schema version {found}, but this release writes {CURRENT_VERSION}; \
         stop this server and start the newer release"
    );
    Err(EngineError::unavailable(why).into())
}

/// Whether the server ends the connection: it shuts down, an operator ended the session, or it no
/// longer accepts writes while another host may.
pub(super) fn is_connection_ending(err: &tokio_postgres::Error) -> bool {
    err.code().is_some_and(|code| {
        let is_ending = code.code().starts_with("57P") || code.code() == "25P03";
        is_ending || *code == SqlState::READ_ONLY_SQL_TRANSACTION
    })
}
