//! Finding debates: every page costs the same, however many there are.

use debate_app::arena::{ArenaError, DebatePage};
use debate_core::arena::{ListFilter, ListQuery, ListStart};
use debate_core::{DebateId, Offset, SearchText};
use rusqlite::{Connection, Params, params};

use super::super::fault::Fault;
use super::rows;
use crate::arena::{ListedRow, Narrowed, counts_towards, page_of};
use crate::damage::DamagedDebates;

/// Leaves out debates whose rows cannot be decoded, and adds them to `damaged`.
pub(super) fn list(
    conn: &Connection,
    query: &ListQuery,
    damaged: &DamagedDebates,
) -> Result<DebatePage, ArenaError> {
    let rows = match &query.search {
        None => page(conn, query, damaged)?,
        Some(search) => matching(conn, query, search, damaged)?,
    };
    let total = match &query.search {
        None => counted(conn, query.filter)?,
        Some(search) => count_matching(conn, query.filter, search)?,
    };
    Ok(page_of(query, rows, total))
}

/// The three bounds every page statement takes: before which place, how many, after how many.
struct Bounds {
    updated_at: i64,
    id: [u8; 16],
    limit: u32,
    offset: u32,
}

impl Bounds {
    fn of(query: &ListQuery) -> Self {
        // One more than asked for tells whether there is a next page.
        let limit = query.limit.count() + 1;
        match query.start {
            ListStart::At(offset) => {
                // Before the end of time: everything.
                Self { updated_at: i64::MAX, id: [0; 16], limit, offset: offset.count() }
            }
            ListStart::After(cursor) => Self {
                updated_at: cursor.updated_at.as_microsecond(),
                id: cursor.debate.uuid().into_bytes(),
                limit,
                offset: Offset::default().count(),
            },
        }
    }
}

fn page(
    conn: &Connection,
    query: &ListQuery,
    damaged: &DamagedDebates,
) -> Result<Vec<ListedRow>, Fault> {
    let Bounds { updated_at, id, limit, offset } = Bounds::of(query);
    match query.filter {
        ListFilter::Any => collect(
            (conn, damaged),
            "select debate_id, title, debate_type, state, created_at, updated_at
             from standings cross join debates on id = debate_id
             where (updated_at, debate_id) < (?1, ?2)
             order by updated_at desc, debate_id desc limit ?3 offset ?4",
            params![updated_at, id, limit, offset],
        ),
        ListFilter::In(state) => collect(
            (conn, damaged),
            "select debate_id, title, debate_type, state, created_at, updated_at
             from standings cross join debates on id = debate_id
             where state = ?5 and (updated_at, debate_id) < (?1, ?2)
             order by updated_at desc, debate_id desc limit ?3 offset ?4",
            params![updated_at, id, limit, offset, state.name()],
        ),
        ListFilter::PendingFirstOpponent => collect(
            (conn, damaged),
            // Told which index: left to itself, SQLite walks every debate that awaits its opponent.
            "select debate_id, title, debate_type, state, created_at, updated_at
             from standings indexed by standings_unopposed cross join debates on id = debate_id
             where last_seq = 1 and state = 'AWAITING_OPPONENT'
               and (updated_at, debate_id) < (?1, ?2)
             order by updated_at desc, debate_id desc limit ?3 offset ?4",
            params![updated_at, id, limit, offset],
        ),
    }
}

/// A search looks at every debate there is, newest first, until its page is full.
fn matching(
    conn: &Connection,
    query: &ListQuery,
    search: &SearchText,
    damaged: &DamagedDebates,
) -> Result<Vec<ListedRow>, Fault> {
    let Bounds { updated_at, id, limit, offset } = Bounds::of(query);
    let Narrowed { state, last_seq } = Narrowed::by(query.filter);
    collect(
        (conn, damaged),
        "select id, title, debate_type, state, created_at, updated_at
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
) -> Result<u64, Fault> {
    let Narrowed { state, last_seq } = Narrowed::by(filter);
    let total = conn
        .prepare_cached(
            "select count(*) from standings join debate_search using (debate_id)
             where (?1 is null or state = ?1) and (?2 is null or last_seq = ?2)
               and instr(folded, ?3) > 0",
        )?
        .query_row(params![state, last_seq, search.as_str()], |row| row.get(0))?;
    Ok(total)
}

/// What the counters say.
pub(super) fn counted(conn: &Connection, filter: ListFilter) -> Result<u64, Fault> {
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
) -> Result<Vec<ListedRow>, Fault> {
    let mut statement = conn.prepare_cached(statement)?;
    let mut found = statement.query(params)?;
    let mut listed = Vec::new();
    while let Some(row) = found.next()? {
        let place = rows::place(row).ok();
        let decoded = rows::debate(row).map_err(|Fault(err)| err);
        let id = rows::uuid(row, 0).ok().map(DebateId::new);
        let debate = damaged.take_listed(id, decoded).map_err(Fault)?;
        listed.push(ListedRow { place, debate });
    }
    Ok(listed)
}
