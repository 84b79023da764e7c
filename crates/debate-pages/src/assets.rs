//! The stylesheet, the script and the icon of the pages. Their paths contain a digest of their
//! content, so that browsers can cache them without limit.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// A file that pages load.
#[derive(Debug)]
pub struct Asset {
    /// The file name, the last segment of the path.
    pub name: &'static str,
    /// The value of the `Content-Type` header.
    pub content_type: &'static str,
    /// The content of the file.
    pub text: &'static str,
    path: String,
}

/// The stylesheet of all pages.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("style.css", "text/css; charset=utf-8", debate_render::STYLESHEET));

/// The script, which adds live updates and keyboard shortcuts.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../assets/script.js");
    Asset::new("script.js", "text/javascript; charset=utf-8", text)
});

/// The icon in the browser's tab.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")));

impl Asset {
    fn new(name: &'static str, content_type: &'static str, text: &'static str) -> Self {
        let digest = Sha256::digest(text);
        let version = debate_wire::hex(digest.get(..6).unwrap_or_default());
        Self { name, content_type, text, path: format!("/assets/{name}?v={version}") }
    }

    /// The path of this version of the file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}
