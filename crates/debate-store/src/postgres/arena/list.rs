//! Finding debates: every page costs the same, however many there are.

use debate_app::arena::{ArenaError, DebatePage};
use debate_core::arena::{ListFilter, ListQuery, ListStart};
use debate_core::{DebateId, SearchText};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::fault::Fault;
use super::super::readers::Readers;
use super::rows;
use crate::arena::{ListedRow, Narrowed, counts_towards, page_of};
use crate::damage::DamagedDebates;

const PAGE: &str = "select id, title, debate_type, state, created_at, updated_at from debates
     where (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3 offset $4";

const PAGE_OF_STATE: &str = "select id, title, debate_type, state, created_at, updated_at
     from debates where state = $5 and (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3 offset $4";

/// In the words of the index made for it.
const PAGE_OF_UNOPPOSED: &str = "select id, title, debate_type, state, created_at, updated_at
     from debates
     where last_seq = 1 and state = 'AWAITING_OPPONENT' and (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3 offset $4";

pub(super) const COUNTS: &str =
    "select bucket, sum(debates)::bigint from debate_counts group by bucket";

/// A search looks at every debate there is, newest first, until its page is full.
const MATCHING: &str = "select id, title, debate_type, state, created_at, updated_at
     from debates join debate_search on debate_id = id
     where (updated_at, id) < ($1, $2)
       and ($5::text is null or state = $5) and ($6::bigint is null or last_seq = $6)
       and strpos(folded, $7) > 0
     order by updated_at desc, id desc limit $3 offset $4";

const COUNT_MATCHING: &str = "select count(*) from debates join debate_search on debate_id = id
     where ($1::text is null or state = $1) and ($2::bigint is null or last_seq = $2)
       and strpos(folded, $3) > 0";

/// Leaves out debates whose rows cannot be decoded, and adds them to `damaged`.
pub(super) async fn list(
    readers: &Readers,
    query: &ListQuery,
    damaged: &DamagedDebates,
) -> Result<DebatePage, ArenaError> {
    let (found, total) = match &query.search {
        None => page(readers, query).await?,
        Some(search) => matching(readers, query, search).await?,
    };
    let mut listed = Vec::new();
    for row in &found {
        let place = rows::place(row).ok();
        let decoded = rows::debate(row).map_err(|Fault(err)| err);
        let id = row.try_get(0).ok().map(DebateId::new);
        listed.push(ListedRow { place, debate: damaged.take_listed(id, decoded)? });
    }
    Ok(page_of(query, listed, total))
}

/// The bounds every page statement takes: before which place, how many, after how many.
struct Bounds {
    updated_at: i64,
    id: Uuid,
    limit: i64,
    offset: i64,
}

impl Bounds {
    fn of(query: &ListQuery) -> Self {
        // One more than asked for tells whether there is a next page.
        let limit = i64::from(query.limit.count()) + 1;
        match query.start {
            // Before the end of time: everything.
            ListStart::At(offset) => Self {
                updated_at: i64::MAX,
                id: Uuid::nil(),
                limit,
                offset: i64::from(offset.count()),
            },
            ListStart::After(cursor) => Self {
                updated_at: cursor.updated_at.as_microsecond(),
                id: cursor.debate.uuid(),
                limit,
                offset: 0,
            },
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 4] {
        [&self.updated_at, &self.id, &self.limit, &self.offset]
    }
}

/// A page, and how many there are under its filter.
async fn page(readers: &Readers, query: &ListQuery) -> Result<(Vec<Row>, u64), Fault> {
    let bounds = Bounds::of(query);
    let mut params = bounds.params().to_vec();
    let (statement, state) = match query.filter {
        ListFilter::Any => (PAGE, None),
        ListFilter::In(state) => (PAGE_OF_STATE, Some(state.name())),
        ListFilter::PendingFirstOpponent => (PAGE_OF_UNOPPOSED, None),
    };
    if let Some(state) = &state {
        params.push(state);
    }
    let mut found = readers.once(&[(statement, &params), (COUNTS, &[])]).await?;
    let total = counted(&found.pop().unwrap_or_default(), query.filter)?;
    Ok((found.pop().unwrap_or_default(), total))
}

/// What the rows of `COUNTS` say.
pub(super) fn counted(counts: &[Row], filter: ListFilter) -> Result<u64, Fault> {
    let mut total = 0;
    for row in counts {
        let (bucket, debates): (&str, i64) = (row.try_get(0)?, row.try_get(1)?);
        if counts_towards(bucket, filter) {
            total += debates;
        }
    }
    Ok(u64::try_from(total).unwrap_or_default())
}

async fn matching(
    readers: &Readers,
    query: &ListQuery,
    search: &SearchText,
) -> Result<(Vec<Row>, u64), Fault> {
    let bounds = Bounds::of(query);
    let [updated_at, id, limit, offset] = bounds.params();
    let Narrowed { state, last_seq } = Narrowed::by(query.filter);
    let last_seq = last_seq.map(i64::from);
    let text = search.as_str();
    let mut found = readers
        .once(&[
            (MATCHING, &[updated_at, id, limit, offset, &state, &last_seq, &text]),
            (COUNT_MATCHING, &[&state, &last_seq, &text]),
        ])
        .await?;
    let counted = found.pop().unwrap_or_default();
    let total: Option<i64> = counted.first().map(|row| row.try_get(0)).transpose()?;
    let total = u64::try_from(total.unwrap_or_default()).unwrap_or_default();
    Ok((found.pop().unwrap_or_default(), total))
}
