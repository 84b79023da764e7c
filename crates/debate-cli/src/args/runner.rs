//! The command line of `aw run`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use debate_settings::table::CLIENT_TOKEN;

use super::{Common, DocumentFormat, value_parsers, with_variables};

/// The arguments of `aw run`.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = with_variables("\
Try it without an API key: a server without configured models uses the built-in demo.
  aw run start 'Tabs are better than spaces' --follow

Exit codes:
  0    success; with --follow: the run completed
  2    run not found, or a usage error
  3    network or server error, or the followed run failed
  4    invalid input or file
  5    not allowed in the current status, or the followed run was stopped or cancelled
  6    not authorized
  130  Ctrl-C while following; the run continues
", &[CLIENT_TOKEN])
)]
pub struct RunArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: RunCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    /// Start a run: two models debate a topic and a third judges them; starts a local server if
    /// none is running
    #[command(after_help = "\
Examples:
  aw run start 'Tabs are better than spaces' --follow
  aw run start 'Remote work makes teams stronger' --rounds 3 --model openai:gpt-5-mini \\
      --judge anthropic:claude-sonnet-4-5 --max-tokens 4000 --follow
  aw run start 'Cash should be abolished' --side con --language de --judge-mode end")]
    Start(Box<StartArgs>),
    /// List runs, most recently changed first
    #[command(after_help = "\
Examples:
  aw run list
  aw run list --status failed --limit 20")]
    List(RunListArgs),
    /// Show a run: its turns, verdicts and cost
    #[command(after_help = "\
Examples:
  aw run show $RUN
  aw run show $RUN --format markdown")]
    Show(RunArg),
    /// Follow a run live, from its first turn until it ends
    #[command(after_help = "\
Examples:
  aw run follow $RUN
  aw run follow $RUN --format json    one JSON object per line

Ctrl-C stops following; the run continues.")]
    Follow(FollowArgs),
    /// Stop a run after its current turn
    #[command(after_help = "\
Example:
  aw run stop $RUN")]
    Stop(RunArg),
    /// Resume a run that was stopped, has failed, or was never started
    #[command(after_help = "\
Example:
  aw run resume $RUN --follow")]
    Resume(ResumeArgs),
    /// Retry the turn on which a run failed
    #[command(after_help = "\
Example:
  aw run retry $RUN --follow")]
    Retry(ResumeArgs),
    /// Cancel a run permanently and abort its current model call
    #[command(after_help = "\
Example:
  aw run cancel $RUN")]
    Cancel(RunArg),
    /// Delete a run and all its turns
    #[command(after_help = "\
Example:
  aw run delete $RUN --yes")]
    Delete(RunDeleteArgs),
    /// Export a run's transcript to a file or standard output
    #[command(after_help = "\
Examples:
  aw run export $RUN > run.md
  aw run export $RUN --as html --out run.html")]
    Export(RunExportArgs),
    /// List all model calls of a run with their outcomes
    #[command(after_help = "\
Example:
  aw run attempts $RUN")]
    Attempts(RunArg),
}

impl RunCommand {
    /// Whether the command reads once, without changing or awaiting anything.
    pub(crate) const fn is_read(&self) -> bool {
        match self {
            Self::List(_) | Self::Show(_) | Self::Export(_) | Self::Attempts(_) => true,
            Self::Start(_)
            | Self::Follow(_)
            | Self::Stop(_)
            | Self::Resume(_)
            | Self::Retry(_)
            | Self::Cancel(_)
            | Self::Delete(_) => false,
        }
    }

    /// Whether the result is a stream, printed as it arrives.
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
    /// ID of the run
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct FollowFlag {
    /// Stream the output until the run ends
    #[arg(long)]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) deltas: DeltasFlag,
}

#[derive(Debug, Args)]
pub(crate) struct DeltasFlag {
    /// With --format json: also print partial answers as they arrive
    #[arg(long)]
    pub(crate) deltas: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// Topic to debate
    pub(crate) topic: String,
    /// Maximum number of rounds, 1 to 100 [default: set by the server, normally 5]
    #[arg(long, value_name = "COUNT", help_heading = "Run settings")]
    pub(crate) rounds: Option<i64>,
    /// Model of both debaters, as PROVIDER:MODEL
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    pub(crate) model: Option<String>,
    /// Model of debater A; overrides --model
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    pub(crate) model_a: Option<String>,
    /// Model of debater B; overrides --model
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    pub(crate) model_b: Option<String>,
    /// Model of the judge
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    pub(crate) judge: Option<String>,
    /// Side of debater A; debater B takes the other side [default: pro]
    #[arg(long, value_parser = value_parsers::stance(), help_heading = "Run settings")]
    pub(crate) side: Option<String>,
    /// Output language, as a tag such as en or pt-BR [default: en]
    #[arg(long, value_name = "TAG", help_heading = "Run settings")]
    pub(crate) language: Option<String>,
    /// When the judge scores: after every round, or once at the end [default: round]
    #[arg(long, value_parser = value_parsers::judge_mode(), help_heading = "Run settings")]
    pub(crate) judge_mode: Option<String>,
    /// Maximum output tokens of the run [default: set by the server, normally 8000]
    #[arg(long, value_name = "COUNT", help_heading = "Limits")]
    pub(crate) max_tokens: Option<i64>,
    /// Maximum output tokens of one debater turn
    #[arg(long, value_name = "COUNT", help_heading = "Limits")]
    pub(crate) max_tokens_debater: Option<i64>,
    /// Maximum output tokens of one judge turn
    #[arg(long, value_name = "COUNT", help_heading = "Limits")]
    pub(crate) max_tokens_judge: Option<i64>,
    /// Maximum running time in seconds; time while stopped does not count
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) max_seconds: Option<i64>,
    /// Version of the prompts
    #[arg(long, value_name = "VERSION", help_heading = "Run settings")]
    pub(crate) prompt_version: Option<String>,
    /// Create the run without starting it; `aw run resume` starts it
    #[arg(long, conflicts_with = "follow")]
    pub(crate) no_start: bool,
    #[command(flatten)]
    pub(crate) follow: FollowFlag,
    #[command(flatten)]
    pub(crate) key: super::KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct RunListArgs {
    /// Show only runs with this status
    #[arg(long, value_parser = value_parsers::run_status())]
    pub(crate) status: Option<String>,
    /// Maximum number of runs, at most 200 [default: 50]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
    /// Start of the page: the `next_cursor` of the previous page
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
    /// Delete without asking for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunExportArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,
    /// Document format; html is a single self-contained page [default: json with --format json,
    /// markdown otherwise]
    #[arg(long, value_enum)]
    pub(crate) r#as: Option<DocumentFormat>,
    /// Output file [default: standard output]
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
}
