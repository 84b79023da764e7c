//! The commands for the server on this machine.

mod logs;
mod overview;

pub(super) use overview::overview;

use super::CommandContext;
use super::arena::open_page;
use crate::args::ServerCommand;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::service;

pub(super) async fn dispatch(
    command: &ServerCommand,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    match command {
        ServerCommand::Open(args) => open_page(args.debate.as_deref(), "/", context).await,
        ServerCommand::Status(_) => service::status(context).await,
        ServerCommand::Stop(_) => service::stop(context).await,
        ServerCommand::Restart(_) => service::restart(context).await,
        ServerCommand::Logs(args) => logs::logs(args, context).await,
    }
}
