//! Decodes rows. A stored value that cannot be decoded is an error and not a panic.

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, ListPosition, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::arena::{SeatRow, open_seats};
use crate::engine::EngineError;

/// `id, title, debate_type, state, created_at, updated_at, slug, seat_changes`, from the first
/// column on.
pub(super) fn debate(row: &Row) -> Result<Debate, EngineError> {
    Ok(Debate {
        id: DebateId::new(row.try_get(0)?),
        title: row.try_get(1)?,
        debate_type: parse_name(row, 2, DebateType::from_name)?,
        state: parse_name(row, 3, State::from_name)?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
        slug: row.try_get(6)?,
        seat_changes: row.try_get::<_, Option<i64>>(7)?.map(count).transpose()?,
    })
}

/// The position in the list of a row with the columns of a debate.
pub(super) fn list_position(row: &Row) -> Result<ListPosition, EngineError> {
    Ok(ListPosition { updated_at: time(row, 5)?, debate: DebateId::new(row.try_get(0)?) })
}

/// The columns of a debate, then `last_seq, auto_ruling, invite, seat_fields`. The seats count as
/// open until their rows are added.
pub(super) fn head(row: &Row) -> Result<Head, EngineError> {
    let debate = debate(row)?;
    let seats = open_seats(debate.seat_changes, digest(row, 10)?);
    let seat_fields = digest(row, 11)?.map(Fingerprint::from_bytes);
    Ok(Head { debate, last_seq: seq(row, 8)?, auto_ruling: row.try_get(9)?, seats, seat_fields })
}

/// `debate_id, side, holder, token, since`.
pub(super) fn seat(row: &Row) -> Result<SeatRow, EngineError> {
    let (debate, side) = (DebateId::new(row.try_get(0)?), row.try_get(1)?);
    let since: Option<i64> = row.try_get(4)?;
    let since = since.map(parse_time).transpose()?;
    SeatRow::new(debate, side, row.try_get(2)?, digest(row, 3)?, since).map_err(EngineError)
}

/// `id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
/// state_after, author`, from the first column on.
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
        by: row.try_get(10)?,
    })
}

/// The columns of an argument, then `fingerprint`.
pub(super) fn stored_argument(row: &Row) -> Result<StoredArgument, EngineError> {
    let fingerprint = digest(row, 11)?.map(Fingerprint::from_bytes);
    Ok(StoredArgument { argument: argument(row)?, fingerprint })
}

pub(super) fn seq(row: &Row, column: usize) -> Result<Seq, EngineError> {
    Ok(Seq::new(count(row.try_get(column)?)?))
}

fn count(number: i64) -> Result<u32, EngineError> {
    u32::try_from(number).map_err(|_| EngineError::undecodable(format!("invalid number {number}")))
}

/// A digest or fingerprint of 32 bytes.
fn digest(row: &Row, column: usize) -> Result<Option<[u8; 32]>, EngineError> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    let digest = bytes.map(<[u8; 32]>::try_from).transpose();
    digest.map_err(|_| EngineError::undecodable("invalid digest"))
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
    parse_time(row.try_get(column)?)
}

fn parse_time(micros: i64) -> Result<Timestamp, EngineError> {
    Timestamp::from_microsecond(micros)
        .map_err(|_| EngineError::undecodable(format!("invalid time {micros}")))
}
