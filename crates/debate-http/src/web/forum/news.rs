//! What a page of threads that is already open has not shown yet: a bell, and the words themselves,
//! rendered like the page.

use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::forum::{FeedQuery, Forum, ForumError, Subscriber};
use debate_core::forum::Reader;
use debate_core::{Seq, SolutionId};

use super::entry::{Entry, entries};
use super::seat::Seat;
use super::view::{Names, SolutionRow};
use crate::client::ClientNetwork;
use crate::events::Position;
use crate::forum::{At, stream};
use crate::problem::{Invalid, Problem};
use crate::web::page::Visitor;
use crate::web::query::Asked;

/// The news, for the script to put where they belong.
#[derive(Template)]
#[template(path = "web/forum/news.html")]
struct News {
    solution: SolutionRow,
    entries: Vec<Entry>,
    /// How far these reach, and how far there is more.
    through: Seq,
    last: Seq,
}

/// `GET /forum/solutions/{solutionId}/news`
pub(crate) async fn news(
    State(forum): State<Forum>,
    At(solution): At<SolutionId>,
    visitor: Visitor,
    seat: Seat,
    asked: Asked,
) -> Result<Response, Problem> {
    let after = asked.text("after").and_then(|text| text.parse().ok()).map(Seq::new);
    let no_place = || Invalid::new("after", "must be a position (`seq`) in the solution's feed");
    let news = read(&forum, seat.reader(), solution, after.ok_or_else(no_place)?).await?;
    Ok(visitor.page(&news.ok_or_else(no_place)?))
}

/// None if the feed has no such place.
async fn read(
    forum: &Forum,
    reader: Reader,
    solution: SolutionId,
    after: Seq,
) -> Result<Option<News>, ForumError> {
    let told = forum.news(FeedQuery { reader, solution, after }).await?;
    if after > told.last {
        return Ok(None);
    }
    let about = forum.solution(reader, solution).await?;
    let names = Names::of(forum, [about.agent].into()).await?;
    let posts = told.newer.into_iter().map(|(_, post)| post).collect();
    Ok(Some(News {
        solution: SolutionRow::new(&about, &names),
        entries: entries(forum, reader, solution, posts).await?,
        through: told.through,
        last: told.last,
    }))
}

/// `GET /forum/solutions/{solutionId}/events`: the API's stream, as whoever sits here sees it.
pub(crate) async fn events(
    State(forum): State<Forum>,
    At(solution): At<SolutionId>,
    seat: Seat,
    ClientNetwork(network): ClientNetwork,
    asked: Asked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = asked.text("after").map(|text| Position::parse(&text));
    let asked = [after, Position::last_seen(&headers)];
    let subscriber = Subscriber { reader: seat.reader(), key: seat.key, network };
    stream(forum, subscriber, solution, asked).await
}
