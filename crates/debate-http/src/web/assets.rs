//! What pages load beside themselves: three files, inside the binary, under addresses that change
//! with their content, so that a browser may keep them for ever.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::problem::Problem;

/// Where they are; they need no token, since the page to log in needs them.
pub(crate) const FOLDER: &str = "/assets/";

/// A file that pages load.
pub(crate) struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
    address: LazyLock<String>,
}

pub(super) static STYLE: Asset = Asset {
    name: "style.css",
    kind: "text/css; charset=utf-8",
    text: include_str!("../../assets/style.css"),
    address: LazyLock::new(|| addressed(&STYLE)),
};

pub(super) static SCRIPT: Asset = Asset {
    name: "script.js",
    kind: "text/javascript; charset=utf-8",
    text: include_str!("../../assets/script.js"),
    address: LazyLock::new(|| addressed(&SCRIPT)),
};

pub(super) static ICON: Asset = Asset {
    name: "icon.svg",
    kind: "image/svg+xml",
    text: include_str!("../../assets/icon.svg"),
    address: LazyLock::new(|| addressed(&ICON)),
};

static ALL: [&Asset; 3] = [&STYLE, &SCRIPT, &ICON];

impl Asset {
    /// Where a page finds it.
    pub(super) fn address(&'static self) -> &'static str {
        &self.address
    }
}

/// The name and what it holds: another build's style has another address.
fn addressed(asset: &Asset) -> String {
    let mut text = format!("{FOLDER}{}?v=", asset.name);
    for byte in Sha256::digest(asset.text).iter().take(6) {
        use std::fmt::Write;
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// `GET /assets/{name}`
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, Problem> {
    let found = ALL.into_iter().find(|asset| asset.name == name);
    let asset = found.ok_or_else(Problem::no_such_route)?;
    let kept = "public, max-age=31536000, immutable";
    Ok(([(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, kept)], asset.text).into_response())
}
