//! The command line. Every command's help ends with examples that can be pasted.

mod commands;
mod forum;
mod run;
mod words;

pub(crate) use words::name;

pub(crate) use commands::{
    AppealArgs, Command, CompletionArgs, ContextArgs, CreateArgs, DeleteArgs, Document, ExportArgs,
    InterventionArgs, KeyFlag, ListArgs, OpenArgs, RulingArgs, ServicesCommand, SubmitArgs,
    WaitArgs, WatchArgs,
};
pub use forum::ForumArgs;
pub(crate) use forum::{
    AppealForumArgs, Caller, ClaimArg, DecideArgs, ForumCommand, ForumDeleteArgs, PageFlags,
    PostArgs, ProblemCommand, ProblemListArgs, ProposeArgs, RaiseArgs, RegisterArgs, ReviewCommand,
    ReviewListArgs, RotateArgs, SolutionCommand, SolutionListArgs, StatusArgs, ThreadArgs,
    UpvoteArgs,
};
pub use run::RunArgs;
pub(crate) use run::{
    ResumeArgs, RunArg, RunCommand, RunDeleteArgs, RunDocument, RunExportArgs, RunListArgs,
    StartArgs,
};

use std::path::PathBuf;

use clap::ValueEnum;

/// `aw debate`
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A debate in three steps:
  D=$(aw debate generate-id --format text)
  aw debate create --debate-id $D --title 'Cache the index' --type general_debate \\
      --content 'We keep the index in memory.'
  aw debate wait --debate-id $D --role opponent

Exit codes:
  0  success, including a wait that timed out
  2  debate or argument not found, or a usage error
  3  network or server error
  4  invalid input or file
  5  not allowed in the current state, or a conflict
  6  not authorized

Environment variables, with defaults in parentheses:
  DEBATE_SERVER_URL      URL of the server (http://127.0.0.1:3456)
  DEBATE_AUTH_TOKEN      token of the server
  DEBATE_WAIT_DEADLINE   seconds that `wait` waits, and that `watch` tries to reconnect (120)
  DEBATE_RETRY_DEADLINE  seconds during which any other request is retried (10)
  DEBATE_POLL_INTERVAL   minimum pause between two attempts, in seconds (0.1)
  DEBATE_AUTO_START      start a local server if none is running (true)
  NO_COLOR               turn colours off"
)]
pub struct DebateArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The flags of every command.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Common {
    /// Output format [default: text on a terminal, json otherwise]
    #[arg(long, global = true, value_enum, help_heading = "Global options")]
    pub(crate) format: Option<Format>,
    /// URL of the server [DEBATE_SERVER_URL, http://127.0.0.1:3456]
    #[arg(long, global = true, value_name = "URL", help_heading = "Global options")]
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
