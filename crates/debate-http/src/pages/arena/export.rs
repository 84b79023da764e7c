//! Downloads of a whole debate. A debate of any length is read and sent page by page.

use std::collections::HashMap;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use debate_app::arena::{Arena, ArenaError, Transcript, TranscriptLimit};
use debate_core::arena::Argument;
use debate_core::{DebateId, Seq};
use debate_render::HTML_FOOT;
use debate_render::arena::{ArgumentItem, html_head, markdown_argument, markdown_heading};
use debate_wire::arena as wire;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::arena::PathDebate;
use crate::arena::transcript_response;
use crate::error::ErrorResponse;
use crate::pages::export::{ExportFormat, attachment};

/// The transcript as the API returns it.
pub(crate) async fn export_json(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Response, ErrorResponse> {
    let first = arena.transcript(debate, TranscriptLimit::All).await?;
    let headers = attachment("debate", debate, "json");
    Ok((headers, transcript_response(arena, first)).into_response())
}

pub(crate) async fn export_markdown(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Response, ErrorResponse> {
    export(arena, debate, ExportFormat::Markdown).await
}

pub(crate) async fn export_html(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Response, ErrorResponse> {
    export(arena, debate, ExportFormat::Html).await
}

async fn export(
    arena: Arena,
    debate: DebateId,
    format: ExportFormat,
) -> Result<Response, ErrorResponse> {
    let first = arena.transcript(debate, TranscriptLimit::Newest(0)).await?;
    Ok((format.headers("debate", debate), body(arena, first, format)).into_response())
}

fn body(arena: Arena, first: Transcript, format: ExportFormat) -> Body {
    let (debate, through) = (first.debate.id, first.through);
    let about = wire::Debate::from(first.debate);
    let (opening, closing) = match format {
        ExportFormat::Markdown => (markdown_heading(&about), ""),
        ExportFormat::Html => (html_head(&about), HTML_FOOT),
    };
    let start =
        (Seq::START, ExportedPage { format, positions: HashMap::new(), text: String::new() });
    let pages = stream::try_unfold(start, move |(after, exported)| {
        let arena = arena.clone();
        async move {
            if after >= through {
                return Ok::<_, ArenaError>(None);
            }
            let page = arena.page(debate, after, through).await?;
            let last = page.last().map_or(through, |argument| argument.seq);
            // Rendering blocks, and other requests must not wait for it.
            let rendering = tokio::task::spawn_blocking(move || exported.render(page));
            let mut exported = rendering.await.expect("rendering does not panic");
            let text = std::mem::take(&mut exported.text);
            Ok(Some((text, (last, exported))))
        }
    });
    let parts = stream::once(async { Ok(opening) }).chain(pages);
    let parts = parts.chain(stream::once(async { Ok(closing.to_owned()) }));
    Body::from_stream(parts.map_ok(Bytes::from))
}

/// A part of an export, with the positions of all arguments before its end.
struct ExportedPage {
    format: ExportFormat,
    positions: HashMap<String, u32>,
    text: String,
}

impl ExportedPage {
    fn render(mut self, page: Vec<Argument>) -> Self {
        for argument in page.into_iter().map(wire::Argument::from) {
            let text = match self.format {
                ExportFormat::Markdown => markdown_argument(&argument),
                ExportFormat::Html => {
                    let parent = argument.parent_id.as_ref();
                    let parent = parent.and_then(|id| self.positions.get(id).copied());
                    let item = ArgumentItem::for_export((&argument).into(), parent);
                    self.positions.insert(argument.id.clone(), argument.seq);
                    item.to_html().to_string()
                }
            };
            self.text.push_str(&text);
        }
        self
    }
}
