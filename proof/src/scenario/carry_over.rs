//! F28: kill -9 while a server migrates a file of an old layout; the next start must find every
//! row, and the backup that precedes the migration of a Node server's file must be complete.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::start_kill::{Moment, StartKills, version_left};
use crate::old_layout::{ExpectedRows, OldLayout, read_version};
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    for layout in OldLayout::ALL {
        let old = OldFile::make(layout, plan.by_tier(2_000, 12_000))?;
        kill_carry_overs(plan, &old, &mut rng, report).await?;
    }
    Ok(())
}

/// A file of an old layout; each server gets a copy.
struct OldFile {
    layout: OldLayout,
    folder: TempDir,
    rows: ExpectedRows,
}

async fn kill_carry_overs(
    plan: &Plan,
    old: &OldFile,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let layout = old.layout;
    let mut server = old.server(plan)?;
    let mut kills = StartKills::measure(&mut server, mark).await?;
    for violation in old.check(&mut server).await? {
        report.expect(false, format!("{layout:?}, undisturbed: {violation}"));
    }

    let wanted = plan.by_tier(5, 100);
    while kills.total() < wanted {
        let mut server = old.server(plan)?;
        kills.kill(&mut server, rng).await?;
        kills.count(old.moment_of_kill(&server)?);
        // Sometimes the second attempt is killed too.
        if kills.total() < wanted && rng.u8(..4) == 0 {
            kills.kill(&mut server, rng).await?;
            kills.count(old.moment_of_kill(&server)?);
        }
        let kill = kills.total();
        let found = match server.restart().await {
            Ok(_) => old.check(&mut server).await?,
            Err(err) => vec![format!("{err:#}")],
        };
        for violation in found {
            report.expect(false, format!("{layout:?}, kill {kill}: {violation}"));
        }
    }
    report.fact(format!("{layout:?}: {kills}"));
    let least = plan.by_tier(0, wanted / 5);
    report.expect(kills.inside() >= least, format!("{layout:?}: fewer than {least} inside"));
    Ok(())
}

impl OldFile {
    fn make(layout: OldLayout, arguments: u32) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let path = folder.path().join("debate.db");
        layout.make(&path, arguments)?;
        let rows = ExpectedRows::read(layout, &path)?;
        Ok(Self { layout, folder, rows })
    }

    /// A server that has not started yet, with a copy of the file.
    fn server(&self, plan: &Plan) -> anyhow::Result<Server> {
        let setup = Setup::new(plan)?;
        let database = setup.database();
        if let Some(folder) = database.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::copy(self.folder.path().join("debate.db"), database)?;
        setup.prepare()
    }

    fn moment_of_kill(&self, server: &Server) -> anyhow::Result<Moment> {
        let database = server.setup.database();
        let version = version_left(&database)?;
        if version.as_deref() != self.layout.version() {
            return Ok(Moment::After);
        }
        let begun = beside(&database)?.iter().any(|name| {
            name.contains(".mark") || name.contains(".original-") || name.ends_with("-journal")
        });
        Ok(if begun { Moment::Inside } else { Moment::Before })
    }

    /// The defects of a running server's file. Stops the server.
    async fn check(&self, server: &mut Server) -> anyhow::Result<Vec<String>> {
        let mut report_wrong = Vec::new();
        let listed = server.api.get_answered("/debates?limit=1").await?;
        let total = listed.data().get("total").and_then(Value::as_u64);
        let expected = u64::try_from(self.rows.count("debates"))?;
        if total != Some(expected) {
            report_wrong.push(format!("the list counts {total:?} debates instead of {expected}"));
        }
        server.stop_and_inspect().await?;
        let database = server.setup.database();
        report_wrong.extend(self.rows.missing_in(&database));
        if read_version(&database)?.as_deref() == self.layout.version() {
            report_wrong.push("the file still has its old layout".to_owned());
        }
        report_wrong.extend(self.check_backup(&database)?);
        Ok(report_wrong)
    }

    /// Checks that the backup of a Node server's file contains every row; other
    /// layouts have no backup.
    fn check_backup(&self, database: &Path) -> anyhow::Result<Vec<String>> {
        let names = beside(database)?;
        let backups: Vec<_> = names.iter().filter(|name| name.contains(".original-")).collect();
        Ok(match (self.layout, &backups[..]) {
            (OldLayout::Express | OldLayout::Prisma, [backup]) => {
                self.rows.missing_in_backup(&database.with_file_name(backup))
            }
            (
                OldLayout::V2
                | OldLayout::V3
                | OldLayout::V4
                | OldLayout::V5
                | OldLayout::V6
                | OldLayout::V7,
                [],
            ) => Vec::new(),
            (_, other) => vec![format!("backups: {other:?}")],
        })
    }
}

/// The marker file of the write-ahead log, which the server creates just before
/// it changes the layout.
fn mark(database: &Path) -> PathBuf {
    database.with_file_name("debate.db.mark")
}

/// The names of the files in the database's folder.
fn beside(database: &Path) -> anyhow::Result<Vec<String>> {
    let folder = database.parent().unwrap_or(database);
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}
