//! Finding debates: every page costs the same, however many there are.

use debate_app::arena::{ArenaError, DebatePage};
use debate_core::SearchText;
use debate_core::arena::{Cursor, Debate, Filter, ListQuery, Start, State};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::fault::Fault;
use super::super::readers::{Readers, Snapshot};
use super::rows;
use crate::arena::counts_towards;

pub(super) async fn list(readers: &Readers, query: &ListQuery) -> Result<DebatePage, ArenaError> {
    let bounds = Bounds::of(query);
    let (snapshot, found) = match &query.search {
        None => page(readers, query.filter, &bounds).await?,
        Some(search) => matching(readers, query.filter, &bounds, search).await?,
    };
    let total = match &query.search {
        None => counted(&snapshot, query.filter).await?,
        Some(search) => count_matching(&snapshot, query.filter, search).await?,
    };
    snapshot.end().await?;
    let mut debates: Vec<Debate> = found.iter().map(rows::debate).collect::<Result<_, _>>()?;
    let asked = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
    let more = debates.len() > asked;
    debates.truncate(asked);
    let next = debates
        .last()
        .filter(|_| more)
        .map(|last| Cursor { updated_at: last.updated_at, debate: last.id });
    Ok(DebatePage { debates, total, next })
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
            Start::At(offset) => Self {
                updated_at: i64::MAX,
                id: Uuid::nil(),
                limit,
                offset: i64::from(offset.count()),
            },
            Start::After(cursor) => Self {
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

async fn page(
    readers: &Readers,
    filter: Filter,
    bounds: &Bounds,
) -> Result<(Snapshot, Vec<Row>), Fault> {
    let [updated_at, id, limit, offset] = bounds.params();
    match filter {
        Filter::Any => {
            readers
                .begin(
                    "select id, title, debate_type, state, created_at, updated_at from debates
                     where (updated_at, id) < ($1, $2)
                     order by updated_at desc, id desc limit $3 offset $4",
                    &[updated_at, id, limit, offset],
                )
                .await
        }
        Filter::In(state) => {
            readers
                .begin(
                    "select id, title, debate_type, state, created_at, updated_at from debates
                     where state = $5 and (updated_at, id) < ($1, $2)
                     order by updated_at desc, id desc limit $3 offset $4",
                    &[updated_at, id, limit, offset, &state.name()],
                )
                .await
        }
        Filter::PendingFirstOpponent => {
            readers
                .begin(
                    "select id, title, debate_type, state, created_at, updated_at from debates
                     where last_seq = 1 and state = 'AWAITING_OPPONENT'
                       and (updated_at, id) < ($1, $2)
                     order by updated_at desc, id desc limit $3 offset $4",
                    &[updated_at, id, limit, offset],
                )
                .await
        }
    }
}

/// A search looks at every debate there is, newest first, until its page is full.
async fn matching(
    readers: &Readers,
    filter: Filter,
    bounds: &Bounds,
    search: &SearchText,
) -> Result<(Snapshot, Vec<Row>), Fault> {
    let [updated_at, id, limit, offset] = bounds.params();
    let (state, last_seq) = narrowed(filter);
    readers
        .begin(
            "select id, title, debate_type, state, created_at, updated_at
             from debates join debate_search on debate_id = id
             where (updated_at, id) < ($1, $2)
               and ($5::text is null or state = $5) and ($6::bigint is null or last_seq = $6)
               and strpos(folded, $7) > 0
             order by updated_at desc, id desc limit $3 offset $4",
            &[updated_at, id, limit, offset, &state, &last_seq, &search.folded()],
        )
        .await
}

async fn count_matching(
    snapshot: &Snapshot,
    filter: Filter,
    search: &SearchText,
) -> Result<u64, Fault> {
    let (state, last_seq) = narrowed(filter);
    let found = snapshot
        .query(
            "select count(*) from debates join debate_search on debate_id = id
             where ($1::text is null or state = $1) and ($2::bigint is null or last_seq = $2)
               and strpos(folded, $3) > 0",
            &[&state, &last_seq, &search.folded()],
        )
        .await?;
    let total = found.first().map(|row| row.try_get::<_, i64>(0)).transpose()?.unwrap_or_default();
    Ok(u64::try_from(total).unwrap_or_default())
}

fn narrowed(filter: Filter) -> (Option<&'static str>, Option<i64>) {
    match filter {
        Filter::Any => (None, None),
        Filter::In(state) => (Some(state.name()), None),
        Filter::PendingFirstOpponent => (Some(State::AwaitingOpponent.name()), Some(1)),
    }
}

async fn counted(snapshot: &Snapshot, filter: Filter) -> Result<u64, Fault> {
    let found = snapshot
        .query("select bucket, sum(debates)::bigint from debate_counts group by bucket", &[])
        .await?;
    let mut total = 0;
    for row in &found {
        let (bucket, debates): (&str, i64) = (row.try_get(0)?, row.try_get(1)?);
        if counts_towards(bucket, filter) {
            total += debates;
        }
    }
    Ok(u64::try_from(total).unwrap_or_default())
}
