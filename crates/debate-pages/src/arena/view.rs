//! Debates and arguments as pages show them.

use std::collections::HashMap;

use debate_core::arena::{Argument, Debate, State};
use debate_core::{ArgumentId, DebateId, Seq};
use debate_render::arena::{ArgumentItem, state_class, state_label, type_label};
use debate_render::{Html, visible};
use debate_wire::arena as wire;

use super::seats::Participant;
use crate::time::{Since, Time};

/// The badge of a debate's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateBadge {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
    pub(crate) is_closed: bool,
}

impl From<State> for StateBadge {
    fn from(state: State) -> Self {
        let name = wire::State::from(state);
        let is_closed = state == State::Closed;
        Self { class: state_class(name), label: state_label(name), is_closed }
    }
}

/// A debate in a list.
#[derive(Debug)]
pub(crate) struct DebateRow {
    pub(crate) id: DebateId,
    /// The last segment of the page's path.
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) badge: StateBadge,
    pub(crate) type_label: &'static str,
    pub(crate) created: Time,
    /// The time of the newest argument.
    pub(crate) changed: Time,
    pub(crate) waiting: Since,
    /// Both sides of a debate with seats; empty until they are read.
    pub(crate) participants: Vec<Participant>,
}

impl DebateRow {
    /// Whether a participant holds one of the seats.
    pub(crate) fn has_participants(&self) -> bool {
        self.participants.iter().any(|participant| participant.name.is_some())
    }
}

impl From<Debate> for DebateRow {
    fn from(debate: Debate) -> Self {
        Self {
            id: debate.id,
            slug: debate.slug,
            title: visible::line(&debate.title),
            badge: debate.state.into(),
            type_label: type_label(debate.debate_type.into()),
            created: Time(debate.created_at),
            changed: Time(debate.updated_at),
            waiting: Since(debate.updated_at),
            participants: Vec::new(),
        }
    }
}

/// An argument as a list item of the page at `path`. `positions` contains the arguments that others
/// answer.
pub(super) fn argument_item(
    argument: Argument,
    positions: &HashMap<ArgumentId, Seq>,
    path: &str,
) -> Html {
    let parent = argument.parent.and_then(|parent| positions.get(&parent));
    let parent = parent.map(|position| position.number());
    let argument = wire::Argument::from(argument);
    ArgumentItem::for_page((&argument).into(), parent, path).to_html()
}
