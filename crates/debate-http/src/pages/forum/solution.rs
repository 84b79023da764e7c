//! The page of a solution: its threads, or the posts with one stance.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::forum::{FeedQuery, Forum, ForumError};
use debate_core::forum::{PageLimit, Post, PostOrder, PostQuery, Stance, ThreadPath, Viewer};
use debate_core::{PostId, ProblemId, Seq, SolutionId};
use debate_render::Html;
use debate_render::visible;
use debate_wire::forum as wire;

use super::entry::{Entry, entries};
use super::identity::{Identity, IdentityBanner};
use super::links::{Choice, choices, link};
use super::view::{Names, SolutionRow, rendered};
use crate::app_state::Settings;
use crate::extract::Parse;
use crate::forum::{PathIds, page};
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/forum/solution.html")]
struct SolutionPage {
    frame: Frame,
    banner: IdentityBanner,
    problem: (ProblemId, String),
    solution: SolutionRow,
    description: Html,
    approach: Html,
    choices: Vec<Choice>,
    thread: Thread,
    /// The last position of the feed.
    last: Seq,
}

/// A page of posts.
struct Thread {
    /// The one stance that is shown; none for all, as threads.
    stance: String,
    entries: Vec<Entry>,
    /// The thread in which the page before ended, or the post with which it did if only one stance
    /// is shown.
    after: Seq,
    next: Option<String>,
    is_first: bool,
}

/// `GET /forum/solutions/{solutionId}`
pub(crate) async fn solution(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    PathIds(solution): PathIds<SolutionId>,
    visitor: Visitor,
    identity: Identity,
    asked: QueryParams,
) -> Result<Response, Problem> {
    if let Some(post) = asked.text("at").and_then(|at| at.parse::<PostId>().ok()) {
        return Ok(permalink(&forum, identity.reader(), solution, post).await?);
    }
    // Read before the posts: a post that is added in between is announced again, none is missed.
    let last = end_of_feed(&forum, identity.reader(), solution).await?;
    let thread = thread(&forum, &settings, identity.reader(), solution, &asked).await?;
    let page = read(&forum, solution, &visitor, &identity, thread, last).await?;
    Ok(visitor.page(&page))
}

/// A post by its id: the page that begins with its thread, or with the post itself if it is not on
/// that page.
async fn permalink(
    forum: &Forum,
    reader: Viewer,
    solution: SolutionId,
    post: PostId,
) -> Result<Response, ForumError> {
    let post = forum.one_post(reader, solution, post).await?;
    let path = path_of(forum, reader, &post).await?;
    let (shape, limit) = (PostOrder::Threads, PageLimit::DEFAULT);
    let after = ThreadPath::root(path.root_seq()).just_before();
    let from_root = forum.posts(PostQuery { reader, solution, order: shape, after, limit }).await?;
    let is_there = from_root.posts.iter().any(|shown| shown.id == post.id);
    let cursor = page::post_cursor(shape, if is_there { after } else { path.just_before() });
    let place = link(&here(solution), &[("cursor", &cursor)]);
    Ok(Redirect::to(&format!("{place}#seq-{}", post.seq)).into_response())
}

/// The position of a post. A reader who sees a post sees every post above it.
async fn path_of(forum: &Forum, reader: Viewer, post: &Post) -> Result<ThreadPath, ForumError> {
    let mut seqs = vec![post.seq.number()];
    let mut parent = post.parent;
    while let Some(id) = parent {
        let above = forum.one_post(reader, post.solution, id).await?;
        seqs.insert(0, above.seq.number());
        parent = above.parent;
    }
    Ok(ThreadPath::new(&seqs).unwrap_or(ThreadPath::START))
}

fn here(solution: SolutionId) -> String {
    format!("/forum/solutions/{solution}")
}

async fn end_of_feed(
    forum: &Forum,
    reader: Viewer,
    solution: SolutionId,
) -> Result<Seq, ForumError> {
    let after = Seq::new(u32::MAX);
    Ok(forum.feed(FeedQuery { reader, solution, after }).await?.last)
}

async fn thread(
    forum: &Forum,
    settings: &Settings,
    reader: Viewer,
    solution: SolutionId,
    asked: &QueryParams,
) -> Result<Thread, Problem> {
    let (stance, cursor) = (asked.text("stance"), asked.text("cursor"));
    let (chosen, is_first) = (stance.clone().unwrap_or_default(), cursor.is_none());
    let wish = wire::DebatesQuery { limit: None, cursor, stance }.parse(settings)?;
    let query = wish.for_viewer(reader, solution);
    let (after, shape) = (query.after.root_seq(), query.order);
    let found = forum.posts(query).await?;
    let next = found.next.map(|next| page::post_cursor(shape, next));
    let next = next.map(|next| link(&here(solution), &[("stance", &chosen), ("cursor", &next)]));
    let entries = entries(forum, reader, solution, found.posts).await?;
    Ok(Thread { stance: chosen, entries, after, next, is_first })
}

async fn read(
    forum: &Forum,
    solution: SolutionId,
    visitor: &Visitor,
    identity: &Identity,
    thread: Thread,
    last: Seq,
) -> Result<SolutionPage, ForumError> {
    let found = forum.solution(identity.reader(), solution).await?;
    let problem = forum.problem(identity.reader(), found.problem).await?;
    let names = Names::of(forum, [found.agent].into()).await?;
    let row = SolutionRow::new(&found, &names);
    let texts = [found.description.as_str().to_owned(), found.approach.as_str().to_owned()];
    let [description, approach] = rendered(texts).await;
    Ok(SolutionPage {
        frame: visitor.frame(Section::Forum, row.title.clone()),
        banner: identity.banner(visitor),
        problem: (problem.id, visible::line(problem.title.as_str())),
        solution: row,
        description,
        approach,
        choices: stances(solution, &thread.stance),
        thread,
        last,
    })
}

fn stances(solution: SolutionId, chosen: &str) -> Vec<Choice> {
    let offered = [
        ("All threads", ""),
        ("+ Support", Stance::Support.name()),
        ("− Opposition", Stance::Oppose.name()),
        ("± Proposed changes", Stance::Modify.name()),
        ("? Questions", Stance::Question.name()),
    ];
    choices(&here(solution), "stance", chosen, &offered)
}
