//! Each command's own flags.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use debate_wire::arena::{DebateType, Side};

use super::words;
use crate::content::ContentArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make an id for a new debate
    #[command(after_help = "\
Example:
  D=$(aw debate generate-id --format text)")]
    GenerateId,
    /// Open a debate with a motion; starts a local server if none answers
    #[command(after_help = "\
Examples:
  aw debate create --title 'Cache the index' --type coding_plan_debate --file plan.md
  git diff | aw debate create --title 'This change' --type general_debate --stdin")]
    Create(CreateArgs),
    /// Answer the other side with a claim
    #[command(after_help = "\
Example:
  aw debate submit --debate-id $D --role opponent --target-id $MOTION \\
      --content 'It will not fit once we have ten customers.'")]
    Submit(SubmitArgs),
    /// Ask the arbitrator to rule (proposer)
    #[command(after_help = "\
Example:
  aw debate appeal --debate-id $D --target-id $CLAIM --content 'How much memory may we use?'")]
    Appeal(AppealArgs),
    /// Declare the debate resolved (proposer), which usually closes it
    #[command(after_help = "\
Example:
  aw debate request-completion --debate-id $D --target-id $CLAIM \\
      --content 'Agreed: only hot keys, 1 GB at most.'")]
    RequestCompletion(CompletionArgs),
    /// Rule on an appeal or after an intervention (arbitrator)
    #[command(after_help = "\
Examples:
  aw debate ruling --debate-id $D --content 'Two gigabytes. Show that it fits.'
  aw debate ruling --debate-id $D --content 'Enough: take the simpler plan.' --close")]
    Ruling(RulingArgs),
    /// Stop the debate for a ruling (arbitrator)
    #[command(after_help = "\
Examples:
  aw debate intervention --debate-id $D
  aw debate intervention --debate-id $D --content 'Wait: the budget has changed.'")]
    Intervention(InterventionArgs),
    /// Read a debate and what each role may do now
    #[command(after_help = "\
Examples:
  aw debate get-context --debate-id $D
  aw debate get-context --debate-id $D --limit 5 --format markdown")]
    GetContext(ContextArgs),
    /// List debates, last changed first
    #[command(after_help = "\
Examples:
  aw debate list
  aw debate list --pending-first-opponent
  aw debate list --state AWAITING_ARBITRATOR --limit 20 --offset 20")]
    List(ListArgs),
    /// Wait until the other side, or the arbitrator, has said something
    #[command(after_help = "\
Examples:
  aw debate wait --debate-id $D --role opponent
  aw debate wait --debate-id $D --role proposer --argument-id $LAST

It waits up to DEBATE_WAIT_DEADLINE seconds (120), through restarts of the server. When nothing
came it still exits with 0 and shows the command that goes on waiting.")]
    Wait(WaitArgs),
    /// Delete a debate and all that was said in it
    #[command(after_help = "\
Example:
  aw debate delete --debate-id $D --yes")]
    Delete(DeleteArgs),
    /// Follow a debate live, until it is closed
    #[command(after_help = "\
Examples:
  aw debate watch --debate-id $D
  aw debate watch --debate-id $D --format json    one JSON object a line")]
    Watch(WatchArgs),
    /// Write a debate's transcript to a file or standard output
    #[command(after_help = "\
Examples:
  aw debate export --debate-id $D > debate.md
  aw debate export --debate-id $D --as html --out debate.html")]
    Export(ExportArgs),
    /// Show a debate in the browser; starts a local server if none answers
    #[command(after_help = "\
Example:
  aw debate open --debate-id $D")]
    Open(OpenArgs),
    /// Start, stop or look at the background server
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "\
Examples:
  aw debate services start
  aw debate services status --format json

Its log and its state file are in ~/.aweave/run."
    )]
    Services(ServicesCommand),
}

#[derive(Debug, Args)]
pub(crate) struct DebateFlag {
    /// Which debate
    #[arg(long, value_name = "ID")]
    pub(crate) debate_id: String,
}

#[derive(Debug, Args)]
pub(crate) struct KeyFlag {
    /// Your name for this write; the same again is a retry, never a second write
    #[arg(long, value_name = "ID")]
    pub(crate) client_request_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// ID of the new debate, a UUID; generated when absent
    #[arg(long, value_name = "ID")]
    pub(crate) debate_id: Option<String>,
    /// What it is called
    #[arg(long)]
    pub(crate) title: String,
    /// What it is about
    #[arg(long, value_name = "TYPE", value_parser = words::debate_type())]
    pub(crate) r#type: DebateType,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Who speaks
    #[arg(long, value_parser = words::side())]
    pub(crate) role: Side,
    /// The argument it answers
    #[arg(long, value_name = "ID")]
    pub(crate) target_id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct AppealArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// The argument in dispute
    #[arg(long, value_name = "ID")]
    pub(crate) target_id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// The last argument
    #[arg(long, value_name = "ID")]
    pub(crate) target_id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct RulingArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Close the debate with it
    #[arg(long)]
    pub(crate) close: bool,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct InterventionArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Only so many of the newest arguments, beside the motion
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only debates in this state
    #[arg(long, value_parser = words::state())]
    pub(crate) state: Option<String>,
    /// Only debates nobody has opposed yet, whatever --state says
    #[arg(long)]
    pub(crate) pending_first_opponent: bool,
    /// How many, 500 at most [default: 50]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
    /// How many to pass over
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) offset: u64,
}

#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Who waits
    #[arg(long, value_parser = words::side())]
    pub(crate) role: Side,
    /// The last argument you have seen; without it everything is new
    #[arg(long, value_name = "ID")]
    pub(crate) argument_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Don't ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// What kind of document; html is one page that needs nothing else
    #[arg(long, value_enum, default_value_t = Document::Markdown)]
    pub(crate) r#as: Document,
    /// The file; standard output when absent
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
}

/// What kind of document a transcript becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    Markdown,
    Json,
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// Which debate; all of them when absent
    #[arg(long, value_name = "ID")]
    pub(crate) debate_id: Option<String>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum ServicesCommand {
    /// Start it, unless it runs
    #[command(after_help = "\
Example:
  aw debate services start")]
    Start,
    /// Stop it, if this program started it
    #[command(after_help = "\
Example:
  aw debate services stop")]
    Stop,
    /// Tell how it is
    #[command(after_help = "\
Example:
  aw debate services status")]
    Status,
}
