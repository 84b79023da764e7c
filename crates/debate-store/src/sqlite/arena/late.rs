//! For a server that is meant to be caught: a state that moves outside its transaction.

use debate_app::Subject;
use debate_core::Seq;
use debate_core::arena::Head;
use rusqlite::{Connection, params};

/// Leaves the debate where it stood, though it has a new argument.
pub(super) fn hold_state_back(
    conn: &Connection,
    from: &Head,
    last_seq: Seq,
) -> rusqlite::Result<()> {
    conn.execute(
        "update arguments set state_after = ?3 where debate_id = ?1 and seq = ?2",
        params![from.debate.id.uuid().as_bytes(), last_seq.number(), from.debate.state.name()],
    )?;
    Ok(())
}

/// Makes up for it, too late.
pub(in super::super) fn move_states_late(moved: &[Subject], conn: &Connection) {
    for debate in moved {
        let moved = conn.execute(
            "update arguments set state_after = standings.state from standings
             where standings.debate_id = ?1 and arguments.debate_id = ?1
               and arguments.seq = standings.last_seq",
            [debate.uuid().as_bytes()],
        );
        tracing::warn!(fault.result = ?moved, "fault injection: state written after the commit");
    }
}
