//! Downloads of a whole run. It has at most a hundred rounds, so it is rendered in one piece.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use debate_app::runner::Runner;
use debate_core::RunId;
use debate_render::runner::{html_transcript, markdown_transcript};

use crate::app_state::Settings;
use crate::error::ErrorResponse;
use crate::extract::PathId;
use crate::pages::export::{ExportFormat, attachment};
use crate::runner;

/// The run as the API returns it.
pub(crate) async fn export_json(
    runner: State<Runner>,
    settings: State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
) -> Result<Response, ErrorResponse> {
    let answer = runner::story(runner, settings, PathId(run)).await?;
    Ok((attachment("run", run, "json"), answer).into_response())
}

pub(crate) async fn export_markdown(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
) -> Result<Response, ErrorResponse> {
    export(runner, settings, run, ExportFormat::Markdown).await
}

pub(crate) async fn export_html(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
) -> Result<Response, ErrorResponse> {
    export(runner, settings, run, ExportFormat::Html).await
}

async fn export(
    runner: Runner,
    settings: Arc<Settings>,
    run: RunId,
    format: ExportFormat,
) -> Result<Response, ErrorResponse> {
    let story = runner::wire_story(runner.story(run).await?, &settings.prices);
    // Rendering blocks, and other requests must not wait for it.
    let rendering = tokio::task::spawn_blocking(move || match format {
        ExportFormat::Markdown => markdown_transcript(&story),
        ExportFormat::Html => html_transcript(&story),
    });
    let text = rendering.await.expect("rendering does not panic");
    Ok((format.headers("run", run), text).into_response())
}
