//! Cross-origin attacks from a hostile page in a real browser: its requests change nothing, and it
//! cannot read any response.

use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::Command;

use crate::support::browser::serve_page;
use crate::support::{Debate, HANG, Server, Setup, create_body, new_id, until};

/// The hostile page: each attack writes its result into the document.
const PAGE: &str = include_str!("hostile_page.html");

/// The document that the browser shows for an address, as HTML.
async fn visit(address: &str) -> String {
    let profile = TempDir::new().expect("the system has a folder for temporary files");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--host-resolver-rules=MAP *.test 127.0.0.1")
        .args(["--timeout=50000", "--virtual-time-budget=15000", "--dump-dom", address])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(HANG, output).await.expect("the browser ends");
    String::from_utf8_lossy(&output.expect("chromium is installed").stdout).into_owned()
}

#[tokio::test]
async fn hostile_page_cannot_write_or_read() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let body = create_body(&new_id()).to_string();
    let page = PAGE
        .replace("SERVER", &server.url)
        .replace("DEBATE", &debate.id)
        .replace("BODY", &body.replace('"', "&quot;"));
    let port = serve_page(page).await;
    let seen = visit(&format!("http://evil.test:{port}/")).await;
    let outcomes: Vec<&str> = seen
        .lines()
        .filter_map(|line| line.trim().strip_prefix("<li>")?.strip_suffix("</li>"))
        .collect();
    let expected = [
        "plain post: failed",
        "json post: failed",
        "read: failed",
        "read without cors: failed",
        "beacon: sent",
        "delete: failed",
        "picture: failed",
        "script: failed",
        "stream: failed",
        "all done",
    ];
    assert_eq!(outcomes, expected, "{seen}");
    // The browser did send the requests: two posts and a form; a read, an image and a script;
    // two forms and a beacon; a stream; and the preflight of a delete. It may have ended
    // before the last response.
    let knocks = [
        ("POST", "/debates", 2),
        ("GET", "/debates", 4),
        ("POST", "/debates/{id}/intervention", 3),
        ("GET", "/debates/{id}/wait", 1),
        ("OPTIONS", "/debates/{id}", 1),
    ];
    let refused = |metrics: &str, method: &str, route: &str| {
        let labels = format!(r#"{{method="{method}",route="{route}",status="403"}} "#);
        let count =
            metrics.lines().find_map(|line| line.split_once(&labels)?.1.parse::<u32>().ok());
        count.unwrap_or_default()
    };
    let all = knocks.map(|(_, _, count)| count).iter().sum::<u32>();
    until("all are answered", || async {
        let metrics = server.get("/metrics").await.text;
        knocks.iter().map(|(method, route, _)| refused(&metrics, method, route)).sum::<u32>() >= all
    })
    .await;
    let metrics = server.get("/metrics").await.text;
    for (method, route, count) in knocks {
        assert_eq!(refused(&metrics, method, route), count, "{method} {route}: {metrics}");
    }
    let list = server.get("/debates").await.data();
    assert_eq!(list["total"], 1, "nothing was opened and nothing deleted: {list}");
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn dns_rebinding_shows_the_browser_no_data() {
    let server = Setup::new().start().await;
    Debate::open(&server).await;
    let port = server.address().rsplit(':').next().expect("it has a port").to_owned();
    let seen = visit(&format!("http://evil.test:{port}/debates")).await;
    assert!(seen.contains("FORBIDDEN"), "{seen}");
    assert!(!seen.contains("Cache the index"), "{seen}");
    let seen = visit(&format!("{}/debates", server.url)).await;
    assert!(seen.contains("Cache the index"), "by its own name it answers: {seen}");
}
