//! New posts of an open page: an event stream that announces them, and the posts,
//! rendered like the page.

use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::forum::{FeedQuery, Forum, ForumError, Subscriber};
use debate_core::forum::Viewer;
use debate_core::{Seq, SolutionId};

use super::entry::{Entry, entries};
use super::identity::Identity;
use super::view::{Names, SolutionRow};
use crate::client::ClientNetwork;
use crate::events::RequestedPosition;
use crate::forum::{PathIds, stream};
use crate::pages::page::Visitor;
use crate::pages::query::QueryParams;
use crate::problem::{Invalid, Problem};

/// The news, for the script to put where they belong.
#[derive(Template)]
#[template(path = "pages/forum/new_posts.html")]
struct NewPosts {
    solution: SolutionRow,
    entries: Vec<Entry>,
    /// The last position of these posts, and the last position of the feed.
    through: Seq,
    last: Seq,
}

/// `GET /forum/solutions/{solutionId}/news`
pub(crate) async fn new_posts(
    State(forum): State<Forum>,
    PathIds(solution): PathIds<SolutionId>,
    visitor: Visitor,
    identity: Identity,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let after = asked.text("after").and_then(|text| text.parse().ok()).map(Seq::new);
    let no_place = || Invalid::new("after", "must be a position (`seq`) in the solution's feed");
    let news = read(&forum, identity.reader(), solution, after.ok_or_else(no_place)?).await?;
    Ok(visitor.page(&news.ok_or_else(no_place)?))
}

/// None if the feed has no such place.
async fn read(
    forum: &Forum,
    reader: Viewer,
    solution: SolutionId,
    after: Seq,
) -> Result<Option<NewPosts>, ForumError> {
    let told = forum.feed(FeedQuery { reader, solution, after }).await?;
    if after > told.last {
        return Ok(None);
    }
    let about = forum.solution(reader, solution).await?;
    let names = Names::of(forum, [about.agent].into()).await?;
    let posts = told.newer.into_iter().map(|(_, post)| post).collect();
    Ok(Some(NewPosts {
        solution: SolutionRow::new(&about, &names),
        entries: entries(forum, reader, solution, posts).await?,
        through: told.through,
        last: told.last,
    }))
}

/// `GET /forum/solutions/{solutionId}/events`: the API's stream for the visitor's identity.
pub(crate) async fn events(
    State(forum): State<Forum>,
    PathIds(solution): PathIds<SolutionId>,
    identity: Identity,
    ClientNetwork(network): ClientNetwork,
    asked: QueryParams,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = asked.text("after").map(|text| RequestedPosition::parse(&text));
    let asked = [after, RequestedPosition::last_seen(&headers)];
    let subscriber = Subscriber { reader: identity.reader(), key: identity.key, network };
    stream(forum, subscriber, solution, asked).await
}
