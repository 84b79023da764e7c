//! What a transaction owes at its end, in SQL.

use debate_app::Subject;
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

/// For a server that is meant to be caught: what `move_on` left out.
pub(in super::super) fn move_states_late(moved: &[Subject], conn: &Connection) {
    for debate in moved {
        let moved = conn.execute(
            "update debates set state = (select state_after from arguments
                 where debate_id = ?1 and seq = debates.last_seq) where id = ?1",
            [debate.uuid().as_bytes()],
        );
        tracing::warn!(?moved, "a state was moved outside its transaction, on purpose");
    }
}
