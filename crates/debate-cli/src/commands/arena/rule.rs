//! `aw rule`: a ruling on the debate that needs one.

use debate_wire::agent::{Debates, Pagination};
use debate_wire::arena::{Debate, DebateList, ListQuery, State};

use super::parse_reference;
use super::resolve::find_debate;
use super::write::{RulingRequest, idempotency_key};
use crate::args::RuleArgs;
use crate::client::ApiRequest;
use crate::commands::{CommandContext, with_query};
use crate::content::read_text_or_file;
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::seats::SeatQuery;

/// The most debates of each state that are listed.
const LISTED_MAX: u32 = 50;

pub(in crate::commands) async fn rule(
    args: &RuleArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let text = args.text();
    let query = SeatQuery { debate: args.debate().map(str::to_owned), ..SeatQuery::default() };
    let name = query.with_environment(context.environment)?.debate;
    if text.is_none() && args.file.is_none() {
        return list(context).await;
    }
    let content = read_text_or_file(text, args.file.as_deref())?;
    let debate = if let Some(name) = name {
        find_debate(&name, context).await?
    } else {
        let (pending, total) = pending_rulings(context).await?;
        match pending.as_slice() {
            [only] => parse_reference("debate", &only.id)?,
            several => return Err(not_one(several, total)),
        }
    };
    let ruling = RulingRequest { content, close: args.close, key: idempotency_key(&args.key) };
    ruling.send(&debate, &args.arbitrator, context).await
}

/// The debates that need a ruling, longest waiting first.
async fn list(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let (debates, total) = pending_rulings(context).await?;
    let count = u64::try_from(debates.len()).unwrap_or(u64::MAX);
    let page = Pagination { has_more: count < total, next_offset: None, total_count: total };
    Ok(ArenaOutput::List(Debates { debates }, page).into())
}

async fn pending_rulings(context: &CommandContext<'_>) -> Result<(Vec<Debate>, u64), Failure> {
    let (mut debates, mut total) = (Vec::new(), 0);
    for state in [State::AwaitingArbitrator, State::InterventionPending] {
        let query = ListQuery {
            state: Some(debate_render::wire_name(&state)),
            limit: Some(LISTED_MAX.to_string()),
            ..ListQuery::default()
        };
        let request = ApiRequest::get(with_query("/debates", &query)?);
        let list: DebateList = context.client.request(&request).await?;
        debates.extend(list.debates);
        total += list.total;
    }
    debates.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
    Ok((debates, total))
}

fn not_one(pending: &[Debate], total: u64) -> Failure {
    if pending.is_empty() {
        let suggestion = "list the debates with `aw debate list`";
        return Failure::input("no debate needs a ruling", suggestion);
    }
    let names: Vec<_> = pending.iter().map(|debate| debate.slug.as_str()).collect();
    let message = format!("{total} debates need a ruling: {}", names.join(", "));
    Failure::input(message, "name one of them: aw rule SLUG TEXT")
}
