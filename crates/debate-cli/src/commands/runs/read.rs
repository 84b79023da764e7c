//! Shows a run, its calls, its transcript, or the list of runs.

use std::path::Path;

use debate_wire::runner::ListQuery;
use debate_wire::runner::agent::{Attempts, Debates, Exported};

use super::{path, run_id, story};
use crate::args::{Format, RunArg, RunDocument, RunExportArgs, RunListArgs};
use crate::client::{Request, bare, page};
use crate::commands::Desk;
use crate::commands::export::keep;
use crate::commands::read::with_query;
use crate::fault::Fault;
use crate::output::{Done, RunDone, run_document};

pub(super) async fn list(args: &RunListArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let query = ListQuery {
        status: args.status.clone(),
        limit: args.limit.map(|limit| limit.to_string()),
        cursor: args.cursor.clone(),
    };
    let request = Request::get(with_query("/runner/debates", &query)?);
    let page = desk.client.ask_for(&request, page).await.outcome?;
    let debates = Debates { debates: page.debates, next_cursor: page.next_cursor };
    Ok(Done::Run(RunDone::List(debates)))
}

pub(super) async fn show(args: &RunArg, desk: &Desk<'_>) -> Result<Done, Fault> {
    let story = story(run_id(&args.id)?, desk).await?;
    Ok(Done::Run(RunDone::Story(Box::new(story))))
}

pub(super) async fn attempts(args: &RunArg, desk: &Desk<'_>) -> Result<Done, Fault> {
    let run = run_id(&args.id)?;
    let request = Request::get(path(run, "/attempts"));
    let attempts = desk.client.ask_for(&request, bare).await.outcome?;
    Ok(Done::Run(RunDone::Attempts(Attempts { debate_id: run.to_string(), attempts })))
}

pub(super) async fn export(args: &RunExportArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let story = story(run_id(&args.run.id)?, desk).await?;
    let fitting = match desk.common.format {
        Some(Format::Json) => RunDocument::Json,
        Some(Format::Markdown | Format::Text) | None => RunDocument::Markdown,
    };
    let document = run_document(&story, args.r#as.unwrap_or(fitting));
    let Some(path) = keep(&document, args.out.as_deref())? else { return Ok(Done::Shown) };
    Ok(Done::Run(RunDone::Exported(exported(path, &document, story.turns.len()))))
}

fn exported(path: &Path, document: &str, turns: usize) -> Exported {
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    Exported { path: path.display().to_string(), bytes: count(document.len()), turns: count(turns) }
}
