//! Rows to values. What our own database holds and this code can't read is a fault, not a panic.

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, ListPosition, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};
use jiff::Timestamp;
use rusqlite::Row;
use uuid::Uuid;

use super::super::fault::Fault;

/// `id, title, debate_type, state, created_at, updated_at`, from the first column on.
pub(super) fn debate(row: &Row<'_>) -> Result<Debate, Fault> {
    Ok(Debate {
        id: DebateId::new(uuid(row, 0)?),
        title: row.get(1)?,
        debate_type: named(row, 2, DebateType::from_name)?,
        state: named(row, 3, State::from_name)?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
    })
}

/// Where a row with the columns of a debate is in the list.
pub(super) fn place(row: &Row<'_>) -> Result<ListPosition, Fault> {
    Ok(ListPosition { updated_at: time(row, 5)?, debate: DebateId::new(uuid(row, 0)?) })
}

/// The columns of a debate, then `last_seq, auto_ruling`.
pub(super) fn head(row: &Row<'_>) -> Result<Head, Fault> {
    Ok(Head { debate: debate(row)?, last_seq: seq(row, 6)?, auto_ruling: row.get(7)? })
}

/// `id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
/// state_after`, from the first column on.
pub(super) fn argument(row: &Row<'_>) -> Result<Argument, Fault> {
    let parent = row.get_ref(2)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    Ok(Argument {
        id: ArgumentId::new(uuid(row, 0)?),
        debate: DebateId::new(uuid(row, 1)?),
        parent: parent.map(uuid_of).transpose()?.map(ArgumentId::new),
        kind: named(row, 3, ArgumentType::from_name)?,
        role: named(row, 4, Role::from_name)?,
        content: row.get(5)?,
        request_key: row.get(6)?,
        seq: seq(row, 7)?,
        created_at: time(row, 8)?,
        state_after: named(row, 9, State::from_name)?,
    })
}

/// The columns of an argument, then `fingerprint`.
pub(super) fn entry(row: &Row<'_>) -> Result<StoredArgument, Fault> {
    let fingerprint: Option<[u8; 32]> = row.get(10)?;
    let fingerprint = fingerprint.map(Fingerprint::from_bytes);
    Ok(StoredArgument { argument: argument(row)?, fingerprint })
}

pub(super) fn uuid(row: &Row<'_>, column: usize) -> Result<Uuid, Fault> {
    uuid_of(row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?)
}

fn seq(row: &Row<'_>, column: usize) -> Result<Seq, Fault> {
    Ok(Seq::new(row.get(column)?))
}

pub(super) fn named<T>(
    row: &Row<'_>,
    column: usize,
    named: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Fault> {
    let name = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    named(name).ok_or_else(|| Fault::undecodable(format!("unknown name {name:?}")))
}

fn time(row: &Row<'_>, column: usize) -> Result<Timestamp, Fault> {
    let micros: i64 = row.get(column)?;
    Timestamp::from_microsecond(micros)
        .map_err(|_| Fault::undecodable(format!("invalid time {micros}")))
}

fn uuid_of(bytes: &[u8]) -> Result<Uuid, Fault> {
    Uuid::from_slice(bytes).map_err(|_| Fault::undecodable("id is not a UUID"))
}
