//! How long a process waits for PostgreSQL, and what it asks PostgreSQL itself to give up.

use std::time::Duration;

use tokio_postgres::types::ToSql;

use super::arena::Params;

/// How long an answer is waited for where no setting says otherwise.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);

/// The longest wait for a lock, and the longest statement of a read.
const SHORT_MAX: Duration = Duration::from_secs(5);

/// Held shared by every transaction that writes, and exclusively while the layout is changed: a
/// transaction that has seen its own version commits before that version is gone. ("layout")
pub(super) const LAYOUT_LOCK: i64 = 0x6c61_796f_7574;

/// Takes the lock as a writer does.
pub(super) const SHARE_LAYOUT: &str = "select pg_advisory_xact_lock_shared(119165904975220)";

/// Begins every transaction that reads. All of its statements see what the first one saw.
pub(super) const BEGIN_READING: &str = "begin isolation level repeatable read, read only";

/// Follows `BEGIN_READING`. Settings hold for the transaction, never for the session: behind a
/// pooler the session is not ours alone.
pub(super) const READ_SETTINGS: &str = "select set_config('jit', 'off', true),
            set_config('statement_timeout', $1, true),
            set_config('idle_in_transaction_session_timeout', $2, true)";

/// Follows `Limits::begin_writing`, in a statement of its own: it sees the version that is valid
/// while the lock on the layout is held.
///
/// The planner must use the indexes: for a table without statistics it would choose to read the
/// whole table, and it keeps such a plan. A commit is synced; where the database asks for more than
/// that, it gets it.
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

/// The time limits of a process. PostgreSQL's own are the shorter ones, so that it is PostgreSQL
/// that names the reason, while it answers.
#[derive(Debug)]
pub(super) struct Limits {
    /// How long one answer is waited for, and one connection.
    pub(super) deadline: Duration,
    /// Begins every transaction that writes.
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
                "begin; set local lock_timeout = {}; {SHARE_LAYOUT}",
                lock.as_millis()
            ),
            write_statement: millis(statement),
            write_idle: millis(deadline * 3 / 2),
            read_statement: millis(statement.min(SHORT_MAX)),
            read_idle: millis(deadline),
        }
    }

    /// What `WRITE_SETTINGS` takes.
    pub(super) fn write_settings(&self) -> Params<'_> {
        vec![&self.write_statement, &self.write_idle]
    }

    /// What `READ_SETTINGS` takes.
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
