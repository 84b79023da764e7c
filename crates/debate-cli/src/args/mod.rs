//! The command line, word by word. Every command's help ends with examples that can be pasted.

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

Exit codes: 0 ok, also a wait that ran out; 2 not found, or wrong usage; 3 network or server;
4 input or file; 5 not allowed now, or a conflict; 6 not authorized.

Environment: DEBATE_SERVER_URL (http://127.0.0.1:3456), DEBATE_AUTH_TOKEN, DEBATE_WAIT_DEADLINE
(120 seconds), DEBATE_RETRY_DEADLINE (10), DEBATE_POLL_INTERVAL (the shortest pause between two
tries, 0.1), DEBATE_AUTO_START (true), NO_COLOR."
)]
pub struct DebateArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Common {
    /// How the result is shown; text on a terminal, json elsewhere, unless you say
    #[arg(long, global = true, value_enum, help_heading = "Everywhere")]
    pub(crate) format: Option<Format>,
    /// The server's URL [DEBATE_SERVER_URL, port 3456 of this machine]
    #[arg(long, global = true, value_name = "URL", help_heading = "Everywhere")]
    pub(crate) server: Option<String>,
    /// A file that holds the server's token, readable by you alone [DEBATE_AUTH_TOKEN]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Everywhere")]
    pub(crate) token_file: Option<PathBuf>,
    /// Say nothing on standard error but what went wrong
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) quiet: bool,
}

/// How a result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // Without words of their own in --help: they would spread each flag over several lines.
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
