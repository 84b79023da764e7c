//! Debates and arguments as pages show them.

use std::collections::HashMap;

use debate_core::arena::{Argument, ArgumentType, Debate, DebateType, Role, State};
use debate_core::{ArgumentId, DebateId, Seq};
use debate_render::visible;
use debate_render::{Html, render_markdown};

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
        let (class, label) = match state {
            State::AwaitingOpponent => ("opponent", "Waiting for the opponent"),
            State::AwaitingProposer => ("proposer", "Waiting for the proposer"),
            State::AwaitingArbitrator => ("arbitrator", "Needs a ruling"),
            State::InterventionPending => ("arbitrator", "Paused, needs a ruling"),
            State::Closed => ("closed", "Closed"),
        };
        Self { class, label, is_closed: state == State::Closed }
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
pub(crate) struct DebateRow {
    pub(crate) id: DebateId,
    pub(crate) title: String,
    pub(crate) badge: StateBadge,
    pub(crate) type_label: &'static str,
    pub(crate) created: Time,
    /// The time of the newest argument.
    pub(crate) changed: Time,
    pub(crate) waiting: Since,
}

impl From<Debate> for DebateRow {
    fn from(debate: Debate) -> Self {
        Self {
            id: debate.id,
            title: visible::line(&debate.title),
            badge: debate.state.into(),
            type_label: type_label(debate.debate_type),
            created: Time(debate.created_at),
            changed: Time(debate.updated_at),
            waiting: Since(debate.updated_at),
        }
    }
}

/// The bytes of an argument that a page renders. An export contains all of them.
const SHOWN_BYTES_MAX: usize = 64 * 1024;

/// One argument of a debate's conversation.
pub(crate) struct ArgumentEntry {
    pub(crate) seq: Seq,
    pub(crate) role: &'static str,
    pub(crate) letter: &'static str,
    pub(crate) title: &'static str,
    pub(crate) time: Time,
    pub(crate) content: Option<Html>,
    /// The size of the argument in bytes, if the page shows only the beginning.
    pub(crate) bytes: Option<usize>,
    pub(crate) answers: Option<Seq>,
}

impl ArgumentEntry {
    /// `positions` contains the arguments that others answer.
    pub(super) fn new(argument: &Argument, positions: &HashMap<ArgumentId, Seq>) -> Self {
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
            time: Time(argument.created_at),
            content: (!is_blank).then(|| render_markdown(shown, 3)),
            bytes: (shown.len() < whole.len()).then_some(whole.len()),
            answers: argument.parent.and_then(|parent| positions.get(&parent).copied()),
        }
    }
}

/// Whether the server wrote the argument: the ruling that closes a debate after a resolution, which
/// alone has no idempotency key.
const fn is_automatic(argument: &Argument) -> bool {
    argument.request_key.is_none()
}

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
