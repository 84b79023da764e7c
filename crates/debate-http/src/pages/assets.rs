//! The stylesheet, the script and the icon of the pages. Their addresses change
//! with their content, so that browsers can cache them without limit.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::document::{Document, short_digest};
use crate::problem::Problem;

/// The path of the assets. They need no token, since the login page uses them.
pub(crate) const ASSET_PATH: &str = "/assets/";

/// A browser need not ask again.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A file that pages load.
pub(crate) struct Asset {
    name: &'static str,
    address: String,
    document: Document,
}

pub(super) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("style.css", "text/css; charset=utf-8", debate_render::STYLESHEET));

pub(super) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../assets/script.js");
    Asset::new("script.js", "text/javascript; charset=utf-8", text)
});

pub(super) static ICON: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("icon.svg", "image/svg+xml", include_str!("../../assets/icon.svg"))
});

impl Asset {
    /// The address has the name and a digest of the content: another build's style has another.
    fn new(name: &'static str, kind: &'static str, text: &'static str) -> Self {
        let address = format!("{ASSET_PATH}{name}?v={}", short_digest(text.as_bytes()));
        Self { name, address, document: Document::new(kind, FOR_EVER, text) }
    }

    /// The address, with a digest of the content.
    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

/// `GET /assets/{name}`
pub(crate) async fn asset(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let all: [&Asset; 3] = [&STYLE, &SCRIPT, &ICON];
    let found = all.into_iter().find(|asset| asset.name == name);
    Ok(found.ok_or_else(Problem::no_such_route)?.document.answer(&headers))
}
