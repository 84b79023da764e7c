//! Labels and transcripts of arena debates.

mod html;
mod instructions;
mod markdown;

pub use html::{ArgumentItem, html_head, html_transcript};
pub use instructions::{agent_instructions, join_command, open_command};
pub use markdown::{markdown_argument, markdown_heading, markdown_transcript};

use debate_core::arena::{AUTO_RULING_CONTENT, SERVER};
use debate_wire::arena::{Argument, ArgumentType, Debate, DebateType, NewArgument, Role, State};

use crate::facts::Fact;
use crate::wire_name;

/// The label of a debate's state.
#[must_use]
pub const fn state_label(state: State) -> &'static str {
    match state {
        State::AwaitingOpponent => "Waiting for the opponent",
        State::AwaitingProposer => "Waiting for the proposer",
        State::AwaitingArbitrator => "Needs a ruling",
        State::InterventionPending => "Paused, needs a ruling",
        State::Closed => "Closed",
    }
}

/// The stylesheet's class of a debate's state.
#[must_use]
pub const fn state_class(state: State) -> &'static str {
    match state {
        State::AwaitingOpponent => "opponent",
        State::AwaitingProposer => "proposer",
        State::AwaitingArbitrator | State::InterventionPending => "arbitrator",
        State::Closed => "closed",
    }
}

/// The label of a debate's type.
#[must_use]
pub const fn type_label(debate_type: DebateType) -> &'static str {
    match debate_type {
        DebateType::CodingPlan => "Coding plan",
        DebateType::General => "General",
    }
}

/// The name of a role, which is also its class in the stylesheet.
#[must_use]
pub const fn role_label(role: Role) -> &'static str {
    match role {
        Role::Proposer => "proposer",
        Role::Opponent => "opponent",
        Role::Arbitrator => "arbitrator",
    }
}

/// An argument as every transcript shows it, from either form that the API sends.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// UUID of the argument.
    pub id: &'a str,
    /// Position in the debate, from 1.
    pub seq: u32,
    /// Type of the argument.
    pub kind: ArgumentType,
    /// Role that submitted it.
    pub role: Role,
    /// UUID of the argument that it answers.
    pub parent_id: Option<&'a str>,
    /// Markdown of the participant.
    pub content: &'a str,
    /// Time of submission as the API writes it.
    pub created_at: &'a str,
    /// Name of the author, if it is known.
    pub by: Option<&'a str>,
    /// Whether the server wrote it: the ruling that closes a debate after a resolution.
    pub is_automatic: bool,
}

impl<'a> Entry<'a> {
    /// The name of the author, if it is known and is not the server.
    #[must_use]
    pub fn author(&self) -> Option<&'a str> {
        self.by.filter(|_| !self.is_automatic)
    }

    /// The heading of the argument: its type and its role.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        match (self.kind, self.role) {
            (ArgumentType::Motion, _) => "Motion by the proposer",
            (ArgumentType::Claim, Role::Proposer) => "Claim by the proposer",
            (ArgumentType::Claim, Role::Opponent) => "Claim by the opponent",
            (ArgumentType::Claim, Role::Arbitrator) => "Claim by the arbitrator",
            (ArgumentType::Appeal, _) => "Appeal by the proposer",
            (ArgumentType::Resolution, _) => "Resolution by the proposer",
            (ArgumentType::Intervention, _) => "Intervention by the arbitrator",
            (ArgumentType::Ruling, _) if self.is_automatic => "Closed automatically",
            (ArgumentType::Ruling, _) => "Ruling by the arbitrator",
        }
    }
}

impl<'a> From<&'a Argument> for Entry<'a> {
    fn from(argument: &'a Argument) -> Self {
        Self {
            id: &argument.id,
            seq: argument.seq,
            kind: argument.r#type,
            role: argument.role,
            parent_id: argument.parent_id.as_deref(),
            content: &argument.content,
            created_at: &argument.created_at,
            by: argument.by.as_deref(),
            // A server without seats reports no author.
            is_automatic: is_by_server(argument.by.as_deref())
                || (argument.r#type == ArgumentType::Ruling
                    && argument.client_request_id.is_none()),
        }
    }
}

/// The answer to a wait has no idempotency key, so an automatic ruling without an author is known
/// by its content.
impl<'a> From<&'a NewArgument> for Entry<'a> {
    fn from(argument: &'a NewArgument) -> Self {
        Self {
            id: &argument.id,
            seq: argument.seq,
            kind: argument.r#type,
            role: argument.role,
            parent_id: argument.parent_id.as_deref(),
            content: &argument.content,
            created_at: &argument.created_at,
            by: argument.by.as_deref(),
            is_automatic: is_by_server(argument.by.as_deref())
                || (argument.by.is_none()
                    && argument.r#type == ArgumentType::Ruling
                    && argument.content == AUTO_RULING_CONTENT),
        }
    }
}

fn is_by_server(by: Option<&str>) -> bool {
    by == Some(SERVER)
}

fn facts(debate: &Debate) -> Vec<Fact> {
    vec![
        Fact::code("debate", &debate.id),
        Fact::value("type", type_label(debate.debate_type), wire_name(&debate.debate_type)),
        Fact::value("state", state_label(debate.state), wire_name(&debate.state)),
        Fact::time("created", &debate.created_at),
        Fact::time("last changed", &debate.updated_at),
    ]
}
