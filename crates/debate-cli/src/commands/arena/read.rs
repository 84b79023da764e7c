//! Shows a debate or the list of debates.

use debate_wire::agent::{Debates, Page};
use debate_wire::arena::{DebateList, DebateQuery, ListQuery, Transcript};

use super::ids::{debate_id, debate_path};
use crate::args::{ContextArgs, ListArgs};
use crate::client::ApiRequest;
use crate::commands::{CommandContext, with_query};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};

pub(super) async fn context(
    args: &ContextArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let query = DebateQuery { limit: args.limit.map(|limit| limit.to_string()) };
    let path = with_query(&debate_path(&debate, ""), &query)?;
    let transcript: Transcript = context.client.request(&ApiRequest::get(path)).await?;
    Ok(ArenaOutput::Context(Box::new(transcript.into())).into())
}

pub(super) async fn list(
    args: &ListArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let query = ListQuery {
        state: args.state.clone(),
        pending_first_opponent: args.pending_first_opponent.then(|| "true".to_owned()),
        limit: args.limit.map(|limit| limit.to_string()),
        offset: Some(args.offset.to_string()),
        ..ListQuery::default()
    };
    let path = with_query("/debates", &query)?;
    let list: DebateList = context.client.request(&ApiRequest::get(path)).await?;
    let count = u64::try_from(list.debates.len()).unwrap_or(u64::MAX);
    let next = args.offset.saturating_add(count);
    let has_more = next < list.total;
    let next_offset = has_more.then_some(next);
    let page = Page { has_more, next_offset, total_count: list.total };
    Ok(ArenaOutput::List(Debates { debates: list.debates }, page).into())
}
