//! Statements for tests, run by `psql`.

use crate::account;
use crate::programs::Programs;

/// Runs statements on the database of a URL, each in its own transaction, and stops at the first
/// that fails. Returns their rows: one line each, columns separated by `|`.
pub fn run(url: &str, statements: &[&str]) -> anyhow::Result<String> {
    let mut psql = Programs::find()?.command("psql");
    psql.args(["--no-psqlrc", "--no-password", "--quiet", "--tuples-only", "--no-align"]);
    psql.args(["--set", "ON_ERROR_STOP=1"]);
    for statement in statements {
        psql.args(["--command", statement]);
    }
    account::run(psql.arg(url))
}
