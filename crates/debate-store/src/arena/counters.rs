//! The counters of debates by state, and the changes that a transaction makes to them.

use debate_core::Seq;
use debate_core::arena::{ListFilter, State};

/// A category of debates that is counted. Each debate is in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bucket {
    /// A debate that has only its motion and waits for the opponent.
    Unopposed,
    /// Any other debate, by its state.
    In(State),
}

impl Bucket {
    fn from_state(state: State, last_seq: Seq) -> Self {
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

/// Whether a filter selects the debates of a bucket.
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

/// The sum of the counter changes of all requests of a transaction, written once at its end.
#[derive(Debug, Default)]
pub(crate) struct CounterChanges {
    /// A list, because there are too few buckets for a map to be faster.
    counts: Vec<(Bucket, i64)>,
}

impl CounterChanges {
    /// Counts a new debate.
    pub(crate) fn add(&mut self, state: State, last_seq: Seq) {
        self.count(Bucket::from_state(state, last_seq), 1);
    }

    /// Moves a debate from one bucket to another.
    pub(crate) fn change(&mut self, from: (State, Seq), to: (State, Seq)) {
        self.count(Bucket::from_state(from.0, from.1), -1);
        self.count(Bucket::from_state(to.0, to.1), 1);
    }

    /// Counts a deleted debate.
    pub(crate) fn remove(&mut self, state: State, last_seq: Seq) {
        self.count(Bucket::from_state(state, last_seq), -1);
    }

    /// The change of each bucket, without those that stay the same.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, i64)> {
        let changed = self.counts.iter().filter(|(_, change)| *change != 0);
        changed.map(|(bucket, change)| (bucket.name(), *change))
    }

    fn count(&mut self, bucket: Bucket, change: i64) {
        match self.counts.iter_mut().find(|(counted, _)| *counted == bucket) {
            Some((_, sum)) => *sum += change,
            None => self.counts.push((bucket, change)),
        }
    }
}
