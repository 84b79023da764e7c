//! Debates and arguments as pages show them.

use std::collections::HashMap;

use debate_core::arena::{Argument, ArgumentType, Debate, DebateType, Role, State};
use debate_core::{ArgumentId, DebateId, Seq};
use debate_render::visible;
use debate_render::{Html, render_markdown};

use crate::pages::when::{Since, When};

/// The badge of a debate's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateBadge {
    /// The CSS class.
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
    pub(crate) is_over: bool,
}

impl From<State> for StateBadge {
    fn from(state: State) -> Self {
        let (class, words) = match state {
            State::AwaitingOpponent => ("opponent", "Waiting for the opponent"),
            State::AwaitingProposer => ("proposer", "Waiting for the proposer"),
            State::AwaitingArbitrator => ("arbitrator", "Needs a ruling"),
            State::InterventionPending => ("arbitrator", "Paused, needs a ruling"),
            State::Closed => ("closed", "Closed"),
        };
        Self { class, words, is_over: state == State::Closed }
    }
}

pub(super) const fn type_label(debate_type: DebateType) -> &'static str {
    match debate_type {
        DebateType::CodingPlan => "Coding plan",
        DebateType::General => "General",
    }
}

/// A debate in a list.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: DebateId,
    pub(crate) title: String,
    pub(crate) standing: StateBadge,
    pub(crate) about: &'static str,
    pub(crate) opened: When,
    /// The time of the newest argument.
    pub(crate) changed: When,
    pub(crate) waiting: Since,
}

impl From<Debate> for Row {
    fn from(debate: Debate) -> Self {
        Self {
            id: debate.id,
            title: visible::line(&debate.title),
            standing: debate.state.into(),
            about: type_label(debate.debate_type),
            opened: When(debate.created_at),
            changed: When(debate.updated_at),
            waiting: Since(debate.updated_at),
        }
    }
}

/// The number of bytes of an argument that are rendered; an export has all of them.
const SHOWN_BYTES_MAX: usize = 64 * 1024;

/// One argument of a debate's conversation.
pub(crate) struct Entry {
    pub(crate) seq: Seq,
    pub(crate) role: &'static str,
    /// The letter on the badge.
    pub(crate) letter: &'static str,
    pub(crate) title: &'static str,
    pub(crate) when: When,
    pub(crate) content: Option<Html>,
    /// The number of bytes, if not all of them are shown.
    pub(crate) bytes: Option<usize>,
    pub(crate) answers: Option<Seq>,
}

impl Entry {
    /// `places` tells where the arguments are that others answer.
    pub(super) fn new(argument: &Argument, places: &HashMap<ArgumentId, Seq>) -> Self {
        let (role, letter) = match argument.role {
            Role::Proposer => ("proposer", "P"),
            Role::Opponent => ("opponent", "O"),
            Role::Arbitrator if is_automatic(argument) => ("arbitrator", "✓"),
            Role::Arbitrator => ("arbitrator", "A"),
        };
        let whole = argument.content.as_str();
        let shown = whole.get(..whole.floor_char_boundary(SHOWN_BYTES_MAX)).unwrap_or(whole);
        let is_blank = shown.trim().is_empty();
        Self {
            seq: argument.seq,
            role,
            letter,
            title: title(argument),
            when: When(argument.created_at),
            content: (!is_blank).then(|| render_markdown(shown, 3)),
            bytes: (shown.len() < whole.len()).then_some(whole.len()),
            answers: argument.parent.and_then(|parent| places.get(&parent).copied()),
        }
    }
}

/// Whether the server wrote the argument: the ruling that closes a debate after a resolution, which
/// alone has no idempotency key.
const fn is_automatic(argument: &Argument) -> bool {
    argument.request_key.is_none()
}

/// The heading of an argument: its type and its role.
pub(super) const fn title(argument: &Argument) -> &'static str {
    match (argument.kind, argument.role) {
        (ArgumentType::Motion, _) => "Motion by the proposer",
        (ArgumentType::Claim, Role::Proposer) => "Claim by the proposer",
        (ArgumentType::Claim, Role::Opponent) => "Claim by the opponent",
        (ArgumentType::Claim, Role::Arbitrator) => "Claim by the arbitrator",
        (ArgumentType::Appeal, _) => "Appeal by the proposer",
        (ArgumentType::Resolution, _) => "Resolution by the proposer",
        (ArgumentType::Intervention, _) => "Intervention by the arbitrator",
        (ArgumentType::Ruling, _) if is_automatic(argument) => "Closed automatically",
        (ArgumentType::Ruling, _) => "Ruling by the arbitrator",
    }
}
