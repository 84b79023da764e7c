//! The commands of `aw debate`.

mod browse;
mod ids;
mod read;
mod wait;
mod watch;
mod write;

pub(super) use browse::open_page;

use debate_wire::agent::Generated;

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
        DebateCommand::Open(args) => browse::open(args, context).await,
        DebateCommand::Services(ServicesCommand::Start) => service::start(context).await,
        DebateCommand::Services(ServicesCommand::Stop) => service::stop(context).await,
        DebateCommand::Services(ServicesCommand::Status) => service::status(context).await,
    }
}
