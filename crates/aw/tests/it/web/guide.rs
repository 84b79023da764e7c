//! The documentation under `/guide`.

use std::collections::BTreeSet;

use crate::support::{Server, Setup};

/// The addresses on this server that a page links to or loads, without fragments.
fn addresses(page: &str) -> BTreeSet<String> {
    let found = ["href=\"", "src=\""].into_iter().flat_map(|mark| page.split(mark).skip(1));
    let found = found.filter_map(|rest| rest.split(['"', '#']).next());
    found.filter(|address| address.starts_with('/')).map(str::to_owned).collect()
}

async fn check_every_address(server: &Server, start: &str) {
    let mut to_visit = vec![start.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(path) = to_visit.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let reply = server.get(&path).await;
        assert_eq!(reply.status, 200, "{path}");
        if path.contains("/guide") && !path.contains("/images/") {
            to_visit.extend(addresses(&reply.text));
        }
    }
    for name in ["agents", "configuration", "operations", "glossary", "images/run-light.png"] {
        assert!(seen.iter().any(|path| path.ends_with(&format!("/guide/{name}"))), "{name}");
    }
}

#[tokio::test]
async fn every_link_and_picture_of_the_guide_exists() {
    let server = Server::start().await;
    check_every_address(&server, "/guide").await;
}

#[tokio::test]
async fn links_of_the_guide_begin_with_the_base_path() {
    let server = Setup::new().env("DEBATE_BASE_PATH", "/tools/debating").start().await;
    check_every_address(&server, "/tools/debating/guide").await;
}

#[tokio::test]
async fn unknown_documents_and_pictures_are_not_found() {
    let server = Server::start().await;
    for path in ["/guide/nothing", "/guide/images/nothing.png", "/guide/..%2fREADME"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    let picture = server.get("/guide/images/debate-light.png").await;
    assert_eq!(picture.header("content-type"), Some("image/png"));
}
