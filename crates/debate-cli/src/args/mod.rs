//! The command line. Every command's help ends with examples that can be pasted.

mod agent;
mod arena;
mod config;
mod forum;
mod runner;
mod server;
mod value_parsers;

pub(crate) use agent::{ArbitratorFlag, AsFlag, JoinArgs, NewArgs, NextArgs, SayArgs, ShowArgs};
pub use agent::{PromptArgs, RuleArgs};
pub(crate) use arena::{
    AppealArgs, CompletionArgs, ContextArgs, CreateArgs, DebateCommand, DebateFlag, DeleteArgs,
    ExportArgs, InterventionArgs, KeyFlag, ListArgs, OpenArgs, RulingArgs, ServicesCommand,
    SubmitArgs, WaitArgs, WatchArgs,
};
pub use config::ConfigArgs;
pub(crate) use config::{ConfigCommand, SetKeyArgs};
pub use forum::ForumArgs;
pub(crate) use forum::{
    AppealForumArgs, ClaimArg, DecideArgs, ForumCommand, ForumDeleteArgs, PageFlags, PostArgs,
    ProblemCommand, ProblemListArgs, ProposeArgs, RaiseArgs, RegisterArgs, RequiredCredential,
    ReviewCommand, ReviewListArgs, RotateArgs, SolutionCommand, SolutionListArgs, StatusArgs,
    ThreadArgs, UpvoteArgs,
};
pub use runner::RunArgs;
pub(crate) use runner::{
    ResumeArgs, RunArg, RunCommand, RunDeleteArgs, RunExportArgs, RunListArgs, StartArgs,
};

pub(crate) use server::LogsArgs;
pub use server::ServerCommand;

use std::path::PathBuf;

use clap::ValueEnum;
use debate_settings::Setting;
use debate_settings::table::{
    AUTO_START, CLIENT_TOKEN, POLL_INTERVAL, RETRY_DEADLINE, SERVER_URL, WAIT_DEADLINE,
};

/// The arguments of `aw debate`.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = with_variables("\
A debate between two agents, each in its own session:
  aw debate new plan.md
  aw debate join cache-the-index-k3f7
  aw debate say -f answer.md
  aw debate next

`create`, `submit` and `wait` are for programs that keep ids themselves. In JSON output each move
has the command for it.

Exit codes:
  0  success, including a wait that timed out
  2  debate or argument not found, or a usage error
  3  network or server error
  4  invalid input or file
  5  not allowed in the current state, or a conflict
  6  not authorized
", &[CLIENT_TOKEN])
)]
pub struct DebateArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: DebateCommand,
}

/// The end of a help page: `text`, and the environment variables of a
/// command with these credentials.
fn with_variables(text: &str, credentials: &[Setting]) -> String {
    let others = [WAIT_DEADLINE, RETRY_DEADLINE, POLL_INTERVAL, AUTO_START];
    let rows = [&[SERVER_URL], credentials, &others].concat();
    let line = |row: &Setting| {
        let default = row.default.map(|default| format!(" ({default})")).unwrap_or_default();
        format!("  {:<21}  {}{default}\n", row.variable, row.summary())
    };
    let lines = rows.iter().map(line).collect::<Vec<_>>().concat();
    let heading = "Environment variables, with defaults in parentheses:";
    format!("{text}\n{heading}\n{lines}  NO_COLOR               Turn colours off")
}

/// The flags of every command.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Common {
    /// Output format [default: text on a terminal, json otherwise]
    #[arg(long, global = true, value_enum, help_heading = "Global options")]
    pub(crate) format: Option<Format>,
    #[arg(long, global = true, value_name = "URL", help_heading = "Global options",
        help = SERVER_URL.help())]
    pub(crate) server: Option<String>,
    /// File with the server's token, readable only by you [DEBATE_AUTH_TOKEN]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub(crate) token_file: Option<PathBuf>,
    /// Print no progress messages, only the result and errors
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
}

/// The format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // Without descriptions in --help, which would spread each flag over several lines.
    Json,
    #[value(alias = "md")]
    Markdown,
    Text,
}

impl Format {
    /// As it is written on a command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }
}

/// The format of an exported transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentFormat {
    #[value(alias = "md")]
    Markdown,
    Json,
    Html,
}
