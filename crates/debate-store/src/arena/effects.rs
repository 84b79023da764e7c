//! What a transaction owes at its end: the counters it moved.

use debate_core::Seq;
use debate_core::arena::{ListFilter, State};

/// A sort of debate that is counted. Each debate is in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bucket {
    /// Nothing but its motion, and the opponent awaited.
    Unopposed,
    /// Any other, by its state.
    In(State),
}

impl Bucket {
    fn of(state: State, last_seq: Seq) -> Self {
        if state == State::AwaitingOpponent && last_seq == Seq::FIRST {
            Self::Unopposed
        } else {
            Self::In(state)
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Unopposed => "UNOPPOSED",
            Self::In(state) => state.name(),
        }
    }
}

/// Whether the debates of a bucket are among those a filter shows.
pub(crate) fn counts_towards(bucket: &str, filter: ListFilter) -> bool {
    let unopposed = bucket == Bucket::Unopposed.name();
    match filter {
        ListFilter::Any => true,
        ListFilter::PendingFirstOpponent => unopposed,
        ListFilter::In(State::AwaitingOpponent) => {
            unopposed || bucket == State::AwaitingOpponent.name()
        }
        ListFilter::In(
            state @ (State::AwaitingProposer
            | State::AwaitingArbitrator
            | State::InterventionPending
            | State::Closed),
        ) => bucket == state.name(),
    }
}

/// Gathered by each request of a transaction, carried out once for all of them.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Few enough that a list beats a map.
    counts: Vec<(Bucket, i64)>,
}

impl Effects {
    /// There is one more debate.
    pub(crate) fn opened(&mut self, state: State, last_seq: Seq) {
        self.count(Bucket::of(state, last_seq), 1);
    }

    /// A debate went from one sort to another.
    pub(crate) fn changed(&mut self, from: (State, Seq), to: (State, Seq)) {
        self.count(Bucket::of(from.0, from.1), -1);
        self.count(Bucket::of(to.0, to.1), 1);
    }

    /// There is one debate fewer.
    pub(crate) fn deleted(&mut self, state: State, last_seq: Seq) {
        self.count(Bucket::of(state, last_seq), -1);
    }

    /// How each counter changes; those that don't are left out.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, i64)> {
        let moved = self.counts.iter().filter(|(_, change)| *change != 0);
        moved.map(|(bucket, change)| (bucket.name(), *change))
    }

    fn count(&mut self, bucket: Bucket, change: i64) {
        match self.counts.iter_mut().find(|(counted, _)| *counted == bucket) {
            Some((_, sum)) => *sum += change,
            None => self.counts.push((bucket, change)),
        }
    }
}
