//! Reading: one debate, or the list of them.

use debate_wire::agent::{Debates, Page};
use debate_wire::arena::{DebateList, DebateQuery, ListQuery, Transcript};
use serde::Serialize;

use super::Desk;
use super::ids::{debate_id, debate_path};
use crate::args::{ContextArgs, ListArgs};
use crate::client::Request;
use crate::fault::Fault;
use crate::output::Done;

pub(super) async fn context(args: &ContextArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let query = DebateQuery { limit: args.limit.map(|limit| limit.to_string()) };
    let path = with_query(&debate_path(&debate, ""), &query)?;
    let transcript: Transcript = desk.client.ask(&Request::get(path)).await?;
    Ok(Done::Context(Box::new(transcript.into())))
}

pub(super) async fn list(args: &ListArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let query = ListQuery {
        state: args.state.clone(),
        pending_first_opponent: args.pending_first_opponent.then(|| "true".to_owned()),
        limit: args.limit.map(|limit| limit.to_string()),
        offset: Some(args.offset.to_string()),
        ..ListQuery::default()
    };
    let path = with_query("/debates", &query)?;
    let list: DebateList = desk.client.ask(&Request::get(path)).await?;
    let count = u64::try_from(list.debates.len()).unwrap_or(u64::MAX);
    let next = args.offset.saturating_add(count);
    let has_more = next < list.total;
    let next_offset = has_more.then_some(next);
    let page = Page { has_more, next_offset, total_count: list.total };
    Ok(Done::List(Debates { debates: list.debates }, page))
}

/// The path with what stands behind the question mark.
pub(super) fn with_query(path: &str, query: &impl Serialize) -> Result<String, Fault> {
    let query = serde_urlencoded::to_string(query).map_err(|err| Fault::Local(err.to_string()))?;
    Ok(if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") })
}
