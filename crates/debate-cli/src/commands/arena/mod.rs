//! The commands of `aw debate`.

mod browse;
mod export;
mod ids;
mod read;
mod wait;
mod watch;
mod write;

use debate_wire::agent::Generated;

use super::{CommandContext, new_id};
use crate::args::{Command, ServicesCommand};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::service;

/// A new ID for a debate.
pub(super) fn generate_id() -> CommandOutput {
    ArenaOutput::Id(Generated { id: new_id() }).into()
}

pub(super) async fn dispatch(
    command: &Command,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    match command {
        Command::GenerateId => Ok(generate_id()),
        Command::Create(args) => write::create(args, context).await,
        Command::Submit(args) => write::submit(args, context).await,
        Command::Appeal(args) => write::appeal(args, context).await,
        Command::RequestCompletion(args) => write::request_completion(args, context).await,
        Command::Ruling(args) => write::ruling(args, context).await,
        Command::Intervention(args) => write::intervention(args, context).await,
        Command::GetContext(args) => read::context(args, context).await,
        Command::List(args) => read::list(args, context).await,
        Command::Wait(args) => wait::wait(args, context).await,
        Command::Delete(args) => write::delete(args, context).await,
        Command::Watch(args) => watch::watch(args, context).await,
        Command::Export(args) => export::export(args, context).await,
        Command::Open(args) => browse::open(args, context).await,
        Command::Services(ServicesCommand::Start) => service::start(context).await,
        Command::Services(ServicesCommand::Stop) => service::stop(context).await,
        Command::Services(ServicesCommand::Status) => service::status(context).await,
    }
}
