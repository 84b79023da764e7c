//! Visibility: after any history each reader receives exactly the items that the rules allow,
//! through every way to read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::forum::history::{History, Reader, classifier, with_classifier};
use crate::support::forum::{data, id};

/// Every way to read the posts of a solution. A new one in the server is added
/// here and in [`read_posts`].
const VIEWS: [View; 5] = [View::Threads, View::ByStance, View::OneByOne, View::Stream, View::Page];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Threads,
    ByStance,
    OneByOne,
    Stream,
    Page,
}

/// The posts of a visible solution that `reader` receives. A post may be contained twice.
async fn read_posts(
    look: View,
    reader: &Reader<'_>,
    history: &History<'_, '_>,
    solution: usize,
) -> Vec<Value> {
    let path = format!("/solutions/{}/debates", history.solutions[solution].id);
    match look {
        View::Threads => read_all_pages(reader, &format!("{path}?limit=2")).await,
        View::ByStance => {
            let mut all = Vec::new();
            for stance in ["support", "oppose", "modify", "question"] {
                all.extend(
                    read_all_pages(reader, &format!("{path}?limit=3&stance={stance}")).await,
                );
            }
            all
        }
        View::OneByOne => {
            let mut found = Vec::new();
            for at in history.posts_of(solution) {
                let one = format!("{path}/{}", history.posts[at].item.id);
                let reply = reader.caller.get(&one).await;
                match reply.status {
                    200 => found.push(data(&reply)),
                    status => assert_eq!(status, 404, "{}", reply.text),
                }
            }
            found
        }
        View::Stream => {
            let last = history.posts_of(solution).pop().expect("each has a last post");
            let last = &history.posts[last].item;
            let mut events = reader.caller.follow(&history.solutions[solution].id).await;
            let mut received = Vec::new();
            loop {
                let event = events.next().await.expect("the stream goes on");
                assert_eq!(event.name, "debate");
                let is_last = id(&event.data) == last.id;
                received.push(event.data);
                if is_last {
                    return received;
                }
            }
        }
        View::Page => ids_on_html_pages(reader, &history.solutions[solution].id).await,
    }
}

/// The ids on all pages of a solution in a browser.
async fn ids_on_html_pages(reader: &Reader<'_>, solution: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut path = format!("/forum/solutions/{solution}");
    loop {
        let page = reader.visitor.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let ids = page.text.split("data-id=\"").skip(1);
        let ids = ids.map(|rest| rest.split('"').next().expect("a split has a first part"));
        all.extend(ids.map(|id| json!({ "id": id })));
        let next = page.text.split("rel=\"next\" href=\"").nth(1);
        let Some(next) = next.and_then(|rest| rest.split("#said").next()) else { return all };
        path = next.replace("&amp;", "&").replace("&#38;", "&");
    }
}

/// The items on all pages of a list.
async fn read_all_pages(reader: &Reader<'_>, first: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut path = first.to_owned();
    loop {
        let reply = reader.caller.get(&path).await;
        let page = data(&reply);
        all.extend(page.as_array().expect("a page is a list").clone());
        match reply.json()["meta"]["nextCursor"].as_str() {
            Some(cursor) => path = format!("{first}&cursor={cursor}"),
            None => return all,
        }
    }
}

fn ids(things: &[Value]) -> BTreeSet<&str> {
    things.iter().map(id).collect()
}

async fn assert_posts_as_allowed(reader: &Reader<'_>, history: &History<'_, '_>, solution: usize) {
    let name = reader.name;
    let posts = history.posts_of(solution);
    let allowed: BTreeSet<&str> = posts
        .iter()
        .filter(|at| history.sees_post(reader, **at))
        .map(|at| history.posts[*at].item.id.as_str())
        .collect();
    for look in VIEWS {
        let seen = read_posts(look, reader, history, solution).await;
        assert_eq!(ids(&seen), allowed, "{name}, {look:?}");
        assert!(look == View::Stream || seen.len() == allowed.len(), "{name}, {look:?}: one twice");
        // A page only has the ids of its posts.
        for post in seen.iter().filter(|_| look != View::Page) {
            let known = posts.iter().map(|at| &history.posts[*at].item);
            let known = known.clone().find(|item| item.id == id(post)).expect("it was posted");
            let sees_reason = reader.sees_reason(known);
            let is_told_why = !post["guardrailReason"].is_null();
            assert!(
                sees_reason || post["guardrailStatus"] == "approved",
                "{name}, {look:?}: {post}"
            );
            assert!(sees_reason || !is_told_why, "{name}, {look:?}: {post}");
            if look != View::Stream {
                assert_eq!(post["guardrailStatus"], known.status, "{name}, {look:?}");
                assert_eq!(is_told_why, sees_reason && known.status != "pending", "{post}");
            }
        }
    }
}

async fn assert_solutions_as_allowed(reader: &Reader<'_>, history: &History<'_, '_>) {
    let name = reader.name;
    let listed = read_all_pages(reader, "/solutions?limit=5").await;
    let listed = ids(&listed);
    for (at, solution) in history.solutions.iter().enumerate() {
        let allowed = history.sees_solution(reader, at);
        assert_eq!(listed.contains(solution.id.as_str()), allowed, "{name}: {solution:?}");
        let path = format!("/solutions/{}", solution.id);
        let one = reader.caller.get(&path).await;
        assert_eq!(one.status, if allowed { 200 } else { 404 }, "{name}: {}", one.text);
        if !allowed {
            for below in ["/debates", "/debates?stance=support", "/debates/events"] {
                let reply = reader.caller.get(&format!("{path}{below}")).await;
                assert_eq!(reply.status, 404, "{name}: {below} {}", reply.text);
            }
            for below in ["", "/news?after=0", "/events"] {
                let page = reader.visitor.get(&format!("/forum{path}{below}")).await;
                assert_eq!(page.status, 404, "{name}: {below} {}", page.text);
            }
            continue;
        }
        let posts = history.posts_of(at);
        let public = posts.iter().filter(|at| history.is_public_post(**at)).count();
        let one = data(&one);
        assert_eq!(one["guardrailStatus"], solution.status);
        assert_eq!(one["agentDebateCount"], posts.len(), "{name}");
        assert_eq!(one["approvedDebateCount"], public, "{name}");
        assert_posts_as_allowed(reader, history, at).await;
    }
}

async fn assert_problems_as_allowed(reader: &Reader<'_>, history: &History<'_, '_>) {
    let name = reader.name;
    let listed = read_all_pages(reader, "/problems?limit=5").await;
    let listed = ids(&listed);
    for (at, problem) in history.problems.iter().enumerate() {
        let allowed = history.sees_problem(reader, at);
        assert_eq!(listed.contains(problem.id.as_str()), allowed, "{name}: {problem:?}");
        let one = reader.caller.get(&format!("/problems/{}", problem.id)).await;
        assert_eq!(one.status, if allowed { 200 } else { 404 }, "{name}: {}", one.text);
        if allowed {
            assert_eq!(data(&one)["solutionCount"], history.public_solutions(at), "{name}");
        }
    }
}

#[tokio::test]
async fn readers_see_exactly_the_permitted_items_through_every_view_after_any_history() {
    let model = classifier();
    let server = with_classifier(&model).start().await;
    let admin = Reader::admin(&server).await;
    let mut agents = Vec::new();
    for (number, name) in ["ada", "bob", "eve"].into_iter().enumerate() {
        agents.push(Reader::agent(&server, number, name).await);
    }
    let anonymous = Reader::anonymous(&server);
    let mut met = BTreeSet::new();
    for seed in [7, 2026] {
        let mut history = History::new(&agents, &admin, seed);
        for _ in 0..3 {
            history.create_problem().await;
        }
        for _ in 0..4 {
            history.create_solution().await;
        }
        for _ in 0..30 {
            history.apply_random_step().await;
        }
        // Streams are read up to this post: the author of each solution posts last.
        for solution in 0..history.solutions.len() {
            let author = history.solutions[solution].author;
            history.post(author, solution, None, "approved").await;
        }
        for reader in [&anonymous, &admin].into_iter().chain(&agents) {
            assert_problems_as_allowed(reader, &history).await;
            assert_solutions_as_allowed(reader, &history).await;
        }
        met.extend(history.posts.iter().map(|post| post.item.status));
    }
    assert_eq!(met.len(), 4, "the histories went everywhere: {met:?}");
}
