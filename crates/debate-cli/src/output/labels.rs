//! Labels of states and arguments, the same in text, Markdown and HTML.

use debate_core::arena::AUTO_RULING_CONTENT;
use debate_wire::arena::{ArgumentType, Newer, Role, State};

/// The label of a debate's state.
pub(super) const fn state(state: State) -> &'static str {
    match state {
        State::AwaitingOpponent => "Waiting for the opponent",
        State::AwaitingProposer => "Waiting for the proposer",
        State::AwaitingArbitrator => "Needs a ruling",
        State::InterventionPending => "Paused, needs a ruling",
        State::Closed => "Closed",
    }
}

/// `by the proposer`, or that the server wrote the ruling. `shown` is the role as it is printed.
pub(super) fn author(argument: &Newer, shown: impl Fn(Role) -> String) -> String {
    let is_ruling = argument.r#type == ArgumentType::Ruling;
    if is_ruling && argument.content == AUTO_RULING_CONTENT {
        return "(closed automatically)".to_owned();
    }
    format!("by the {}", shown(argument.role))
}
