//! The slugs of debates that were stored before slugs existed.

use debate_core::DebateId;
use debate_core::arena::slug_candidates;
use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, Connection, Row, params};
use uuid::Uuid;

/// Number of debates that are read at a time.
const BATCH_ROWS: u32 = 1000;

/// Gives each debate without a slug the first that is free, in the order of the ids. A debate whose
/// id is not a UUID is damaged and gets none.
pub(super) fn assign(conn: &Connection) -> rusqlite::Result<()> {
    let mut is_used = conn.prepare_cached(
        "select 1 from debates where slug = ?1
         union all select 1 from deleted_debates where slug = ?1",
    )?;
    let mut update = conn.prepare_cached("update debates set slug = ?2 where id = ?1")?;
    let mut last = Vec::new();
    loop {
        let batch = read_batch(conn, &last)?;
        let Some((newest, _)) = batch.last() else { return Ok(()) };
        last.clone_from(newest);
        for (id, title) in batch {
            if let Some(slug) = find_free(&mut is_used, &id, &title)? {
                update.execute(params![id, slug])?;
            }
        }
    }
}

/// The next debates without a slug after `last`: id and title.
fn read_batch(conn: &Connection, last: &[u8]) -> rusqlite::Result<Vec<(Vec<u8>, String)>> {
    let mut statement = conn.prepare_cached(
        "select id, title from debates where slug is null and id > ?1 order by id limit ?2",
    )?;
    let rows = statement
        .query_map(params![last, BATCH_ROWS], |row| Ok((row.get(0)?, read_title(row)?)))?;
    rows.collect()
}

/// A slug has only ASCII characters of the title, so bytes that are no text do not matter.
fn read_title(row: &Row<'_>) -> rusqlite::Result<String> {
    Ok(match row.get_ref(1)? {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => {
            String::new()
        }
    })
}

fn find_free(
    is_used: &mut CachedStatement<'_>,
    id: &[u8],
    title: &str,
) -> rusqlite::Result<Option<String>> {
    let Ok(id) = Uuid::from_slice(id) else { return Ok(None) };
    for slug in slug_candidates(title, DebateId::new(id)) {
        if !is_used.exists([&slug])? {
            return Ok(Some(slug));
        }
    }
    Ok(None)
}
