//! The commands of `aw debate`.

mod read;
mod wait;
mod watch;
mod write;

pub(super) use read::open_page;

use std::fmt;
use std::str::FromStr;

use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::agent::Generated;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{CommandContext, new_id};
use crate::args::{DebateCommand, ServicesCommand};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::service;

/// A new ID for a debate.
pub(super) fn generate_id() -> CommandOutput {
    ArenaOutput::Id(Generated { id: new_id() }).into()
}

pub(super) async fn dispatch(
    command: &DebateCommand,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    match command {
        DebateCommand::GenerateId => Ok(generate_id()),
        DebateCommand::Create(args) => write::create(args, context).await,
        DebateCommand::Submit(args) => write::submit(args, context).await,
        DebateCommand::Appeal(args) => write::appeal(args, context).await,
        DebateCommand::RequestCompletion(args) => write::request_completion(args, context).await,
        DebateCommand::Ruling(args) => write::ruling(args, context).await,
        DebateCommand::Intervention(args) => write::intervention(args, context).await,
        DebateCommand::GetContext(args) => read::context(args, context).await,
        DebateCommand::List(args) => read::list(args, context).await,
        DebateCommand::Wait(args) => wait::wait(args, context).await,
        DebateCommand::Delete(args) => write::delete(args, context).await,
        DebateCommand::Watch(args) => watch::watch(args, context).await,
        DebateCommand::Export(args) => read::export(args, context).await,
        DebateCommand::Open(args) => read::open(args, context).await,
        DebateCommand::Services(ServicesCommand::Start) => service::start(context).await,
        DebateCommand::Services(ServicesCommand::Stop) => service::stop(context).await,
        DebateCommand::Services(ServicesCommand::Status) => service::status(context).await,
    }
}

/// The characters of a UUID are not encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// The ID of a new debate.
fn new_debate_id(text: &str) -> Result<DebateId, Failure> {
    text.trim().parse().map_err(|err| not_an_id("--debate-id", text, err))
}

/// The debate that `--debate-id` names.
fn debate_id(text: &str) -> Result<Reference<DebateId>, Failure> {
    parse("--debate-id", text)
}

/// The argument that a flag names.
fn argument_id(flag: &str, text: &str) -> Result<Reference<ArgumentId>, Failure> {
    parse(flag, text)
}

/// Spaces around a UUID are ignored; in an original ID they are significant.
fn parse<I: FromStr>(flag: &str, text: &str) -> Result<Reference<I>, Failure> {
    if let Ok(id) = text.trim().parse() {
        return Ok(Reference::Id(id));
    }
    text.parse().map_err(|err| not_an_id(flag, text, err))
}

/// The API path of a debate, followed by `rest`.
fn debate_path(debate: &Reference<DebateId>, rest: impl fmt::Display) -> String {
    format!("/debates/{}{rest}", path_segment(debate))
}

/// An ID as a segment of a path.
fn path_segment(debate: &Reference<DebateId>) -> String {
    utf8_percent_encode(&debate.to_string(), ENCODED).to_string()
}

fn not_an_id(flag: &str, text: &str, err: impl fmt::Display) -> Failure {
    let suggestion = match flag {
        "--debate-id" => {
            "find the ID with `aw debate list`, or make a new one with `aw debate generate-id`"
        }
        _ => "`aw debate get-context` shows the IDs of a debate's arguments",
    };
    Failure::input(format!("{flag} {text:?} {err}"), suggestion)
}
