//! Plain transactions, for writes that are too few to be worth batching: a bounded pool of
//! connections, two or three flights each.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Pool;
use debate_app::{Hub, StoreError};
use futures_util::future::{try_join, try_join3};
use tokio_postgres::Row;

use super::ConnectError;
use super::fault::Fault;
use super::flight::{Failed, TRIES_MAX, WRITING_SESSION, land};
use super::listen::NOTIFY;
use super::loan::{Loan, Query, all};
use super::readers::pool;
use super::server::Server;
use crate::rings::Rings;
use crate::trouble::Trouble;

/// How long a write waits for a connection. Shorter than a usual lease: what a worker brings later
/// than that may be for nothing.
const WAIT: Duration = Duration::from_secs(10);

pub(super) struct Writers {
    pool: Pool,
    told: Arc<Told>,
}

/// Who hears of what was written, and of what could not be.
pub(super) struct Told {
    pub(super) hub: Arc<Hub>,
    pub(super) trouble: Arc<Trouble>,
    /// What this process calls itself in its notices.
    pub(super) process: Arc<str>,
}

impl Writers {
    pub(super) fn new(server: &Server, count: usize, told: Told) -> Result<Self, ConnectError> {
        let pool = pool(server, count, WAIT, WRITING_SESSION)?;
        Ok(Self { pool, told: Arc::new(told) })
    }

    /// Does what `attempt` does, again if somebody else came first.
    pub(super) async fn run<T, F>(&self, attempt: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, Failed>>,
    {
        let mut tries = 0;
        loop {
            tries += 1;
            match attempt().await {
                Ok(done) => return Ok(done),
                Err(Failed::Refused { passing: true, .. }) if tries < TRIES_MAX => {}
                Err(Failed::Refused { err, passing: true }) => return Err(err),
                Err(Failed::Refused { err, passing: false } | Failed::Lost { err, .. }) => {
                    self.note(&err);
                    return Err(err);
                }
            }
        }
    }

    /// The first flight: begins, and asks.
    pub(super) async fn begin(
        &self,
        asked: &[Query<'_>],
    ) -> Result<(Writing, Vec<Vec<Row>>), Failed> {
        let loan = Loan::of(&self.pool).await.map_err(lost)?;
        let (conn, statements) = loan.prepared(asked).await.map_err(lost)?;
        let flight = try_join(conn.batch_execute("begin"), all(conn, &statements, asked));
        match land(flight, false).await {
            Ok(((), rows)) => Ok((Writing { told: Arc::clone(&self.told), loan }, rows)),
            Err(failed) => Err(rolled_back(loan, failed).await),
        }
    }

    fn note(&self, err: &StoreError) {
        match err {
            // More came than there are connections: that says nothing about the database.
            StoreError::Overloaded => {}
            StoreError::Full(_)
            | StoreError::Unavailable(_)
            | StoreError::WalFull(_)
            | StoreError::Moved(_)
            | StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Unexpected(_) => self.told.trouble.note(Some(err)),
        }
    }
}

/// One transaction under way.
pub(super) struct Writing {
    told: Arc<Told>,
    loan: Loan,
}

impl Writing {
    /// Another flight in the middle.
    pub(super) async fn ask(&self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Failed> {
        let (conn, statements) = self.loan.prepared(asked).await.map_err(lost)?;
        land(all(conn, &statements, asked), false).await
    }

    /// The last flight: writes everything and commits, then rings. Every statement's own result
    /// counts: a commit after a failure says "done" and has rolled back.
    pub(super) async fn save(self, writes: &[Query<'_>], rings: &Rings) -> Result<(), Failed> {
        let Self { told, loan } = self;
        let notices = rings.notices(&told.process);
        let (conn, statements) = loan.prepared(writes).await.map_err(lost)?;
        let notify = conn.prepare_cached(NOTIFY).await.map_err(|err| lost(err.into()))?;
        let tell = async {
            if !notices.is_empty() {
                conn.query(&notify, &[&notices]).await?;
            }
            Ok(())
        };
        let flight = try_join3(all(conn, &statements, writes), tell, conn.batch_execute("commit"));
        if let Err(failed) = land(flight, true).await {
            return Err(rolled_back(loan, failed).await);
        }
        if !writes.is_empty() {
            told.trouble.note(None);
        }
        loan.give_back();
        // After the commit and before the answer: whoever has an answer may rely on waiters having
        // been told.
        rings.ring(&told.hub);
        Ok(())
    }
}

/// Nothing was committed, and nothing is on its way.
fn lost(Fault(err): Fault) -> Failed {
    Failed::Lost { err, commit_sent: false }
}

/// After a refusal the connection is as good as before, once it has left the transaction.
async fn rolled_back(loan: Loan, failed: Failed) -> Failed {
    if let (Failed::Refused { .. }, Ok(conn)) = (&failed, loan.conn())
        && land(conn.batch_execute("rollback"), false).await.is_ok()
    {
        loan.give_back();
    }
    failed
}
