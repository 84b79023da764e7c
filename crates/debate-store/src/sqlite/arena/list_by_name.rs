//! Lists of debates by slug or by the first digits of their ids. A prefix may select many debates,
//! which are sorted.

use debate_core::SearchText;
use debate_core::arena::{ListQuery, NameFilter};
use rusqlite::{Connection, params};

use super::list::collect;
use super::read::debate_by_slug;
use crate::arena::{FilterColumns, ListedRow, PageBounds};
use crate::engine::EngineError;
use crate::storage_health::DamagedDebates;

/// The debates of a range of ids with their current state, which comes from the newest argument:
/// `standings` has no index by id.
const PAGE: &str = "select d.id, d.title, d.debate_type, a.state_after, d.created_at,
            coalesce(a.updated_after, a.created_at) as updated_at, d.slug, d.seat_changes
     from debates d cross join arguments a
         on a.debate_id = d.id
        and a.seq = (select max(seq) from arguments where debate_id = d.id)
     where d.id between ?1 and ?2
       and (?3 is null or a.state_after = ?3) and (?4 is null or a.seq = ?4)
       and (?5 is null or exists (select 1 from debate_search f
                where f.debate_id = d.id and instr(f.folded, ?5) > 0))
       and (coalesce(a.updated_after, a.created_at), d.id) < (?6, ?7)
     order by updated_at desc, d.id desc limit ?8 offset ?9";

const COUNT: &str = "select count(*)
     from debates d cross join arguments a
         on a.debate_id = d.id
        and a.seq = (select max(seq) from arguments where debate_id = d.id)
     where d.id between ?1 and ?2
       and (?3 is null or a.state_after = ?3) and (?4 is null or a.seq = ?4)
       and (?5 is null or exists (select 1 from debate_search f
                where f.debate_id = d.id and instr(f.folded, ?5) > 0))";

/// The rows of a page, and the number of debates that match.
pub(super) fn list_by_name(
    conn: &Connection,
    query: &ListQuery,
    name: &NameFilter,
    damaged: &DamagedDebates,
) -> Result<(Vec<ListedRow>, u64), EngineError> {
    let ids = match name {
        NameFilter::Slug(slug) => debate_by_slug(conn, slug)?.map(|id| (id, id)),
        NameFilter::IdPrefix(prefix) => Some((prefix.first, prefix.last)),
    };
    let Some((first, last)) = ids else { return Ok((Vec::new(), 0)) };
    let (first, last) = (first.uuid().into_bytes(), last.uuid().into_bytes());
    let PageBounds { updated_at, id, limit, offset } = PageBounds::new(query);
    let FilterColumns { state, last_seq } = FilterColumns::new(query.filter);
    let search = query.search.as_ref().map(SearchText::as_str);
    let id = id.into_bytes();
    let rows = collect(
        (conn, damaged),
        PAGE,
        params![first, last, state, last_seq, search, updated_at, id, limit, offset],
    )?;
    let total = conn
        .prepare_cached(COUNT)?
        .query_row(params![first, last, state, last_seq, search], |row| row.get(0))?;
    Ok((rows, total))
}
