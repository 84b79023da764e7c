//! `aw completions` prints shell completions, and `aw man` writes man pages.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};

/// The arguments of `aw completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  aw completions bash > ~/.local/share/bash-completion/completions/aw
  aw completions zsh > ~/.zfunc/_aw
  aw completions fish > ~/.config/fish/completions/aw.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell to print the script for
    shell: Shell,
}

/// The arguments of `aw man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  aw man --out ~/.local/share/man/man1 && man aw-debate-wait")]
pub(crate) struct ManArgs {
    /// Folder to write the pages to; created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

/// The variable by which a completion script asks `aw` for values.
pub(crate) const COMPLETION_VARIABLE: &str = "AW_COMPLETE";

/// Answers a completion script and ends the process, if one asks.
pub(crate) fn complete(aw: fn() -> clap::Command) {
    CompleteEnv::with_factory(aw).var(COMPLETION_VARIABLE).bin("aw").complete();
}

/// Prints a script that asks `aw` for values, so that it offers the slugs of debates.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell.to_string()).context("the shell is not supported")?;
    shell.write_registration(COMPLETION_VARIABLE, "aw", "aw", "aw", &mut script)?;
    match io::stdout().write_all(&script) {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => Err(err.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

pub(crate) fn man_pages(args: &ManArgs, aw: clap::Command) -> anyhow::Result<()> {
    let error_context = || format!("cannot write manual pages to {}", args.out.display());
    fs::create_dir_all(&args.out).with_context(error_context)?;
    clap_mangen::generate_to(aw, &args.out).with_context(error_context)
}
