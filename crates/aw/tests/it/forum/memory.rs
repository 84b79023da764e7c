//! H3: anonymous visitors cannot exhaust the server's memory through the largest threads.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{join, join_all};

use crate::forum::long_thread::{add_replies, publish_root};
use crate::support::forum::{Caller, auto_approving};
use crate::support::{Reply, Server};

const CLIENTS: usize = 128;

/// The maximum of the server's resident memory at any time.
const RSS_MAX_KB: u64 = 150 * 1024;

/// The maximum size of a page: Markdown grows when it is rendered.
const PAGE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Creates two threads of 1,000 posts of 10 KB; returns the solution's id.
async fn largest_threads(ada: &Caller<'_>) -> String {
    let solution = ada.solution().await;
    let roots = [
        publish_root(ada, &solution, "The first thread").await,
        publish_root(ada, &solution, "The second thread").await,
    ];
    let content = "The tanks below the *roof* hold what it gives. ".repeat(212);
    assert_eq!(content.len(), 9964);
    for (root, posts) in roots.iter().zip([2, 1001]) {
        add_replies(ada, root, posts, 999, &content);
    }
    solution
}

/// Whether the response is a page. It must be a bounded page or a refusal.
fn is_page(reply: &Reply) -> bool {
    match reply.status {
        200 => {
            assert!(reply.text.len() <= PAGE_BYTES_MAX, "{} bytes", reply.text.len());
            true
        }
        503 => {
            assert_eq!(reply.header("retry-after"), Some("1"), "{}", reply.text);
            false
        }
        other => panic!("{other}: {}", reply.text),
    }
}

/// Requests `/health` until the others are done; returns the number of responses.
async fn watch_health(server: &Server, is_done: &AtomicBool) -> usize {
    let mut answered = 0;
    while !is_done.load(Ordering::Relaxed) {
        assert_eq!(server.get("/health").await.status, 200);
        answered += 1;
    }
    answered
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_readers_of_the_largest_threads_use_bounded_memory() {
    // A level that does not log every request.
    let server = auto_approving().env("AW_LOG", "info").start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = largest_threads(&ada).await;
    let page = format!("/forum/solutions/{solution}");
    let api = format!("/api/v1/solutions/{solution}/debates");
    // The first page, and one in the middle of the second thread.
    let paths = [page.clone(), format!("{page}?cursor=t.2.1500"), api.clone()];
    let paths = [&paths[..], &[format!("{api}?cursor=t.2.1500")]].concat();

    let is_done = AtomicBool::new(false);
    let clients = async {
        let clients = (0..CLIENTS).map(|number| {
            let path = &paths[number % paths.len()];
            async { is_page(&server.get(path).await) }
        });
        let pages = join_all(clients).await.into_iter().filter(|is_page| *is_page).count();
        is_done.store(true, Ordering::Relaxed);
        pages
    };
    let (pages, health) = join(clients, watch_health(&server, &is_done)).await;
    let peak = server.status_kb("VmHWM");
    println!("{pages} of {CLIENTS} got a page; health answered {health} times; peak {peak} kB");
    assert!(pages >= 40, "{pages} pages");
    assert!(health > 0, "/health was not answered");
    assert!(peak < RSS_MAX_KB, "{peak} kB");
    for path in &paths {
        assert!(is_page(&server.get(path).await), "{path} once it is quiet");
    }
}
