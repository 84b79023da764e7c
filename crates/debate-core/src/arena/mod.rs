//! The arena: a proposer and an opponent take turns, and an arbitrator rules.

mod actions;
mod argument;
mod decide;
mod list;
mod replay;
mod rules;

pub use actions::{Action, WaitAction, available_actions, wait_action};
pub use argument::{Argument, ArgumentType, Debate, DebateType, Draft, NewDebate, StoredArgument};
pub use decide::{AUTO_RULING_CONTENT, Head, OpenedDebate, Transition, decide, open};
pub use list::{ListFilter, ListPosition, ListQuery, ListStart};
pub use replay::{Replay, requested_target, stored_move};
pub use rules::{Move, Refusal, Role, RulingEffect, Side, State, allowed_moves, next, role_to_act};
