//! Statements on their way to the server and back, and what it means when they don't come back.

use std::time::Duration;

use debate_app::StoreError;
use tokio::time::timeout;

use super::fault::{Fault, is_passing};

/// What every writing connection begins with. The planner is told to use the indexes: on a table
/// it knows nothing of yet it would rather read all of it, and it keeps such a plan. A
/// commit is synced; where the database asks for more than that, it gets it.
pub(super) const WRITING_SESSION: &str = "set jit = off;
     set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
     set lock_timeout = '5s'; set statement_timeout = '10s';
     set idle_in_transaction_session_timeout = '15s';
     select set_config('synchronous_commit', 'on', false)
     where current_setting('synchronous_commit') in ('off', 'local')";

/// How long a flight may take before the connection counts as lost. Longer than the server's own
/// limits, so that it is the server that says what is wrong, while there is one.
pub(super) const FLIGHT: Duration = Duration::from_secs(20);

/// How often a write is tried that another process got in the way of.
pub(super) const TRIES_MAX: u32 = 5;

/// Why a flight came to nothing.
pub(super) enum Failed {
    /// The server said no, and nothing of it is in the database.
    Refused {
        err: StoreError,
        /// Another try may well succeed.
        passing: bool,
    },
    /// The connection is gone. Whether the writes are in the database is not known, if their
    /// commit was on its way.
    Lost { err: StoreError, commit_sent: bool },
}

/// What the database holds can't be read: another try would read the same.
impl From<Fault> for Failed {
    fn from(Fault(err): Fault) -> Self {
        Self::Refused { err, passing: false }
    }
}

pub(super) async fn land<T>(
    flight: impl Future<Output = Result<T, tokio_postgres::Error>>,
    commit_sent: bool,
) -> Result<T, Failed> {
    match timeout(FLIGHT, flight).await {
        Ok(Ok(landed)) => Ok(landed),
        Ok(Err(err)) if err.as_db_error().is_some() && !is_farewell(&err) => {
            let passing = is_passing(&err);
            Err(Failed::Refused { err: Fault::from(err).0, passing })
        }
        Ok(Err(err)) => Err(Failed::Lost { err: Fault::from(err).0, commit_sent }),
        Err(_) => {
            let Fault(err) = Fault::away("PostgreSQL did not answer in time");
            Err(Failed::Lost { err, commit_sent })
        }
    }
}

/// The server's last words on a connection: it is being shut down, or was told to end this one.
fn is_farewell(err: &tokio_postgres::Error) -> bool {
    err.code().is_some_and(|code| code.code().starts_with("57P") || code.code() == "25P03")
}
