//! A data folder made once and copied for each cluster: `initdb` takes a second, a copy a tenth.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use tempfile::TempDir;

use crate::account;
use crate::programs::Programs;

/// To be raised with every change to what a template holds.
const EDITION: u32 = 2;

/// The superuser that is trusted.
pub(crate) const SUPERUSER: &str = "postgres";

/// The superuser that has to show a password, and the password.
pub(crate) const GUARDED: (&str, &str) = ("guarded", "s3cret");

/// Who is let in, and how; the first line that fits counts.
const ADMISSION: &str = "\
host all         guarded 127.0.0.1/32 scram-sha-256
host all         all     127.0.0.1/32 trust
host replication all     127.0.0.1/32 trust
";

/// Copies the template to `data`, which must not exist yet, and makes it first if need be.
pub(crate) fn copy_to(data: &Path, programs: &Programs) -> anyhow::Result<()> {
    let name = format!("postgresql-{}-edition-{EDITION}", programs.version());
    let template = shelf().join(name);
    if !template.exists() {
        make(&template, programs).context("cannot make a template of a data folder")?;
    }
    copy(&template, data)?;
    account::give(data)
}

/// Under cargo's target folder, so that `cargo clean` finds it too.
fn shelf() -> PathBuf {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    house.join(target).join("testbed")
}

fn make(template: &Path, programs: &Programs) -> anyhow::Result<()> {
    // Where the account that runs it can reach; the target folder may be closed to it.
    let workshop = TempDir::new()?;
    account::give(workshop.path())?;
    let data = workshop.path().join("data");
    let mut initdb = programs.command("initdb");
    initdb.args(["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=trust"]);
    account::run(initdb.args(["--username", SUPERUSER, "--pgdata"]).arg(&data))?;
    fs::write(data.join("pg_hba.conf"), ADMISSION)?;
    add_guarded_superuser(&data, programs)?;

    let shelf = template.parent().context("a template lies on a shelf")?;
    fs::create_dir_all(shelf)?;
    let made = TempDir::with_prefix_in("making-", shelf)?;
    copy(&data, &made.path().join("data"))?;
    match fs::rename(made.path().join("data"), template) {
        // Another process was faster: its template is as good as ours.
        Err(_) if template.exists() => Ok(()),
        renamed => Ok(renamed?),
    }
}

/// By the server's single-user mode, which needs no port.
fn add_guarded_superuser(data: &Path, programs: &Programs) -> anyhow::Result<()> {
    let (name, password) = GUARDED;
    let statement = format!("create role {name} superuser login password '{password}'");
    let (reader, mut writer) = std::io::pipe()?;
    std::io::Write::write_all(&mut writer, statement.as_bytes())?;
    drop(writer);
    let mut single = programs.command("postgres");
    single.arg("--single").arg("-D").arg(data).arg("postgres");
    account::run(single.stdin(Stdio::from(reader)))?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    account::run(Command::new("cp").args(["-a", "--"]).arg(from).arg(to))?;
    Ok(())
}
