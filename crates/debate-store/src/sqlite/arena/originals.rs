//! Debates and arguments by the ids they had in an earlier server.

use debate_app::arena::ArenaError;
use debate_core::{ArgumentId, DebateId, OriginalId};
use rusqlite::{Connection, OptionalExtension};
use uuid::Uuid;

use super::super::fault::Fault;

pub(super) fn debate(
    conn: &Connection,
    original: &OriginalId,
) -> Result<Option<DebateId>, ArenaError> {
    Ok(find(conn, "debate", original)?.map(DebateId::new))
}

pub(super) fn argument(
    conn: &Connection,
    original: &OriginalId,
) -> Result<Option<ArgumentId>, ArenaError> {
    Ok(find(conn, "argument", original)?.map(ArgumentId::new))
}

fn find(conn: &Connection, kind: &str, original: &OriginalId) -> Result<Option<Uuid>, Fault> {
    let id: Option<[u8; 16]> = conn
        .prepare_cached("select id from original_ids where kind = ?1 and original = ?2")?
        .query_row([kind, original.as_str()], |row| row.get(0))
        .optional()?;
    Ok(id.map(Uuid::from_bytes))
}
