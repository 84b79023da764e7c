//! The page of a debate: the motion, a window of arguments, and the arbitrator's form.

use std::collections::HashMap;

use askama::Template;
use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError, Transcript, TranscriptLimit};
use debate_core::arena::Debate;
use debate_core::{ArgumentId, DebateId, Seq};
use debate_render::{Html, visible};

use super::arbitration::ArbitratorForm;
use super::seats::SeatsView;
use super::view::{DebateRow, argument_item};
use super::window::{self, Window};
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::PageOutcome;

#[derive(Template)]
#[template(path = "arena/debate.html")]
struct DebateDetailPage {
    frame: Frame,
    debate: DebateRow,
    motion: Html,
    entries: Vec<Html>,
    /// The first and the last position on the page, without the motion.
    first: Seq,
    shown: Seq,
    /// The last position of the debate.
    last: Seq,
    arbitrator: ArbitratorForm,
    seats: Option<SeatsView>,
}

impl DebateDetailPage {
    fn has_earlier(&self) -> bool {
        self.first > Seq::FIRST.next()
    }

    fn has_later(&self) -> bool {
        self.shown < self.last
    }
}

/// New arguments and the changed parts of an open page, which its script inserts.
#[derive(Template)]
#[template(path = "arena/entries.html")]
struct NewArgumentsFragment {
    debate: DebateRow,
    entries: Vec<Html>,
    /// The last position of the debate. The script continues until it has it.
    last: Seq,
    arbitrator: ArbitratorForm,
    seats: Option<SeatsView>,
}

/// The page of a debate with the arguments of `window`.
pub async fn debate(
    arena: &Arena,
    request: &PageRequest,
    debate: DebateId,
    window: Window,
) -> Result<PageOutcome, ArenaError> {
    let Transcript { debate, motion, through, .. } =
        arena.transcript(debate, TranscriptLimit::Newest(0)).await?;
    let (after, shown) = window.bounds(through);
    let arguments = window::read_range(arena, debate.id, after, shown).await?;
    let path = debate_path(request, &debate);
    let entries =
        window::render_items(arena, path.clone(), debate.id, arguments, Some(&motion)).await?;
    let page = DebateDetailPage {
        frame: request.frame(Section::Arena, visible::line(&debate.title)),
        arbitrator: ArbitratorForm::new(request, &debate),
        seats: SeatsView::load(arena, request, &debate).await?,
        debate: debate.into(),
        motion: argument_item(motion, &HashMap::new(), &path),
        entries,
        first: after.next(),
        shown,
        last: through,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}

/// The path of the debate's page, with the base path.
fn debate_path(request: &PageRequest, debate: &Debate) -> String {
    format!("{}/arena/{}", request.base_path, debate.slug)
}

/// Leads to the page that shows an argument, at its position.
pub async fn permalink(
    arena: &Arena,
    debate: DebateId,
    argument: ArgumentId,
) -> Result<PageOutcome, ArenaError> {
    let position = arena.locate(debate, StreamPosition::Item(argument)).await?;
    let position = position.ok_or(ArenaError::UnknownArgument(argument))?;
    let (slug, at) = (position.debate.slug, position.at);
    Ok(PageOutcome::MovedTo(format!("/arena/{slug}?at={at}#seq-{at}")))
}

/// The arguments after a position, at most a window of them; none if the debate has no such
/// position.
pub async fn new_arguments(
    arena: &Arena,
    request: &PageRequest,
    debate: DebateId,
    after: Seq,
) -> Result<Option<PageOutcome>, ArenaError> {
    let Some(position) = arena.locate(debate, StreamPosition::Seq(after)).await? else {
        return Ok(None);
    };
    let last = position.last;
    let through = Seq::new(after.number().saturating_add(window::LENGTH)).min(last);
    let arguments = window::read_range(arena, debate, after, through).await?;
    let path = debate_path(request, &position.debate);
    let entries = window::render_items(arena, path, debate, arguments, None).await?;
    let arbitrator = ArbitratorForm::new(request, &position.debate);
    let seats = SeatsView::load(arena, request, &position.debate).await?;
    let debate = position.debate.into();
    let fragment = NewArgumentsFragment { debate, entries, last, arbitrator, seats };
    Ok(Some(PageOutcome::Shown(request.render(&fragment))))
}
