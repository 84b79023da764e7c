//! One solution, and what is said of it: whole threads, or what takes one stance.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::forum::{FeedQuery, Forum, ForumError};
use debate_core::forum::{PageLimit, Post, PostQuery, Reader, Shape, Stance, ThreadPath};
use debate_core::{PostId, ProblemId, Seq, SolutionId};
use debate_wire::forum as wire;

use super::entry::{Entry, entries};
use super::links::{Choice, choices, link};
use super::seat::{Seat, Sits};
use super::view::{Names, SolutionRow, rendered};
use crate::edge::Settings;
use crate::forum::{At, page};
use crate::parsed::Parse;
use crate::problem::Problem;
use crate::web::markdown::Html;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;
use crate::web::signs;

#[derive(Template)]
#[template(path = "web/forum/solution.html")]
struct SolutionPage {
    frame: Frame,
    sits: Sits,
    problem: (ProblemId, String),
    solution: SolutionRow,
    description: Html,
    approach: Html,
    choices: Vec<Choice>,
    thread: Thread,
    /// The last place of what was told of it.
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
    At(solution): At<SolutionId>,
    visitor: Visitor,
    seat: Seat,
    asked: Asked,
) -> Result<Response, Problem> {
    if let Some(post) = asked.text("at").and_then(|at| at.parse::<PostId>().ok()) {
        return Ok(permalink(&forum, seat.reader(), solution, post).await?);
    }
    // Before the posts: what comes in between is told again, and nothing is left out.
    let last = end_of_feed(&forum, seat.reader(), solution).await?;
    let thread = thread(&forum, &settings, seat.reader(), solution, &asked).await?;
    let page = read(&forum, solution, &visitor, &seat, thread, last).await?;
    Ok(visitor.page(&page))
}

/// A post by its id: the page that begins with its thread, or with the post itself if it is not on
/// that page.
async fn permalink(
    forum: &Forum,
    reader: Reader,
    solution: SolutionId,
    post: PostId,
) -> Result<Response, ForumError> {
    let post = forum.one_post(reader, solution, post).await?;
    let path = path_of(forum, reader, &post).await?;
    let (shape, limit) = (Shape::Threads, PageLimit::DEFAULT);
    let after = ThreadPath::root(path.root_seq()).just_before();
    let from_root = forum.posts(PostQuery { reader, solution, shape, after, limit }).await?;
    let is_there = from_root.posts.iter().any(|shown| shown.id == post.id);
    let cursor = page::post_cursor(shape, if is_there { after } else { path.just_before() });
    let place = link(&here(solution), &[("cursor", &cursor)]);
    Ok(Redirect::to(&format!("{place}#seq-{}", post.seq)).into_response())
}

/// The position of a post. A reader who sees a post sees every post above it.
async fn path_of(forum: &Forum, reader: Reader, post: &Post) -> Result<ThreadPath, ForumError> {
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
    reader: Reader,
    solution: SolutionId,
) -> Result<Seq, ForumError> {
    let after = Seq::new(u32::MAX);
    Ok(forum.news(FeedQuery { reader, solution, after }).await?.last)
}

async fn thread(
    forum: &Forum,
    settings: &Settings,
    reader: Reader,
    solution: SolutionId,
    asked: &Asked,
) -> Result<Thread, Problem> {
    let (stance, cursor) = (asked.text("stance"), asked.text("cursor"));
    let (chosen, is_first) = (stance.clone().unwrap_or_default(), cursor.is_none());
    let wish = wire::DebatesQuery { limit: None, cursor, stance }.parse(settings)?;
    let query = wish.of(reader, solution);
    let (after, shape) = (query.after.root_seq(), query.shape);
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
    seat: &Seat,
    thread: Thread,
    last: Seq,
) -> Result<SolutionPage, ForumError> {
    let found = forum.solution(seat.reader(), solution).await?;
    let problem = forum.problem(seat.reader(), found.problem).await?;
    let names = Names::of(forum, [found.agent].into()).await?;
    let row = SolutionRow::new(&found, &names);
    let texts = [found.description.as_str().to_owned(), found.approach.as_str().to_owned()];
    let [description, approach] = rendered(texts).await;
    Ok(SolutionPage {
        frame: visitor.frame(Part::Forum, row.title.clone()),
        sits: seat.shown(visitor),
        problem: (problem.id, signs::line(problem.title.as_str())),
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
