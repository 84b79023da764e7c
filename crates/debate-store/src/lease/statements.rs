//! The statements of leases, the same for every table with work items. A row is a work item: `due`
//! is when a worker may acquire it, or when the lease of its holder ends. The tests of the query
//! plans include this file, so it uses nothing else.

/// The statements for one table.
pub(crate) struct LeaseStatements {
    /// The item that has been due for longest at `$1`.
    pub(crate) due_sqlite: &'static str,
    /// The same, locked. Items that another process has locked are skipped.
    pub(crate) due_postgres: &'static str,
    /// The earliest time at which any item is due, whether it has a holder or not.
    pub(crate) next_due: &'static str,
    /// Locks the item `$1`.
    pub(crate) lock: &'static str,
    /// Makes the item `$2` due at `$1`.
    pub(crate) postpone: &'static str,
}

macro_rules! lease_statements {
    ($table:literal) => {
        LeaseStatements {
            due_sqlite: concat!(
                "select id from ",
                $table,
                " where due <= $1 order by due, id limit 1"
            ),
            due_postgres: concat!(
                "select id from ",
                $table,
                " where due <= $1 order by due, id limit 1 for update skip locked"
            ),
            next_due: concat!(
                "select due from ",
                $table,
                " where due is not null order by due, id limit 1"
            ),
            lock: concat!("select id from ", $table, " where id = $1 for update"),
            postpone: concat!("update ", $table, " set due = $1 where id = $2"),
        }
    };
}

pub(crate) const RUNS: LeaseStatements = lease_statements!("runs");

pub(crate) const EVALUATIONS: LeaseStatements = lease_statements!("forum_evaluations");
