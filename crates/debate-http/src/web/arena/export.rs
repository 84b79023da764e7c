//! A whole debate to take away, sent a page at a time however long it is.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use debate_app::arena::{Arena, ArenaError, Newest, Transcript};
use debate_core::Seq;
use debate_core::arena::Argument;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::view::{Standing, title, type_words};
use crate::arena::PathDebate;
use crate::arena::stream as transcripts;
use crate::problem::Problem;
use crate::web::export::{MARKDOWN, named, plain, quoted, time};

/// `GET /arena/{id}/export.json`: what the API answers.
pub(crate) async fn export_json(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Response, Problem> {
    let first = arena.transcript(debate, Newest::All).await?;
    Ok((named("debate", debate, "json"), transcripts::transcript(arena, first)).into_response())
}

/// `GET /arena/{id}/export.md`
pub(crate) async fn export_markdown(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Response, Problem> {
    let first = arena.transcript(debate, Newest::Count(0)).await?;
    Ok((named("debate", debate, "md"), MARKDOWN, markdown(arena, &first)).into_response())
}

fn markdown(arena: Arena, first: &Transcript) -> Body {
    let (debate, through) = (first.debate.id, first.through);
    let opening = heading(first);
    let pages = stream::try_unfold(Seq::START, move |after| {
        let arena = arena.clone();
        async move {
            if after >= through {
                return Ok::<_, ArenaError>(None);
            }
            let page = arena.page(debate, after, through).await?;
            let last = page.last().map_or(through, |argument| argument.seq);
            Ok(Some((page.iter().map(told).collect::<String>(), last)))
        }
    });
    Body::from_stream(stream::once(async { Ok(opening) }).chain(pages).map_ok(Bytes::from))
}

fn heading(transcript: &Transcript) -> String {
    let debate = &transcript.debate;
    format!(
        "# {}\n\n- debate: `{}`\n- type: {}\n- state: {} (`{}`)\n- created: {} UTC\n\
         - last changed: {} UTC\n\n",
        plain(&debate.title),
        debate.id,
        type_words(debate.debate_type),
        Standing::from(debate.state).words,
        debate.state,
        time(debate.created_at),
        time(debate.updated_at),
    )
}

/// One argument. Its content is a block quote, so that it cannot imitate another argument.
fn told(argument: &Argument) -> String {
    let answers = argument.parent.map(|id| format!(", reply to `{id}`")).unwrap_or_default();
    format!(
        "## {}. {}\n\n{} UTC, `{}`{answers}\n\n{}\n",
        argument.seq,
        title(argument),
        time(argument.created_at),
        argument.id,
        quoted(&argument.content),
    )
}
