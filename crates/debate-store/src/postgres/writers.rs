//! Plain transactions, for writes that are too few to be worth batching: a bounded pool of
//! connections, two or three flights each.

use std::sync::Arc;
use std::time::Duration;

use debate_app::{Hub, StoreError};
use futures_util::future::try_join3;
use tokio_postgres::Row;

use super::ConnectError;
use super::connection::{Carries, Query};
use super::fault::Fault;
use super::flight::{Failed, TRIES_MAX, check_layout};
use super::health::WriteHealth;
use super::limits::WRITE_SETTINGS;
use super::listen::NOTIFY;
use super::loan::{Loan, Pool, pool};
use super::server::Server;
use crate::rings::Rings;

/// How long a write waits for a connection. Shorter than a usual lease: what a worker brings later
/// than that may be for nothing.
const WAIT: Duration = Duration::from_secs(10);

/// Writes a row that no reader uses.
const PROBE: &str = "insert into schema_meta (key, value) values ($1, gen_random_uuid()::text)
     on conflict (key) do update set value = excluded.value";

#[derive(Clone)]
pub(super) struct Writers {
    server: Server,
    pool: Pool,
    told: Arc<Told>,
}

/// Who hears of what was written, and of what could not be.
pub(super) struct Told {
    pub(super) hub: Arc<Hub>,
    pub(super) health: Arc<WriteHealth>,
    /// What this process calls itself in its notices.
    pub(super) process: Arc<str>,
}

impl Writers {
    pub(super) fn new(server: &Server, count: usize, told: Told) -> Result<Self, ConnectError> {
        let pool = pool(server, count, WAIT)?;
        Ok(Self { server: server.clone(), pool, told: Arc::new(told) })
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
        match self.told.health.stall() {
            Some(stall) => Err(Failed::unsent(stall)),
            None => self.begin_anyway(asked).await,
        }
    }

    async fn begin_anyway(&self, asked: &[Query<'_>]) -> Result<(Writing, Vec<Vec<Row>>), Failed> {
        let loan = Loan::of(&self.pool).await.map_err(unsent)?;
        let conn = loan.conn().map_err(unsent)?;
        let settings = conn.prepare(WRITE_SETTINGS).await?;
        let statements = conn.prepare_all(asked).await?;
        let (begin, limits) = (&conn.limits().begin_writing, conn.limits().write_settings());
        let flight = try_join3(
            conn.client().batch_execute(begin),
            conn.client().query_opt(&settings, &limits),
            conn.query_all(&statements, asked),
        );
        let checked = match conn.round_trip(Carries::Statements, flight).await {
            Ok(((), version, rows)) => check_layout(version.as_ref()).map(|()| rows),
            Err(failed) => Err(failed),
        };
        match checked {
            Ok(rows) => Ok((Writing { told: Arc::clone(&self.told), loan }, rows)),
            Err(failed) => Err(rolled_back(loan, failed).await),
        }
    }

    /// Commits one row of `schema_meta`, also while writes are refused because commits stall.
    pub(super) async fn probe(&self, key: &String) -> Result<(), StoreError> {
        let attempt = || async {
            let (writing, _) = self.begin_anyway(&[]).await?;
            let token = writing.loan.conn()?.cancel_token();
            let saved = writing.save(&[(PROBE, &[key])], &Rings::default()).await;
            if let Err(Failed::Lost { stalled: true, .. }) = &saved {
                // The backend would wait for the standby as long as that takes, and the next one
                // too. A cancelled wait leaves the row committed on the primary, which harms none.
                let server = self.server.clone();
                tokio::spawn(async move { server.cancel(token).await });
            }
            saved
        };
        self.run(attempt).await
    }

    fn note(&self, err: &StoreError) {
        match err {
            // More came than there are connections: that says nothing about the database.
            StoreError::Overloaded => {}
            // Neither does a row that cannot be decoded: other writes go through.
            StoreError::Undecodable(_) => {}
            StoreError::Full(_)
            | StoreError::Unavailable(_)
            | StoreError::WalFull(_)
            | StoreError::Moved(_)
            | StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Unexpected(_) => self.told.health.note_failure(err),
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
        let conn = self.loan.conn().map_err(unsent)?;
        let statements = conn.prepare_all(asked).await?;
        conn.round_trip(Carries::Statements, conn.query_all(&statements, asked)).await
    }

    /// The last flight: writes everything and commits, then rings. Every statement's own result
    /// counts: a commit after a failure says "done" and has rolled back.
    pub(super) async fn save(self, writes: &[Query<'_>], rings: &Rings) -> Result<(), Failed> {
        let Self { told, loan } = self;
        let notices = rings.notices(&told.process);
        let conn = loan.conn().map_err(unsent)?;
        let statements = conn.prepare_all(writes).await?;
        let notify = conn.prepare(NOTIFY).await?;
        let client = conn.client();
        let tell = async {
            if !notices.is_empty() {
                client.query(&notify, &[&notices]).await?;
            }
            Ok(())
        };
        let flight =
            try_join3(conn.query_all(&statements, writes), tell, client.batch_execute("commit"));
        if let Err(failed) = conn.round_trip(Carries::Commit, flight).await {
            if let Failed::Lost { stalled: true, .. } = &failed {
                told.health.note_stall();
            }
            return Err(rolled_back(loan, failed).await);
        }
        if !writes.is_empty() {
            told.health.note_commit();
        }
        loan.give_back();
        // After the commit and before the answer: whoever has an answer may rely on waiters having
        // been told.
        rings.ring(&told.hub);
        Ok(())
    }
}

fn unsent(Fault(err): Fault) -> Failed {
    Failed::unsent(err)
}

/// After a refusal the connection is as good as before, once it has left the transaction.
async fn rolled_back(loan: Loan, failed: Failed) -> Failed {
    if let (Failed::Refused { .. }, Ok(conn)) = (&failed, loan.conn())
        && conn
            .round_trip(Carries::Statements, conn.client().batch_execute("rollback"))
            .await
            .is_ok()
    {
        loan.give_back();
    }
    failed
}
