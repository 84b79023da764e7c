//! What an accepted request adds to a debate. The engines load, ask here, and persist.

use jiff::Timestamp;

use super::argument::{Argument, Debate, Draft, Kind, Opening};
use super::rules::{Move, Refusal, Role, State, Verdict, next};
use crate::Seq;

/// What a resolution's automatic ruling says.
pub const AUTO_RULING_CONTENT: &str =
    "Closed automatically: the proposer declared the debate resolved.";

/// A debate where it stands now, with what a decision needs to know.
#[derive(Debug, Clone)]
pub struct Head {
    /// The debate.
    pub debate: Debate,
    /// Its newest argument's place.
    pub last_seq: Seq,
    /// Whether a resolution closes it by itself, if its opener said.
    pub auto_ruling: Option<bool>,
}

/// What one accepted draft adds.
#[derive(Debug, Clone)]
pub struct Step {
    /// The draft, now an argument.
    pub argument: Argument,
    /// The ruling that closed the debate at once, when the draft was a resolution.
    pub ruling: Option<Argument>,
    /// The debate after all of it.
    pub debate: Debate,
    /// The newest place after all of it.
    pub last_seq: Seq,
}

/// Adds `draft` where the debate stands, if the rules allow it. `auto_ruling` is the server's
/// custom for debates whose opener did not say.
pub fn decide(
    head: &Head,
    draft: &Draft,
    at: Timestamp,
    auto_ruling: bool,
) -> Result<Step, Refusal> {
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
    Ok(Step { argument, ruling, debate, last_seq })
}

fn closing_ruling(
    resolution: &Argument,
    draft: &Draft,
    at: Timestamp,
) -> Result<Argument, Refusal> {
    let state_after = next(resolution.state_after, Move::Rule(Verdict::Close))?;
    Ok(Argument {
        id: draft.closing_id,
        debate: resolution.debate,
        parent: None,
        kind: Kind::Ruling,
        role: Role::Arbitrator,
        content: AUTO_RULING_CONTENT.to_owned(),
        request_key: None,
        seq: resolution.seq.next(),
        created_at: at,
        state_after,
    })
}

/// A debate with nothing but its motion.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The debate.
    pub debate: Debate,
    /// Its first argument.
    pub motion: Argument,
}

/// Opens a debate. Nothing forbids it but an id in use, which only the store can know.
#[must_use]
pub fn open(opening: &Opening, at: Timestamp) -> Opened {
    let state = State::AwaitingOpponent;
    Opened {
        debate: Debate {
            id: opening.debate,
            title: opening.title.as_str().to_owned(),
            debate_type: opening.debate_type,
            state,
            created_at: at,
            updated_at: at,
        },
        motion: Argument {
            id: opening.motion_id,
            debate: opening.debate,
            parent: None,
            kind: Kind::Motion,
            role: Role::Proposer,
            content: opening.motion.as_str().to_owned(),
            request_key: Some(opening.key.as_str().to_owned()),
            seq: Seq::FIRST,
            created_at: at,
            state_after: state,
        },
    }
}
