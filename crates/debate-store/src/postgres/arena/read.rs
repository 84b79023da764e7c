//! The arena's reads of one debate, each bounded in rows and bytes, and lookups by original id and
//! by slug.

use debate_app::StreamPosition;
use debate_app::arena::{ArenaError, ArgumentSelection, NewArguments, Transcript, TranscriptLimit};
use debate_core::arena::{Argument, Head, Seats, State};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};
use tokio_postgres::Row;
use uuid::Uuid;

use super::super::readers::{Readers, Snapshot};
use super::rows;
use crate::arena::{NEWEST_BYTES_MAX, PAGE_BYTES_MAX, PAGE_ROWS_MAX};
use crate::engine::EngineError;

const HEAD: &str = "select id, title, debate_type, state, created_at, updated_at, slug,
            seat_changes, last_seq, auto_ruling, invite, seat_fields
     from debates where id = $1";

const SEATS: &str = "select debate_id, side, holder, token, since from seats where debate_id = $1";

const FIND_SLUG: &str = "select id from debates where slug = $1";

const SEQ_OF_ARGUMENT: &str = "select seq from arguments where id = $1 and debate_id = $2";

const FIND_ORIGINAL: &str = "select id from original_ids where kind = $1 and original = $2";

const STATE_AT: &str = "select state_after from arguments where debate_id = $1 and seq = $2";

/// A page of the arguments after a position, up to and including another, oldest first.
const BETWEEN: &str = "select id, debate_id, parent_id, kind, role, content, client_request_id,
            seq, created_at, state_after, author
     from (select *, sum(octet_length(content)) over (order by seq)
                         - octet_length(content) as bytes_before
           from (select * from arguments where debate_id = $1 and seq > $2 and seq <= $3
                 order by seq limit $4) as most) as page
     where bytes_before < $5 order by seq";

/// The newest arguments after a position, up to and including another, oldest first. Limited to
/// `$4` rows and `$5` bytes, but at least one argument.
const NEWEST: &str = "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
            created_at, state_after, author
     from (select *, sum(octet_length(content)) over (order by seq desc) as bytes
           from (select * from arguments where debate_id = $1 and seq > $2 and seq <= $3
                 order by seq desc limit $4) as most) as newest
     where bytes <= $5 or seq = $3 order by seq";

pub(super) async fn seats(
    readers: &Readers,
    debate: DebateId,
) -> Result<Option<Seats>, ArenaError> {
    let id = debate.uuid();
    let found = readers.once(&[(HEAD, &[&id]), (SEATS, &[&id])]).await?;
    let mut head = head(&found)?.ok_or(ArenaError::UnknownDebate(debate))?;
    for row in found.get(1).into_iter().flatten() {
        rows::seat(row)?.add_to(&mut head)?;
    }
    Ok(head.seats)
}

pub(super) async fn debate_by_slug(
    readers: &Readers,
    slug: &str,
) -> Result<Option<DebateId>, EngineError> {
    let found = readers.once(&[(FIND_SLUG, &[&slug])]).await?;
    let id = found.iter().flatten().next().map(|row| row.try_get(0));
    Ok(id.transpose()?.map(DebateId::new))
}

pub(super) async fn transcript(
    readers: &Readers,
    debate: DebateId,
    newest: TranscriptLimit,
) -> Result<Transcript, ArenaError> {
    let id = debate.uuid();
    let (snapshot, found) = readers.begin(&[(HEAD, &[&id])]).await?;
    let Some(head) = head(&found)? else {
        return Err(end_with(snapshot, ArenaError::UnknownDebate(debate)).await);
    };
    let through = head.last_seq;
    let after = match newest {
        TranscriptLimit::All => Seq::FIRST,
        TranscriptLimit::Newest(count) => {
            Seq::new(through.number().saturating_sub(count)).max(Seq::FIRST)
        }
    };
    let (start, first, after, last) =
        (number(Seq::START), number(Seq::FIRST), number(after), number(through));
    let (rows, bytes) = page_bounds();
    let found = snapshot
        .end(&[
            (BETWEEN, &[&id, &start, &first, &rows, &bytes]),
            (BETWEEN, &[&id, &after, &last, &rows, &bytes]),
        ])
        .await?;
    let motion = arguments(found.first())?
        .pop()
        .ok_or_else(|| EngineError::undecodable("debate without a motion"))?;
    Ok(Transcript { debate: head.debate, motion, arguments: arguments(found.get(1))?, through })
}

pub(super) async fn page(
    readers: &Readers,
    debate: DebateId,
    after: Seq,
    through: Seq,
) -> Result<Vec<Argument>, ArenaError> {
    let (id, from, last) = (debate.uuid(), number(after), number(through));
    let (rows, bytes) = page_bounds();
    let found = readers.once(&[(BETWEEN, &[&id, &from, &last, &rows, &bytes])]).await?;
    let page = arguments(found.first())?;
    if page.is_empty() && after < through {
        // Deleted between two pages.
        return Err(ArenaError::UnknownDebate(debate));
    }
    Ok(page)
}

pub(super) async fn newer_than(
    readers: &Readers,
    debate: DebateId,
    since: StreamPosition<ArgumentId>,
    take: ArgumentSelection,
) -> Result<NewArguments, ArenaError> {
    let id = debate.uuid();
    let argument = match since {
        StreamPosition::Item(argument) => Some(argument.uuid()),
        StreamPosition::Start | StreamPosition::Seq(_) => None,
    };
    // Without an argument the second statement returns no row. That costs less than a round trip.
    let (snapshot, found) =
        readers.begin(&[(HEAD, &[&id]), (SEQ_OF_ARGUMENT, &[&argument, &id])]).await?;
    let Some(head) = head(&found)? else {
        return Err(end_with(snapshot, ArenaError::UnknownDebate(debate)).await);
    };
    let position = found.get(1).and_then(|found| found.first());
    let position = position.map(|row| rows::seq(row, 0)).transpose()?;
    let seen = match (since, position) {
        (StreamPosition::Start, _) => Seq::START,
        (StreamPosition::Seq(seq), _) | (StreamPosition::Item(_), Some(seq)) => seq,
        (StreamPosition::Item(argument), None) => {
            let unknown = ArenaError::UnknownPosition { argument, debate };
            return Err(end_with(snapshot, unknown).await);
        }
    };
    let (statement, (rows, bytes)) = match take {
        ArgumentSelection::Newest(most) => (NEWEST, (i64::from(most), many(NEWEST_BYTES_MAX))),
        ArgumentSelection::Page => (BETWEEN, page_bounds()),
    };
    let (at, through) = (number(seen), number(head.last_seq));
    let found = snapshot
        .end(&[(STATE_AT, &[&id, &at]), (statement, &[&id, &at, &through, &rows, &bytes])])
        .await?;
    let before = found.first().and_then(|found| found.first());
    let before = before.map(|row| rows::parse_name(row, 0, State::from_name)).transpose()?;
    let newer = arguments(found.get(1))?;
    let omitted = newer
        .first()
        .map_or_else(|| head.last_seq.since(seen), |first| first.seq.since(seen.next()));
    Ok(NewArguments { debate: head.debate, seen, before, newer, omitted, last: head.last_seq })
}

fn head(found: &[Vec<Row>]) -> Result<Option<Head>, EngineError> {
    found.first().and_then(|found| found.first()).map(rows::head).transpose()
}

fn arguments(found: Option<&Vec<Row>>) -> Result<Vec<Argument>, EngineError> {
    found.into_iter().flatten().map(rows::argument).collect()
}

/// Ends the snapshot of a failed read, so that its connection returns to the pool.
async fn end_with(snapshot: Snapshot, err: ArenaError) -> ArenaError {
    match snapshot.end(&[]).await {
        Ok(_) => err,
        Err(fault) => fault.into(),
    }
}

fn page_bounds() -> (i64, i64) {
    (many(PAGE_ROWS_MAX), many(PAGE_BYTES_MAX))
}

fn number(seq: Seq) -> i64 {
    i64::from(seq.number())
}

fn many(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(super) async fn debate_by_original(
    readers: &Readers,
    original: &OriginalId,
) -> Result<Option<DebateId>, ArenaError> {
    Ok(find_original(readers, "debate", original).await?.map(DebateId::new))
}

pub(super) async fn argument_by_original(
    readers: &Readers,
    original: &OriginalId,
) -> Result<Option<ArgumentId>, ArenaError> {
    Ok(find_original(readers, "argument", original).await?.map(ArgumentId::new))
}

async fn find_original(
    readers: &Readers,
    kind: &str,
    original: &OriginalId,
) -> Result<Option<Uuid>, EngineError> {
    let found = readers.once(&[(FIND_ORIGINAL, &[&kind, &original.as_str()])]).await?;
    let id = found.iter().flatten().next().map(|row| row.try_get(0));
    Ok(id.transpose()?)
}
