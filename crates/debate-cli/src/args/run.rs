//! `aw run`, word by word.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Common, words};

/// `aw run`
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
See one in a minute, without a key: nothing configured means the built-in demo.
  aw run start 'Tabs are better than spaces' --follow

Exit codes: 0 ok, and for --follow and follow: completed; 2 not found, or wrong usage; 3 network or
server, or the debate has failed; 4 input or file; 5 not possible as it stands, or the debate that
was followed has been stopped or canceled; 6 not authorized; 130 Ctrl-C, and the debate goes on.

Environment: DEBATE_SERVER_URL (http://127.0.0.1:3456), DEBATE_AUTH_TOKEN, DEBATE_WAIT_DEADLINE (how
long follow puts up with a server that is away, 120 seconds), DEBATE_RETRY_DEADLINE (10),
DEBATE_POLL_INTERVAL (the shortest pause between two tries, 0.1), DEBATE_AUTO_START (true),
NO_COLOR."
)]
pub struct RunArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: RunCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    /// Let two models debate a topic and a third judge them; starts a local server if none answers
    #[command(after_help = "\
Examples:
  aw run start 'Tabs are better than spaces' --follow
  aw run start 'Remote work makes teams stronger' --rounds 3 --model openai:gpt-5-mini \\
      --judge anthropic:claude-sonnet-4-5 --max-tokens 4000 --follow
  aw run start 'Cash should be abolished' --side con --language de --judge-mode end")]
    Start(Box<StartArgs>),
    /// List debates, last changed first
    #[command(after_help = "\
Examples:
  aw run list
  aw run list --status failed --limit 20")]
    List(RunListArgs),
    /// Show a debate, all that was said in it, and what it has cost
    #[command(after_help = "\
Examples:
  aw run show $D
  aw run show $D --format markdown")]
    Show(RunArg),
    /// Show a debate live, from its first turn, until it is over
    #[command(after_help = "\
Examples:
  aw run follow $D
  aw run follow $D --format json    one JSON object a line

Ctrl-C leaves it; the debate goes on.")]
    Follow(FollowArgs),
    /// Pause a debate once the turn in flight is done
    #[command(after_help = "\
Example:
  aw run stop $D")]
    Stop(RunArg),
    /// Go on with a debate that was stopped, has failed, or was never started
    #[command(after_help = "\
Example:
  aw run resume $D --follow")]
    Resume(ResumeArgs),
    /// Try the turn again on which a debate has failed
    #[command(after_help = "\
Example:
  aw run retry $D --follow")]
    Retry(ResumeArgs),
    /// Give a debate up for good; the call in flight is aborted
    #[command(after_help = "\
Example:
  aw run cancel $D")]
    Cancel(RunArg),
    /// Delete a debate and all that was said in it
    #[command(after_help = "\
Example:
  aw run delete $D --yes")]
    Delete(RunDeleteArgs),
    /// Write a debate's transcript to a file or standard output
    #[command(after_help = "\
Examples:
  aw run export $D > debate.md
  aw run export $D --as json --out debate.json")]
    Export(RunExportArgs),
    /// List every call to a provider that a debate has made, whatever came of it
    #[command(after_help = "\
Example:
  aw run attempts $D")]
    Attempts(RunArg),
}

impl RunCommand {
    /// Whether its result is a stream, one thing a line.
    pub(crate) const fn is_stream(&self) -> bool {
        match self {
            Self::Start(args) => args.follow.follow,
            Self::Resume(args) | Self::Retry(args) => args.follow.follow,
            Self::Follow(_) => true,
            Self::List(_)
            | Self::Show(_)
            | Self::Stop(_)
            | Self::Cancel(_)
            | Self::Delete(_)
            | Self::Export(_)
            | Self::Attempts(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArg {
    /// Which debate
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct FollowFlag {
    /// Show it live, until it is over
    #[arg(long)]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) deltas: DeltasFlag,
}

#[derive(Debug, Args)]
pub(crate) struct DeltasFlag {
    /// With json: also the pieces of each answer, as they come
    #[arg(long)]
    pub(crate) deltas: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// What to debate
    pub(crate) topic: String,
    /// How many rounds at most, 1 to 100 [default: the server's, usually 5]
    #[arg(long, value_name = "COUNT", help_heading = "How it is run")]
    pub(crate) rounds: Option<i64>,
    /// Who debates, both sides, as provider:model
    #[arg(long, value_name = "MODEL", help_heading = "Who takes part")]
    pub(crate) model: Option<String>,
    /// Who debates as A, if not --model
    #[arg(long, value_name = "MODEL", help_heading = "Who takes part")]
    pub(crate) model_a: Option<String>,
    /// Who debates as B, if not --model
    #[arg(long, value_name = "MODEL", help_heading = "Who takes part")]
    pub(crate) model_b: Option<String>,
    /// Who judges
    #[arg(long, value_name = "MODEL", help_heading = "Who takes part")]
    pub(crate) judge: Option<String>,
    /// What A argues; B argues the other [default: pro]
    #[arg(long, value_parser = words::stance(), help_heading = "How it is run")]
    pub(crate) side: Option<String>,
    /// What everyone writes in, as a language tag such as en or pt-BR [default: en]
    #[arg(long, value_name = "TAG", help_heading = "How it is run")]
    pub(crate) language: Option<String>,
    /// When the judge speaks: after every round, or once at the end [default: round]
    #[arg(long, value_parser = words::judge_mode(), help_heading = "How it is run")]
    pub(crate) judge_mode: Option<String>,
    /// How many tokens all answers may have together [default: the server's, usually 8000]
    #[arg(long, value_name = "COUNT", help_heading = "What it may cost")]
    pub(crate) max_tokens: Option<i64>,
    /// How many tokens one answer of a debater may have
    #[arg(long, value_name = "COUNT", help_heading = "What it may cost")]
    pub(crate) max_tokens_debater: Option<i64>,
    /// How many tokens one answer of the judge may have
    #[arg(long, value_name = "COUNT", help_heading = "What it may cost")]
    pub(crate) max_tokens_judge: Option<i64>,
    /// How many seconds it may run; pauses don't count
    #[arg(long, value_name = "SECONDS", help_heading = "What it may cost")]
    pub(crate) max_seconds: Option<i64>,
    /// Which texts the models are asked with
    #[arg(long, value_name = "VERSION", help_heading = "How it is run")]
    pub(crate) prompt_version: Option<String>,
    /// Only make it; `aw run resume` starts it
    #[arg(long, conflicts_with = "follow")]
    pub(crate) no_start: bool,
    #[command(flatten)]
    pub(crate) follow: FollowFlag,
    #[command(flatten)]
    pub(crate) key: super::KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct RunListArgs {
    /// Only debates of this status
    #[arg(long, value_parser = words::run_status())]
    pub(crate) status: Option<String>,
    /// How many, 200 at most [default: 50]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct FollowArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,
    #[command(flatten)]
    pub(crate) deltas: DeltasFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,
    #[command(flatten)]
    pub(crate) follow: FollowFlag,
}

#[derive(Debug, Args)]
pub(crate) struct RunDeleteArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,
    /// Don't ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunExportArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,
    /// What kind of document [default: json with --format json, else markdown]
    #[arg(long, value_enum)]
    pub(crate) r#as: Option<RunDocument>,
    /// The file; standard output when absent
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
}

/// What kind of document a transcript becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunDocument {
    #[value(alias = "md")]
    Markdown,
    Json,
}
