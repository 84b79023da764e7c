//! The account that runs PostgreSQL: the current user, or Debian's `postgres` if that user is root,
//! since PostgreSQL refuses to run as root.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

/// The account that Debian's package creates.
const ACCOUNT: &str = "postgres";

fn is_root() -> bool {
    // The owner of this process as the kernel shows it; the standard library has no
    // safe call for it.
    std::fs::metadata("/proc/self").is_ok_and(|myself| myself.uid() == 0)
}

/// A command under that account. Its environment contains only PATH.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = if is_root() {
        // `setpriv` replaces itself by the program, so that process ids and signals are
        // those of the program.
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
        // The current folder may be closed to that account.
        .current_dir("/");
    command
}

/// Makes that account the owner of a folder and its content.
pub(crate) fn change_owner(folder: &Path) -> anyhow::Result<()> {
    if is_root() {
        run(Command::new("chown").arg("-R").arg(format!("{ACCOUNT}:")).arg(folder))?;
    }
    Ok(())
}

/// Runs a command to its end; an error contains its output.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_owned();
    let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}", program.display(), said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
