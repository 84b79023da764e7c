//! Paging while others write: each post that existed at the start is returned once, and no reply
//! comes before its parent.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use crate::forum::random::Random;
use crate::support::forum::{Caller, auto_approving, data, id, stance};

const STANCES: [&str; 4] = ["support", "oppose", "modify", "question"];

/// The number of posts that each writer adds while the reader pages.
const ADDED: usize = 25;

/// Posts below a random parent; returns the id unless the parent is at the maximum depth.
async fn post_at_random_parent(
    by: &Caller<'_>,
    path: &str,
    random: &mut Random,
    known: &[Value],
    name: &str,
) -> Value {
    let open: Vec<&Value> = known.iter().filter(|post| post["depth"] != 5).collect();
    let parent =
        if open.is_empty() || random.below(3) == 0 { None } else { Some(random.one_of(&open)) };
    let body = stance(random.one_of(&STANCES), name, parent.map(id));
    by.create(path, &body).await
}

/// Follows the pages of a list; returns the items of each page.
async fn read_pages(by: &Caller<'_>, first: &str) -> Vec<Vec<Value>> {
    let (mut pages, mut path) = (Vec::new(), first.to_owned());
    loop {
        let reply = by.get(&path).await;
        let page = data(&reply).as_array().expect("a page is a list").clone();
        let meta = reply.json()["meta"].clone();
        assert_eq!(meta["count"], page.len());
        pages.push(page);
        assert_eq!(meta["hasMore"] == true, meta["nextCursor"].is_string());
        match meta["nextCursor"].as_str() {
            Some(cursor) => path = format!("{first}&cursor={cursor}"),
            None => return pages,
        }
    }
}

/// Asserts that each item is returned once, and that all of `there` are among them.
fn assert_all_once(pages: &[Vec<Value>], there: &BTreeSet<String>, what: &str) {
    let mut met = HashSet::new();
    for post in pages.iter().flatten() {
        assert!(met.insert(id(post).to_owned()), "{what}: {} twice", id(post));
    }
    let missed: Vec<_> = there.iter().filter(|one| !met.contains(*one)).collect();
    assert!(missed.is_empty(), "{what}: {missed:?}");
}

/// Asserts that the parent of each post is before it, on the same or an earlier page.
fn assert_parents_first(pages: &[Vec<Value>]) {
    let mut met = HashSet::new();
    for page in pages {
        for post in page {
            if let Some(parent) = post["parentDebateId"].as_str() {
                assert!(met.contains(parent), "{post} before what it answers");
            }
            met.insert(id(post));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paging_returns_each_existing_item_once_while_others_write() {
    let server = auto_approving().start().await;
    let mut agents = Vec::new();
    for name in ["ada", "bob", "eve"] {
        agents.push(Caller::register(&server, name).await);
    }
    let ada = &agents[0];
    let path = format!("/solutions/{}/debates", ada.solution().await);
    let mut random = Random::new(41);
    let mut known: Vec<Value> = Vec::new();
    for number in 0..24 {
        let post =
            post_at_random_parent(ada, &path, &mut random, &known, &format!("At first {number}"))
                .await;
        assert_eq!(ada.wait_for_decision(&post).await["status"], "approved");
        known.push(post);
    }
    let there: BTreeSet<String> = known.iter().map(|post| id(post).to_owned()).collect();

    let writers = agents.iter().enumerate().map(|(number, by)| {
        let (path, known) = (&path, known.clone());
        async move {
            let mut random = Random::new(u64::try_from(number).expect("there are few"));
            for count in 0..ADDED {
                let name = format!("Later {number} {count}");
                post_at_random_parent(by, path, &mut random, &known, &name).await;
            }
        }
    });
    let writing = futures_util::future::join_all(writers);
    let reader = Caller::anonymous(&server);
    let reading = async {
        for limit in [1, 2, 3, 5] {
            let pages = read_pages(&reader, &format!("{path}?limit={limit}")).await;
            assert_all_once(&pages, &there, "threads");
            assert_parents_first(&pages);
        }
        for stance in STANCES {
            let pages = read_pages(&reader, &format!("{path}?limit=2&stance={stance}")).await;
            let of_it = known.iter().filter(|post| post["stance"] == stance);
            let of_it = of_it.map(|post| id(post).to_owned()).collect();
            assert_all_once(&pages, &of_it, stance);
        }
    };
    futures_util::future::join(writing, reading).await;
}
