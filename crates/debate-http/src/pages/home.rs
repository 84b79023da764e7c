//! The first page: what needs someone now, and what goes on.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::arena::Arena;
use debate_app::forum::Forum;
use debate_app::runner::Runner;

use super::arena::{Overview, Row, overview};
use super::forum::{self, Identity};
use super::page::{Frame, Section, Visitor};
use super::runner;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/home.html")]
struct Home {
    frame: Frame,
    arena: Overview,
    runs: runner::Overview,
    demo: runner::Demo,
    forum: forum::Overview,
}

impl Home {
    fn is_empty(&self) -> bool {
        self.arena.is_empty && self.runs.is_empty && self.forum.problems.is_empty()
    }

    fn is_calm(&self) -> bool {
        self.arena.needs_you.is_empty()
            && self.runs.failed.is_empty()
            && self.forum.waiting.is_none()
    }

    fn groups(&self) -> [(&'static str, &'static str, &[Row]); 2] {
        [
            ("active", "Active debates", &self.arena.going_on),
            ("closed", "Recently closed debates", &self.arena.closed),
        ]
    }
}

/// For the tab, where one sees it from elsewhere.
fn headline(arena: &Overview, runs: &runner::Overview, forum: &forum::Overview) -> String {
    let failed = u64::try_from(runs.failed.len()).unwrap_or(u64::MAX);
    let flagged = forum.waiting.as_ref().map_or(0, |waiting| waiting.count);
    match arena.needs_you_total.saturating_add(failed).saturating_add(flagged) {
        0 => "Needs you".to_owned(),
        count => format!("({count}) Needs you"),
    }
}

/// `GET /`
pub(crate) async fn home(
    State(arena): State<Arena>,
    State(runner): State<Runner>,
    State(forum): State<Forum>,
    visitor: Visitor,
    identity: Identity,
) -> Result<Response, Problem> {
    let arena = overview(&arena).await?;
    let runs = runner::overview(&runner).await?;
    let forum = forum::overview(&forum, &identity).await?;
    let frame = visitor.frame(Section::Home, headline(&arena, &runs, &forum));
    let demo = runner::Demo::new(visitor.form_token());
    Ok(visitor.page(&Home { frame, arena, runs, demo, forum }))
}
