//! Debates and arguments as pages show them.

use std::collections::HashMap;

use debate_core::arena::{Argument, Debate, DebateType, Kind, Role, State};
use debate_core::{ArgumentId, DebateId, Seq};

use crate::web::markdown::{self, Html};
use crate::web::signs;
use crate::web::when::{Since, When};

/// The badge of a debate's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// How the style knows it.
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
    pub(crate) is_over: bool,
}

impl From<State> for Standing {
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

pub(super) const fn type_words(debate_type: DebateType) -> &'static str {
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
    pub(crate) standing: Standing,
    pub(crate) about: &'static str,
    pub(crate) opened: When,
    /// When its newest argument came, and since when someone is waited for.
    pub(crate) changed: When,
    pub(crate) waiting: Since,
}

impl From<Debate> for Row {
    fn from(debate: Debate) -> Self {
        Self {
            id: debate.id,
            title: signs::line(&debate.title),
            standing: debate.state.into(),
            about: type_words(debate.debate_type),
            opened: When(debate.created_at),
            changed: When(debate.updated_at),
            waiting: Since(debate.updated_at),
        }
    }
}

/// How much of one argument is rendered; an export has all of it.
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
    /// How many bytes it has, where not all of them are shown.
    pub(crate) bytes: Option<usize>,
    pub(crate) answers: Option<Seq>,
}

impl Entry {
    /// `places` tells where the arguments are that others answer.
    pub(super) fn new(argument: &Argument, places: &HashMap<ArgumentId, Seq>) -> Self {
        let (role, letter) = match argument.role {
            Role::Proposer => ("proposer", "P"),
            Role::Opponent => ("opponent", "O"),
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
            content: (!is_blank).then(|| markdown::render(shown, 3)),
            bytes: (shown.len() < whole.len()).then_some(whole.len()),
            answers: argument.parent.and_then(|parent| places.get(&parent).copied()),
        }
    }
}

/// The heading of an argument: its type and its role.
pub(super) const fn title(argument: &Argument) -> &'static str {
    match (argument.kind, argument.role) {
        (Kind::Motion, _) => "Motion by the proposer",
        (Kind::Claim, Role::Proposer) => "Claim by the proposer",
        (Kind::Claim, Role::Opponent) => "Claim by the opponent",
        (Kind::Claim, Role::Arbitrator) => "Claim by the arbitrator",
        (Kind::Appeal, _) => "Appeal by the proposer",
        (Kind::Resolution, _) => "Resolution by the proposer",
        (Kind::Intervention, _) => "Intervention by the arbitrator",
        // Only the server writes an argument without an idempotency key: the ruling that closes
        // a debate after a resolution.
        (Kind::Ruling, _) if argument.request_key.is_none() => "Closed automatically",
        (Kind::Ruling, _) => "Ruling by the arbitrator",
    }
}
