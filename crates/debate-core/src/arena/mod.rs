//! The arena: a proposer and an opponent take turns, and an arbitrator rules.

mod actions;
mod argument;
mod decide;
mod list;
mod replay;
mod rules;
mod seat;
mod secret;
mod slug;

pub use actions::{Action, WaitAction, available_actions, wait_action};
pub use argument::{
    Argument, ArgumentType, Debate, DebateType, Draft, NewDebate, NewSeats, SeatFields,
    StoredArgument,
};
pub use decide::{AUTO_RULING_CONTENT, Head, OpenedDebate, Transition, author, decide, open};
pub use list::{IdPrefix, ListFilter, ListPosition, ListQuery, ListStart, NameFilter};
pub use replay::{Replay, requested_target, stored_move};
pub use rules::{Move, Refusal, Role, RulingEffect, Side, State, allowed_moves, next, role_to_act};
pub use seat::{
    ARBITRATOR, ArbitratorRights, Credentials, HolderName, HolderNameError, SERVER, Seat,
    SeatDecision, SeatHolder, SeatRefusal, Seats, WEB, check_arbitrator, check_role, release_seat,
    take_seat,
};
pub use secret::{SecretDigest, SecretKind};
pub use slug::{is_slug, slug_candidates};
