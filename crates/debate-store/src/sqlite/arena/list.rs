//! Lists of debates. The cost of a page does not depend on the number of debates; a search reads
//! every debate.

use debate_app::arena::{ArenaError, DebateListPage};
use debate_core::arena::{ListFilter, ListQuery};
use debate_core::{DebateId, SearchText};
use rusqlite::{Connection, Params, params};

use super::list_by_name::list_by_name;
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
        let (rows, total) = list_by_name(conn, query, name, damaged)?;
        return Ok(build_page(query, rows, total));
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

pub(super) fn collect(
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
