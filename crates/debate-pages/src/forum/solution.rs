//! The page of a solution: its threads, or the posts with one stance.

use askama::Template;
use debate_app::forum::{Forum, ForumError};
use debate_core::forum::{Post, Stance};
use debate_core::{ProblemId, Seq, SolutionId};
use debate_render::{Html, visible};

use super::identity::{Identity, IdentityBanner};
use super::post_entry::{PostEntry, read_entries};
use super::view::{AuthorNames, SolutionRow, render_texts};
use crate::frame::{Frame, PageRequest, Section};
use crate::links::{FilterLink, Pagination, filter_links};
use crate::outcome::PageOutcome;

#[derive(Template)]
#[template(path = "forum/solution.html")]
struct SolutionPage {
    frame: Frame,
    banner: IdentityBanner,
    problem: (ProblemId, String),
    solution: SolutionRow,
    description: Html,
    approach: Html,
    filters: Vec<FilterLink>,
    thread: ThreadView,
    /// The last position of the feed.
    last: Seq,
}

struct ThreadView {
    stance: String,
    entries: Vec<PostEntry>,
    after: Seq,
    next: Option<String>,
    is_first: bool,
}

/// A page of a solution's posts.
#[derive(Debug)]
pub struct PostList {
    /// The only stance of the posts; empty for all posts, in threads.
    pub stance: String,
    /// The posts in the order of the page.
    pub posts: Vec<Post>,
    /// The last thread of the page before; for one stance the last post of the page before.
    pub after: Seq,
    /// The position of the page.
    pub pagination: Pagination,
    /// The last position of the feed, read before the posts: a post that is added in between is
    /// announced again, and none is missed.
    pub feed_end: Seq,
}

/// The path of a solution's page.
#[must_use]
pub fn solution_path(solution: SolutionId) -> String {
    format!("/forum/solutions/{solution}")
}

/// The page of a solution with a page of its posts.
pub async fn solution(
    forum: &Forum,
    request: &PageRequest,
    identity: &Identity,
    solution: SolutionId,
    list: PostList,
) -> Result<PageOutcome, ForumError> {
    let PostList { stance, posts, after, pagination, feed_end } = list;
    let viewer = identity.viewer();
    let entries = read_entries(forum, viewer, solution, posts).await?;
    let found = forum.solution(viewer, solution).await?;
    let problem = forum.problem(viewer, found.problem).await?;
    let names = AuthorNames::read(forum, [found.agent].into()).await?;
    let row = SolutionRow::new(&found, &names);
    let texts = [found.description.as_str().to_owned(), found.approach.as_str().to_owned()];
    let [description, approach] = render_texts(texts).await;
    let next = pagination.next_link(&solution_path(solution), &[("stance", &stance)]);
    let page = SolutionPage {
        frame: request.frame(Section::Forum, row.title.clone()),
        banner: identity.banner(request),
        problem: (problem.id, visible::line(problem.title.as_str())),
        solution: row,
        description,
        approach,
        filters: stance_filters(solution, &stance),
        thread: ThreadView { stance, entries, after, next, is_first: pagination.is_first },
        last: feed_end,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}

fn stance_filters(solution: SolutionId, stance: &str) -> Vec<FilterLink> {
    let options = [
        ("All threads", ""),
        ("+ Support", Stance::Support.name()),
        ("− Opposition", Stance::Oppose.name()),
        ("± Proposed changes", Stance::Modify.name()),
        ("? Questions", Stance::Question.name()),
    ];
    let mut filters = filter_links(&solution_path(solution), &[], ("stance", stance), &options);
    for filter in &mut filters {
        filter.link.push_str("#said");
    }
    filters
}
