//! The arena's debates in PostgreSQL, all of them.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::arena::{ArchiveError, Destination, Dossier, Source};
use debate_core::arena::{Entry, Filter};
use debate_core::{DebateId, Seq};
use tokio_postgres::Row;
use uuid::Uuid;

use super::super::archive::PostgresArchive;
use super::super::fault::Fault;
use super::changes::{Changes, Params};
use super::said::Said;
use super::{list, rows};
use crate::arena::{ARCHIVE_ROWS_MAX, Effects};
use crate::survey::first_after;

const DEBATES: &str = "select d.id, d.title, d.debate_type, d.state, d.created_at, d.updated_at,
            d.last_seq, d.auto_ruling, m.content, s.folded, d.original_type
     from (select * from debates where id >= $1 order by id limit $2) as d
     left join arguments m on m.debate_id = d.id and m.seq = 1
     left join debate_search s on s.debate_id = d.id
     order by d.id";

const ARGUMENTS: &str = "select id, debate_id, parent_id, kind, role, content, client_request_id,
            seq, created_at, state_after, fingerprint
     from arguments where (debate_id, seq) > ($1, $2) order by debate_id, seq limit $3";

const IS_EMPTY: &str = "select not exists (select from debates)
         and not exists (select from arguments)";

const INSERT_DEBATES: &str = "insert into debates
         (id, title, debate_type, state, last_seq, auto_ruling, created_at, updated_at,
          original_type)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[],
         $6::bool[], $7::bigint[], $8::bigint[], $9::text[])";

/// The counters' rows are spread over slots that are added up; a copy needs one.
const SLOT: i16 = 0;

#[async_trait]
impl Source for PostgresArchive {
    async fn debates(&mut self, after: Option<DebateId>) -> Result<Vec<Dossier>, ArchiveError> {
        let Some(first) = first_after(after.map(DebateId::uuid)) else { return Ok(Vec::new()) };
        let found = self.query(DEBATES, &[&first, &ARCHIVE_ROWS_MAX]).await.map_err(fault)?;
        let dossiers = found.iter().map(|row| dossier(row).map_err(|err| unreadable(row, 0, err)));
        dossiers.collect()
    }

    async fn arguments(
        &mut self,
        after: Option<(DebateId, Seq)>,
    ) -> Result<Vec<Entry>, ArchiveError> {
        let (debate, seq) = after
            .map_or((Uuid::nil(), 0), |(debate, seq)| (debate.uuid(), i64::from(seq.number())));
        let found = self.query(ARGUMENTS, &[&debate, &seq, &ARCHIVE_ROWS_MAX]).await;
        let found = found.map_err(fault)?;
        let entries =
            found.iter().map(|row| rows::entry(row).map_err(|err| unreadable(row, 1, err)));
        entries.collect()
    }

    async fn total(&mut self, filter: Filter) -> Result<u64, ArchiveError> {
        let found = self.query(list::COUNTS, &[]).await.map_err(fault)?;
        list::counted(&found, filter).map_err(fault)
    }
}

#[async_trait]
impl Destination for PostgresArchive {
    async fn is_empty(&mut self) -> Result<bool, ArchiveError> {
        let found = self.query(IS_EMPTY, &[]).await.map_err(fault)?;
        let is_empty = found.first().map(|row| row.try_get(0)).transpose();
        Ok(is_empty.map_err(|err| fault(err.into()))?.unwrap_or_default())
    }

    async fn add_debates(&mut self, dossiers: &[Dossier]) -> Result<(), ArchiveError> {
        let mut opened = Opened::default();
        for dossier in dossiers {
            opened.push(dossier)?;
        }
        let (buckets, changes): (Vec<_>, Vec<_>) = opened.effects.counts().unzip();
        for (statement, params) in [
            (INSERT_DEBATES, opened.params()),
            (Changes::INSERT_SEARCH, vec![&opened.ids, &opened.folded]),
            (Changes::COUNT, vec![&buckets, &changes, &SLOT]),
        ] {
            self.query(statement, &params).await.map_err(fault)?;
        }
        Ok(())
    }

    async fn add_arguments(&mut self, entries: &[Entry]) -> Result<(), ArchiveError> {
        let mut said = Said::default();
        for entry in entries {
            let argument = &entry.argument;
            keepable(argument.debate, &argument.content)?;
            keepable(argument.debate, argument.request_key.as_deref().unwrap_or_default())?;
            said.push(entry);
        }
        if let Some(params) = said.params() {
            self.query(Said::INSERT, &params).await.map_err(fault)?;
        }
        Ok(())
    }
}

/// Debates as columns.
#[derive(Default)]
struct Opened {
    ids: Vec<Uuid>,
    titles: Vec<String>,
    types: Vec<&'static str>,
    states: Vec<&'static str>,
    last_seqs: Vec<i64>,
    auto_rulings: Vec<Option<bool>>,
    created: Vec<i64>,
    updated: Vec<i64>,
    original_types: Vec<Option<String>>,
    folded: Vec<String>,
    effects: Effects,
}

impl Opened {
    fn push(&mut self, dossier: &Dossier) -> Result<(), ArchiveError> {
        let head = &dossier.head;
        let (id, folded) = (dossier.id(), dossier.haystack());
        // Folding neither adds nor takes away a U+0000, so this speaks for title and motion too.
        keepable(id, &folded)?;
        keepable(id, dossier.original_type.as_deref().unwrap_or_default())?;
        self.ids.push(id.uuid());
        self.titles.push(head.debate.title.clone());
        self.types.push(head.debate.debate_type.name());
        self.states.push(head.debate.state.name());
        self.last_seqs.push(i64::from(head.last_seq.number()));
        self.auto_rulings.push(head.auto_ruling);
        self.created.push(head.debate.created_at.as_microsecond());
        self.updated.push(head.debate.updated_at.as_microsecond());
        self.original_types.push(dossier.original_type.clone());
        self.folded.push(folded);
        self.effects.opened(head.debate.state, head.last_seq);
        Ok(())
    }

    fn params(&self) -> Params<'_> {
        vec![
            &self.ids,
            &self.titles,
            &self.types,
            &self.states,
            &self.last_seqs,
            &self.auto_rulings,
            &self.created,
            &self.updated,
            &self.original_types,
        ]
    }
}

fn dossier(row: &Row) -> Result<Dossier, Fault> {
    Ok(Dossier {
        head: rows::head(row)?,
        motion: row.try_get(8)?,
        folded: row.try_get(9)?,
        original_type: row.try_get(10)?,
    })
}

/// An earlier server may have let a U+0000 into a SQLite file.
fn keepable(debate: DebateId, text: &str) -> Result<(), ArchiveError> {
    if text.contains('\0') { Err(ArchiveError::Nul(debate)) } else { Ok(()) }
}

fn fault(Fault(err): Fault) -> ArchiveError {
    err.into()
}

/// A row that can't be read is told by its debate.
fn unreadable(row: &Row, column: usize, Fault(err): Fault) -> ArchiveError {
    match (row.try_get(column), err) {
        (Ok(debate), StoreError::Undecodable(cause) | StoreError::Unexpected(cause)) => {
            ArchiveError::Unreadable { debate: DebateId::new(debate), cause }
        }
        (Ok(_) | Err(_), err) => err.into(),
    }
}
