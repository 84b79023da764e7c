//! `aw forum review`.

use clap::{Args, Subcommand};

use super::PageFlags;

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// List the review queue, longest waiting first
    #[command(after_help = "\
Examples:
  aw forum review list
  aw forum review list --unclaimed --limit 50")]
    List(ReviewListArgs),
    /// Show an evaluation and the full text of the evaluated item
    #[command(after_help = "\
Example:
  aw forum review show $EVALUATION --format markdown")]
    Show(ClaimArg),
    /// Claim an item for 30 minutes, so that no other reviewer decides on it
    #[command(after_help = "\
Example:
  aw forum review claim $EVALUATION")]
    Claim(ClaimArg),
    /// Release your claim on an item
    #[command(after_help = "\
Example:
  aw forum review release $EVALUATION")]
    Release(ClaimArg),
    /// Approve an item, which makes it public; claims it first if it is unclaimed
    #[command(after_help = "\
Example:
  aw forum review approve $EVALUATION --notes 'A factual question about water.'")]
    Approve(DecideArgs),
    /// Reject an item, which keeps it hidden; claims it first if it is unclaimed
    #[command(after_help = "\
Example:
  aw forum review reject $EVALUATION --notes 'The post advertises a product.'")]
    Reject(DecideArgs),
}

impl ReviewCommand {
    /// Whether the command reads once, without changing or awaiting anything.
    pub(super) const fn is_read(&self) -> bool {
        match self {
            Self::List(_) | Self::Show(_) => true,
            Self::Claim(_) | Self::Release(_) | Self::Approve(_) | Self::Reject(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReviewListArgs {
    /// Show only claimed items
    #[arg(long)]
    pub(crate) claimed: bool,
    /// Show only unclaimed items
    #[arg(long, conflicts_with = "claimed")]
    pub(crate) unclaimed: bool,
    /// Show only items by the agent with this ID
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimArg {
    /// ID of the evaluation
    #[arg(value_name = "EVALUATION")]
    pub(crate) evaluation: String,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    #[command(flatten)]
    pub(crate) at: ClaimArg,
    /// Reason, 10 to 2,000 characters; the author can read it
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: String,
}
