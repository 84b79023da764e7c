//! `aw db copy` and `aw db check`.

use std::io::{Write, stdout};

use anyhow::Context;
use debate_store::{CopyResult, check, copy};

use super::progress::{ProgressLines, warn_about_stale_index};
use crate::database::DatabaseLocation;

/// Copies a whole database into an empty one, or nothing.
pub(super) async fn copy_database(
    from: &DatabaseLocation,
    to: &DatabaseLocation,
) -> anyhow::Result<()> {
    let (from_name, to_name) = (from.display_name()?, to.display_name()?);
    let CopyResult { read, written } = copy_rows(from, to)
        .await
        .with_context(|| format!("cannot copy {from_name} to {to_name}"))?;
    warn_about_stale_index(&read, "the copy is correct");
    let mut out = stdout().lock();
    writeln!(out, "copied {from_name} to {to_name}")?;
    writeln!(out, "  read     {read}")?;
    writeln!(out, "  written  {written}")?;
    writeln!(out, "  verified: identical content, and the replay of every debate and run")?;
    Ok(())
}

async fn copy_rows(from: &DatabaseLocation, to: &DatabaseLocation) -> anyhow::Result<CopyResult> {
    // The source first, so that a source that cannot be read leaves no new destination behind.
    let mut source = from.source().await?;
    let mut destination = to.destination().await?;
    let mut lines = ProgressLines::new();
    Ok(copy(&mut source, &mut destination, &mut |progress| lines.show(progress)).await?)
}

/// Replays every debate and run by the rules. Fails with the first difference.
pub(super) async fn check_database(location: &DatabaseLocation) -> anyhow::Result<()> {
    let name = location.display_name()?;
    let mut archive = location.source().await?;
    let mut lines = ProgressLines::new();
    let summary = check(&mut archive, &mut |progress| lines.show(progress))
        .await
        .with_context(|| format!("the check of {name} failed"))?;
    warn_about_stale_index(&summary, "only lists and searches use it, and aw db copy corrects it");
    let mut out = stdout().lock();
    writeln!(out, "checked {name}")?;
    writeln!(out, "  {summary}")?;
    writeln!(out, "  every debate and run has the state that the rules lead to")?;
    Ok(())
}
