//! A debate's log told again from its first word: what the rules make of it, beside what was kept.

use super::argument::{Argument, Entry, Kind};
use super::decide::Head;
use super::rules::{Move, Refusal, Role, Side, State, Verdict, next};
use crate::{ArgumentId, Fingerprint, Seq};

/// Where what was kept is not what the rules lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A place is empty, or taken twice.
    #[error("expected argument {expected}, found argument {found}")]
    OutOfPlace {
        /// The place that comes next.
        expected: Seq,
        /// The place that was found.
        found: Seq,
    },
    /// Nobody could have said it there.
    #[error("argument {seq} is a {} by the {role}, which is not allowed there", .kind.name())]
    Misplaced {
        /// Its place.
        seq: Seq,
        /// What it is.
        kind: Kind,
        /// Who is said to have said it.
        role: Role,
    },
    /// The rules forbade it.
    #[error("argument {seq}: {refusal}")]
    Forbidden {
        /// Its place.
        seq: Seq,
        /// Why.
        refusal: Refusal,
    },
    /// It led elsewhere.
    #[error("argument {seq} is stored with the state {kept}, but leads to {folded}")]
    Misled {
        /// Its place.
        seq: Seq,
        /// Where it is said to lead.
        kept: State,
        /// Where it leads.
        folded: State,
    },
    /// A retry would not be known again.
    #[error("argument {seq} has a fingerprint that does not match its content")]
    Fingerprint {
        /// Its place.
        seq: Seq,
    },
    /// The debate is not where its arguments led it.
    #[error(
        "the stored state is {state} after argument {last_seq}, but the arguments lead to \
         {folded} after argument {found}"
    )]
    Astray {
        /// Where it is said to stand.
        state: State,
        /// How many arguments it is said to have.
        last_seq: Seq,
        /// Where its arguments lead.
        folded: State,
        /// How many there are.
        found: Seq,
    },
}

/// A debate, told as far as its arguments have been heard.
#[derive(Debug, Clone)]
pub struct Retelling {
    head: Head,
    /// None before the motion.
    state: Option<State>,
    heard: Seq,
}

impl Retelling {
    /// The debate that is said to stand where `head` says.
    #[must_use]
    pub const fn of(head: Head) -> Self {
        Self { head, state: None, heard: Seq::START }
    }

    /// The debate as it is kept.
    #[must_use]
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Takes the next argument.
    pub fn hear(&mut self, entry: &Entry) -> Result<(), Unfit> {
        let Entry { argument, fingerprint } = entry;
        let (seq, expected) = (argument.seq, self.heard.next());
        if seq != expected {
            return Err(Unfit::OutOfPlace { expected, found: seq });
        }
        let (mv, folded) = self.step(argument)?;
        if folded != argument.state_after {
            return Err(Unfit::Misled { seq, kept: argument.state_after, folded });
        }
        // Without a key there was no request, and so nothing that made it what it was.
        let is_own = match (&argument.request_key, fingerprint) {
            (Some(_), Some(print)) => self.is_own(argument, mv, print),
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => true,
        };
        if !is_own {
            return Err(Unfit::Fingerprint { seq });
        }
        (self.state, self.heard) = (Some(folded), seq);
        Ok(())
    }

    /// Whether the debate is where its arguments led it.
    pub fn end(&self) -> Result<(), Unfit> {
        let (state, last_seq) = (self.head.debate.state, self.head.last_seq);
        if self.state == Some(state) && self.heard == last_seq {
            return Ok(());
        }
        let folded = self.state.unwrap_or(State::AwaitingOpponent);
        Err(Unfit::Astray { state, last_seq, folded, found: self.heard })
    }

    /// The move it was, none for the motion, and where it leads.
    fn step(&self, argument: &Argument) -> Result<(Option<Move>, State), Unfit> {
        let Argument { seq, kind, role, state_after, .. } = argument;
        let verdict = match state_after {
            State::Closed => Verdict::Close,
            State::AwaitingOpponent
            | State::AwaitingProposer
            | State::AwaitingArbitrator
            | State::InterventionPending => Verdict::Continue,
        };
        match (self.state, move_of(*kind, *role, verdict)) {
            (None, None) if (*kind, *role) == (Kind::Motion, Role::Proposer) => {
                Ok((None, State::AwaitingOpponent))
            }
            (Some(state), Some(mv)) => match next(state, mv) {
                Ok(folded) => Ok((Some(mv), folded)),
                Err(refusal) => Err(Unfit::Forbidden { seq: *seq, refusal }),
            },
            (None | Some(_), _) => Err(Unfit::Misplaced { seq: *seq, kind: *kind, role: *role }),
        }
    }

    /// Whether a fingerprint is that of the request which this argument came from.
    fn is_own(&self, argument: &Argument, mv: Option<Move>, print: &Fingerprint) -> bool {
        let Argument { content, parent, .. } = argument;
        let Some(mv) = mv else {
            let Head { debate, auto_ruling, .. } = &self.head;
            let (title, debate_type) = (&debate.title, debate.debate_type);
            return *print == Fingerprint::of_opening(title, debate_type, content, *auto_ruling);
        };
        // The parent was named by the request, or added by an earlier server.
        [target_of(mv, *parent), *parent]
            .iter()
            .any(|target| *print == Fingerprint::of_move(mv, *target, content))
    }
}

/// The move an argument was; none for a motion, or for what no role could have done.
#[must_use]
pub const fn move_of(kind: Kind, role: Role, verdict: Verdict) -> Option<Move> {
    match (kind, role) {
        (Kind::Claim, Role::Proposer) => Some(Move::Claim(Side::Proposer)),
        (Kind::Claim, Role::Opponent) => Some(Move::Claim(Side::Opponent)),
        (Kind::Appeal, Role::Proposer) => Some(Move::Appeal),
        (Kind::Resolution, Role::Proposer) => Some(Move::Resolve),
        (Kind::Intervention, Role::Arbitrator) => Some(Move::Intervene),
        (Kind::Ruling, Role::Arbitrator) => Some(Move::Rule(verdict)),
        (Kind::Motion | Kind::Claim, Role::Arbitrator)
        | (Kind::Motion, Role::Proposer | Role::Opponent)
        | (Kind::Appeal | Kind::Resolution, Role::Opponent | Role::Arbitrator)
        | (Kind::Intervention | Kind::Ruling, Role::Proposer | Role::Opponent) => None,
    }
}

/// What the request named. Earlier servers kept parents for rulings and interventions that no
/// request of theirs could name.
#[must_use]
pub const fn target_of(mv: Move, parent: Option<ArgumentId>) -> Option<ArgumentId> {
    match mv {
        Move::Claim(_) | Move::Appeal | Move::Resolve => parent,
        Move::Intervene | Move::Rule(_) => None,
    }
}
