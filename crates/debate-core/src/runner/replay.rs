//! Replay of a run's turns and calls, compared with the counts that are stored with the run.

use super::call::Call;
use super::cursor::{Cursor, completed_rounds};
use super::run::{RunRecord, Turn};
use crate::{Seq, StateMismatch};

/// Compares a stored run with its turns and calls, which are in the order of their positions. The
/// run's cursor is not compared: every step computes it again from the turns.
pub fn replay(record: &RunRecord, turns: &[Turn], calls: &[Call]) -> Result<(), StateMismatch> {
    let last_seq = check_turns(turns)?;
    if record.last_seq != last_seq {
        return Err(StateMismatch::new(None, "last_seq", &last_seq, &record.last_seq));
    }
    let positions = turns.iter().map(|turn| turn.cursor);
    let rounds = completed_rounds(positions, record.run.settings.judge_mode);
    if record.run.completed_rounds != rounds {
        let found = record.run.completed_rounds;
        return Err(StateMismatch::new(None, "completed_rounds", &rounds, &found));
    }
    check_calls(calls)?;
    let spent: u64 = calls.iter().map(|call| u64::from(call.charged_tokens())).sum();
    if record.run.spent != spent {
        return Err(StateMismatch::new(None, "spent", &spent, &record.run.spent));
    }
    Ok(())
}

/// Checks that turns are counted from 1 and that each one's position is after the one before.
/// Returns the number of the last turn.
fn check_turns(turns: &[Turn]) -> Result<Seq, StateMismatch> {
    let mut last: (Option<Cursor>, Seq) = (None, Seq::START);
    for turn in turns {
        let (before, seq) = last;
        let expected = seq.next();
        if turn.seq != expected {
            return Err(StateMismatch::new(Some(expected), "seq", &expected, &turn.seq));
        }
        if let Some(before) = before.filter(|before| turn.cursor <= *before) {
            let expected = format!("a position after {}", show(before));
            return Err(StateMismatch::new(Some(turn.seq), "round", &expected, &show(turn.cursor)));
        }
        last = (Some(turn.cursor), turn.seq);
    }
    Ok(last.1)
}

/// Checks that the calls of each turn are counted from 1.
fn check_calls(calls: &[Call]) -> Result<(), StateMismatch> {
    let mut last: Option<(Cursor, u32)> = None;
    for call in calls {
        let number = match last {
            Some((place, number)) if place == call.cursor => number.saturating_add(1),
            Some(_) | None => 1,
        };
        let goes_back = last.is_some_and(|(place, _)| call.cursor < place);
        if goes_back || call.number != number {
            let expected = format!("call {number} of {}", show(call.cursor));
            let found = format!("call {} of {}", call.number, show(call.cursor));
            return Err(StateMismatch::new(None, "number", &expected, &found));
        }
        last = Some((call.cursor, call.number));
    }
    Ok(())
}

fn show(position: Cursor) -> String {
    format!("round {}, {}", position.round, position.actor)
}
