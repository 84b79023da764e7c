//! `aw db backup`: the copy gets its final name only after it was checked.

use std::io::{Write, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use debate_store::{Backup, DatabaseSummary, check};

use super::progress::{ProgressLines, warn_about_stale_index};
use crate::database::DatabaseLocation;

pub(super) async fn back_up(location: &DatabaseLocation, to: &Path) -> anyhow::Result<()> {
    let from = match location {
        DatabaseLocation::File { path, .. } => path,
        DatabaseLocation::Server { .. } => bail!(
            "{} is PostgreSQL, and aw db backup copies only SQLite files; use: \
             pg_dump --format=custom --file={} \"$DEBATE_DATABASE_URL\"",
            location.display_name()?,
            to.display()
        ),
    };
    let backup = Backup::create(from, to)?;
    let summary = check_backup(&backup).await.context("the backup was discarded")?;
    let bytes = backup.finish()?;
    let mut out = stdout().lock();
    writeln!(out, "backed up {} to {}", from.display(), to.display())?;
    if let Some(summary) = summary {
        writeln!(out, "  {summary}, {bytes} bytes")?;
        writeln!(out, "  checked: file integrity, and the replay of every debate and run")?;
    } else {
        writeln!(out, "  {bytes} bytes")?;
        writeln!(out, "  checked: file integrity only; its schema version is not the current one")?;
    }
    Ok(())
}

/// Replays every debate and run of the backup; none if its schema version is not the current one.
async fn check_backup(backup: &Backup) -> anyhow::Result<Option<DatabaseSummary>> {
    let Some(mut archive) = backup.archive()? else { return Ok(None) };
    let mut lines = ProgressLines::new();
    let summary = check(&mut archive, &mut |progress| lines.show(progress)).await?;
    warn_about_stale_index(&summary, "a copy made with aw db copy is correct");
    Ok(Some(summary))
}
