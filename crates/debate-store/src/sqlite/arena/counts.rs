//! What a transaction owes at its end, in SQL.

use rusqlite::{Connection, params};

use super::super::fault::Fault;
use crate::arena::Effects;

/// Writes the counters, inside the transaction.
pub(in super::super) fn persist(effects: &Effects, conn: &Connection) -> Result<(), Fault> {
    for (bucket, change) in effects.counts() {
        conn.prepare_cached(
            "insert into debate_counts (bucket, debates) values (?1, ?2)
             on conflict (bucket) do update set debates = debates + excluded.debates",
        )?
        .execute(params![bucket, change])?;
    }
    Ok(())
}
