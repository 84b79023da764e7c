//! Decodes rows. A stored value that cannot be decoded is an error and not a panic.

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, ListPosition, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::engine::EngineError;

/// `id, title, debate_type, state, created_at, updated_at`, from the first column on.
pub(super) fn debate(row: &Row) -> Result<Debate, EngineError> {
    Ok(Debate {
        id: DebateId::new(row.try_get(0)?),
        title: row.try_get(1)?,
        debate_type: parse_name(row, 2, DebateType::from_name)?,
        state: parse_name(row, 3, State::from_name)?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
    })
}

/// The position in the list of a row with the columns of a debate.
pub(super) fn list_position(row: &Row) -> Result<ListPosition, EngineError> {
    Ok(ListPosition { updated_at: time(row, 5)?, debate: DebateId::new(row.try_get(0)?) })
}

/// The columns of a debate, then `last_seq, auto_ruling`.
pub(super) fn head(row: &Row) -> Result<Head, EngineError> {
    Ok(Head { debate: debate(row)?, last_seq: seq(row, 6)?, auto_ruling: row.try_get(7)? })
}

/// `id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
/// state_after`, from the first column on.
pub(super) fn argument(row: &Row) -> Result<Argument, EngineError> {
    Ok(Argument {
        id: ArgumentId::new(row.try_get(0)?),
        debate: DebateId::new(row.try_get(1)?),
        parent: row.try_get::<_, Option<Uuid>>(2)?.map(ArgumentId::new),
        kind: parse_name(row, 3, ArgumentType::from_name)?,
        role: parse_name(row, 4, Role::from_name)?,
        content: row.try_get(5)?,
        request_key: row.try_get(6)?,
        seq: seq(row, 7)?,
        created_at: time(row, 8)?,
        state_after: parse_name(row, 9, State::from_name)?,
    })
}

/// The columns of an argument, then `fingerprint`.
pub(super) fn stored_argument(row: &Row) -> Result<StoredArgument, EngineError> {
    let fingerprint: Option<&[u8]> = row.try_get(10)?;
    let fingerprint = fingerprint
        .map(<[u8; 32]>::try_from)
        .transpose()
        .map_err(|_| EngineError::undecodable("invalid fingerprint"))?;
    let fingerprint = fingerprint.map(Fingerprint::from_bytes);
    Ok(StoredArgument { argument: argument(row)?, fingerprint })
}

pub(super) fn seq(row: &Row, column: usize) -> Result<Seq, EngineError> {
    let seq: i64 = row.try_get(column)?;
    let seq =
        u32::try_from(seq).map_err(|_| EngineError::undecodable(format!("invalid seq {seq}")))?;
    Ok(Seq::new(seq))
}

pub(super) fn parse_name<T>(
    row: &Row,
    column: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, EngineError> {
    let name: &str = row.try_get(column)?;
    parse(name).ok_or_else(|| EngineError::undecodable(format!("unknown name {name:?}")))
}

fn time(row: &Row, column: usize) -> Result<Timestamp, EngineError> {
    let micros: i64 = row.try_get(column)?;
    Timestamp::from_microsecond(micros)
        .map_err(|_| EngineError::undecodable(format!("invalid time {micros}")))
}
