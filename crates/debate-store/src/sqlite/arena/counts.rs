//! What a transaction owes at its end: the counters it moved and the debates it must announce.

use debate_app::Hub;
use debate_core::arena::State;
use debate_core::{DebateId, Seq};
use rusqlite::{Connection, params};

use super::super::fault::Fault;

/// A sort of debate that is counted. Each debate is in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bucket {
    /// Nothing but its motion, and the opponent awaited.
    Unopposed,
    /// Any other, by its state.
    In(State),
}

impl Bucket {
    pub(super) fn of(state: State, last_seq: Seq) -> Self {
        if state == State::AwaitingOpponent && last_seq == Seq::FIRST {
            Self::Unopposed
        } else {
            Self::In(state)
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unopposed => "UNOPPOSED",
            Self::In(state) => state.name(),
        }
    }
}

/// Gathered by each request of a transaction, carried out once for all of them.
#[derive(Debug, Default)]
pub(in super::super) struct Effects {
    /// Few enough that a list beats a map.
    counts: Vec<(Bucket, i64)>,
    moved: Vec<DebateId>,
}

impl Effects {
    /// There is one more debate.
    pub(in super::super) fn opened(&mut self, state: State, last_seq: Seq) {
        self.count(Bucket::of(state, last_seq), 1);
    }

    /// A debate went from one sort to another.
    pub(super) fn changed(&mut self, from: (State, Seq), to: (State, Seq)) {
        self.count(Bucket::of(from.0, from.1), -1);
        self.count(Bucket::of(to.0, to.1), 1);
    }

    /// There is one debate fewer.
    pub(super) fn deleted(&mut self, state: State, last_seq: Seq) {
        self.count(Bucket::of(state, last_seq), -1);
    }

    /// Whoever waits on `debate` is to be told.
    pub(super) fn moved(&mut self, debate: DebateId) {
        self.moved.push(debate);
    }

    /// Writes the counters, inside the transaction.
    pub(in super::super) fn persist(&self, conn: &Connection) -> Result<(), Fault> {
        for (bucket, change) in self.counts.iter().filter(|(_, change)| *change != 0) {
            conn.prepare_cached(
                "insert into debate_counts (bucket, debates) values (?1, ?2)
                 on conflict (bucket) do update set debates = debates + excluded.debates",
            )?
            .execute(params![bucket.name(), change])?;
        }
        Ok(())
    }

    /// Rings for every debate that moved, after the commit.
    pub(in super::super) fn announce(&self, hub: &Hub) {
        for &debate in &self.moved {
            hub.ring(debate);
        }
    }

    /// For a server that is meant to be caught: what `keep` left out.
    pub(in super::super) fn move_states_late(&self, conn: &Connection) {
        for debate in &self.moved {
            let moved = conn.execute(
                "update debates set state = (select state_after from arguments
                     where debate_id = ?1 and seq = debates.last_seq) where id = ?1",
                [debate.uuid().as_bytes()],
            );
            tracing::warn!(?moved, "a state was moved outside its transaction, on purpose");
        }
    }

    fn count(&mut self, bucket: Bucket, change: i64) {
        match self.counts.iter_mut().find(|(counted, _)| *counted == bucket) {
            Some((_, sum)) => *sum += change,
            None => self.counts.push((bucket, change)),
        }
    }
}
