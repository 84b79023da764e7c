//! A solution with its posts, and its live updates.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::forum::{FeedQuery, Forum, ForumError, Subscriber};
use debate_core::forum::{PageLimit, Post, PostOrder, PostQuery, ThreadPath, Viewer};
use debate_core::{PostId, Seq, SolutionId};
use debate_pages::forum::{self as pages, PostList, solution_path};
use debate_pages::{PageOutcome, Pagination};
use debate_wire::forum as wire;

use super::identity::BrowserIdentity;
use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::{ErrorResponse, Invalid};
use crate::events::RequestedPosition;
use crate::extract::Parse;
use crate::forum::{PathIds, page, stream};
use crate::pages::browser::{Browser, QueryParams};

pub(crate) async fn solution(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    PathIds(solution): PathIds<SolutionId>,
    browser: Browser,
    BrowserIdentity { identity, .. }: BrowserIdentity,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let viewer = identity.viewer();
    if let Some(post) = query.text("at").and_then(|at| at.parse::<PostId>().ok()) {
        return Ok(browser.respond(permalink(&forum, viewer, solution, post).await?));
    }
    let posts = read_posts(&forum, &settings, viewer, solution, &query).await?;
    let outcome = pages::solution(&forum, &browser.request, &identity, solution, posts).await?;
    Ok(browser.respond(outcome))
}

/// Leads to the page that begins with the post's thread, or with the post if it is not on that
/// page.
async fn permalink(
    forum: &Forum,
    viewer: Viewer,
    solution: SolutionId,
    post: PostId,
) -> Result<PageOutcome, ForumError> {
    let post = forum.post(viewer, solution, post).await?;
    let path = thread_path(forum, viewer, &post).await?;
    let (order, limit) = (PostOrder::Threads, PageLimit::DEFAULT);
    let after = ThreadPath::root(path.root_seq()).just_before();
    let from_root = forum.posts(PostQuery { viewer, solution, order, after, limit }).await?;
    let is_there = from_root.posts.iter().any(|other| other.id == post.id);
    let cursor = page::post_cursor(order, if is_there { after } else { path.just_before() });
    let page = solution_path(solution);
    Ok(PageOutcome::MovedTo(format!("{page}?cursor={cursor}#seq-{}", post.seq)))
}

/// The position of a post in its thread. A viewer who sees a post sees every post above it.
async fn thread_path(forum: &Forum, viewer: Viewer, post: &Post) -> Result<ThreadPath, ForumError> {
    let mut seqs = vec![post.seq.number()];
    let mut parent = post.parent;
    while let Some(id) = parent {
        let above = forum.post(viewer, post.solution, id).await?;
        seqs.insert(0, above.seq.number());
        parent = above.parent;
    }
    Ok(ThreadPath::new(&seqs).unwrap_or(ThreadPath::START))
}

async fn read_posts(
    forum: &Forum,
    settings: &Settings,
    viewer: Viewer,
    solution: SolutionId,
    query: &QueryParams,
) -> Result<PostList, ErrorResponse> {
    let feed = FeedQuery { viewer, solution, after: Seq::new(u32::MAX) };
    let feed_end = forum.feed(feed).await?.last;
    let (stance, cursor) = (query.text("stance"), query.text("cursor"));
    let is_first = cursor.is_none();
    let body = wire::DebatesQuery { limit: None, cursor, stance: stance.clone() };
    let query = body.parse(settings)?.for_viewer(viewer, solution);
    let (after, order) = (query.after.root_seq(), query.order);
    let found = forum.posts(query).await?;
    let next = found.next.map(|next| page::post_cursor(order, next));
    let (stance, pagination) = (stance.unwrap_or_default(), Pagination { is_first, next });
    Ok(PostList { stance, posts: found.posts, after, pagination, feed_end })
}

pub(crate) async fn new_posts(
    State(forum): State<Forum>,
    PathIds(solution): PathIds<SolutionId>,
    browser: Browser,
    BrowserIdentity { identity, .. }: BrowserIdentity,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let invalid = || Invalid::new("after", "must be a position (`seq`) in the solution's feed");
    let after = query.after().ok_or_else(invalid)?;
    let viewer = identity.viewer();
    let outcome = pages::new_posts(&forum, &browser.request, viewer, solution, after).await?;
    Ok(browser.respond(outcome.ok_or_else(invalid)?))
}

/// The event stream of the API, for the identity of the browser.
pub(crate) async fn events(
    State(forum): State<Forum>,
    PathIds(solution): PathIds<SolutionId>,
    BrowserIdentity { identity, key }: BrowserIdentity,
    ClientNetwork(network): ClientNetwork,
    query: QueryParams,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let after = query.text("after").map(|text| RequestedPosition::parse(&text));
    let positions = [after, RequestedPosition::last_seen(&headers)];
    let subscriber = Subscriber { viewer: identity.viewer(), key, network };
    stream(forum, subscriber, solution, positions).await
}
