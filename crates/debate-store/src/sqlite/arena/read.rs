//! The arena's reads of one debate, each bounded in rows and bytes, and lookups by original id and
//! by slug.

use debate_app::StreamPosition;
use debate_app::arena::{ArenaError, ArgumentSelection, NewArguments, Transcript, TranscriptLimit};
use debate_core::arena::{Argument, Debate, Head, Seats, State};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::rows;
use crate::arena::{NEWEST_BYTES_MAX, PAGE_BYTES_MAX, PAGE_ROWS_MAX};
use crate::engine::EngineError;

/// The debate in the state that its newest argument led to, with the position of that argument.
const CURRENT_DEBATE: &str = "select d.id, d.title, d.debate_type, a.state_after, d.created_at,
            coalesce(a.updated_after, a.created_at), d.slug, d.seat_changes, a.seq,
            d.auto_ruling, d.invite, d.seat_fields
     from debates d cross join arguments a
     where d.id = ?1 and a.debate_id = ?1 order by a.seq desc limit 1";

fn current_debate(conn: &Connection, debate: DebateId) -> Result<(Debate, Seq), ArenaError> {
    let found = query_debate(conn, debate, rows::current_debate)?;
    found.ok_or(ArenaError::UnknownDebate(debate))
}

/// The debate in its current state, with its seats.
pub(super) fn load_head(conn: &Connection, debate: DebateId) -> Result<Option<Head>, EngineError> {
    let Some(mut head) = query_debate(conn, debate, rows::head)? else { return Ok(None) };
    if head.seats.is_some() {
        let mut statement = conn
            .prepare_cached("select side, holder, token, since from seats where debate_id = ?1")?;
        let mut found = statement.query([debate.uuid().as_bytes()])?;
        while let Some(row) = found.next()? {
            rows::seat(row, debate)?.add_to(&mut head).map_err(EngineError)?;
        }
    }
    Ok(Some(head))
}

fn query_debate<T>(
    conn: &Connection,
    debate: DebateId,
    decode: fn(&Row<'_>) -> Result<T, EngineError>,
) -> Result<Option<T>, EngineError> {
    let mut statement = conn.prepare_cached(CURRENT_DEBATE)?;
    let mut found = statement.query([debate.uuid().as_bytes()])?;
    found.next()?.map(decode).transpose()
}

pub(super) fn seats(conn: &Connection, debate: DebateId) -> Result<Option<Seats>, ArenaError> {
    let head = load_head(conn, debate)?.ok_or(ArenaError::UnknownDebate(debate))?;
    Ok(head.seats)
}

pub(super) fn debate_by_slug(
    conn: &Connection,
    slug: &str,
) -> Result<Option<DebateId>, EngineError> {
    let id: Option<[u8; 16]> = conn
        .prepare_cached("select id from debates where slug = ?1")?
        .query_row([slug], |row| row.get(0))
        .optional()?;
    Ok(id.map(|bytes| DebateId::new(Uuid::from_bytes(bytes))))
}

pub(super) fn transcript(
    conn: &Connection,
    debate: DebateId,
    newest: TranscriptLimit,
) -> Result<Transcript, ArenaError> {
    let (current, through) = current_debate(conn, debate)?;
    let after = match newest {
        TranscriptLimit::All => Seq::FIRST,
        TranscriptLimit::Newest(count) => {
            Seq::new(through.number().saturating_sub(count)).max(Seq::FIRST)
        }
    };
    let motion = between(conn, debate, Seq::START, Seq::FIRST)?
        .pop()
        .ok_or_else(|| EngineError::undecodable("debate without a motion"))?;
    let arguments = between(conn, debate, after, through)?;
    Ok(Transcript { debate: current, motion, arguments, through })
}

pub(super) fn page(
    conn: &Connection,
    debate: DebateId,
    after: Seq,
    through: Seq,
) -> Result<Vec<Argument>, ArenaError> {
    let page = between(conn, debate, after, through)?;
    if page.is_empty() && after < through {
        // Deleted between two pages.
        return Err(ArenaError::UnknownDebate(debate));
    }
    Ok(page)
}

pub(super) fn newer_than(
    conn: &Connection,
    debate: DebateId,
    since: StreamPosition<ArgumentId>,
    take: ArgumentSelection,
) -> Result<NewArguments, ArenaError> {
    let (current, last) = current_debate(conn, debate)?;
    let seen = match since {
        StreamPosition::Start => Seq::START,
        StreamPosition::Seq(seq) => seq,
        StreamPosition::Item(argument) => find_seq(conn, debate, argument)?
            .ok_or(ArenaError::UnknownPosition { argument, debate })?,
    };
    let (from, newer) = match take {
        ArgumentSelection::Newest(most) => newest(conn, debate, seen, last, most)?,
        ArgumentSelection::Page => (seen, between(conn, debate, seen, last)?),
    };
    let before = state_at(conn, debate, seen)?;
    let omitted = from.since(seen);
    Ok(NewArguments { debate: current, seen, before, newer, omitted, last })
}

fn state_at(conn: &Connection, debate: DebateId, at: Seq) -> Result<Option<State>, EngineError> {
    let mut statement =
        conn.prepare_cached("select state_after from arguments where debate_id = ?1 and seq = ?2")?;
    let mut found = statement.query(params![debate.uuid().as_bytes(), at.number()])?;
    let Some(row) = found.next()? else { return Ok(None) };
    Ok(Some(rows::parse_name(row, 0, State::from_name)?))
}

fn find_seq(
    conn: &Connection,
    debate: DebateId,
    argument: ArgumentId,
) -> Result<Option<Seq>, EngineError> {
    let seq: Option<u32> = conn
        .prepare_cached("select seq from arguments where id = ?1 and debate_id = ?2")?
        .query_row(params![argument.uuid().as_bytes(), debate.uuid().as_bytes()], |row| row.get(0))
        .optional()?;
    Ok(seq.map(Seq::new))
}

/// The arguments after `after` up to and including `through`, oldest first, at most a page.
fn between(
    conn: &Connection,
    debate: DebateId,
    after: Seq,
    through: Seq,
) -> Result<Vec<Argument>, EngineError> {
    if after >= through {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare_cached(
        "select id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
                state_after, author
         from arguments where debate_id = ?1 and seq > ?2 and seq <= ?3 order by seq",
    )?;
    let mut found =
        statement.query(params![debate.uuid().as_bytes(), after.number(), through.number()])?;
    let (mut arguments, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        let argument = rows::argument(row)?;
        bytes += argument.content.len();
        arguments.push(argument);
        if bytes >= PAGE_BYTES_MAX || arguments.len() >= PAGE_ROWS_MAX {
            break;
        }
    }
    Ok(arguments)
}

/// At most the `most` newest arguments after `seen`, limited to [`NEWEST_BYTES_MAX`], with the
/// position after which they begin.
fn newest(
    conn: &Connection,
    debate: DebateId,
    seen: Seq,
    last: Seq,
    most: u32,
) -> Result<(Seq, Vec<Argument>), EngineError> {
    let mut from = Seq::new(last.number().saturating_sub(most)).max(seen);
    let mut arguments = Vec::new();
    if from < last {
        let mut statement = conn.prepare_cached(
            "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
                    created_at, state_after, author
             from arguments where debate_id = ?1 and seq > ?2 and seq <= ?3 order by seq desc",
        )?;
        let mut found =
            statement.query(params![debate.uuid().as_bytes(), from.number(), last.number()])?;
        let mut bytes = 0;
        while let Some(row) = found.next()? {
            let argument = rows::argument(row)?;
            bytes += argument.content.len();
            if bytes > NEWEST_BYTES_MAX && !arguments.is_empty() {
                from = argument.seq;
                break;
            }
            arguments.push(argument);
        }
    }
    arguments.reverse();
    Ok((from, arguments))
}

pub(super) fn debate_by_original(
    conn: &Connection,
    original: &OriginalId,
) -> Result<Option<DebateId>, ArenaError> {
    Ok(find_original(conn, "debate", original)?.map(DebateId::new))
}

pub(super) fn argument_by_original(
    conn: &Connection,
    original: &OriginalId,
) -> Result<Option<ArgumentId>, ArenaError> {
    Ok(find_original(conn, "argument", original)?.map(ArgumentId::new))
}

fn find_original(
    conn: &Connection,
    kind: &str,
    original: &OriginalId,
) -> Result<Option<Uuid>, EngineError> {
    let id: Option<[u8; 16]> = conn
        .prepare_cached("select id from original_ids where kind = ?1 and original = ?2")?
        .query_row([kind, original.as_str()], |row| row.get(0))
        .optional()?;
    Ok(id.map(Uuid::from_bytes))
}
