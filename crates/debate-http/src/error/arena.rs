//! Errors of the arena as responses.

use debate_app::arena::ArenaError;
use debate_core::arena::{
    Refusal, Role, SeatRefusal, State, available_actions, is_slug, role_to_act,
};
use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::{ErrorCode, render_time};

use super::{ErrorResponse, Invalid};

impl ErrorResponse {
    /// No debate has this id, original id or slug. A text that is neither a UUID nor a slug is an
    /// invalid name.
    pub(crate) fn unknown_debate(reference: &Reference<DebateId>) -> Self {
        if let Reference::Original(text) = reference
            && !is_slug(text.as_str())
        {
            return Invalid::new("debate_id", "must be the id or the slug of a debate").into();
        }
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

impl ErrorResponse {
    /// The server has no arbitrator token, so it cannot create debates with seats.
    pub(crate) fn seats_not_configured() -> Self {
        let message = "this server has no arbitrator token, which debates with seats need";
        Self::new(ErrorCode::SeatsNotConfigured, message).suggesting(
            "create the debate without seats, or set DEBATE_ARBITRATOR_TOKEN_FILE and restart the \
             server",
        )
    }

    /// The credentials of the request do not allow it in a debate with seats.
    pub(crate) fn seat_refused(refusal: &SeatRefusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            SeatRefusal::Required(role) => Self::new(ErrorCode::SeatRequired, message)
                .suggesting(suggest_credential(*role))
                .with(|error| error.role = Some((*role).into())),
            SeatRefusal::Invalid { role, holder } => Self::new(ErrorCode::SeatInvalid, message)
                .suggesting(suggest_after_invalid(*role, holder.is_some()))
                .with(|error| {
                    error.role = Some((*role).into());
                    error.holder.clone_from(holder);
                }),
            SeatRefusal::Taken { side: _, holder } => Self::new(ErrorCode::SeatTaken, message)
                .suggesting("take the other seat, or ask the holder to release this one")
                .with(|error| {
                    error.holder = Some(holder.name.as_str().to_owned());
                    error.since = Some(render_time(holder.since));
                }),
            SeatRefusal::InviteRequired(_) => Self::new(ErrorCode::InviteRequired, message)
                .suggesting("send the invite in the header Debate-Invite, or ask the arbitrator"),
            SeatRefusal::Conflict(_) => Self::new(ErrorCode::SeatConflict, message)
                .suggesting("let another participant take the seat, with a token of its own"),
            SeatRefusal::NotSeated => Self::new(ErrorCode::NotSeated, message)
                .suggesting("omit the token: every client may play a role of this debate"),
        }
    }
}

fn suggest_credential(role: Role) -> String {
    match role {
        Role::Proposer | Role::Opponent => format!(
            "send the token of the {role}'s seat in the header Debate-Seat, or take the seat with \
             POST /debates/{{id}}/seats/{role}"
        ),
        Role::Arbitrator => "send the arbitrator token in the header Debate-Arbitrator".to_owned(),
    }
}

fn suggest_after_invalid(role: Role, is_taken: bool) -> String {
    match (role, is_taken) {
        (Role::Proposer | Role::Opponent, false) => {
            format!("take the seat with POST /debates/{{id}}/seats/{role}")
        }
        (Role::Proposer | Role::Opponent, true) => {
            "send the token of the present holder, or ask the arbitrator to release the seat"
                .to_owned()
        }
        (Role::Arbitrator, _) => suggest_credential(role),
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
            ArenaError::Seat { debate, refusal } => Self::seat_refused(&refusal)
                .with(|error| error.debate_id = Some(debate.to_string())),
            ArenaError::TooManyWaiters(_) => Self::overloaded(message),
            ArenaError::Store(err) => err.into(),
        }
    }
}
