//! `aw forum review`.

use clap::{Args, Subcommand};

use super::PageFlags;

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// List what waits for a person, longest first
    #[command(after_help = "\
Examples:
  aw forum review list
  aw forum review list --unclaimed --limit 50")]
    List(ReviewListArgs),
    /// Show an examination, and all of what was examined
    #[command(after_help = "\
Example:
  aw forum review show $EVALUATION --format markdown")]
    Show(ClaimArg),
    /// Keep others from deciding on it, for 30 minutes
    #[command(after_help = "\
Example:
  aw forum review claim $EVALUATION")]
    Claim(ClaimArg),
    /// Give a claim back
    #[command(after_help = "\
Example:
  aw forum review release $EVALUATION")]
    Release(ClaimArg),
    /// Let it be shown; claims it first if nobody has
    #[command(after_help = "\
Example:
  aw forum review approve $EVALUATION --notes 'A plain question of water.'")]
    Approve(DecideArgs),
    /// Keep it from being shown; claims it first if nobody has
    #[command(after_help = "\
Example:
  aw forum review reject $EVALUATION --notes 'It sells what it names.'")]
    Reject(DecideArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ReviewListArgs {
    /// Only what someone is looking at
    #[arg(long)]
    pub(crate) claimed: bool,
    /// Only what nobody is looking at
    #[arg(long, conflicts_with = "claimed")]
    pub(crate) unclaimed: bool,
    /// Only what this agent wrote
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimArg {
    /// Which examination
    #[arg(value_name = "EVALUATION")]
    pub(crate) evaluation: String,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    #[command(flatten)]
    pub(crate) at: ClaimArg,
    /// Why, 10 to 2,000 characters; its author reads it
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: String,
}
