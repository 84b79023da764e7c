//! A debate told again from its turns and calls: what they come to, beside what was kept of it.

use super::call::Call;
use super::cursor::{Cursor, completed_rounds};
use super::run::Record;
use super::turn::Turn;
use crate::{Seq, Work};

/// Where what was kept of a debate is not what its turns and calls come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A place is empty, or taken twice.
    #[error("expected turn {expected}, found turn {found}")]
    OutOfPlace {
        /// The place that comes next.
        expected: Seq,
        /// The place that was found.
        found: Seq,
    },
    /// It was said before what comes before it.
    #[error("turn {0} belongs to a round or an actor whose turn had passed")]
    OutOfOrder(Seq),
    /// Turns are missing at the end, or it has more than it knows of.
    #[error("the run is stored with {kept} turns, but has {there}")]
    Turns {
        /// How many it is said to have.
        kept: Seq,
        /// How many there are.
        there: Seq,
    },
    /// Rounds were miscounted.
    #[error("the run is stored with {kept} complete rounds, but has {there}")]
    Rounds {
        /// How many it is said to have.
        kept: u32,
        /// How many there are.
        there: u32,
    },
    /// A call is missing, or there twice.
    #[error("call {number} of round {}, {}, is missing or misplaced", .place.round, .place.actor)]
    Calls {
        /// For which turn.
        place: Cursor,
        /// Which one was expected.
        number: u32,
    },
    /// Tokens were miscounted.
    #[error("the run is stored with {kept} spent tokens, but its calls add up to {there}")]
    Spent {
        /// What it is said to have spent.
        kept: u64,
        /// What its calls come to.
        there: u64,
    },
}

/// Whether what was kept of a debate is what its turns and calls, in order, come to. Where it goes
/// on is not asked: every step works that out anew from the turns.
pub fn retell(record: &Record, turns: &[Turn], calls: &[Call]) -> Result<(), Unfit> {
    let mut last = (None, Seq::START);
    for turn in turns {
        let (before, seq) = last;
        let expected = seq.next();
        if turn.seq != expected {
            return Err(Unfit::OutOfPlace { expected, found: turn.seq });
        }
        if before.is_some_and(|before| turn.place <= before) {
            return Err(Unfit::OutOfOrder(turn.seq));
        }
        last = (Some(turn.place), turn.seq);
    }
    let (_, there) = last;
    if record.last_seq != there {
        return Err(Unfit::Turns { kept: record.last_seq, there });
    }
    let places = turns.iter().map(|turn| turn.place);
    let there = completed_rounds(places, record.run.settings.judge_mode);
    if record.run.completed_rounds != there {
        return Err(Unfit::Rounds { kept: record.run.completed_rounds, there });
    }
    in_order(calls)?;
    let there = calls.iter().map(|call| u64::from(call.charged())).sum();
    if record.run.spent == there {
        Ok(())
    } else {
        Err(Unfit::Spent { kept: record.run.spent, there })
    }
}

/// Whether the calls for each turn are counted from 1.
fn in_order(calls: &[Call]) -> Result<(), Unfit> {
    let mut last: Option<(Cursor, u32)> = None;
    for call in calls {
        let number = match last {
            Some((place, number)) if place == call.place => number.saturating_add(1),
            Some(_) | None => 1,
        };
        let goes_back = last.is_some_and(|(place, _)| call.place < place);
        if goes_back || call.number != number {
            return Err(Unfit::Calls { place: call.place, number });
        }
        last = Some((call.place, call.number));
    }
    Ok(())
}

impl Record {
    /// As it arrives in another database. Whoever holds it stays behind, so there it is due; a call
    /// that is on its way will never be heard of.
    #[must_use]
    pub fn moved(mut self) -> Self {
        self.work = match self.work {
            Work::Held { since, .. } => Work::Due { at: since },
            work @ (Work::None | Work::Due { .. }) => work,
        };
        self
    }
}
