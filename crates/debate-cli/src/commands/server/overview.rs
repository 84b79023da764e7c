//! `aw` without arguments: the server, what needs the caller, and the next commands.

use debate_wire::arena::{Debate, DebateList, ListQuery, State};
use debate_wire::runner::{ListQuery as RunQuery, ListedDebate as ListedRun, Status};

use crate::client::{ApiRequest, parse_run_listing};
use crate::commands::arena::login_link;
use crate::commands::{CommandContext, with_query};
use crate::failure::Failure;
use crate::output::{CommandOutput, NextCommand, Overview, put};
use crate::service;

/// The most debates and the most runs that are listed.
const LISTED_MAX: u64 = 5;

pub(in crate::commands) async fn overview(
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    service::ensure(context).await?;
    let (mut debates, mut total) = (Vec::new(), 0);
    for state in [State::AwaitingArbitrator, State::InterventionPending] {
        let (listed, count) = longest_waiting(state, context).await?;
        debates.extend(listed);
        total += count;
    }
    debates.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
    debates.truncate(usize::try_from(LISTED_MAX).unwrap_or(usize::MAX));
    let runs = failed_runs(context).await?;
    let server = service::running(context.environment, context.settings.url.port);
    let next = next_commands(&debates, &runs, context);
    let overview = Overview {
        url: context.settings.url.to_string(),
        login: login_link("/", context).await,
        server: server.description(),
        debates,
        debates_total: total,
        runs,
        next,
    };
    let printed = put(&context.printer.overview(&overview));
    printed.map_err(|err| Failure::Local(err.to_string()))?;
    Ok(CommandOutput::Printed)
}

/// The debates in a state that have waited longest, and the number of all of them. A list begins
/// with the debate that changed last, so that the longest waiting ones are on its last page.
async fn longest_waiting(
    state: State,
    context: &CommandContext<'_>,
) -> Result<(Vec<Debate>, u64), Failure> {
    let mut offset = 0;
    loop {
        let query = ListQuery {
            state: Some(debate_render::wire_name(&state)),
            limit: Some(LISTED_MAX.to_string()),
            offset: Some(offset.to_string()),
            ..ListQuery::default()
        };
        let request = ApiRequest::get(with_query("/debates", &query)?);
        let mut list: DebateList = context.client.request(&request).await?;
        let last_page = list.total.saturating_sub(LISTED_MAX);
        if offset == last_page || offset > 0 {
            list.debates.reverse();
            return Ok((list.debates, list.total));
        }
        offset = last_page;
    }
}

async fn failed_runs(context: &CommandContext<'_>) -> Result<Vec<ListedRun>, Failure> {
    let query = RunQuery {
        status: Some(debate_render::wire_name(&Status::Failed)),
        limit: Some(LISTED_MAX.to_string()),
        cursor: None,
    };
    let request = ApiRequest::get(with_query("/runner/debates", &query)?);
    let page = context.client.request_with(&request, parse_run_listing).await.outcome?;
    Ok(page.debates)
}

/// Three commands that fit: about the debate that has waited longest, about the newest failed run,
/// or for a start.
fn next_commands(
    debates: &[Debate],
    runs: &[ListedRun],
    context: &CommandContext<'_>,
) -> [NextCommand; 3] {
    let next = |words: &[&str], purpose: &'static str| NextCommand {
        command: context.command(words),
        purpose,
    };
    let open = || next(&["open"], "open the pages in a browser");
    if let Some(debate) = debates.first() {
        let name = if debate.slug.is_empty() { &debate.id } else { &debate.slug };
        return [
            next(&["debate", "show", name], "read the question"),
            next(&["rule", name, "YOUR RULING"], "rule and continue the debate"),
            next(&["open", name], "open the debate in a browser"),
        ];
    }
    if let Some(run) = runs.first() {
        return [
            next(&["run", "show", &run.id], "read why the run failed"),
            next(&["run", "retry", &run.id, "--follow"], "retry its failed turn"),
            open(),
        ];
    }
    [
        open(),
        next(&["run", "start", "Tabs or spaces?", "--follow"], "watch a demo run"),
        next(&["debate", "new", "plan.md"], "let two of your own agents debate a plan"),
    ]
}
