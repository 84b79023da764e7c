//! Decisions about requests to a debate. The engines load rows, call these functions and store the
//! result.

use jiff::Timestamp;

use super::argument::{Argument, ArgumentType, Debate, Draft, NewDebate, NewSeats};
use super::rules::{Move, Refusal, Role, RulingEffect, State, next};
use super::seat::{Credentials, SERVER, Seat, SeatHolder, SeatRefusal, Seats, WEB, check_role};
use crate::{Fingerprint, Seq};

/// The text of an automatic ruling.
pub const AUTO_RULING_CONTENT: &str =
    "Closed automatically: the proposer declared the debate resolved.";

/// The current state of a debate, as far as a decision needs it.
#[derive(Debug, Clone)]
pub struct Head {
    /// The debate in its current state.
    pub debate: Debate,
    /// The position of the newest argument.
    pub last_seq: Seq,
    /// Whether a resolution closes the debate automatically, if its creation named it.
    pub auto_ruling: Option<bool>,
    /// The seats; none if the debate has no seats.
    pub seats: Option<Seats>,
    /// The fingerprint of the fields about seats in the request that opened the debate.
    pub seat_fields: Option<Fingerprint>,
}

/// The result of an accepted draft.
#[derive(Debug, Clone)]
pub struct Transition {
    /// The argument that was added.
    pub argument: Argument,
    /// The automatic ruling, if the draft was a resolution that closes the debate.
    pub ruling: Option<Argument>,
    /// The debate after both.
    pub debate: Debate,
    /// The position of the newest argument after both.
    pub last_seq: Seq,
}

/// Adds `draft` of the author `by` if the rules allow it in the current state. `auto_ruling`
/// applies to debates whose creation left it out.
pub fn decide(
    head: &Head,
    draft: &Draft,
    by: Option<String>,
    at: Timestamp,
    auto_ruling: bool,
) -> Result<Transition, Refusal> {
    let state_after = next(head.debate.state, draft.mv)?;
    let argument = Argument {
        id: draft.id,
        debate: head.debate.id,
        parent: draft.target,
        kind: draft.mv.into(),
        role: draft.mv.role(),
        content: draft.content.as_str().to_owned(),
        request_key: Some(draft.key.as_str().to_owned()),
        seq: head.last_seq.next(),
        created_at: at,
        state_after,
        by,
    };
    let ruling = match draft.mv {
        Move::Resolve if head.auto_ruling.unwrap_or(auto_ruling) => {
            Some(closing_ruling(&argument, draft, at)?)
        }
        Move::Resolve | Move::Claim(_) | Move::Appeal | Move::Intervene | Move::Rule(_) => None,
    };
    let newest = ruling.as_ref().unwrap_or(&argument);
    let debate = Debate { state: newest.state_after, updated_at: at, ..head.debate.clone() };
    let last_seq = newest.seq;
    Ok(Transition { argument, ruling, debate, last_seq })
}

fn closing_ruling(
    resolution: &Argument,
    draft: &Draft,
    at: Timestamp,
) -> Result<Argument, Refusal> {
    let state_after = next(resolution.state_after, Move::Rule(RulingEffect::Close))?;
    Ok(Argument {
        id: draft.closing_id,
        debate: resolution.debate,
        parent: None,
        kind: ArgumentType::Ruling,
        role: Role::Arbitrator,
        content: AUTO_RULING_CONTENT.to_owned(),
        request_key: None,
        seq: resolution.seq.next(),
        created_at: at,
        state_after,
        by: Some(SERVER.to_owned()),
    })
}

/// The author of a draft, if the credentials of its request prove the role in a debate with seats.
/// In a debate without seats the author is not known.
pub fn author(
    head: &Head,
    mv: Move,
    credentials: &Credentials,
) -> Result<Option<String>, SeatRefusal> {
    let Some(seats) = &head.seats else { return Ok(None) };
    check_role(seats, mv.role(), credentials).map(Some)
}

/// A new debate with its motion.
#[derive(Debug, Clone)]
pub struct OpenedDebate {
    /// The debate in its current state, with its seats.
    pub head: Head,
    /// The motion of the debate.
    pub motion: Argument,
}

/// Opens a debate. The store must check before that neither the id nor the slug is in use.
#[must_use]
pub fn open(opening: &NewDebate, slug: String, at: Timestamp) -> OpenedDebate {
    let state = State::AwaitingOpponent;
    let seats = opening.seats.as_ref().map(|new| new_seats(new, at));
    let by = seats
        .as_ref()
        .map(|seats| seats.proposer.holder().map_or(WEB, |holder| holder.name.as_str()).to_owned());
    let debate = Debate {
        id: opening.debate,
        title: opening.title.as_str().to_owned(),
        debate_type: opening.debate_type,
        state,
        created_at: at,
        updated_at: at,
        slug,
        seat_changes: seats.as_ref().map(|_| 0),
    };
    OpenedDebate {
        head: Head {
            debate,
            last_seq: Seq::FIRST,
            auto_ruling: opening.auto_ruling,
            seats,
            seat_fields: opening.seat_fields.fingerprint(),
        },
        motion: Argument {
            id: opening.motion_id,
            debate: opening.debate,
            parent: None,
            kind: ArgumentType::Motion,
            role: Role::Proposer,
            content: opening.motion.as_str().to_owned(),
            request_key: Some(opening.key.as_str().to_owned()),
            seq: Seq::FIRST,
            created_at: at,
            state_after: state,
            by,
        },
    }
}

fn new_seats(new: &NewSeats, at: Timestamp) -> Seats {
    let creator = new.creator.clone();
    Seats {
        proposer: creator
            .map_or(Seat::Open, |(name, token)| Seat::Taken(SeatHolder { name, token, since: at })),
        opponent: Seat::Open,
        invite: new.invite,
    }
}
