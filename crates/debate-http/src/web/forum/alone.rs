//! One post on a page of its own.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::{Forum, ForumError};

use super::entry::{Entry, entries};
use super::seat::{Seat, Sits};
use super::view::{Names, SolutionRow};
use crate::forum::{At, Both};
use crate::problem::Problem;
use crate::web::page::{Frame, Part, Visitor};

#[derive(Template)]
#[template(path = "web/forum/alone.html")]
struct AlonePage {
    frame: Frame,
    sits: Sits,
    solution: SolutionRow,
    entries: Vec<Entry>,
}

/// `GET /forum/solutions/{solutionId}/debates/{debateId}`
pub(crate) async fn alone(
    State(forum): State<Forum>,
    At(both): At<Both>,
    visitor: Visitor,
    seat: Seat,
) -> Result<Response, Problem> {
    let page = read(&forum, both, &visitor, &seat).await?;
    Ok(visitor.page(&page))
}

async fn read(
    forum: &Forum,
    Both(solution, post): Both,
    visitor: &Visitor,
    seat: &Seat,
) -> Result<AlonePage, ForumError> {
    let reader = seat.reader();
    let found = forum.solution(reader, solution).await?;
    let post = forum.one_post(reader, solution, post).await?;
    let names = Names::of(forum, [found.agent].into()).await?;
    let row = SolutionRow::new(&found, &names);
    let frame = visitor.frame(Part::Forum, format!("#{} · {}", post.seq, row.title));
    let entries = entries(forum, reader, solution, vec![post]).await?;
    Ok(AlonePage { frame, sits: seat.shown(visitor), solution: row, entries })
}
