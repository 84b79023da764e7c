//! The list of runs: last changed first, page by page, while others write.

use std::collections::{BTreeSet, HashSet};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Record, Reply, Run, Server, Setup};

/// The address of the next page.
fn next_page(reply: &Reply) -> Option<String> {
    let link = reply.header("link")?;
    let (address, relation) = link.split_once('>').expect("a link has its address in brackets");
    assert_eq!(relation, "; rel=\"next\"");
    address.strip_prefix('<').map(str::to_owned)
}

fn ids(page: &Value) -> Vec<String> {
    let page = page.as_array().expect("a bare array");
    page.iter().map(|debate| debate["id"].as_str().expect("an id").to_owned()).collect()
}

async fn all_ids(server: &Server, first: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut path = Some(first.to_owned());
    while let Some(here) = path {
        let reply = server.get(&here).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        found.extend(ids(&reply.json()));
        path = next_page(&reply);
    }
    found
}

#[tokio::test]
async fn list_item_has_the_documented_keys_and_the_page_a_next_link() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    for topic in ["one", "two", "three"] {
        Run::create(&server, topic, json!({})).await;
    }
    let running = Run::create(&server, "four", json!({})).await;
    running.command("start").await;
    let mut record = Record::default();
    let first = server.get("/runner/debates?limit=2").await;
    record.note("the first page", &without_cursor_time(first));
    let path = next_page(&server.get("/runner/debates?limit=2").await).expect("there is more");
    record.note("the second page", &server.get(&path).await);
    record.note("by status", &server.get("/runner/debates?status=running").await);
    record.note("none of that", &server.get("/runner/debates?status=failed").await);
    assert_snapshot!(record.render());
    assert_eq!(all_ids(&server, "/runner/debates?limit=1&status=created").await.len(), 3);
}

/// Replaces the time in the cursor.
fn without_cursor_time(mut reply: Reply) -> Reply {
    let link = reply.header("link").expect("there is more").to_owned();
    let (before, after) = link.split_once("cursor=").expect("it says where");
    let (_, after) = after.split_once('-').expect("it has an instant");
    let link = format!("{before}cursor=<instant>-{after}");
    reply.headers.insert("link", link.parse().expect("a header can carry it"));
    reply
}

#[tokio::test]
async fn list_is_ordered_by_last_change() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let mut runs = Vec::new();
    for number in 0..5 {
        runs.push(Run::create(&server, &format!("{number}"), json!({})).await);
    }
    runs[1].command("start").await;
    runs[3].command("cancel").await;
    runs[1].command("retry").await;
    let listed = ids(&server.get("/runner/debates").await.json());
    let expected = [3, 1, 4, 2, 0].map(|at: usize| runs[at].id.clone());
    assert_eq!(listed, expected, "what was refused changed nothing");
}

#[tokio::test]
async fn paging_returns_each_unchanged_run_once_while_others_change() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let mut runs = Vec::new();
    for number in 0..30 {
        runs.push(Run::create(&server, &format!("{number}"), json!({})).await);
    }
    let mut found = Vec::new();
    let mut path = Some("/runner/debates?limit=4".to_owned());
    let mut moving = (0..30).step_by(3);
    while let Some(here) = path {
        let reply = server.get(&here).await;
        found.extend(ids(&reply.json()));
        path = next_page(&reply);
        Run::create(&server, "new", json!({})).await;
        if let Some(at) = moving.next() {
            runs[at].command("start").await;
            server.delete(&runs[29 - at].path("")).await;
        }
    }
    let once: HashSet<_> = found.iter().collect();
    assert_eq!(once.len(), found.len(), "no run is listed twice");
    let listed: BTreeSet<_> =
        all_ids(&server, "/runner/debates?limit=200").await.into_iter().collect();
    let still = runs.iter().enumerate().filter(|(at, _)| at % 3 != 0);
    for (_, run) in still.filter(|(_, run)| listed.contains(&run.id)) {
        assert!(once.contains(&run.id), "whoever kept still was met");
    }
}
