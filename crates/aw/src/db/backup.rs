//! `aw db backup`: the copy gets its final name only after it was checked.

use std::io::{Write, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use debate_app::moving::{Account, account};
use debate_store::Backup;

use crate::database::Place;

pub(super) async fn make(place: &Place, to: &Path) -> anyhow::Result<()> {
    let from = match place {
        Place::File { path, .. } => path,
        Place::Server { .. } => bail!(
            "{} is PostgreSQL, and aw db backup copies only SQLite files; use: \
             pg_dump --format=custom --file={} \"$DEBATE_DATABASE_URL\"",
            place.shown()?,
            to.display()
        ),
    };
    let backup = Backup::take(from, to)?;
    let folded = fold(&backup).await.context("the backup was discarded")?;
    let bytes = backup.keep()?;
    let mut out = stdout().lock();
    writeln!(out, "backed up {} to {}", from.display(), to.display())?;
    if let Some(account) = folded {
        writeln!(out, "  {account}, {bytes} bytes")?;
        writeln!(out, "  checked: file integrity, and the replay of every debate and run")?;
    } else {
        writeln!(out, "  {bytes} bytes")?;
        writeln!(out, "  checked: file integrity only; its schema version is not the current one")?;
    }
    Ok(())
}

async fn fold(backup: &Backup) -> anyhow::Result<Option<Account>> {
    let Some(mut copied) = backup.read()? else { return Ok(None) };
    let account = account(&mut copied).await?;
    super::copy::tell_of_stale(&account, "a copy made with aw db copy is correct");
    Ok(Some(account))
}
