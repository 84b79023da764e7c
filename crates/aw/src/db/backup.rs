//! `aw db backup`: copied, checked, and only then named.

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
            "{} is PostgreSQL, which has a tool of its own: \
             pg_dump --format=custom --file={} \"$DEBATE_DATABASE_URL\"",
            place.shown()?,
            to.display()
        ),
    };
    let backup = Backup::take(from, to)?;
    let folded = fold(&backup).await.context("no backup was kept")?;
    let bytes = backup.keep()?;
    let mut out = stdout().lock();
    writeln!(out, "backed up {} to {}", from.display(), to.display())?;
    if let Some(account) = folded {
        writeln!(out, "  {account}, {bytes} bytes")?;
        writeln!(out, "  checked: sound as a file, and every debate folds as the rules say")?;
    } else {
        writeln!(out, "  {bytes} bytes, of another layout than this version's")?;
        writeln!(out, "  checked: sound as a file")?;
    }
    Ok(())
}

async fn fold(backup: &Backup) -> anyhow::Result<Option<Account>> {
    let Some(mut copied) = backup.read()? else { return Ok(None) };
    let account = account(&mut copied).await?;
    super::copy::tell_of_stale(&account, "aw db copy makes a copy that has it right");
    Ok(Some(account))
}
