//! Lists of debates. The cost of a page does not depend on the number of debates; a search reads
//! every debate.

use debate_app::arena::{ArenaError, DebateListPage};
use debate_core::arena::{ListFilter, ListQuery, NameFilter};
use debate_core::{DebateId, SearchText};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::super::readers::Readers;
use super::read::debate_by_slug;
use super::rows;
use crate::arena::{FilterColumns, ListedRow, PageBounds, build_page, counts_towards};
use crate::engine::EngineError;
use crate::storage_health::DamagedDebates;

const PAGE: &str = "select id, title, debate_type, state, created_at, updated_at, slug,
            seat_changes
     from debates where (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3 offset $4";

const PAGE_OF_STATE: &str = "select id, title, debate_type, state, created_at, updated_at,
            slug, seat_changes
     from debates where state = $5 and (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3 offset $4";

/// Uses the expression of the partial index, so that the planner chooses it.
const PAGE_OF_UNOPPOSED: &str = "select id, title, debate_type, state, created_at, updated_at,
            slug, seat_changes
     from debates
     where last_seq = 1 and state = 'AWAITING_OPPONENT' and (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3 offset $4";

pub(super) const COUNTS: &str =
    "select bucket, sum(debates)::bigint from debate_counts group by bucket";

/// A search reads debates, last changed first, until its page is full.
const MATCHING: &str = "select id, title, debate_type, state, created_at, updated_at,
            slug, seat_changes
     from debates join debate_search on debate_id = id
     where (updated_at, id) < ($1, $2)
       and ($5::text is null or state = $5) and ($6::bigint is null or last_seq = $6)
       and strpos(folded, $7) > 0
     order by updated_at desc, id desc limit $3 offset $4";

const COUNT_MATCHING: &str = "select count(*) from debates join debate_search on debate_id = id
     where ($1::text is null or state = $1) and ($2::bigint is null or last_seq = $2)
       and strpos(folded, $3) > 0";

/// The debates of a range of ids. They are found by their ids and then ordered: the planner might
/// else read all debates in the order of time.
macro_rules! named_debates {
    ($columns:literal, $rest:literal) => {
        concat!(
            "with named as materialized (
                 select id, title, debate_type, state, created_at, updated_at, slug, seat_changes
                 from debates where id between $1 and $2
                   and ($3::text is null or state = $3) and ($4::bigint is null or last_seq = $4)
                   and ($5::text is null or exists (select from debate_search
                            where debate_id = id and strpos(folded, $5) > 0)))
             select ",
            $columns,
            " from named ",
            $rest
        )
    };
}

const NAMED: &str = named_debates!(
    "*",
    "where (updated_at, id) < ($6, $7)
     order by updated_at desc, id desc limit $8 offset $9"
);

const COUNT_NAMED: &str = named_debates!("count(*)", "");

/// Leaves out debates whose rows cannot be decoded, and adds them to `damaged`.
pub(super) async fn list(
    readers: &Readers,
    query: &ListQuery,
    damaged: &DamagedDebates,
) -> Result<DebateListPage, ArenaError> {
    let (found, total) = match (&query.name, &query.search) {
        (Some(name), _) => named(readers, query, name).await?,
        (None, None) => page(readers, query).await?,
        (None, Some(search)) => matching(readers, query, search).await?,
    };
    let mut listed = Vec::new();
    for row in &found {
        let position = rows::list_position(row).ok();
        let decoded = rows::debate(row).map_err(|EngineError(err)| err);
        let id = row.try_get(0).ok().map(DebateId::new);
        listed.push(ListedRow { position, debate: damaged.take_listed(id, decoded)? });
    }
    Ok(build_page(query, listed, total))
}

fn params(bounds: &PageBounds) -> [&(dyn ToSql + Sync); 4] {
    [&bounds.updated_at, &bounds.id, &bounds.limit, &bounds.offset]
}

/// The rows of a page, and the number of debates that its filter selects.
async fn page(readers: &Readers, query: &ListQuery) -> Result<(Vec<Row>, u64), EngineError> {
    let bounds = PageBounds::new(query);
    let mut params = params(&bounds).to_vec();
    let (statement, state) = match query.filter {
        ListFilter::Any => (PAGE, None),
        ListFilter::In(state) => (PAGE_OF_STATE, Some(state.name())),
        ListFilter::PendingFirstOpponent => (PAGE_OF_UNOPPOSED, None),
    };
    if let Some(state) = &state {
        params.push(state);
    }
    let mut found = readers.once(&[(statement, &params), (COUNTS, &[])]).await?;
    let total = count_total(&found.pop().unwrap_or_default(), query.filter)?;
    Ok((found.pop().unwrap_or_default(), total))
}

/// The number of debates that a filter selects, from the rows of [`COUNTS`].
pub(super) fn count_total(counts: &[Row], filter: ListFilter) -> Result<u64, EngineError> {
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
) -> Result<(Vec<Row>, u64), EngineError> {
    let bounds = PageBounds::new(query);
    let [updated_at, id, limit, offset] = params(&bounds);
    let FilterColumns { state, last_seq } = FilterColumns::new(query.filter);
    let last_seq = last_seq.map(i64::from);
    let text = search.as_str();
    let mut found = readers
        .once(&[
            (MATCHING, &[updated_at, id, limit, offset, &state, &last_seq, &text]),
            (COUNT_MATCHING, &[&state, &last_seq, &text]),
        ])
        .await?;
    let total = count(&found.pop().unwrap_or_default())?;
    Ok((found.pop().unwrap_or_default(), total))
}

fn count(counted: &[Row]) -> Result<u64, EngineError> {
    let total: Option<i64> = counted.first().map(|row| row.try_get(0)).transpose()?;
    Ok(u64::try_from(total.unwrap_or_default()).unwrap_or_default())
}

/// The rows of a page of debates with a name, and the number of debates that match.
async fn named(
    readers: &Readers,
    query: &ListQuery,
    name: &NameFilter,
) -> Result<(Vec<Row>, u64), EngineError> {
    let ids = match name {
        // A slug belongs to one debate as long as the debate exists.
        NameFilter::Slug(slug) => debate_by_slug(readers, slug).await?.map(|id| (id, id)),
        NameFilter::IdPrefix(prefix) => Some((prefix.first, prefix.last)),
    };
    let Some((first, last)) = ids else { return Ok((Vec::new(), 0)) };
    let (first, last) = (first.uuid(), last.uuid());
    let bounds = PageBounds::new(query);
    let [updated_at, id, limit, offset] = params(&bounds);
    let FilterColumns { state, last_seq } = FilterColumns::new(query.filter);
    let last_seq = last_seq.map(i64::from);
    let text = query.search.as_ref().map(SearchText::as_str);
    let filter: [&(dyn ToSql + Sync); 5] = [&first, &last, &state, &last_seq, &text];
    let mut all = filter.to_vec();
    all.extend([updated_at, id, limit, offset]);
    let mut found = readers.once(&[(NAMED, &all), (COUNT_NAMED, &filter)]).await?;
    let total = count(&found.pop().unwrap_or_default())?;
    Ok((found.pop().unwrap_or_default(), total))
}
