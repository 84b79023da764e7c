//! Checks of HTML pages: screenshots that fit the screen, accessibility rules, valid HTML.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::browser::Browser;
use super::npm_packages;

/// The directory of the screenshots.
fn screenshot_directory() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

/// The screenshots that `scripts/screenshots` copies to docs/images: the name here, the file there,
/// and the height of the part that it shows, in pixels from the top.
const DOCUMENTED: [(&str, &str, u32); 4] = [
    ("arena-dark", "arena-dark.png", 650),
    ("debate-light", "debate-light.png", 1215),
    ("run-light", "run-light.png", 1130),
    ("solution-own-light", "solution-light.png", 1284),
];

pub(crate) async fn take_screenshots(browser: &Browser, name: &str, width: u32) {
    // The live indicator is animated; a screenshot waits until it is shown.
    browser.wait_for("document.getElementById('live')?.hidden !== true").await;
    let picture = browser.screenshot().await;
    assert!(picture.starts_with(b"\x89PNG"), "{name}");
    std::fs::write(screenshot_directory().join(format!("{name}.png")), picture)
        .expect("it can be written");
    if let Some((_, file, height)) = DOCUMENTED.iter().find(|(known, ..)| *known == name) {
        let documented = screenshot_directory().join("docs");
        std::fs::create_dir_all(&documented).expect("the folder can be made");
        let picture = browser.screenshot_of_top(width, *height).await;
        std::fs::write(documented.join(file), picture).expect("the picture can be written");
    }
    let across = browser.eval("document.documentElement.scrollWidth").await;
    assert!(across.as_u64() <= Some(width.into()), "{name} is {across} wide");
}

/// The accessibility rules as a script.
pub(crate) fn axe() -> String {
    let file = npm_packages().join("axe-core/axe.min.js");
    std::fs::read_to_string(file).expect("scripts/test installs the packages")
}

pub(crate) async fn assert_accessible(browser: &Browser, axe: &str, what: &str) {
    browser.run(axe).await;
    let broken =
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) =>
        ({ passed: passes.length > 10, broken: violations.map(({ id, nodes }) =>
            [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]) }))";
    let found = browser.eval_async(broken).await;
    assert_eq!(found, json!({ "passed": true, "broken": [] }), "{what}");
}

/// Validates named pages with html-validate.
pub(crate) async fn assert_valid_html(pages: &[(String, String)]) {
    let folder = tempfile::TempDir::new().expect("the system has a folder for temporary files");
    let mut files = Vec::new();
    for (page, text) in pages {
        assert!(text.starts_with("<!doctype html>"), "{page}: {text}");
        let file = folder.path().join(format!("{page}.html"));
        std::fs::write(&file, text).expect("it can be written");
        files.push(file);
    }
    let checker = npm_packages().join("html-validate/bin/html-validate.mjs");
    let checked = tokio::process::Command::new("node")
        .arg(checker)
        .args(["--preset", "standard"])
        .args(&files)
        .output();
    let checked = checked.await.expect("node is installed");
    let output = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{output}{}", String::from_utf8_lossy(&checked.stderr));
}
