//! Shows a run, its calls, its transcript, or the list of runs.

use std::path::Path;

use debate_wire::runner::ListQuery;
use debate_wire::runner::agent::{Attempts, Debates, Exported};

use super::{path, run_id, story};
use crate::args::{DocumentFormat, Format, RunArg, RunExportArgs, RunListArgs};
use crate::client::{ApiRequest, parse_body, parse_run_listing};
use crate::commands::CommandContext;
use crate::commands::{with_query, write_document};
use crate::failure::Failure;
use crate::output::{CommandOutput, RunnerOutput, render_run};

pub(super) async fn list(
    args: &RunListArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let query = ListQuery {
        status: args.status.clone(),
        limit: args.limit.map(|limit| limit.to_string()),
        cursor: args.cursor.clone(),
    };
    let request = ApiRequest::get(with_query("/runner/debates", &query)?);
    let page = context.client.request_with(&request, parse_run_listing).await.outcome?;
    let debates = Debates { debates: page.debates, next_cursor: page.next_cursor };
    Ok(RunnerOutput::List(debates).into())
}

pub(super) async fn show(
    args: &RunArg,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let story = story(run_id(&args.id)?, context).await?;
    Ok(RunnerOutput::Story(Box::new(story)).into())
}

pub(super) async fn attempts(
    args: &RunArg,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let run = run_id(&args.id)?;
    let request = ApiRequest::get(path(run, "/attempts"));
    let attempts = context.client.request_with(&request, parse_body).await.outcome?;
    Ok(RunnerOutput::Attempts(Attempts { debate_id: run.to_string(), attempts }).into())
}

pub(super) async fn export(
    args: &RunExportArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let story = story(run_id(&args.run.id)?, context).await?;
    let default = match context.common.format {
        Some(Format::Json) => DocumentFormat::Json,
        Some(Format::Markdown | Format::Text) | None => DocumentFormat::Markdown,
    };
    let document = render_run(&story, args.r#as.unwrap_or(default));
    let Some(path) = write_document(&document, args.out.as_deref())? else {
        return Ok(CommandOutput::Printed);
    };
    Ok(RunnerOutput::Exported(export_result(path, &document, story.turns.len())).into())
}

fn export_result(path: &Path, document: &str, turns: usize) -> Exported {
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    Exported { path: path.display().to_string(), bytes: count(document.len()), turns: count(turns) }
}
