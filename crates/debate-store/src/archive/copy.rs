//! Checking a database, and copying it into an empty one. A copy is committed only after what was
//! written was read back, replayed and found equal.

use super::digest::DigestBuilder;
use super::replay::{IndexMode, replay};
use super::tables::COPIED;
use super::{Archive, ArchiveError, DatabaseSummary, Digest, Report, TableProgress};
use crate::sql::Value;

/// Both sides of a copy that succeeded; they have the same rows.
#[derive(Debug, Clone)]
pub struct CopyResult {
    /// The rows of the source.
    pub read: DatabaseSummary,
    /// The destination, as it was read back before the commit.
    pub written: DatabaseSummary,
}

/// Replays every debate and run of the database and digests every row. Fails at the first
/// difference between stored values and the rules.
pub async fn check(
    archive: &mut Archive,
    report: &mut Report<'_>,
) -> Result<DatabaseSummary, ArchiveError> {
    let stale_index = replay(archive, IndexMode::Compare, report).await?;
    let (rows, digest) = read_tables(archive, None, report).await?;
    Ok(DatabaseSummary { rows, digest, stale_index })
}

/// Fills `destination`, which must be empty, with all rows of `source`, and commits it. After an
/// error nothing was written.
pub async fn copy(
    source: &mut Archive,
    destination: &mut Archive,
    report: &mut Report<'_>,
) -> Result<CopyResult, ArchiveError> {
    if let Some(table) = destination.first_used_table().await? {
        return Err(ArchiveError::NotEmpty(table));
    }
    let stale_index = replay(source, IndexMode::Compare, report).await?;
    let (rows, digest) = read_tables(source, Some(destination), report).await?;
    let read = DatabaseSummary { rows, digest, stale_index };
    destination.prepare_derived().await?;
    replay(destination, IndexMode::Rebuild, report).await?;
    let (rows, digest) = read_tables(destination, None, report).await?;
    let written = DatabaseSummary { rows, digest, stale_index: None };
    if (&read.rows, read.digest) != (&written.rows, written.digest) {
        let (read, written) = (Box::new(read), Box::new(written));
        return Err(ArchiveError::Different { read, written });
    }
    destination.commit().await.map_err(ArchiveError::Commit)?;
    Ok(CopyResult { read, written })
}

/// Digests every row, table by table, and inserts it into `destination` if there is one.
async fn read_tables(
    source: &mut Archive,
    mut destination: Option<&mut Archive>,
    report: &mut Report<'_>,
) -> Result<(Vec<(&'static str, u64)>, Digest), ArchiveError> {
    let (mut digest, mut counts) = (DigestBuilder::default(), Vec::new());
    let action = if destination.is_some() { "copied" } else { "read" };
    for table in COPIED {
        let mut rows = 0;
        let mut last: Option<Vec<Value<'static>>> = None;
        loop {
            let page = source.page(table, last.as_deref()).await?;
            let Some(newest) = page.last() else { break };
            last = Some(newest.key().to_vec());
            for row in &page {
                digest.add_row(table.name, &row.values);
                rows += 1;
            }
            if let Some(destination) = &mut destination {
                destination.insert(table, &page).await?;
            }
            report(TableProgress { table: table.name, rows, action });
        }
        counts.push((table.name, rows));
    }
    Ok((counts, digest.finish()))
}
