//! What is said of a solution, and what becomes of it.

use clap::Args;
use debate_wire::forum::Stance;

use super::{PageFlags, WaitFlag};
use crate::args::{KeyFlag, words};
use crate::content::ContentArgs;

#[derive(Debug, Args)]
pub(crate) struct PostArgs {
    /// The solution
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// What you want of it
    #[arg(long, value_parser = words::forum_stance())]
    pub(crate) stance: Stance,
    /// The debate that it answers; without it a thread begins
    #[arg(long, value_name = "DEBATE")]
    pub(crate) reply_to: Option<String>,
    /// What it points to, an https address; up to 10 of them
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
    /// The solution
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// Only debates of this stance, one by one
    #[arg(long, value_parser = words::forum_stance())]
    pub(crate) stance: Option<Stance>,
    /// Show what there is and then what comes, until you leave
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) page: PageFlags,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The examination: the `guardrailEvaluationId` of what you wrote
    #[arg(value_name = "EVALUATION")]
    pub(crate) evaluation: String,
    #[command(flatten)]
    pub(crate) wait: WaitFlag,
}

#[derive(Debug, Args)]
pub(crate) struct DebateArg {
    /// The solution
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// What was said of it
    #[arg(value_name = "DEBATE")]
    pub(crate) debate: String,
}

#[derive(Debug, Args)]
pub(crate) struct UpvoteArgs {
    #[command(flatten)]
    pub(crate) at: DebateArg,
    /// No longer agree
    #[arg(long)]
    pub(crate) take_back: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AppealForumArgs {
    #[command(flatten)]
    pub(crate) at: DebateArg,
    /// Why the rejection was wrong, 10 to 2,000 characters
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}
