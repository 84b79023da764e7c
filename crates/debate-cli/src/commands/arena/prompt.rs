//! `aw prompt`: the instructions for an agent.

use debate_render::arena::agent_instructions;
use debate_wire::agent::AgentPrompt;

use super::resolve::{find_debate, load_debate};
use crate::args::PromptArgs;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::seats::{SeatChoice, SeatQuery};

pub(in crate::commands) async fn prompt(
    args: &PromptArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let query = SeatQuery { debate: args.debate.debate.clone(), ..SeatQuery::default() };
    let query = query.with_environment(context.environment)?;
    let name = match query.debate {
        Some(name) => name,
        None => seats.newest_debate_name()?.to_owned(),
    };
    let debate = load_debate(&find_debate(&name, context).await?, context).await?;
    let server = context.settings.url.to_string();
    let prompt = agent_instructions(args.role, &debate.slug, &server);
    Ok(ArenaOutput::Prompt(AgentPrompt { prompt }).into())
}
