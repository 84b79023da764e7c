//! How every page looks, in both themes and on a phone: pictures, rules of accessibility, and the
//! grammar of HTML.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Browser;
use crate::support::{Debate, Server, Setup, id_of};

/// Where the pictures go.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

/// A server with something of everything, and the addresses of its pages.
async fn furnished(server: &Server) -> Vec<(&'static str, String)> {
    let story = [
        ("opponent", include_str!("story/2.md")),
        ("proposer", include_str!("story/3.md")),
        ("opponent", include_str!("story/4.md")),
    ];
    let debate = Debate::open_with(server, |body| {
        body["title"] = "Keep the search index in memory".into();
        body["motion_content"] = include_str!("story/1.md").into();
    })
    .await;
    let mut last = debate.motion.clone();
    for (place, (role, content)) in story.into_iter().enumerate() {
        let body = json!({
            "role": role, "target_id": last, "content": content,
            "client_request_id": format!("said-{place}"),
        });
        last = id_of(&server.post(&debate.path("/arguments"), &body).await);
    }
    let body = json!({
        "target_id": last, "content": include_str!("story/5.md"), "client_request_id": "appeal",
    });
    server.post(&debate.path("/appeal"), &body).await;
    for (title, state) in [
        ("Write the migration in two steps", "INTERVENTION_PENDING"),
        ("Replace the queue by rows in PostgreSQL", "AWAITING_PROPOSER"),
        ("Retire the v1 endpoints in January", "AWAITING_OPPONENT"),
        ("Ship the parser behind a flag", "CLOSED"),
    ] {
        let other = Debate::open_with(server, |body| body["title"] = title.into()).await;
        other.lead_to(state).await;
    }
    let id = &debate.id;
    vec![
        ("home", "/".to_owned()),
        ("arena", "/arena".to_owned()),
        ("found-nothing", "/arena?q=nothing+is+called+this".to_owned()),
        ("debate", format!("/arena/{id}")),
        ("arbitrate", format!("/arena/{id}/rule")),
        ("delete", format!("/arena/{id}/delete")),
        ("new", "/arena/new".to_owned()),
        ("lost", "/arena/00000000-0000-4000-8000-000000000000".to_owned()),
        ("api", "/docs".to_owned()),
    ]
}

#[tokio::test]
async fn every_page_has_its_picture() {
    let server = Setup::new().start().await;
    let browser = Browser::open().await;
    let empty = Server::start().await;
    let mut pages = furnished(&server).await;
    for (_, path) in &mut pages {
        *path = format!("{}{path}", server.url);
    }
    pages.push(("empty", format!("{}/", empty.url)));
    for (theme, width, name) in
        [("light", 1280, "light"), ("dark", 1280, "dark"), ("light", 390, "phone")]
    {
        browser.theme(theme).await;
        browser.width(width).await;
        for (page, url) in &pages {
            browser.visit(url).await;
            let picture = browser.picture().await;
            assert!(picture.starts_with(b"\x89PNG"), "{page}");
            let file = folder().join(format!("{page}-{name}.png"));
            std::fs::write(file, picture).expect("it can be written");
            let across = browser.eval("document.documentElement.scrollWidth").await;
            assert!(across.as_u64() <= Some(width.into()), "{page} is {across} wide on {width}");
        }
    }
    browser.close().await;
}
