//! Errors of the arena as responses.

use debate_app::arena::ArenaError;
use debate_core::arena::{Refusal, Role, State, available_actions, role_to_act};
use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::ErrorCode;

use super::{ErrorResponse, Invalid};

impl ErrorResponse {
    /// No debate has this id or original id.
    pub(crate) fn unknown_debate(reference: &Reference<DebateId>) -> Self {
        let message = format!("debate {reference} does not exist");
        Self::new(ErrorCode::DebateNotFound, message)
            .suggesting("list the debates with GET /debates")
            .with(|error| error.debate_id = Some(reference.to_string()))
    }

    /// No argument has this id or original id.
    pub(crate) fn unknown_argument(reference: &Reference<ArgumentId>) -> Self {
        let message = format!("argument {reference} does not exist");
        Self::new(ErrorCode::ArgumentNotFound, message)
            .suggesting("list the arguments with GET /debates/{id}")
            .with(|error| error.argument_id = Some(reference.to_string()))
    }

    /// The position of a long poll is not an argument.
    pub(crate) fn unknown_position(reference: &Reference<ArgumentId>) -> Self {
        let message = format!("argument {reference} does not exist");
        Self::from(Invalid { field: "argument_id".to_owned(), message })
            .suggesting("omit argument_id to start from the motion")
    }

    fn refused(refusal: Refusal) -> Self {
        let Refusal { state, mv } = refusal;
        Self::new(ErrorCode::ActionNotAllowed, refusal.to_string())
            .suggesting(suggest_in(state, mv.role()))
            .with(|error| {
                let actions = available_actions(state, mv.role());
                error.current_state = Some(state.into());
                error.allowed_roles =
                    Some(role_to_act(state).into_iter().map(Into::into).collect());
                error.available_actions = Some(actions.into_iter().map(Into::into).collect());
            })
    }
}

fn suggest_in(state: State, role: Role) -> String {
    match role_to_act(state) {
        None => "the debate is closed; create a new debate to continue".to_owned(),
        Some(turn) if turn == role => {
            "it is your turn, but this action is not possible now; see available_actions".to_owned()
        }
        // The long poll is for the two sides only.
        Some(turn) if role == Role::Arbitrator => {
            format!("it is the {turn}'s turn; follow the debate with GET /debates/{{id}}/events")
        }
        Some(turn) => format!("wait for the {turn} with GET /debates/{{id}}/wait"),
    }
}

impl From<ArenaError> for ErrorResponse {
    fn from(err: ArenaError) -> Self {
        let message = err.to_string();
        match err {
            ArenaError::UnknownDebate(debate) => Self::new(ErrorCode::DebateNotFound, message)
                .suggesting("list the debates with GET /debates")
                .with(|error| error.debate_id = Some(debate.to_string())),
            ArenaError::DebateExists(debate) => Self::new(ErrorCode::DebateExists, message)
                .suggesting("create the debate with a new id")
                .with(|error| error.debate_id = Some(debate.to_string())),
            ArenaError::DebateDeleted(debate) => Self::new(ErrorCode::DebateDeleted, message)
                .suggesting("create the debate with a new id")
                .with(|error| error.debate_id = Some(debate.to_string())),
            // Logged once, when it was found.
            ArenaError::DebateDamaged(debate) => Self::new(ErrorCode::StorageUnavailable, message)
                .suggesting(
                    "the operator must restore the database from a backup; other debates \
                         are not affected",
                )
                .with(|error| error.debate_id = Some(debate.to_string()))
                .retry_in(5),
            ArenaError::UnknownArgument(argument) => {
                Self::new(ErrorCode::ArgumentNotFound, message)
                    .suggesting("list the arguments with GET /debates/{id}")
                    .with(|error| error.argument_id = Some(argument.to_string()))
            }
            ArenaError::ForeignArgument { .. } => Self::invalid("target_id", message)
                .suggesting("choose an argument of the same debate"),
            ArenaError::UnknownPosition { .. } => Self::invalid("argument_id", message)
                .suggesting("omit argument_id to start from the motion"),
            ArenaError::KeyReused => Self::new(ErrorCode::IdempotencyConflict, message)
                .suggesting("use a new client_request_id for a new request"),
            ArenaError::Refused(refusal) => Self::refused(refusal),
            ArenaError::TooManyWaiters(_) => Self::overloaded(message),
            ArenaError::Store(err) => err.into(),
        }
    }
}
