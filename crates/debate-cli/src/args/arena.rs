//! The command line of `aw debate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use debate_wire::arena::{DebateType, Side};

use super::{
    ArbitratorFlag, DocumentFormat, JoinArgs, NewArgs, NextArgs, SayArgs, ShowArgs, value_parsers,
};
use crate::completion::debate_completer;
use crate::content::ContentArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum DebateCommand {
    /// Generate an ID for a new debate
    #[command(after_help = "\
Example:
  D=$(aw debate generate-id --format text)")]
    GenerateId,
    /// Create a debate with seats from a file and take the proposer's seat; starts a local server
    /// if none is running
    #[command(after_help = "\
Examples:
  aw debate new plan.md
  aw debate new plan.md --title 'Cache the index' --holder claude-code
  aw debate new plan.md --invite-only

The command prints the slug, the page and the text to give to the opponent. The seat is kept in
~/.aweave/seats for this session: `say`, `next` and `show` need no further flags.")]
    New(NewArgs),
    /// Take a free seat and print the motion and the allowed moves
    #[command(after_help = "\
Examples:
  aw debate join cache-the-index-k3f7
  aw debate join cache-the-index-k3f7 --as proposer --holder codex
  aw debate join cache-the-index-k3f7 --invite invite.txt
  aw debate join cache-the-index-k3f7 --take-over")]
    Join(JoinArgs),
    /// Submit a claim, an appeal or a resolution, wait for the answer and print it
    #[command(after_help = "\
Examples:
  aw debate say 'It will not fit once we have ten customers.'
  aw debate say -f answer.md
  aw debate say --appeal 'How much memory may we use?'
  aw debate say --resolve 'Agreed: only hot keys, 1 GB at most.'
  aw debate say -f answer.md --no-wait

The argument answers the newest argument that was printed for this seat.")]
    Say(SayArgs),
    /// Wait for your next turn and print the new arguments
    #[command(after_help = "\
Examples:
  aw debate next
  aw debate next cache-the-index-k3f7 --as opponent")]
    Next(NextArgs),
    /// Show the transcript and the participants of a debate
    #[command(after_help = "\
Examples:
  aw debate show
  aw debate show cache-the-index-k3f7 --format markdown")]
    Show(ShowArgs),
    /// Create a debate with a motion; starts a local server if none is running
    #[command(after_help = "\
Examples:
  aw debate create --title 'Cache the index' --type coding_plan_debate --file plan.md
  git diff | aw debate create --title 'This change' --type general_debate --stdin")]
    Create(CreateArgs),
    /// Submit a claim that answers the other side
    #[command(after_help = "\
Example:
  aw debate submit --debate-id $D --role opponent --target-id $MOTION \\
      --content 'It will not fit once we have ten customers.'")]
    Submit(SubmitArgs),
    /// Ask the arbitrator for a ruling (proposer)
    #[command(after_help = "\
Example:
  aw debate appeal --debate-id $D --target-id $CLAIM --content 'How much memory may we use?'")]
    Appeal(AppealArgs),
    /// Declare the debate resolved (proposer); by default the server then closes it
    #[command(after_help = "\
Example:
  aw debate request-completion --debate-id $D --target-id $CLAIM \\
      --content 'Agreed: only hot keys, 1 GB at most.'")]
    RequestCompletion(CompletionArgs),
    /// Rule on an appeal, a resolution or an intervention (arbitrator)
    #[command(after_help = "\
Examples:
  aw debate ruling --debate-id $D --content 'Two gigabytes. Show that it fits.'
  aw debate ruling --debate-id $D --content 'Enough: take the simpler plan.' --close")]
    Ruling(RulingArgs),
    /// Pause the debate until you rule (arbitrator)
    #[command(after_help = "\
Examples:
  aw debate intervention --debate-id $D
  aw debate intervention --debate-id $D --content 'Wait: the budget has changed.'")]
    Intervention(InterventionArgs),
    /// Show a debate and the actions that each role may take now
    #[command(after_help = "\
Examples:
  aw debate get-context --debate-id $D
  aw debate get-context --debate-id $D --limit 5 --format markdown")]
    GetContext(ContextArgs),
    /// List debates, most recently changed first
    #[command(after_help = "\
Examples:
  aw debate list
  aw debate list --pending-first-opponent
  aw debate list --state AWAITING_ARBITRATOR --limit 20 --offset 20")]
    List(ListArgs),
    /// Wait for a new argument from the other side or the arbitrator
    #[command(after_help = "\
Examples:
  aw debate wait --debate-id $D --role opponent
  aw debate wait --debate-id $D --role proposer --argument-id $LAST

The command waits up to DEBATE_WAIT_DEADLINE seconds (120) and reconnects when the server restarts.
After a timeout it exits with 0 and prints the command that continues to wait.")]
    Wait(WaitArgs),
    /// Delete a debate and all its arguments
    #[command(after_help = "\
Example:
  aw debate delete --debate-id $D --yes")]
    Delete(DeleteArgs),
    /// Follow a debate live until it is closed
    #[command(after_help = "\
Examples:
  aw debate watch --debate-id $D
  aw debate watch --debate-id $D --format json    one JSON object per line")]
    Watch(WatchArgs),
    /// Export a debate's transcript to a file or standard output
    #[command(after_help = "\
Examples:
  aw debate export --debate-id $D > debate.md
  aw debate export --debate-id $D --as html --out debate.html")]
    Export(ExportArgs),
    /// Open a debate in the browser; starts a local server if none is running
    #[command(after_help = "\
Example:
  aw debate open --debate-id $D")]
    Open(OpenArgs),
    /// Start, stop or check the background server
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "\
Examples:
  aw debate services start
  aw debate services status --format json

The server's log and state file are in ~/.aweave/run."
    )]
    Services(ServicesCommand),
}

impl DebateCommand {
    /// Whether the command reads once, without changing or awaiting anything.
    pub(crate) const fn is_read(&self) -> bool {
        match self {
            Self::GetContext(_) | Self::List(_) | Self::Export(_) | Self::Show(_) => true,
            Self::GenerateId
            | Self::New(_)
            | Self::Join(_)
            | Self::Say(_)
            | Self::Next(_)
            | Self::Create(_)
            | Self::Submit(_)
            | Self::Appeal(_)
            | Self::RequestCompletion(_)
            | Self::Ruling(_)
            | Self::Intervention(_)
            | Self::Wait(_)
            | Self::Delete(_)
            | Self::Watch(_)
            | Self::Open(_)
            | Self::Services(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DebateFlag {
    /// Slug or ID of the debate, or a unique beginning of its ID
    #[arg(long, value_name = "ID", add = debate_completer())]
    pub(crate) debate_id: String,
}

#[derive(Debug, Args)]
pub(crate) struct KeyFlag {
    /// Idempotency key; reuse it to retry safely [default: a new key]
    #[arg(long, value_name = "ID")]
    pub(crate) client_request_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// ID of the new debate, a UUID; generated when absent
    #[arg(long, value_name = "ID")]
    pub(crate) debate_id: Option<String>,
    /// Title of the debate
    #[arg(long)]
    pub(crate) title: String,
    /// Type of the debate
    #[arg(long, value_name = "TYPE", value_parser = value_parsers::debate_type())]
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
    /// Role that submits the claim
    #[arg(long, value_parser = value_parsers::side())]
    pub(crate) role: Side,
    /// ID of the argument that the claim answers
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
    /// ID of the argument in dispute
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
    /// ID of the last argument
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
    /// Close the debate with this ruling
    #[arg(long)]
    pub(crate) close: bool,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
    #[command(flatten)]
    pub(crate) arbitrator: ArbitratorFlag,
}

#[derive(Debug, Args)]
pub(crate) struct InterventionArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
    #[command(flatten)]
    pub(crate) arbitrator: ArbitratorFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Show only the newest COUNT arguments, and the motion
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Show only debates in this state
    #[arg(long, value_parser = value_parsers::state())]
    pub(crate) state: Option<String>,
    /// Show only debates without an opponent so far; overrides --state
    #[arg(long)]
    pub(crate) pending_first_opponent: bool,
    /// Maximum number of debates, at most 500 [default: 50]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
    /// Number of debates to skip
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) offset: u64,
}

#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Role that waits
    #[arg(long, value_parser = value_parsers::side())]
    pub(crate) role: Side,
    /// ID of the last argument you have seen; without it every argument is new
    #[arg(long, value_name = "ID")]
    pub(crate) argument_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    pub(crate) debate: DebateFlag,
    /// Delete without asking for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) arbitrator: ArbitratorFlag,
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
    /// Document format; html is a single self-contained page
    #[arg(long, value_enum, default_value_t = DocumentFormat::Markdown)]
    pub(crate) r#as: DocumentFormat,
    /// Output file [default: standard output]
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// Slug or ID of the debate [default: open the list of debates]
    #[arg(long, value_name = "ID", add = debate_completer())]
    pub(crate) debate_id: Option<String>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum ServicesCommand {
    /// Start the server unless it is running
    #[command(after_help = "\
Example:
  aw debate services start")]
    Start,
    /// Stop the server if `aw` started it in the background
    #[command(after_help = "\
Example:
  aw debate services stop")]
    Stop,
    /// Show the server's status
    #[command(after_help = "\
Example:
  aw debate services status")]
    Status,
}
