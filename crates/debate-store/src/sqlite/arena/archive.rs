//! The arena's debates in SQLite, all of them.

use async_trait::async_trait;
use debate_app::arena::{ArchiveError, Destination, Dossier, Source};
use debate_app::{Cause, StoreError};
use debate_core::arena::{Entry, Filter};
use debate_core::{DebateId, Seq};
use rusqlite::{Connection, Row, params};

use super::super::archive::SqliteArchive;
use super::super::fault::Fault;
use super::{insert_argument, insert_debate, keep_original_type, list, persist, rows};
use crate::arena::{ARCHIVE_ROWS_MAX, Effects};
use crate::survey::first_after;

#[async_trait]
impl Source for SqliteArchive {
    async fn debates(&mut self, after: Option<DebateId>) -> Result<Vec<Dossier>, ArchiveError> {
        debates_after(&self.conn, after)
    }

    async fn arguments(
        &mut self,
        after: Option<(DebateId, Seq)>,
    ) -> Result<Vec<Entry>, ArchiveError> {
        arguments_after(&self.conn, after)
    }

    async fn total(&mut self, filter: Filter) -> Result<u64, ArchiveError> {
        list::counted(&self.conn, filter).map_err(|Fault(err)| err.into())
    }
}

/// The next page of debates in the order of their ids; empty after the last one.
pub(in super::super) fn debates_after(
    conn: &Connection,
    after: Option<DebateId>,
) -> Result<Vec<Dossier>, ArchiveError> {
    let Some(first) = first_after(after.map(DebateId::uuid)) else { return Ok(Vec::new()) };
    let mut statement = conn
        .prepare_cached(
            // A debate whose standing is not where its newest argument says has none, and can't
            // be read.
            "select d.id, d.title, d.debate_type, s.state, d.created_at, s.updated_at, s.last_seq,
                    d.auto_ruling, m.content, f.folded, d.original_type
             from debates d
             left join arguments n on n.debate_id = d.id
                 and n.seq = (select max(seq) from arguments where debate_id = d.id)
             left join standings s on s.debate_id = d.id
                 and s.updated_at = coalesce(n.updated_after, n.created_at)
             left join arguments m on m.debate_id = d.id and m.seq = 1
             left join debate_search f on f.debate_id = d.id
             where d.id >= ?1 order by d.id limit ?2",
        )
        .map_err(fault)?;
    let mut found = statement.query(params![first.as_bytes(), ARCHIVE_ROWS_MAX]).map_err(fault)?;
    let mut dossiers = Vec::new();
    while let Some(row) = found.next().map_err(fault)? {
        dossiers.push(dossier(row).map_err(|err| unreadable(row, 0, err))?);
    }
    Ok(dossiers)
}

/// The next page of arguments in the order of their debates' ids and their own numbers; empty after
/// the last one.
pub(in super::super) fn arguments_after(
    conn: &Connection,
    after: Option<(DebateId, Seq)>,
) -> Result<Vec<Entry>, ArchiveError> {
    let (debate, seq) =
        after.map_or(([0; 16], 0), |(debate, seq)| (debate.uuid().into_bytes(), seq.number()));
    let mut statement = conn
        .prepare_cached(
            "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
                    created_at, state_after, fingerprint
             from arguments where (debate_id, seq) > (?1, ?2)
             order by debate_id, seq limit ?3",
        )
        .map_err(fault)?;
    let mut found = statement.query(params![debate, seq, ARCHIVE_ROWS_MAX]).map_err(fault)?;
    let mut entries = Vec::new();
    while let Some(row) = found.next().map_err(fault)? {
        entries.push(rows::entry(row).map_err(|err| unreadable(row, 1, err))?);
    }
    Ok(entries)
}

#[async_trait]
impl Destination for SqliteArchive {
    async fn is_empty(&mut self) -> Result<bool, ArchiveError> {
        self.conn
            .query_row(
                "select not exists (select 1 from debates)
                     and not exists (select 1 from arguments)",
                [],
                |row| row.get(0),
            )
            .map_err(fault)
    }

    async fn add_debates(&mut self, dossiers: &[Dossier]) -> Result<(), ArchiveError> {
        let mut effects = Effects::default();
        for Dossier { head, motion, original_type, .. } in dossiers {
            let motion = motion.as_deref().unwrap_or_default();
            insert_debate(&self.conn, &head.debate, head.last_seq, head.auto_ruling, motion)
                .map_err(fault)?;
            keep_original_type(&self.conn, head.debate.id, original_type.as_deref())
                .map_err(fault)?;
            effects.opened(head.debate.state, head.last_seq);
        }
        persist(&effects, &self.conn).map_err(|Fault(err)| err.into())
    }

    async fn add_arguments(&mut self, entries: &[Entry]) -> Result<(), ArchiveError> {
        entries.iter().try_for_each(|entry| insert_argument(&self.conn, entry)).map_err(fault)
    }
}

/// Debates from elsewhere may count as changed at another time than their newest argument's, which
/// is then told by the argument. Called once all of them are in.
pub(in super::super) fn note_times(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute(
        "update arguments set updated_after = standings.updated_at
         from standings
         where arguments.debate_id = standings.debate_id and arguments.seq = standings.last_seq
           and arguments.created_at <> standings.updated_at",
        [],
    )?;
    Ok(())
}

fn dossier(row: &Row<'_>) -> Result<Dossier, Fault> {
    Ok(Dossier {
        head: rows::head(row)?,
        motion: row.get(8)?,
        folded: row.get(9)?,
        original_type: row.get(10)?,
    })
}

fn fault(err: rusqlite::Error) -> ArchiveError {
    let Fault(err) = err.into();
    err.into()
}

/// A row that can't be read is told by its debate, as long as that can be read.
fn unreadable(row: &Row<'_>, column: usize, Fault(err): Fault) -> ArchiveError {
    match (rows::uuid(row, column), err) {
        (Ok(debate), StoreError::Undecodable(cause) | StoreError::Unexpected(cause)) => {
            ArchiveError::Unreadable { debate: DebateId::new(debate), cause }
        }
        (Ok(debate), err) => {
            ArchiveError::Unreadable { debate: DebateId::new(debate), cause: Cause::new(err) }
        }
        (Err(_), err) => err.into(),
    }
}
