//! Lists of debates. The cost of a page does not depend on the number of debates; a search reads
//! every debate.

use debate_app::arena::{ArenaError, DebateListPage};
use debate_core::arena::{IdPrefix, ListFilter, ListQuery, NameFilter};
use debate_core::{DebateId, SearchText};
use rusqlite::{Connection, Params, params};

use super::read::debate_by_slug;
use super::rows;
use crate::arena::{FilterColumns, ListedRow, PageBounds, build_page, counts_towards};
use crate::engine::EngineError;
use crate::storage_health::DamagedDebates;

/// Leaves out debates whose rows cannot be decoded, and adds them to `damaged`.
pub(super) fn list(
    conn: &Connection,
    query: &ListQuery,
    damaged: &DamagedDebates,
) -> Result<DebateListPage, ArenaError> {
    if let Some(name) = &query.name {
        let Some(ids) = id_range(conn, name)? else { return Ok(build_page(query, vec![], 0)) };
        let rows = named(conn, query, &ids, damaged)?;
        return Ok(build_page(query, rows, count_named(conn, query, &ids)?));
    }
    let rows = match &query.search {
        None => page(conn, query, damaged)?,
        Some(search) => matching(conn, query, search, damaged)?,
    };
    let total = match &query.search {
        None => count_total(conn, query.filter)?,
        Some(search) => count_matching(conn, query.filter, search)?,
    };
    Ok(build_page(query, rows, total))
}

/// The ids of the debates that a name may stand for; none if no debate has the slug.
fn id_range(conn: &Connection, name: &NameFilter) -> Result<Option<IdPrefix>, EngineError> {
    match name {
        NameFilter::Slug(slug) => {
            Ok(debate_by_slug(conn, slug)?.map(|id| IdPrefix { first: id, last: id }))
        }
        NameFilter::IdPrefix(prefix) => Ok(Some(*prefix)),
    }
}

/// The debates of a range of ids with their current state, from the row of the debate and its
/// newest argument: `standings` has no index by id.
macro_rules! named_debates {
    ($columns:literal, $rest:literal) => {
        concat!(
            "select ",
            $columns,
            " from debates d cross join arguments a
                  on a.debate_id = d.id
                 and a.seq = (select max(seq) from arguments where debate_id = d.id)
              where d.id between ?1 and ?2
                and (?3 is null or a.state_after = ?3) and (?4 is null or a.seq = ?4)
                and (?5 is null or exists (select 1 from debate_search f
                         where f.debate_id = d.id and instr(f.folded, ?5) > 0))",
            $rest
        )
    };
}

fn named(
    conn: &Connection,
    query: &ListQuery,
    ids: &IdPrefix,
    damaged: &DamagedDebates,
) -> Result<Vec<ListedRow>, EngineError> {
    let PageBounds { updated_at, id, limit, offset } = PageBounds::new(query);
    let FilterColumns { state, last_seq } = FilterColumns::new(query.filter);
    let search = query.search.as_ref().map(SearchText::as_str);
    let (first, last) = (ids.first.uuid().into_bytes(), ids.last.uuid().into_bytes());
    let id = id.into_bytes();
    collect(
        (conn, damaged),
        named_debates!(
            "d.id, d.title, d.debate_type, a.state_after, d.created_at,
             coalesce(a.updated_after, a.created_at) as updated_at, d.slug, d.seat_changes",
            " and (coalesce(a.updated_after, a.created_at), d.id) < (?6, ?7)
              order by updated_at desc, d.id desc limit ?8 offset ?9"
        ),
        params![first, last, state, last_seq, search, updated_at, id, limit, offset],
    )
}

fn count_named(conn: &Connection, query: &ListQuery, ids: &IdPrefix) -> Result<u64, EngineError> {
    let FilterColumns { state, last_seq } = FilterColumns::new(query.filter);
    let search = query.search.as_ref().map(SearchText::as_str);
    let (first, last) = (ids.first.uuid().into_bytes(), ids.last.uuid().into_bytes());
    let total = conn
        .prepare_cached(named_debates!("count(*)", ""))?
        .query_row(params![first, last, state, last_seq, search], |row| row.get(0))?;
    Ok(total)
}

fn page(
    conn: &Connection,
    query: &ListQuery,
    damaged: &DamagedDebates,
) -> Result<Vec<ListedRow>, EngineError> {
    let PageBounds { updated_at, id, limit, offset } = PageBounds::new(query);
    let id = id.into_bytes();
    match query.filter {
        ListFilter::Any => collect(
            (conn, damaged),
            "select debate_id, title, debate_type, state, created_at, updated_at,
                    slug, seat_changes
             from standings cross join debates on id = debate_id
             where (updated_at, debate_id) < (?1, ?2)
             order by updated_at desc, debate_id desc limit ?3 offset ?4",
            params![updated_at, id, limit, offset],
        ),
        ListFilter::In(state) => collect(
            (conn, damaged),
            "select debate_id, title, debate_type, state, created_at, updated_at,
                    slug, seat_changes
             from standings cross join debates on id = debate_id
             where state = ?5 and (updated_at, debate_id) < (?1, ?2)
             order by updated_at desc, debate_id desc limit ?3 offset ?4",
            params![updated_at, id, limit, offset, state.name()],
        ),
        ListFilter::PendingFirstOpponent => collect(
            (conn, damaged),
            // Names the index: without it SQLite reads every debate that waits for its opponent.
            "select debate_id, title, debate_type, state, created_at, updated_at,
                    slug, seat_changes
             from standings indexed by standings_unopposed cross join debates on id = debate_id
             where last_seq = 1 and state = 'AWAITING_OPPONENT'
               and (updated_at, debate_id) < (?1, ?2)
             order by updated_at desc, debate_id desc limit ?3 offset ?4",
            params![updated_at, id, limit, offset],
        ),
    }
}

/// A search reads debates, last changed first, until its page is full.
fn matching(
    conn: &Connection,
    query: &ListQuery,
    search: &SearchText,
    damaged: &DamagedDebates,
) -> Result<Vec<ListedRow>, EngineError> {
    let PageBounds { updated_at, id, limit, offset } = PageBounds::new(query);
    let id = id.into_bytes();
    let FilterColumns { state, last_seq } = FilterColumns::new(query.filter);
    collect(
        (conn, damaged),
        "select id, title, debate_type, state, created_at, updated_at, slug, seat_changes
         from standings s cross join debates on id = s.debate_id
              cross join debate_search f on f.debate_id = id
         where (updated_at, s.debate_id) < (?1, ?2)
           and (?5 is null or state = ?5) and (?6 is null or last_seq = ?6)
           and instr(folded, ?7) > 0
         order by updated_at desc, s.debate_id desc limit ?3 offset ?4",
        params![updated_at, id, limit, offset, state, last_seq, search.as_str()],
    )
}

fn count_matching(
    conn: &Connection,
    filter: ListFilter,
    search: &SearchText,
) -> Result<u64, EngineError> {
    let FilterColumns { state, last_seq } = FilterColumns::new(filter);
    let total = conn
        .prepare_cached(
            "select count(*) from standings join debate_search using (debate_id)
             where (?1 is null or state = ?1) and (?2 is null or last_seq = ?2)
               and instr(folded, ?3) > 0",
        )?
        .query_row(params![state, last_seq, search.as_str()], |row| row.get(0))?;
    Ok(total)
}

/// The number of debates that a filter selects, from the stored counters.
pub(super) fn count_total(conn: &Connection, filter: ListFilter) -> Result<u64, EngineError> {
    let mut statement = conn.prepare_cached("select bucket, debates from debate_counts")?;
    let mut found = statement.query([])?;
    let mut total = 0;
    while let Some(row) = found.next()? {
        let bucket: String = row.get(0)?;
        let debates: u64 = row.get(1)?;
        if counts_towards(&bucket, filter) {
            total += debates;
        }
    }
    Ok(total)
}

fn collect(
    (conn, damaged): (&Connection, &DamagedDebates),
    statement: &'static str,
    params: impl Params,
) -> Result<Vec<ListedRow>, EngineError> {
    let mut statement = conn.prepare_cached(statement)?;
    let mut found = statement.query(params)?;
    let mut listed = Vec::new();
    while let Some(row) = found.next()? {
        let position = rows::list_position(row).ok();
        let decoded = rows::debate(row).map_err(|EngineError(err)| err);
        let id = rows::uuid(row, 0).ok().map(DebateId::new);
        let debate = damaged.take_listed(id, decoded).map_err(EngineError)?;
        listed.push(ListedRow { position, debate });
    }
    Ok(listed)
}
