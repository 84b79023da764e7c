//! Who runs PostgreSQL: ourselves, or Debian's `postgres` when we are root, as whom it refuses.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

/// Made by Debian's package.
const ACCOUNT: &str = "postgres";

fn is_root() -> bool {
    // What this process is, as the kernel shows it; there is no safe call for it in std.
    std::fs::metadata("/proc/self").is_ok_and(|myself| myself.uid() == 0)
}

/// A command of that account, with nothing of the tester's own environment but the PATH.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = if is_root() {
        // It becomes the program instead of staying above it, so that ids and signals are right.
        let mut command = Command::new("setpriv");
        command.args(["--reuid", ACCOUNT, "--regid", ACCOUNT, "--init-groups", "--"]);
        command.arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("LC_ALL", "C")
        // Ours may be closed to that account.
        .current_dir("/");
    command
}

/// Gives a folder and all that is in it to that account.
pub(crate) fn give(folder: &Path) -> anyhow::Result<()> {
    if is_root() {
        run(Command::new("chown").arg("-R").arg(format!("{ACCOUNT}:")).arg(folder))?;
    }
    Ok(())
}

/// Runs a command to its end; what it said is told when it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_owned();
    let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}", program.display(), said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
