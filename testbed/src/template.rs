//! A data folder that is created once and copied for each cluster: `initdb` takes a second, a copy
//! a tenth of that.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use tempfile::TempDir;

use crate::account;
use crate::programs::Programs;

/// Increase it with every change to the content of the template.
const TEMPLATE_VERSION: u32 = 2;

/// The superuser without a password.
pub(crate) const SUPERUSER: &str = "postgres";

/// The superuser with a password, and that password.
pub(crate) const PASSWORD_SUPERUSER: (&str, &str) = ("guarded", "s3cret");

/// The host-based authentication file; the first matching line counts.
const HBA_FILE: &str = "\
host all         guarded 127.0.0.1/32 scram-sha-256
host all         all     127.0.0.1/32 trust
host replication all     127.0.0.1/32 trust
";

/// Copies the template to `data`, which must not exist yet, and creates the template if necessary.
pub(crate) fn copy_to(data: &Path, programs: &Programs) -> anyhow::Result<()> {
    let name = format!("postgresql-{}-edition-{TEMPLATE_VERSION}", programs.version());
    let template = template_dir().join(name);
    if !template.exists() {
        make(&template, programs).context("cannot make a template of a data folder")?;
    }
    copy(&template, data)?;
    account::change_owner(data)
}

/// In cargo's target folder, so that `cargo clean` removes it.
fn template_dir() -> PathBuf {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    house.join(target).join("testbed")
}

fn make(template: &Path, programs: &Programs) -> anyhow::Result<()> {
    // A folder that the account of the server can reach; the target folder may be closed to it.
    let scratch = TempDir::new()?;
    account::change_owner(scratch.path())?;
    let data = scratch.path().join("data");
    let mut initdb = programs.command("initdb");
    initdb.args(["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=trust"]);
    account::run(initdb.args(["--username", SUPERUSER, "--pgdata"]).arg(&data))?;
    fs::write(data.join("pg_hba.conf"), HBA_FILE)?;
    add_guarded_superuser(&data, programs)?;

    let template_dir = template.parent().context("a template lies on a shelf")?;
    fs::create_dir_all(template_dir)?;
    let made = TempDir::with_prefix_in("making-", template_dir)?;
    copy(&data, &made.path().join("data"))?;
    match fs::rename(made.path().join("data"), template) {
        // Another process created the same template first.
        Err(_) if template.exists() => Ok(()),
        renamed => Ok(renamed?),
    }
}

/// Uses the server's single-user mode, which needs no port.
fn add_guarded_superuser(data: &Path, programs: &Programs) -> anyhow::Result<()> {
    let (name, password) = PASSWORD_SUPERUSER;
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
