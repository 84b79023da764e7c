//! Decodes rows. A stored value that cannot be decoded is an error and not a panic.

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, ListPosition, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};
use jiff::Timestamp;
use rusqlite::Row;
use uuid::Uuid;

use crate::arena::{SeatRow, open_seats};
use crate::engine::EngineError;

/// `id, title, debate_type, state, created_at, updated_at, slug, seat_changes`, from the first
/// column on.
pub(super) fn debate(row: &Row<'_>) -> Result<Debate, EngineError> {
    Ok(Debate {
        id: DebateId::new(uuid(row, 0)?),
        title: row.get(1)?,
        debate_type: parse_name(row, 2, DebateType::from_name)?,
        state: parse_name(row, 3, State::from_name)?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
        slug: row.get(6)?,
        seat_changes: row.get(7)?,
    })
}

/// The position in the list of a row with the columns of a debate.
pub(super) fn list_position(row: &Row<'_>) -> Result<ListPosition, EngineError> {
    Ok(ListPosition { updated_at: time(row, 5)?, debate: DebateId::new(uuid(row, 0)?) })
}

/// The columns of a debate, then `last_seq`.
pub(super) fn current_debate(row: &Row<'_>) -> Result<(Debate, Seq), EngineError> {
    Ok((debate(row)?, seq(row, 8)?))
}

/// The columns of a debate, then `last_seq, auto_ruling, invite, seat_fields`. The seats count as
/// open until their rows are added.
pub(super) fn head(row: &Row<'_>) -> Result<Head, EngineError> {
    let (debate, last_seq) = current_debate(row)?;
    let seats = open_seats(debate.seat_changes, row.get(10)?);
    let seat_fields: Option<[u8; 32]> = row.get(11)?;
    let seat_fields = seat_fields.map(Fingerprint::from_bytes);
    Ok(Head { debate, last_seq, auto_ruling: row.get(9)?, seats, seat_fields })
}

/// `side, holder, token, since`.
pub(super) fn seat(row: &Row<'_>, debate: DebateId) -> Result<SeatRow, EngineError> {
    let side: String = row.get(0)?;
    let since: Option<i64> = row.get(3)?;
    let since = since.map(parse_time).transpose()?;
    SeatRow::new(debate, &side, row.get(1)?, row.get(2)?, since).map_err(EngineError)
}

/// `id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
/// state_after, author`, from the first column on.
pub(super) fn argument(row: &Row<'_>) -> Result<Argument, EngineError> {
    let parent = row.get_ref(2)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    Ok(Argument {
        id: ArgumentId::new(uuid(row, 0)?),
        debate: DebateId::new(uuid(row, 1)?),
        parent: parent.map(parse_uuid).transpose()?.map(ArgumentId::new),
        kind: parse_name(row, 3, ArgumentType::from_name)?,
        role: parse_name(row, 4, Role::from_name)?,
        content: row.get(5)?,
        request_key: row.get(6)?,
        seq: seq(row, 7)?,
        created_at: time(row, 8)?,
        state_after: parse_name(row, 9, State::from_name)?,
        by: row.get(10)?,
    })
}

/// The columns of an argument, then `fingerprint`.
pub(super) fn stored_argument(row: &Row<'_>) -> Result<StoredArgument, EngineError> {
    let fingerprint: Option<[u8; 32]> = row.get(11)?;
    let fingerprint = fingerprint.map(Fingerprint::from_bytes);
    Ok(StoredArgument { argument: argument(row)?, fingerprint })
}

pub(super) fn uuid(row: &Row<'_>, column: usize) -> Result<Uuid, EngineError> {
    parse_uuid(row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?)
}

fn seq(row: &Row<'_>, column: usize) -> Result<Seq, EngineError> {
    Ok(Seq::new(row.get(column)?))
}

pub(super) fn parse_name<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, EngineError> {
    let name = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    parse(name).ok_or_else(|| EngineError::undecodable(format!("unknown name {name:?}")))
}

fn time(row: &Row<'_>, column: usize) -> Result<Timestamp, EngineError> {
    parse_time(row.get(column)?)
}

fn parse_time(micros: i64) -> Result<Timestamp, EngineError> {
    Timestamp::from_microsecond(micros)
        .map_err(|_| EngineError::undecodable(format!("invalid time {micros}")))
}

fn parse_uuid(bytes: &[u8]) -> Result<Uuid, EngineError> {
    Uuid::from_slice(bytes).map_err(|_| EngineError::undecodable("id is not a UUID"))
}
