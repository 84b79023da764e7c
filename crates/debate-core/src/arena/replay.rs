//! Replay of a debate's arguments by the rules, compared with the stored states.

use super::argument::{Argument, ArgumentType, StoredArgument};
use super::decide::Head;
use super::rules::{Move, Role, RulingEffect, Side, State, next};
use crate::{ArgumentId, Fingerprint, Seq, StateMismatch};

/// A debate, replayed as far as its arguments were applied.
#[derive(Debug, Clone)]
pub struct Replay {
    head: Head,
    /// None before the motion.
    state: Option<State>,
    last_seq: Seq,
}

impl Replay {
    /// Starts before the motion. `head` is the stored debate, which [`Self::finish`] compares.
    #[must_use]
    pub const fn new(head: Head) -> Self {
        Self { head, state: None, last_seq: Seq::START }
    }

    /// Applies the next argument. Fails if its number, move, state or fingerprint is not the one
    /// that the rules lead to.
    pub fn apply(&mut self, entry: &StoredArgument) -> Result<(), StateMismatch> {
        let StoredArgument { argument, fingerprint } = entry;
        let (seq, expected) = (argument.seq, self.last_seq.next());
        if seq != expected {
            return Err(StateMismatch::new(Some(expected), "seq", &expected, &seq));
        }
        let (mv, state) = self.step(argument)?;
        if state != argument.state_after {
            let found = argument.state_after;
            return Err(StateMismatch::new(Some(seq), "state_after", &state, &found));
        }
        // Only an argument with a request key has a fingerprint.
        let matches = match (&argument.request_key, fingerprint) {
            (Some(_), Some(fingerprint)) => self.matches_fingerprint(argument, mv, fingerprint),
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => true,
        };
        if !matches {
            let expected = "the fingerprint of this argument's request";
            let found = if fingerprint.is_some() { "another fingerprint" } else { "none" };
            return Err(StateMismatch::new(Some(seq), "fingerprint", &expected, &found));
        }
        (self.state, self.last_seq) = (Some(state), seq);
        Ok(())
    }

    /// Compares the stored debate with what its arguments lead to.
    pub fn finish(&self) -> Result<(), StateMismatch> {
        let (state, last_seq) = (self.head.debate.state, self.head.last_seq);
        if self.last_seq != last_seq {
            return Err(StateMismatch::new(None, "last_seq", &self.last_seq, &last_seq));
        }
        match self.state {
            Some(reached) if reached == state => Ok(()),
            Some(reached) => Err(StateMismatch::new(None, "state", &reached, &state)),
            None => Err(StateMismatch::new(None, "state", &"none, without a motion", &state)),
        }
    }

    /// The move that the argument is, none for the motion, and the state that it leads to.
    fn step(&self, argument: &Argument) -> Result<(Option<Move>, State), StateMismatch> {
        let Argument { seq, kind, role, state_after, .. } = argument;
        let effect = match state_after {
            State::Closed => RulingEffect::Close,
            State::AwaitingOpponent
            | State::AwaitingProposer
            | State::AwaitingArbitrator
            | State::InterventionPending => RulingEffect::Continue,
        };
        let reached = match (self.state, stored_move(*kind, *role, effect)) {
            (None, None) if (*kind, *role) == (ArgumentType::Motion, Role::Proposer) => {
                Some((None, State::AwaitingOpponent))
            }
            (Some(state), Some(mv)) => next(state, mv).ok().map(|reached| (Some(mv), reached)),
            (None | Some(_), _) => None,
        };
        reached.ok_or_else(|| {
            let expected = match self.state {
                None => "MOTION by the proposer".to_owned(),
                Some(state) => format!("a move that is allowed in {state}"),
            };
            let found = format!("{} by the {role}", kind.name());
            StateMismatch::new(Some(*seq), "kind", &expected, &found)
        })
    }

    fn matches_fingerprint(
        &self,
        argument: &Argument,
        mv: Option<Move>,
        fingerprint: &Fingerprint,
    ) -> bool {
        let Argument { content, parent, .. } = argument;
        let Some(mv) = mv else {
            let Head { debate, auto_ruling, seat_fields, .. } = &self.head;
            let opening = Fingerprint::for_debate(
                &debate.title,
                debate.debate_type,
                content,
                *auto_ruling,
                seat_fields.as_ref(),
            );
            return *fingerprint == opening;
        };
        // The request named the parent, or an earlier server added it.
        [requested_target(mv, *parent), *parent]
            .iter()
            .any(|target| *fingerprint == Fingerprint::for_move(mv, *target, content))
    }
}

/// The move that an argument is; none for a motion, and for a type that the role cannot submit.
#[must_use]
pub const fn stored_move(kind: ArgumentType, role: Role, effect: RulingEffect) -> Option<Move> {
    match (kind, role) {
        (ArgumentType::Claim, Role::Proposer) => Some(Move::Claim(Side::Proposer)),
        (ArgumentType::Claim, Role::Opponent) => Some(Move::Claim(Side::Opponent)),
        (ArgumentType::Appeal, Role::Proposer) => Some(Move::Appeal),
        (ArgumentType::Resolution, Role::Proposer) => Some(Move::Resolve),
        (ArgumentType::Intervention, Role::Arbitrator) => Some(Move::Intervene),
        (ArgumentType::Ruling, Role::Arbitrator) => Some(Move::Rule(effect)),
        (ArgumentType::Motion | ArgumentType::Claim, Role::Arbitrator)
        | (ArgumentType::Motion, Role::Proposer | Role::Opponent)
        | (ArgumentType::Appeal | ArgumentType::Resolution, Role::Opponent | Role::Arbitrator)
        | (ArgumentType::Intervention | ArgumentType::Ruling, Role::Proposer | Role::Opponent) => {
            None
        }
    }
}

/// The target that the request named. Earlier servers stored parents for rulings and interventions,
/// whose requests could not name one.
#[must_use]
pub const fn requested_target(mv: Move, parent: Option<ArgumentId>) -> Option<ArgumentId> {
    match mv {
        Move::Claim(_) | Move::Appeal | Move::Resolve => parent,
        Move::Intervene | Move::Rule(_) => None,
    }
}
