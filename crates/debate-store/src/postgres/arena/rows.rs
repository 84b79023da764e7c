//! Rows to values. What our own database holds and this code can't read is a fault, not a panic.

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, ListPosition, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::super::fault::Fault;

/// `id, title, debate_type, state, created_at, updated_at`, from the first column on.
pub(super) fn debate(row: &Row) -> Result<Debate, Fault> {
    Ok(Debate {
        id: DebateId::new(row.try_get(0)?),
        title: row.try_get(1)?,
        debate_type: named(row, 2, DebateType::from_name)?,
        state: named(row, 3, State::from_name)?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
    })
}

/// Where a row with the columns of a debate is in the list.
pub(super) fn place(row: &Row) -> Result<ListPosition, Fault> {
    Ok(ListPosition { updated_at: time(row, 5)?, debate: DebateId::new(row.try_get(0)?) })
}

/// The columns of a debate, then `last_seq, auto_ruling`.
pub(super) fn head(row: &Row) -> Result<Head, Fault> {
    Ok(Head { debate: debate(row)?, last_seq: seq(row, 6)?, auto_ruling: row.try_get(7)? })
}

/// `id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
/// state_after`, from the first column on.
pub(super) fn argument(row: &Row) -> Result<Argument, Fault> {
    Ok(Argument {
        id: ArgumentId::new(row.try_get(0)?),
        debate: DebateId::new(row.try_get(1)?),
        parent: row.try_get::<_, Option<Uuid>>(2)?.map(ArgumentId::new),
        kind: named(row, 3, ArgumentType::from_name)?,
        role: named(row, 4, Role::from_name)?,
        content: row.try_get(5)?,
        request_key: row.try_get(6)?,
        seq: seq(row, 7)?,
        created_at: time(row, 8)?,
        state_after: named(row, 9, State::from_name)?,
    })
}

/// The columns of an argument, then `fingerprint`.
pub(super) fn entry(row: &Row) -> Result<StoredArgument, Fault> {
    let fingerprint: Option<&[u8]> = row.try_get(10)?;
    let fingerprint = fingerprint
        .map(<[u8; 32]>::try_from)
        .transpose()
        .map_err(|_| Fault::undecodable("invalid fingerprint"))?;
    let fingerprint = fingerprint.map(Fingerprint::from_bytes);
    Ok(StoredArgument { argument: argument(row)?, fingerprint })
}

pub(super) fn seq(row: &Row, column: usize) -> Result<Seq, Fault> {
    let seq: i64 = row.try_get(column)?;
    let seq = u32::try_from(seq).map_err(|_| Fault::undecodable(format!("invalid seq {seq}")))?;
    Ok(Seq::new(seq))
}

pub(super) fn named<T>(
    row: &Row,
    column: usize,
    named: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Fault> {
    let name: &str = row.try_get(column)?;
    named(name).ok_or_else(|| Fault::undecodable(format!("unknown name {name:?}")))
}

fn time(row: &Row, column: usize) -> Result<Timestamp, Fault> {
    let micros: i64 = row.try_get(column)?;
    Timestamp::from_microsecond(micros)
        .map_err(|_| Fault::undecodable(format!("invalid time {micros}")))
}
