//! `aw db status` and `aw db migrate`.

use std::io::{Write, stdout};

use debate_store::{Consent, DatabaseStatus};
use serde_json::json;

use crate::database::DatabaseLocation;

pub(super) async fn show_status(location: &DatabaseLocation, as_json: bool) -> anyhow::Result<()> {
    let (database, status) = (location.display_name()?, location.inspect().await?);
    let DatabaseStatus { engine, layout, known, debates, arguments, runs, turns, .. } = &status;
    let DatabaseStatus { agents, posts, bytes, .. } = &status;
    let mut out = stdout().lock();
    if as_json {
        let json = json!({
            "database": database,
            "engine": engine,
            "layout": layout,
            "layout_known": known,
            "debates": debates,
            "arguments": arguments,
            "runs": runs,
            "turns": turns,
            "agents": agents,
            "posts": posts,
            "bytes": bytes,
        });
        writeln!(out, "{json}")?;
        return Ok(());
    }
    writeln!(out, "database   {database}")?;
    writeln!(out, "engine     {engine}")?;
    writeln!(out, "schema     {}", describe_version(*layout, *known))?;
    writeln!(out, "debates    {debates}")?;
    writeln!(out, "arguments  {arguments}")?;
    writeln!(out, "runs       {runs}")?;
    writeln!(out, "turns      {turns}")?;
    writeln!(out, "agents     {agents}")?;
    writeln!(out, "posts      {posts}")?;
    writeln!(out, "size       {bytes} bytes")?;
    Ok(())
}

fn describe_version(layout: Option<i64>, known: i64) -> String {
    match layout {
        None => format!("none yet; aw serve or aw db migrate creates version {known}"),
        Some(found) if found < known => {
            format!("version {found}; aw serve or aw db migrate migrates it to version {known}")
        }
        Some(found) if found > known => {
            format!("version {found}; this aw supports up to version {known}: use a newer aw")
        }
        Some(found) => format!("version {found} (current)"),
    }
}

pub(super) async fn migrate(location: &DatabaseLocation, consent: Consent) -> anyhow::Result<()> {
    let migrated = location.migrate(consent).await?;
    let (database, to) = (location.display_name()?, migrated.to);
    let done = match migrated.from {
        None => format!("created with schema version {to}"),
        Some(from) if from == to => format!("already has schema version {to}"),
        Some(from) => format!("migrated from schema version {from} to {to}"),
    };
    writeln!(stdout().lock(), "{database}: {done}")?;
    Ok(())
}
