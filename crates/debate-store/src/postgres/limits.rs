//! The time limits of a process that waits for PostgreSQL, and those that PostgreSQL enforces.

use std::time::Duration;

use tokio_postgres::types::ToSql;

use super::arena::Params;

/// The default deadline of an answer.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);

/// The longest wait for a lock, and the longest statement of a read.
const SHORT_MAX: Duration = Duration::from_secs(5);

/// The advisory lock of the schema: shared by every transaction that writes, exclusive during
/// a migration. A transaction that has checked the schema version commits before it changes.
/// The number spells "layout".
pub(super) const SCHEMA_LOCK: i64 = 0x6c61_796f_7574;

/// Takes [`SCHEMA_LOCK`] shared, as a transaction that writes does.
pub(super) const SHARE_SCHEMA: &str = "select pg_advisory_xact_lock_shared(119165904975220)";

/// Begins every transaction that reads. All of its statements see one snapshot.
pub(super) const BEGIN_READING: &str = "begin isolation level repeatable read, read only";

/// Follows `BEGIN_READING`. Settings apply to the transaction and never to the session, because
/// behind a pooler other clients may use the session too.
pub(super) const READ_SETTINGS: &str = "select set_config('jit', 'off', true),
            set_config('statement_timeout', $1, true),
            set_config('idle_in_transaction_session_timeout', $2, true)";

/// Follows `Limits::begin_writing`, in a statement of its own, so that it sees the schema version
/// that is valid while the schema lock is held.
///
/// The planner must use the indexes: for a table without statistics it would choose to read the
/// whole table, and it keeps such a plan. A commit is synced at least to the local disk; a stricter
/// setting of the database stays in force.
pub(super) const WRITE_SETTINGS: &str = "select value,
            set_config('jit', 'off', true),
            set_config('enable_seqscan', 'off', true),
            set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true),
            set_config('statement_timeout', $1, true),
            set_config('idle_in_transaction_session_timeout', $2, true),
            case when current_setting('synchronous_commit') in ('off', 'local')
                then set_config('synchronous_commit', 'on', true) end
     from schema_meta where key = 'version'";

/// The time limits of a process. Those that PostgreSQL enforces are shorter, so that its
/// error names the reason.
#[derive(Debug)]
pub(super) struct Limits {
    /// Maximum wait for one answer, and for one connection.
    pub(super) deadline: Duration,
    /// The statements that begin every transaction that writes.
    pub(super) begin_writing: String,
    write_statement: String,
    write_idle: String,
    read_statement: String,
    read_idle: String,
}

impl Limits {
    pub(super) fn new(deadline: Duration) -> Self {
        let statement = deadline * 4 / 5;
        let lock = (deadline / 2).min(SHORT_MAX);
        Self {
            deadline,
            begin_writing: format!(
                "begin; set local lock_timeout = {}; {SHARE_SCHEMA}",
                lock.as_millis()
            ),
            write_statement: millis(statement),
            write_idle: millis(deadline * 3 / 2),
            read_statement: millis(statement.min(SHORT_MAX)),
            read_idle: millis(deadline),
        }
    }

    /// The parameters of `WRITE_SETTINGS`.
    pub(super) fn write_settings(&self) -> Params<'_> {
        vec![&self.write_statement, &self.write_idle]
    }

    /// The parameters of `READ_SETTINGS`.
    pub(super) fn read_settings(&self) -> [&(dyn ToSql + Sync); 2] {
        [&self.read_statement, &self.read_idle]
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(DEADLINE)
    }
}

fn millis(span: Duration) -> String {
    span.as_millis().to_string()
}
