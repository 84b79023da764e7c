//! The arena: a proposer and an opponent in turn, an arbitrator above them.

mod argument;
mod decide;
mod fingerprint;
mod hint;
mod list;
mod retell;
mod rules;
mod seal;

pub use argument::{Argument, Debate, DebateType, Draft, Entry, Kind, Opening};
pub use decide::{AUTO_RULING_CONTENT, Head, Opened, Step, decide, open};
pub use hint::{Action, WaitAction, available_actions, wait_action};
pub use list::{Cursor, Filter, ListQuery, Start};
pub use retell::{Retelling, Unfit, move_of, target_of};
pub use rules::{Move, Refusal, Role, Side, State, Verdict, allowed, next, turn_of};
