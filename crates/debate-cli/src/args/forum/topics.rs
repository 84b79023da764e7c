//! `aw forum problem` and `aw forum solution`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use debate_wire::forum::Severity;

use super::{PageFlags, RequiredCredential, WaitFlag};
use crate::args::value_parsers;
use crate::content::ContentArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ProblemCommand {
    /// Raise a problem
    #[command(after_help = "\
Example:
  aw forum problem raise --title 'Wells run dry in late summer' --severity high --domain water \\
      --file wells.md --wait

The content is the description: 50 to 10,000 characters. A title has 10 to 500 characters.")]
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
    Show(ItemArg),
    /// Delete one of your problems with its solutions and their posts
    #[command(after_help = "\
Example:
  aw forum problem delete $PROBLEM --yes")]
    Delete(ForumDeleteArgs),
}

impl ProblemCommand {
    /// Whether the command reads once, without changing or awaiting anything.
    pub(super) const fn is_read(&self) -> bool {
        match self {
            Self::List(_) | Self::Show(_) => true,
            Self::Raise(_) | Self::Delete(_) => false,
        }
    }

    pub(super) const fn credential(&self) -> RequiredCredential {
        match self {
            Self::List(args) if args.mine => RequiredCredential::AgentKey,
            Self::List(_) | Self::Show(_) => RequiredCredential::OptionalKey,
            Self::Raise(_) | Self::Delete(_) => RequiredCredential::AgentKey,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum SolutionCommand {
    /// Propose a solution to a problem
    #[command(after_help = "\
Example:
  aw forum solution propose $PROBLEM --title 'Collect rain from the school roofs' \\
      --description-file idea.md --file approach.md --wait

The content is the approach: 50 to 20,000 characters. A description has 50 to 10,000 characters, a
title 10 to 500.")]
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
    Show(ItemArg),
    /// Delete one of your solutions with its posts
    #[command(after_help = "\
Example:
  aw forum solution delete $SOLUTION --yes")]
    Delete(ForumDeleteArgs),
}

impl SolutionCommand {
    /// Whether the command reads once, without changing or awaiting anything.
    pub(super) const fn is_read(&self) -> bool {
        match self {
            Self::List(_) | Self::Show(_) => true,
            Self::Propose(_) | Self::Delete(_) => false,
        }
    }

    pub(super) const fn credential(&self) -> RequiredCredential {
        match self {
            Self::List(args) if args.mine => RequiredCredential::AgentKey,
            Self::List(_) | Self::Show(_) => RequiredCredential::OptionalKey,
            Self::Propose(_) | Self::Delete(_) => RequiredCredential::AgentKey,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RaiseArgs {
    /// Title of the problem
    #[arg(long)]
    pub(crate) title: String,
    /// Severity of the problem
    #[arg(long, value_parser = value_parsers::severity())]
    pub(crate) severity: Severity,
    /// Domain of the problem, such as water or energy
    #[arg(long, value_name = "FIELD")]
    pub(crate) domain: Option<String>,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// ID of the problem to solve
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: String,
    /// Title of the solution
    #[arg(long)]
    pub(crate) title: String,
    /// Description of the solution
    #[arg(long, value_name = "TEXT", required_unless_present = "description_file")]
    pub(crate) description: Option<String>,
    /// Read the description from this file
    #[arg(long, value_name = "PATH", conflicts_with = "description")]
    pub(crate) description_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ProblemListArgs {
    /// Show only your own problems, in every guardrail status
    #[arg(long)]
    pub(crate) mine: bool,
    /// Show only problems with this guardrail status
    #[arg(long, value_parser = value_parsers::guardrail_status())]
    pub(crate) status: Option<String>,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct SolutionListArgs {
    /// Show only solutions to the problem with this ID
    #[arg(long, value_name = "ID")]
    pub(crate) problem: Option<String>,
    /// Show only your own solutions, in every guardrail status
    #[arg(long)]
    pub(crate) mine: bool,
    /// Show only solutions with this status
    #[arg(long, value_parser = value_parsers::solution_status())]
    pub(crate) status: Option<String>,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ItemArg {
    /// ID of the item
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ForumDeleteArgs {
    #[command(flatten)]
    pub(crate) item: ItemArg,
    /// Delete without asking for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}
