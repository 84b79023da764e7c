//! The home page: everything that waits for a person, and the newest debates, runs and problems.

use askama::Template;

use crate::arena::{DebateOverview, DebateRow};
use crate::forum::ForumOverview;
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::PageOutcome;
use crate::runner::{DemoForm, RunOverview};

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    arena: DebateOverview,
    runs: RunOverview,
    demo: DemoForm,
    forum: ForumOverview,
}

impl HomePage {
    fn is_empty(&self) -> bool {
        self.arena.is_empty && self.runs.is_empty && self.forum.problems.is_empty()
    }

    fn needs_nothing(&self) -> bool {
        self.arena.needs_ruling.is_empty()
            && self.runs.failed.is_empty()
            && self.forum.queue.is_none()
    }

    fn groups(&self) -> [(&'static str, &'static str, &[DebateRow]); 2] {
        [
            ("active", "Active debates", &self.arena.active),
            ("closed", "Recently closed debates", &self.arena.closed),
        ]
    }
}

/// The home page with the overview of each context.
#[must_use]
pub fn home(
    request: &PageRequest,
    arena: DebateOverview,
    runs: RunOverview,
    forum: ForumOverview,
) -> PageOutcome {
    let frame = request.frame(Section::Home, title(&arena, &runs, &forum));
    let demo = DemoForm::new(&request.form_token);
    PageOutcome::Shown(request.render(&HomePage { frame, arena, runs, demo, forum }))
}

/// The title has the number of items, so that a person sees it in the browser's tab.
fn title(arena: &DebateOverview, runs: &RunOverview, forum: &ForumOverview) -> String {
    let failed = u64::try_from(runs.failed.len()).unwrap_or(u64::MAX);
    let flagged = forum.queue.as_ref().map_or(0, |queue| queue.count);
    match arena.needs_ruling_total.saturating_add(failed).saturating_add(flagged) {
        0 => "Needs you".to_owned(),
        count => format!("({count}) Needs you"),
    }
}
