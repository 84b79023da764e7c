//! Pages and files of no context: home page, guide, assets, unknown addresses.

use std::sync::LazyLock;

use axum::extract::{OriginalUri, Path, State};
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::arena::Arena;
use debate_app::forum::Forum;
use debate_app::runner::Runner;
use debate_pages::assets::{Asset, ICON, SCRIPT, STYLE};
use debate_pages::{arena, forum, guide, home, runner};

use super::browser::Browser;
use super::forum::BrowserIdentity;
use crate::access::is_read;
use crate::document::{Document, REVALIDATED};
use crate::error::ErrorResponse;

/// The path of an asset changes with its content, so a browser need not ask again.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

static ASSETS: LazyLock<[(&str, Document); 3]> = LazyLock::new(|| {
    let all: [&Asset; 3] = [&STYLE, &SCRIPT, &ICON];
    all.map(|asset| (asset.name, Document::new(asset.content_type, IMMUTABLE, asset.text)))
});

static IMAGES: LazyLock<[(&str, Document); 4]> = LazyLock::new(|| {
    guide::IMAGES.map(|(name, bytes)| (name, Document::new("image/png", REVALIDATED, bytes)))
});

pub(crate) async fn home(
    State(arena): State<Arena>,
    State(runner): State<Runner>,
    State(forum): State<Forum>,
    browser: Browser,
    identity: BrowserIdentity,
) -> Result<Response, ErrorResponse> {
    let debates = arena::overview(&arena, &browser.request).await?;
    let runs = runner::overview(&runner).await?;
    let problems = forum::overview(&forum, &identity.identity).await?;
    Ok(browser.respond(home::home(&browser.request, debates, runs, problems)))
}

pub(crate) async fn guide(browser: Browser) -> Result<Response, ErrorResponse> {
    document(browser, Path("guide".to_owned())).await
}

pub(crate) async fn document(
    browser: Browser,
    Path(name): Path<String>,
) -> Result<Response, ErrorResponse> {
    let outcome = guide::document(&browser.request, &name);
    Ok(browser.respond(outcome.ok_or_else(ErrorResponse::no_such_route)?))
}

pub(crate) async fn image(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    send(&*IMAGES, &name, &headers)
}

/// Assets need no token, because the login page loads them.
pub(crate) async fn asset(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    send(&*ASSETS, &name, &headers)
}

fn send(
    documents: &[(&str, Document)],
    name: &str,
    headers: &HeaderMap,
) -> Result<Response, ErrorResponse> {
    let (_, document) = documents
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(ErrorResponse::no_such_route)?;
    Ok(document.answer(headers))
}

/// The response to an unknown address of a section. An address with slashes at its end leads to
/// the address without them.
pub(crate) async fn no_such_page(method: Method, OriginalUri(uri): OriginalUri) -> Response {
    let path = uri.path().trim_end_matches('/');
    if is_read(&method) && path != uri.path() {
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Redirect::permanent(&format!("{path}{query}")).into_response();
    }
    ErrorResponse::no_such_route().into_response()
}
