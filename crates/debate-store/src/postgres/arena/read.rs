//! The arena's reads of one debate, each bounded in rows and bytes.

use debate_app::arena::{ArenaError, Newest, News, Since, Take, Transcript};
use debate_core::arena::{Argument, Head, State};
use debate_core::{ArgumentId, DebateId, Seq};

use super::super::fault::Fault;
use super::super::readers::{Readers, Snapshot};
use super::rows;
use crate::arena::{NEWEST_BYTES_MAX, PAGE_BYTES_MAX, PAGE_ROWS_MAX};

pub(super) async fn transcript(
    readers: &Readers,
    debate: DebateId,
    newest: Newest,
) -> Result<Transcript, ArenaError> {
    let (snapshot, head) = head(readers, debate).await?;
    let through = head.last_seq;
    let after = match newest {
        Newest::All => Seq::FIRST,
        Newest::Count(count) => Seq::new(through.number().saturating_sub(count)).max(Seq::FIRST),
    };
    let motion = between(&snapshot, debate, Seq::START, Seq::FIRST)
        .await?
        .pop()
        .ok_or_else(|| Fault::undecodable("a debate without its motion"))?;
    let arguments = between(&snapshot, debate, after, through).await?;
    snapshot.end().await?;
    Ok(Transcript { debate: head.debate, motion, arguments, through })
}

pub(super) async fn page(
    readers: &Readers,
    debate: DebateId,
    after: Seq,
    through: Seq,
) -> Result<Vec<Argument>, ArenaError> {
    let (snapshot, found) =
        readers.begin("select 1 from debates where id = $1", &[&debate.uuid()]).await?;
    let page = between(&snapshot, debate, after, through).await?;
    snapshot.end().await?;
    if found.is_empty() || (page.is_empty() && after < through) {
        // Deleted between two pages.
        return Err(ArenaError::NoSuchDebate(debate));
    }
    Ok(page)
}

pub(super) async fn newer_than(
    readers: &Readers,
    debate: DebateId,
    since: Since,
    take: Take,
) -> Result<News, ArenaError> {
    let (snapshot, head) = head(readers, debate).await?;
    let last = head.last_seq;
    let seen = match since {
        Since::Start => Seq::START,
        Since::Seq(seq) => seq,
        Since::Argument(argument) => {
            let Some(seq) = place_of(&snapshot, debate, argument).await? else {
                snapshot.end().await?;
                return Err(ArenaError::UnknownPosition { argument, debate });
            };
            seq
        }
    };
    let (from, newer) = match take {
        Take::Newest(most) => newest(&snapshot, debate, seen, last, most).await?,
        Take::Page => (seen, between(&snapshot, debate, seen, last).await?),
    };
    let before = state_at(&snapshot, debate, seen).await?;
    snapshot.end().await?;
    let omitted = from.since(seen);
    Ok(News { debate: head.debate, seen, before, newer, omitted, last })
}

/// Opens a snapshot with the debate where it stands.
async fn head(readers: &Readers, debate: DebateId) -> Result<(Snapshot, Head), ArenaError> {
    let (snapshot, found) = readers
        .begin(
            "select id, title, debate_type, state, created_at, updated_at, last_seq, auto_ruling
             from debates where id = $1",
            &[&debate.uuid()],
        )
        .await?;
    let Some(row) = found.first() else {
        snapshot.end().await?;
        return Err(ArenaError::NoSuchDebate(debate));
    };
    Ok((snapshot, rows::head(row)?))
}

async fn state_at(snapshot: &Snapshot, debate: DebateId, at: Seq) -> Result<Option<State>, Fault> {
    let found = snapshot
        .query(
            "select state_after from arguments where debate_id = $1 and seq = $2",
            &[&debate.uuid(), &number(at)],
        )
        .await?;
    found.first().map(|row| rows::named(row, 0, State::named)).transpose()
}

async fn place_of(
    snapshot: &Snapshot,
    debate: DebateId,
    argument: ArgumentId,
) -> Result<Option<Seq>, Fault> {
    let found = snapshot
        .query(
            "select seq from arguments where id = $1 and debate_id = $2",
            &[&argument.uuid(), &debate.uuid()],
        )
        .await?;
    found.first().map(|row| rows::seq(row, 0)).transpose()
}

/// The arguments after `after` up to `through`, oldest first, but no more than a page.
async fn between(
    snapshot: &Snapshot,
    debate: DebateId,
    after: Seq,
    through: Seq,
) -> Result<Vec<Argument>, Fault> {
    if after >= through {
        return Ok(Vec::new());
    }
    let found = snapshot
        .query(
            "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
                    created_at, state_after
             from (select *, sum(octet_length(content)) over (order by seq)
                                 - octet_length(content) as bytes_before
                   from (select * from arguments
                         where debate_id = $1 and seq > $2 and seq <= $3
                         order by seq limit $4) as most) as page
             where bytes_before < $5 order by seq",
            &[
                &debate.uuid(),
                &number(after),
                &number(through),
                &many(PAGE_ROWS_MAX),
                &many(PAGE_BYTES_MAX),
            ],
        )
        .await?;
    found.iter().map(rows::argument).collect()
}

/// No more than the `most` newest after `seen`, and no more bytes than are kept for one answer;
/// and after which place they begin.
async fn newest(
    snapshot: &Snapshot,
    debate: DebateId,
    seen: Seq,
    last: Seq,
    most: u32,
) -> Result<(Seq, Vec<Argument>), Fault> {
    let from = Seq::new(last.number().saturating_sub(most)).max(seen);
    if from >= last {
        return Ok((from, Vec::new()));
    }
    let found = snapshot
        .query(
            "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
                    created_at, state_after
             from (select *, sum(octet_length(content)) over (order by seq desc) as bytes
                   from arguments where debate_id = $1 and seq > $2 and seq <= $3) as newest
             where bytes <= $4 or seq = $3 order by seq",
            &[&debate.uuid(), &number(from), &number(last), &many(NEWEST_BYTES_MAX)],
        )
        .await?;
    let arguments: Vec<Argument> = found.iter().map(rows::argument).collect::<Result<_, _>>()?;
    let first = arguments.first().map_or(last, |first| first.seq);
    Ok((Seq::new(first.number().saturating_sub(1)), arguments))
}

fn number(seq: Seq) -> i64 {
    i64::from(seq.number())
}

fn many(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
