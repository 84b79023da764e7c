//! The command line of the agent commands: `aw debate new`, `join`, `say`, `next`, `show`, and
//! `aw rule` and `aw prompt`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use debate_wire::arena::{DebateType, Role, Side};

use super::{Common, KeyFlag, value_parsers};
use crate::completion::debate_completer;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// File with the motion in Markdown; - reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Title of the debate [default: the first heading, or the name of the file]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Type of the debate
    #[arg(long, value_name = "TYPE", value_parser = value_parsers::debate_type(),
        default_value = "coding_plan_debate")]
    pub(crate) r#type: DebateType,
    #[command(flatten)]
    pub(crate) holder: HolderFlag,
    /// Let only participants with the invite join; prints the file with the invite
    #[arg(long)]
    pub(crate) invite_only: bool,
}

#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Args)]
pub(crate) struct JoinArgs {
    /// Slug or ID of the debate [default: AW_DEBATE]
    #[arg(value_name = "SLUG", add = debate_completer())]
    pub(crate) debate: Option<String>,
    /// Role to play [default: AW_ROLE, else opponent]
    #[arg(long, value_name = "ROLE", value_parser = value_parsers::side())]
    pub(crate) r#as: Option<Side>,
    #[command(flatten)]
    pub(crate) holder: HolderFlag,
    /// File with the invite; - reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) invite: Option<PathBuf>,
    /// Take the seat from its present holder; asks on a terminal (arbitrator)
    #[arg(long)]
    pub(crate) take_over: bool,
    #[command(flatten)]
    pub(crate) arbitrator: ArbitratorFlag,
}

#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Args)]
pub(crate) struct SayArgs {
    /// Text of the argument in Markdown
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Read the text from this file; - reads standard input
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Ask the arbitrator for a ruling (proposer)
    #[arg(long, conflicts_with = "resolve")]
    pub(crate) appeal: bool,
    /// Declare the debate resolved (proposer)
    #[arg(long)]
    pub(crate) resolve: bool,
    /// Do not wait for the answer
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Slug or ID of the debate [default: AW_DEBATE, else the last one joined in this folder]
    #[arg(long, value_name = "SLUG", add = debate_completer())]
    pub(crate) debate: Option<String>,
    #[command(flatten)]
    pub(crate) role: AsFlag,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

#[derive(Debug, Args)]
pub(crate) struct NextArgs {
    #[command(flatten)]
    pub(crate) debate: DebateArg,
    #[command(flatten)]
    pub(crate) role: AsFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) debate: DebateArg,
    #[command(flatten)]
    pub(crate) role: AsFlag,
}

/// A debate that a command can find without it.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Args)]
pub(crate) struct DebateArg {
    /// Slug or ID of the debate [default: AW_DEBATE, else the last one joined in this folder]
    #[arg(value_name = "SLUG", add = debate_completer())]
    pub(crate) debate: Option<String>,
}

/// The role whose kept seat a command uses.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Args)]
pub(crate) struct AsFlag {
    /// Use the kept seat of this role [default: AW_ROLE, else the only role of this session]
    #[arg(long = "as", value_name = "ROLE", value_parser = value_parsers::side())]
    pub(crate) role: Option<Side>,
}

#[derive(Debug, Args)]
pub(crate) struct HolderFlag {
    /// Name shown as the author [default: the coding agent that runs the command, or the user name]
    #[arg(long, value_name = "NAME")]
    pub(crate) holder: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ArbitratorFlag {
    /// File with the arbitrator token, readable only by you; sent without a question and to any
    /// server
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) arbitrator_token_file: Option<PathBuf>,
}

/// The arguments of `aw rule`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aw rule
  aw rule 'Two gigabytes. Show that it fits.'
  aw rule cache-the-index-k3f7 'Enough: take the simpler plan.' --close
  aw rule cache-the-index-k3f7 -f ruling.md

Without a slug the command rules on the only debate that needs a ruling; if several need one, or
without a text, it lists them. On a debate with seats it asks on the terminal and then proves with
the arbitrator token of this machine that you run the server.")]
pub struct RuleArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Slug or ID of the debate; a single value without -f is the text
    #[arg(value_name = "SLUG", add = debate_completer())]
    pub(crate) first: Option<String>,
    /// Text of the ruling
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    pub(crate) second: Option<String>,
    /// Read the text from this file; - reads standard input
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Close the debate with this ruling
    #[arg(long)]
    pub(crate) close: bool,
    #[command(flatten)]
    pub(crate) arbitrator: ArbitratorFlag,
    #[command(flatten)]
    pub(crate) key: KeyFlag,
}

impl RuleArgs {
    /// The debate that the command line names. With one value and no file that value is the text.
    pub(crate) fn debate(&self) -> Option<&str> {
        let is_named = self.second.is_some() || self.file.is_some();
        self.first.as_deref().filter(|_| is_named)
    }

    /// The text on the command line.
    pub(crate) fn text(&self) -> Option<&str> {
        let only = self.first.as_deref().filter(|_| self.debate().is_none());
        self.second.as_deref().or(only)
    }
}

/// The arguments of `aw prompt`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aw prompt opponent cache-the-index-k3f7
  aw prompt proposer cache-the-index-k3f7 > instructions.txt

Paste the text into an agent that has a shell. The output is text unless --format says otherwise.")]
pub struct PromptArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Role of the agent
    #[arg(value_name = "ROLE", value_parser = value_parsers::role())]
    pub(crate) role: Role,
    #[command(flatten)]
    pub(crate) debate: DebateArg,
}
