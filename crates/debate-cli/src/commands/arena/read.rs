//! Commands that read debates, and the one that opens the page of a debate.

use std::process::{Command, Stdio};

use debate_wire::agent::{Context, Debates, Exported, Opened, Pagination};
use debate_wire::arena::{DebateList, DebateQuery, ListQuery, Transcript};

use super::resolve::find_debate;
use super::{debate_path, login, path_segment};
use crate::args::{ContextArgs, ExportArgs, ListArgs, OpenArgs};
use crate::client::ApiRequest;
use crate::commands::{CommandContext, with_query, write_document};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput, render_debate};
use crate::seats::{SeatChoice, SeatQuery};
use crate::service;
use crate::settings::ProcessEnvironment;

pub(super) async fn context(
    args: &ContextArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
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
    let page = Pagination { has_more, next_offset, total_count: list.total };
    Ok(ArenaOutput::List(Debates { debates: list.debates }, page).into())
}

pub(super) async fn export(
    args: &ExportArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let request = ApiRequest::get(debate_path(&debate, ""));
    let transcript: Transcript = context.client.request(&request).await?;
    let document = render_debate(&transcript, args.r#as);
    let Some(path) = write_document(&document, args.out.as_deref())? else {
        return Ok(CommandOutput::Printed);
    };
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let exported = Exported {
        path: path.display().to_string(),
        bytes: count(document.len()),
        arguments: count(transcript.arguments.len()).saturating_add(1),
    };
    Ok(ArenaOutput::Exported(exported).into())
}

pub(super) async fn open(
    args: &OpenArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    open_page(args.debate_id.as_deref(), "/arena", context).await
}

/// Opens the page of a debate, or the page at `path` if no debate is named.
pub(in crate::commands) async fn open_page(
    debate: Option<&str>,
    path: &str,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    service::ensure(context).await?;
    let path = match debate {
        Some(debate) => format!("/arena/{}", path_segment(&find_debate(debate, context).await?)),
        None => path.to_owned(),
    };
    let page = format!("{}{path}", context.settings.url);
    let link = login::link(&path, context).await;
    let link = link.unwrap_or_else(|| page.clone());
    let opened = browser(context.environment)?.is_some_and(|browser| {
        let mut command = Command::new(browser);
        command.arg(&link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    });
    // A person without a browser here opens the link elsewhere.
    let url = if opened { page } else { link };
    Ok(ArenaOutput::Opened(Opened { url, opened }).into())
}

/// The program that opens a URL; none without a display.
fn browser(environment: &ProcessEnvironment) -> Result<Option<String>, Failure> {
    if let Some(named) = environment.text("BROWSER")? {
        return Ok(named.split(':').find(|name| !name.is_empty()).map(str::to_owned));
    }
    if cfg!(target_os = "macos") {
        return Ok(Some("open".to_owned()));
    }
    let screen = environment.text("WAYLAND_DISPLAY")?.or(environment.text("DISPLAY")?);
    Ok(screen.map(|_| "xdg-open".to_owned()))
}

/// The transcript and the participants of a debate.
pub(super) async fn show(
    query: SeatQuery,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let name = match &query.debate {
        Some(name) => name.clone(),
        None => seats.pick(&query)?.debate.clone(),
    };
    let debate = find_debate(&name, context).await?;
    let request = ApiRequest::get(debate_path(&debate, ""));
    let transcript: Transcript = context.client.request(&request).await?;
    let has_seats = transcript.debate.seats;
    let mut context_data = Context::from(transcript);
    if has_seats {
        let request = ApiRequest::get(debate_path(&debate, "/seats"));
        context_data.seats = Some(context.client.request(&request).await?);
    }
    Ok(ArenaOutput::Context(Box::new(context_data)).into())
}
