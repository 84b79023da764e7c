//! Leases of work items, once for runs and evaluations.

pub(crate) mod statements;

use std::error::Error;

use async_trait::async_trait;
use debate_app::{Lease, LeaseStore, Settlement, StoreError, WorkOffer};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::engine::{Engine, Store};
use crate::sql::{Commit, Group, Operation, Sql, Statement, Writes};
use statements::LeaseStatements;

/// Pause before a worker looks again if another process had locked the items that are due.
const LOCKED_RETRY: SignedDuration = SignedDuration::from_millis(250);

/// Duration for which an item that cannot be decoded is postponed. Without it the item would stay
/// the one that has been due for longest and block all others. A newer server on the same database
/// may be able to decode it.
const UNDECODABLE_RETRY: SignedDuration = SignedDuration::from_secs(30);

/// The id of an item that workers lease; `R` is the result that a worker saves.
pub(crate) trait WorkItem<R>: Copy + Send + Sync + 'static {
    /// Extends the lease of a worker.
    fn renew(input: &(Lease<Self>, Timestamp, SignedDuration))
    -> Operation<'_, Commit<Settlement>>;

    /// Saves a worker's result, which ends its lease.
    fn settle(input: &(Lease<Self>, R, Timestamp)) -> Operation<'_, Commit<Settlement>>;
}

#[async_trait]
impl<E, I, R> LeaseStore<I, R> for Store<E>
where
    E: Engine,
    I: WorkItem<R>,
    R: Send + Sync + 'static,
{
    async fn renew(
        &self,
        lease: Lease<I>,
        at: Timestamp,
        duration: SignedDuration,
    ) -> Result<Settlement, StoreError> {
        self.0.write((lease, at, duration), I::renew).await
    }

    async fn settle(
        &self,
        lease: Lease<I>,
        result: R,
        at: Timestamp,
    ) -> Result<Settlement, StoreError> {
        self.0.write((lease, result, at), I::settle).await
    }
}

type Offer<'o, T> = Operation<'o, Commit<WorkOffer<T>>>;

/// Finds the item that has been due for longest at `at`, locks it, and continues with its id.
pub(crate) fn acquire<'o, T: 'o>(
    table: &'static LeaseStatements,
    at: Timestamp,
    next: impl FnOnce(Uuid) -> Offer<'o, T> + Send + 'o,
) -> Offer<'o, T> {
    let mut group = Group::default();
    let due = Sql::PerEngine { sqlite: table.due_sqlite, postgres: table.due_postgres };
    let due = group.push(Statement::new(due, vec![at.into()]), |row| row.id("id"));
    let next_due = group.push(Statement::new(table.next_due, vec![]), |row| row.time("due"));
    group.then(move |rows| {
        Ok(match rows.first(&due)? {
            Some(id) => next(id),
            None => Operation::Done(nothing_due(rows.first(&next_due)?, at)),
        })
    })
}

/// The answer if no item can be acquired; `earliest` is when the first of all items is due.
pub(crate) fn nothing_due<T>(earliest: Option<Timestamp>, at: Timestamp) -> Commit<WorkOffer<T>> {
    // An item that is due already was locked by another process, which may or may not acquire it.
    let soon = at.saturating_add(LOCKED_RETRY).unwrap_or(Timestamp::MAX);
    let next_due = earliest.map(|due| if due <= at { soon } else { due });
    Commit::unchanged(WorkOffer::Nothing { next_due })
}

/// Postpones an item that cannot be decoded.
pub(crate) fn postpone<T>(
    table: &LeaseStatements,
    id: Uuid,
    at: Timestamp,
    problem: &StoreError,
) -> Commit<WorkOffer<T>> {
    tracing::error!(
        work.id = %id,
        error = problem.source(),
        "work item cannot be decoded; postponed"
    );
    let until = at.saturating_add(UNDECODABLE_RETRY).unwrap_or(Timestamp::MAX);
    let mut writes = Writes::default();
    writes.push(table.postpone, vec![until.into(), id.into()]);
    Commit::new(WorkOffer::Cleaned, writes)
}
