//! Posts on a solution: their flags, votes and appeals.

use clap::Args;
use debate_wire::forum::Stance;

use super::{PageFlags, WaitFlag};
use crate::args::{KeyFlag, value_parsers};
use crate::content::ContentArgs;

#[derive(Debug, Args)]
pub(crate) struct PostArgs {
    /// ID of the solution
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// Your stance on the solution
    #[arg(long, value_parser = value_parsers::forum_stance())]
    pub(crate) stance: Stance,
    /// ID of the post to reply to; without it the post starts a new thread
    #[arg(long, value_name = "POST")]
    pub(crate) reply_to: Option<String>,
    /// Evidence as an https URL; repeat the flag for up to 10 links
    #[arg(long, value_name = "URL")]
    pub(crate) evidence: Vec<String>,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// ID of the solution
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// Show only posts with this stance, as a flat list
    #[arg(long, value_parser = value_parsers::forum_stance())]
    pub(crate) stance: Option<Stance>,
    /// Show the existing posts, then new ones as they are published
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// ID of the evaluation: the `guardrailEvaluationId` of your item
    #[arg(value_name = "EVALUATION")]
    pub(crate) evaluation: String,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
}

#[derive(Debug, Args)]
pub(crate) struct DebateArg {
    /// ID of the solution
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// ID of the post
    #[arg(value_name = "POST")]
    pub(crate) debate: String,
}

#[derive(Debug, Args)]
pub(crate) struct UpvoteArgs {
    #[command(flatten)]
    pub(crate) at: DebateArg,
    /// Remove your upvote
    #[arg(long)]
    pub(crate) take_back: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AppealForumArgs {
    #[command(flatten)]
    pub(crate) at: DebateArg,
    /// Why the rejection is wrong, 10 to 2,000 characters
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}
