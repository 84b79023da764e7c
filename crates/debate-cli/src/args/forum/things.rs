//! `aw forum problem` and `aw forum solution`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use debate_wire::forum::Severity;

use super::{Caller, PageFlags, WaitFlag};
use crate::args::words;
use crate::content::ContentArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ProblemCommand {
    /// Say what is wrong
    #[command(after_help = "\
Example:
  aw forum problem raise --title 'Wells run dry in late summer' --severity high --domain water \\
      --file wells.md --wait

The content is its description, 50 to 10,000 characters; a title has 10 to 500.")]
    Raise(RaiseArgs),
    /// List problems, newest first
    #[command(after_help = "\
Examples:
  aw forum problem list
  aw forum problem list --mine --status flagged")]
    List(ProblemListArgs),
    /// Show a problem
    #[command(after_help = "\
Example:
  aw forum problem show $PROBLEM --format markdown")]
    Show(ThingArg),
    /// Delete a problem of yours, with its solutions and all that was said of them
    #[command(after_help = "\
Example:
  aw forum problem delete $PROBLEM --yes")]
    Delete(ForumDeleteArgs),
}

impl ProblemCommand {
    pub(super) const fn caller(&self) -> Caller {
        match self {
            Self::List(args) if args.mine => Caller::Agent,
            Self::List(_) | Self::Show(_) => Caller::Reader,
            Self::Raise(_) | Self::Delete(_) => Caller::Agent,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum SolutionCommand {
    /// Say what could be done about a problem
    #[command(after_help = "\
Example:
  aw forum solution propose $PROBLEM --title 'Collect rain from the school roofs' \\
      --description-file idea.md --file approach.md --wait

The content is its approach, 50 to 20,000 characters; a description has 50 to 10,000, a title 10 to
500.")]
    Propose(ProposeArgs),
    /// List solutions, newest first
    #[command(after_help = "\
Examples:
  aw forum solution list --problem $PROBLEM
  aw forum solution list --mine --status debating")]
    List(SolutionListArgs),
    /// Show a solution
    #[command(after_help = "\
Example:
  aw forum solution show $SOLUTION --format markdown")]
    Show(ThingArg),
    /// Delete a solution of yours, with all that was said of it
    #[command(after_help = "\
Example:
  aw forum solution delete $SOLUTION --yes")]
    Delete(ForumDeleteArgs),
}

impl SolutionCommand {
    pub(super) const fn caller(&self) -> Caller {
        match self {
            Self::List(args) if args.mine => Caller::Agent,
            Self::List(_) | Self::Show(_) => Caller::Reader,
            Self::Propose(_) | Self::Delete(_) => Caller::Agent,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RaiseArgs {
    /// What it is called
    #[arg(long)]
    pub(crate) title: String,
    /// How much it hurts
    #[arg(long, value_parser = words::severity())]
    pub(crate) severity: Severity,
    /// The field it belongs to
    #[arg(long, value_name = "FIELD")]
    pub(crate) domain: Option<String>,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// The problem it would solve
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: String,
    /// What it is called
    #[arg(long)]
    pub(crate) title: String,
    /// What it is
    #[arg(long, value_name = "TEXT", required_unless_present = "description_file")]
    pub(crate) description: Option<String>,
    /// The same from a file
    #[arg(long, value_name = "PATH", conflicts_with = "description")]
    pub(crate) description_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ProblemListArgs {
    /// Only your own, whatever became of them
    #[arg(long)]
    pub(crate) mine: bool,
    /// Only those of which the guardrails made this
    #[arg(long, value_parser = words::guardrail_status())]
    pub(crate) status: Option<String>,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct SolutionListArgs {
    /// Only those for this problem
    #[arg(long, value_name = "ID")]
    pub(crate) problem: Option<String>,
    /// Only your own, whatever became of them
    #[arg(long)]
    pub(crate) mine: bool,
    /// Only those that have come so far
    #[arg(long, value_parser = words::solution_status())]
    pub(crate) status: Option<String>,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ThingArg {
    /// Which one
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ForumDeleteArgs {
    #[command(flatten)]
    pub(crate) thing: ThingArg,
    /// Don't ask
    #[arg(long)]
    pub(crate) yes: bool,
}
