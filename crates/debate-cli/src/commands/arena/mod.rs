//! The commands of `aw debate`.

mod arbitrate;
mod join;
mod login;
mod new;
mod prompt;
mod read;
mod resolve;
mod rule;
mod say;
mod turn;
mod wait;
mod watch;
mod write;

pub(super) use login::link as login_link;
pub(super) use prompt::prompt;
pub(super) use read::open_page;
pub(super) use rule::rule;

use std::fmt;
use std::str::FromStr;

use debate_core::{ArgumentId, DebateId, Reference};
use debate_net::BaseUrl;
use debate_wire::agent::Generated;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{CommandContext, new_id};
use crate::args::{AsFlag, DebateCommand, ServicesCommand};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::seats::{SeatChoice, SeatQuery};
use crate::service;
use crate::settings::ProcessEnvironment;

/// A new ID for a debate.
pub(super) fn generate_id() -> CommandOutput {
    ArenaOutput::Id(Generated { id: new_id() }).into()
}

/// The names that an agent command gives for a seat; none for commands without one.
fn seat_query(command: &DebateCommand) -> Option<SeatQuery> {
    let query = |debate: &Option<String>, role: &AsFlag| {
        Some(SeatQuery { debate: debate.clone(), role: role.role, server: None })
    };
    match command {
        DebateCommand::Say(args) => query(&args.debate, &args.role),
        DebateCommand::Next(args) => query(&args.debate.debate, &args.role),
        DebateCommand::Show(args) => query(&args.debate.debate, &args.role),
        DebateCommand::GenerateId
        | DebateCommand::New(_)
        | DebateCommand::Join(_)
        | DebateCommand::Create(_)
        | DebateCommand::Submit(_)
        | DebateCommand::Appeal(_)
        | DebateCommand::RequestCompletion(_)
        | DebateCommand::Ruling(_)
        | DebateCommand::Intervention(_)
        | DebateCommand::GetContext(_)
        | DebateCommand::List(_)
        | DebateCommand::Wait(_)
        | DebateCommand::Delete(_)
        | DebateCommand::Watch(_)
        | DebateCommand::Export(_)
        | DebateCommand::Open(_)
        | DebateCommand::Services(_) => None,
    }
}

/// The debate that a command names on its command line.
fn named_debate(command: &DebateCommand) -> Option<&str> {
    match command {
        DebateCommand::Join(args) => args.debate.as_deref(),
        DebateCommand::Open(args) => args.debate_id.as_deref(),
        DebateCommand::Submit(args) => Some(&args.debate.debate_id),
        DebateCommand::Appeal(args) => Some(&args.debate.debate_id),
        DebateCommand::RequestCompletion(args) => Some(&args.debate.debate_id),
        DebateCommand::Ruling(args) => Some(&args.debate.debate_id),
        DebateCommand::Intervention(args) => Some(&args.debate.debate_id),
        DebateCommand::GetContext(args) => Some(&args.debate.debate_id),
        DebateCommand::Wait(args) => Some(&args.debate.debate_id),
        DebateCommand::Delete(args) => Some(&args.debate.debate_id),
        DebateCommand::Watch(args) => Some(&args.debate.debate_id),
        DebateCommand::Export(args) => Some(&args.debate.debate_id),
        DebateCommand::Say(args) => args.debate.as_deref(),
        DebateCommand::Next(args) => args.debate.debate.as_deref(),
        DebateCommand::Show(args) => args.debate.debate.as_deref(),
        DebateCommand::GenerateId
        | DebateCommand::New(_)
        | DebateCommand::Create(_)
        | DebateCommand::List(_)
        | DebateCommand::Services(_) => None,
    }
}

/// The server of the seat that a command uses, where neither a flag nor the environment names one.
/// A command that cannot work without a seat fails here.
pub(super) fn kept_server(
    command: &DebateCommand,
    seats: &SeatChoice,
    environment: &ProcessEnvironment,
) -> Result<Option<BaseUrl>, Failure> {
    let named = || named_debate(command).and_then(|name| seats.server_of(name)).cloned();
    let Some(query) = seat_query(command) else { return Ok(named()) };
    let query = query.with_environment(environment)?;
    match seats.pick(&query) {
        Ok(seat) => Ok(Some(seat.server.clone())),
        // A transcript of a named debate needs no seat.
        Err(_) if matches!(command, DebateCommand::Show(_)) && query.debate.is_some() => {
            Ok(query.debate.and_then(|name| seats.server_of(&name).cloned()))
        }
        Err(failure) => Err(failure),
    }
}

pub(super) async fn dispatch(
    command: &DebateCommand,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let query = seat_query(command).unwrap_or_default().with_environment(context.environment)?;
    let server = (!context.settings.is_default_url).then(|| context.settings.url.clone());
    let query = SeatQuery { server, ..query };
    match command {
        DebateCommand::GenerateId => Ok(generate_id()),
        DebateCommand::New(args) => new::new(args, seats, context).await,
        DebateCommand::Join(args) => join::join(args, seats, context).await,
        DebateCommand::Say(args) => say::say(args, query, seats, context).await,
        DebateCommand::Next(_) => say::next(query, seats, context).await,
        DebateCommand::Show(_) => read::show(query, seats, context).await,
        DebateCommand::Create(args) => write::create(args, context).await,
        DebateCommand::Submit(args) => write::submit(args, seats, context).await,
        DebateCommand::Appeal(args) => write::appeal(args, seats, context).await,
        DebateCommand::RequestCompletion(args) => {
            write::request_completion(args, seats, context).await
        }
        DebateCommand::Ruling(args) => write::ruling(args, context).await,
        DebateCommand::Intervention(args) => write::intervention(args, context).await,
        DebateCommand::GetContext(args) => read::context(args, context).await,
        DebateCommand::List(args) => read::list(args, context).await,
        DebateCommand::Wait(args) => wait::wait(args, seats, context).await,
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

/// The argument that a flag names.
fn argument_id(flag: &str, text: &str) -> Result<Reference<ArgumentId>, Failure> {
    parse_reference(flag, text)
}

/// Spaces around a UUID are ignored; in an original ID they are significant.
fn parse_reference<I: FromStr>(flag: &str, text: &str) -> Result<Reference<I>, Failure> {
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
