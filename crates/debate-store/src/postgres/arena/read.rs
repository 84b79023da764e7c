//! The arena's reads of one debate, each bounded in rows and bytes.

use debate_app::StreamPosition;
use debate_app::arena::{ArenaError, ArgumentSelection, NewArguments, Transcript, TranscriptLimit};
use debate_core::arena::{Argument, Head, State};
use debate_core::{ArgumentId, DebateId, Seq};
use tokio_postgres::Row;

use super::super::fault::Fault;
use super::super::readers::{Readers, Snapshot};
use super::rows;
use crate::arena::{NEWEST_BYTES_MAX, PAGE_BYTES_MAX, PAGE_ROWS_MAX};

const HEAD: &str = "select id, title, debate_type, state, created_at, updated_at, last_seq,
            auto_ruling
     from debates where id = $1";

const PLACE: &str = "select seq from arguments where id = $1 and debate_id = $2";

const STATE_AT: &str = "select state_after from arguments where debate_id = $1 and seq = $2";

/// After a place and up to another, oldest first: as many rows and bytes as make a page.
const BETWEEN: &str = "select id, debate_id, parent_id, kind, role, content, client_request_id,
            seq, created_at, state_after
     from (select *, sum(octet_length(content)) over (order by seq)
                         - octet_length(content) as bytes_before
           from (select * from arguments where debate_id = $1 and seq > $2 and seq <= $3
                 order by seq limit $4) as most) as page
     where bytes_before < $5 order by seq";

/// After a place and up to another, the newest of them, oldest first: so many rows and bytes, and
/// one argument in any case.
const NEWEST: &str = "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
            created_at, state_after
     from (select *, sum(octet_length(content)) over (order by seq desc) as bytes
           from (select * from arguments where debate_id = $1 and seq > $2 and seq <= $3
                 order by seq desc limit $4) as most) as newest
     where bytes <= $5 or seq = $3 order by seq";

pub(super) async fn transcript(
    readers: &Readers,
    debate: DebateId,
    newest: TranscriptLimit,
) -> Result<Transcript, ArenaError> {
    let id = debate.uuid();
    let (snapshot, found) = readers.begin(&[(HEAD, &[&id])]).await?;
    let Some(head) = head(&found)? else {
        return Err(ended(snapshot, ArenaError::NoSuchDebate(debate)).await);
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
        .ok_or_else(|| Fault::undecodable("debate without a motion"))?;
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
        return Err(ArenaError::NoSuchDebate(debate));
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
    // Without an argument the second finds nothing, which costs less than another round trip.
    let (snapshot, found) = readers.begin(&[(HEAD, &[&id]), (PLACE, &[&argument, &id])]).await?;
    let Some(head) = head(&found)? else {
        return Err(ended(snapshot, ArenaError::NoSuchDebate(debate)).await);
    };
    let place = found.get(1).and_then(|found| found.first());
    let place = place.map(|row| rows::seq(row, 0)).transpose()?;
    let seen = match (since, place) {
        (StreamPosition::Start, _) => Seq::START,
        (StreamPosition::Seq(seq), _) | (StreamPosition::Item(_), Some(seq)) => seq,
        (StreamPosition::Item(argument), None) => {
            let unknown = ArenaError::UnknownPosition { argument, debate };
            return Err(ended(snapshot, unknown).await);
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
    let before = before.map(|row| rows::named(row, 0, State::from_name)).transpose()?;
    let newer = arguments(found.get(1))?;
    let omitted = newer
        .first()
        .map_or_else(|| head.last_seq.since(seen), |first| first.seq.since(seen.next()));
    Ok(NewArguments { debate: head.debate, seen, before, newer, omitted, last: head.last_seq })
}

fn head(found: &[Vec<Row>]) -> Result<Option<Head>, Fault> {
    found.first().and_then(|found| found.first()).map(rows::head).transpose()
}

fn arguments(found: Option<&Vec<Row>>) -> Result<Vec<Argument>, Fault> {
    found.into_iter().flatten().map(rows::argument).collect()
}

/// Ends a read that found nothing: its connection is as good as before.
async fn ended(snapshot: Snapshot, err: ArenaError) -> ArenaError {
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
