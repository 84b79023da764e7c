//! The replay of every debate and run of a database by the rules.
//!
//! Parents and children are read side by side in the order of their ids, one page each at a time.

use std::collections::{BTreeMap, VecDeque};

use debate_core::arena::{Debate, Replay, slug_candidates};
use debate_core::{DebateId, SearchText, Seq, StateMismatch, runner};
use uuid::Uuid;

use super::row::TableRow;
use super::table::Table;
use super::tables::{
    ARGUMENTS, DEBATE_COUNTS, DEBATE_SEARCH, DEBATES, RUN_CALLS, RUN_TURNS, RUNS, SEATS,
};
use super::{Archive, ArchiveError, Item, Report, StaleIndex, TableProgress};
use crate::arena::{CounterChanges, head, seat_row, stored_argument};
use crate::runner::{call, record, turn};
use crate::sql::Value;

/// The treatment of the tables that are derived from debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexMode {
    /// They are compared, and the first difference is returned.
    Compare,
    /// They are empty, and are filled.
    Rebuild,
}

/// Replays everything. Returns the first derived row that does not match.
pub(super) async fn replay(
    archive: &mut Archive,
    indexes: IndexMode,
    report: &mut Report<'_>,
) -> Result<Option<StaleIndex>, ArchiveError> {
    let stale_index = replay_debates(archive, indexes, report).await?;
    replay_runs(archive, report).await?;
    Ok(stale_index)
}

async fn replay_debates(
    archive: &mut Archive,
    indexes: IndexMode,
    report: &mut Report<'_>,
) -> Result<Option<StaleIndex>, ArchiveError> {
    let (mut debates, mut arguments) = (TableReader::new(&DEBATES), TableReader::new(&ARGUMENTS));
    let mut seats = TableReader::new(&SEATS);
    let mut index = DebateIndex::new(indexes);
    let mut rows = 0;
    while let Some(row) = debates.next(archive).await? {
        let mut head = row.decode(head)?;
        let (id, title) = (head.debate.id, head.debate.title.clone());
        check_slug(&head.debate)?;
        while let Some(row) = seats.next_child(archive, id.uuid()).await? {
            row.decode(|row| seat_row(row)?.add_to(&mut head))?;
        }
        index.counts.add(head.debate.state, head.last_seq);
        let mut replay = Replay::new(head);
        let mut motion = String::new();
        while let Some(row) = arguments.next_child(archive, id.uuid()).await? {
            let entry = row.decode(stored_argument)?;
            replay.apply(&entry).map_err(|mismatch| mismatch_error(Item::Debate(id), mismatch))?;
            if entry.argument.seq == Seq::FIRST {
                motion = entry.argument.content;
            }
            rows += 1;
        }
        replay.finish().map_err(|mismatch| mismatch_error(Item::Debate(id), mismatch))?;
        index.add(archive, id, SearchText::haystack(&title, &motion)).await?;
        report(TableProgress { table: ARGUMENTS.name, rows, action: "replayed" });
    }
    arguments.expect_end(archive).await?;
    seats.expect_end(archive).await?;
    index.finish(archive).await
}

/// Fails if the slug of a debate is not one that its title and id lead to.
fn check_slug(debate: &Debate) -> Result<(), ArchiveError> {
    let candidates = slug_candidates(&debate.title, debate.id);
    if candidates.contains(&debate.slug) {
        return Ok(());
    }
    let shortest = candidates.into_iter().next().unwrap_or_default();
    let (expected, found) = (format!("{shortest} or a longer suffix"), debate.slug.clone());
    let mismatch = StateMismatch { seq: None, field: "slug", expected, found };
    Err(mismatch_error(Item::Debate(debate.id), mismatch))
}

async fn replay_runs(archive: &mut Archive, report: &mut Report<'_>) -> Result<(), ArchiveError> {
    let mut runs = TableReader::new(&RUNS);
    let (mut all_turns, mut all_calls) =
        (TableReader::new(&RUN_TURNS), TableReader::new(&RUN_CALLS));
    let mut rows = 0;
    while let Some(row) = runs.next(archive).await? {
        let record = row.decode(record)?;
        row.decode(crate::runner::idempotency_key)?;
        let id = record.run.id;
        let (mut turns, mut calls) = (Vec::new(), Vec::new());
        while let Some(row) = all_turns.next_child(archive, id.uuid()).await? {
            turns.push(row.decode(turn)?);
        }
        while let Some(row) = all_calls.next_child(archive, id.uuid()).await? {
            calls.push(row.decode(call)?);
        }
        runner::replay(&record, &turns, &calls)
            .map_err(|mismatch| mismatch_error(Item::Run(id), mismatch))?;
        rows += 1;
        report(TableProgress { table: RUNS.name, rows, action: "replayed" });
    }
    all_turns.expect_end(archive).await?;
    all_calls.expect_end(archive).await
}

const fn mismatch_error(item: Item, mismatch: StateMismatch) -> ArchiveError {
    ArchiveError::Mismatch { item, mismatch }
}

/// The rows that are derived from debates: search texts, and counters.
struct DebateIndex {
    indexes: IndexMode,
    search: TableReader,
    /// Search rows to insert.
    new: Vec<TableRow>,
    counts: CounterChanges,
    stale_index: Option<StaleIndex>,
}

impl DebateIndex {
    const BATCH_ROWS: usize = 100;

    fn new(indexes: IndexMode) -> Self {
        let (search, counts) = (TableReader::new(&DEBATE_SEARCH), CounterChanges::default());
        Self { indexes, search, new: Vec::new(), counts, stale_index: None }
    }

    /// Compares or inserts the search row of a debate.
    async fn add(
        &mut self,
        archive: &mut Archive,
        debate: DebateId,
        text: String,
    ) -> Result<(), ArchiveError> {
        match self.indexes {
            IndexMode::Compare => {
                let found = self.search.find(archive, debate.uuid()).await?;
                let found = found.map(|row| row.decode(|row| row.maybe_text("folded")));
                if found.transpose()?.flatten() != Some(text) {
                    self.stale_index.get_or_insert(StaleIndex::Search(debate));
                }
            }
            IndexMode::Rebuild => {
                let values = vec![Value::Id(debate.uuid()), Value::from(text)];
                self.new.push(TableRow { table: &DEBATE_SEARCH, values });
                if self.new.len() == Self::BATCH_ROWS {
                    archive.insert(&DEBATE_SEARCH, &self.new).await?;
                    self.new.clear();
                }
            }
        }
        Ok(())
    }

    /// Compares or inserts the counters, after the last debate.
    async fn finish(mut self, archive: &mut Archive) -> Result<Option<StaleIndex>, ArchiveError> {
        let found: BTreeMap<String, i64> =
            self.counts.counts().map(|(bucket, count)| (bucket.to_owned(), count)).collect();
        if self.indexes == IndexMode::Rebuild {
            archive.insert(&DEBATE_SEARCH, &self.new).await?;
            let counters = found.into_iter().map(|(bucket, count)| TableRow {
                table: &DEBATE_COUNTS,
                values: vec![Value::from(bucket), Value::Number(0), Value::Number(count)],
            });
            archive.insert(&DEBATE_COUNTS, &counters.collect::<Vec<_>>()).await?;
            return Ok(None);
        }
        let mut counted = BTreeMap::new();
        for row in archive.page(&DEBATE_COUNTS, None).await? {
            let counter = row.decode(|row| Ok((row.text("bucket")?, row.count("debates")?)))?;
            counted.extend(std::iter::once(counter));
        }
        for bucket in found.keys().chain(counted.keys()) {
            let [found, counted] =
                [&found, &counted].map(|counts| counts.get(bucket).copied().unwrap_or(0));
            if found != counted {
                let bucket = bucket.clone();
                self.stale_index.get_or_insert(StaleIndex::Count { bucket, counted, found });
            }
        }
        Ok(self.stale_index)
    }
}

/// Reads a table row by row, a page at a time.
struct TableReader {
    table: &'static Table,
    page: VecDeque<TableRow>,
    last: Option<Vec<Value<'static>>>,
    is_at_end: bool,
}

impl TableReader {
    const fn new(table: &'static Table) -> Self {
        Self { table, page: VecDeque::new(), last: None, is_at_end: false }
    }

    async fn next(&mut self, archive: &mut Archive) -> Result<Option<TableRow>, ArchiveError> {
        self.load(archive).await?;
        Ok(self.page.pop_front())
    }

    /// The next row if it belongs to `owner`. A row of an earlier owner is an orphan, because all
    /// earlier owners were passed.
    async fn next_child(
        &mut self,
        archive: &mut Archive,
        owner: Uuid,
    ) -> Result<Option<TableRow>, ArchiveError> {
        self.load(archive).await?;
        match self.page.front() {
            Some(row) if row.owner() == Some(owner) => Ok(self.page.pop_front()),
            Some(row) if row.owner() < Some(owner) => Err(orphan(row)),
            Some(_) | None => Ok(None),
        }
    }

    /// The row of `owner`; rows before it are skipped.
    async fn find(
        &mut self,
        archive: &mut Archive,
        owner: Uuid,
    ) -> Result<Option<TableRow>, ArchiveError> {
        loop {
            self.load(archive).await?;
            match self.page.front() {
                Some(row) if row.owner() < Some(owner) => drop(self.page.pop_front()),
                Some(row) if row.owner() == Some(owner) => return Ok(self.page.pop_front()),
                Some(_) | None => return Ok(None),
            }
        }
    }

    /// Fails if a row is left: its owner does not exist.
    async fn expect_end(&mut self, archive: &mut Archive) -> Result<(), ArchiveError> {
        self.load(archive).await?;
        self.page.front().map_or(Ok(()), |row| Err(orphan(row)))
    }

    async fn load(&mut self, archive: &mut Archive) -> Result<(), ArchiveError> {
        if self.page.is_empty() && !self.is_at_end {
            let page = archive.page(self.table, self.last.as_deref()).await?;
            self.is_at_end = page.is_empty();
            self.last = page.last().map(|row| row.key().to_vec());
            self.page = page.into();
        }
        Ok(())
    }
}

fn orphan(row: &TableRow) -> ArchiveError {
    ArchiveError::Orphan { table: row.table.name, item: row.item() }
}
