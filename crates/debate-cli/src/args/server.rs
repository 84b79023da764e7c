//! The commands for the server on this machine: `aw open`, `status`, `stop`, `restart`, `logs`.

use clap::{Args, Subcommand};

use super::Common;
use crate::completion::debate_completer;

/// The commands for the server on this machine.
#[derive(Debug, Subcommand)]
pub enum ServerCommand {
    /// Open the pages or a debate in the browser; starts a local server if none is running
    #[command(after_help = "\
Examples:
  aw open
  aw open cache-the-index-k3f7

On a terminal the link signs the browser in as the arbitrator, once and within 5 minutes. Without a
browser the command prints the URL of the page.")]
    Open(PageArgs),
    /// Show the server's address, process and health
    #[command(after_help = "\
Examples:
  aw status
  aw status --format json")]
    Status(ServerArgs),
    /// Stop the server if `aw` started it in the background
    #[command(after_help = "\
Example:
  aw stop

A server that was started with `aw serve` is not stopped: press Ctrl-C in its terminal.")]
    Stop(ServerArgs),
    /// Restart the background server with the settings of this environment
    #[command(after_help = "\
Examples:
  aw restart
  OPENAI_API_KEY=$KEY aw restart

Accepts new API keys of providers. If another setting of the server is missing or different in this
environment, the command names it and asks; without a terminal it fails.")]
    Restart(ServerArgs),
    /// Show the log of the background server
    #[command(after_help = "\
Examples:
  aw logs
  aw logs --lines 20
  aw logs -f

The log is in ~/.aweave/run. Ctrl-C ends -f.")]
    Logs(LogsArgs),
}

impl ServerCommand {
    pub(crate) const fn common(&self) -> &Common {
        match self {
            Self::Open(args) => &args.common,
            Self::Status(args) | Self::Stop(args) | Self::Restart(args) => &args.common,
            Self::Logs(args) => &args.common,
        }
    }
}

/// The arguments of `aw open`.
#[derive(Debug, Args)]
pub struct PageArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Slug or ID of the debate [default: open the home page]
    #[arg(value_name = "DEBATE", add = debate_completer())]
    pub(crate) debate: Option<String>,
}

/// The arguments of a command without flags of its own.
#[derive(Debug, Default, Args)]
pub struct ServerArgs {
    #[command(flatten)]
    pub(crate) common: Common,
}

/// The arguments of `aw logs`.
#[derive(Debug, Args)]
pub struct LogsArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Print new lines as the server writes them, until Ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Number of lines at the end of the log to print first
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    pub(crate) lines: usize,
}
