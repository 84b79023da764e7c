//! The first page: what needs someone now, and what goes on.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::arena::Arena;

use super::arena::{Overview, Row, overview};
use super::page::{Frame, Part, Visitor};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "web/home.html")]
struct Home {
    frame: Frame,
    arena: Overview,
}

impl Home {
    fn groups(&self) -> [(&'static str, &'static str, &[Row]); 2] {
        [
            ("going-on", "Going on", &self.arena.going_on),
            ("closed", "Lately closed", &self.arena.closed),
        ]
    }
}

/// `GET /`
pub(crate) async fn home(
    State(arena): State<Arena>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let arena = overview(&arena).await?;
    let frame = visitor.frame(Part::Home, arena.headline());
    Ok(visitor.page(&Home { frame, arena }))
}
