//! The plan of a step: the next call with its token limit, or the limit that ends the run.

use std::time::Duration;

use super::cursor::{Actor, Cursor, JudgeMode, closing_cursor, completed_rounds, next_cursor};
use super::run::Turn;
use super::settings::RunSettings;
use super::verdict::count_trailing_unchanged;
use crate::CallTokens;

/// The limits that end a run, in the order in which they are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunLimit {
    /// All rounds are complete.
    Rounds,
    /// The runtime is used up.
    Runtime,
    /// The tokens of all answers are used up.
    OutputTokens,
    /// Two judge's turns in a row found no new arguments.
    JudgeEarlyStop,
}

/// The number of judge's turns in a row without new arguments that ends a run.
const NOTHING_NEW_ENOUGH: u32 = 2;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunProgress {
    /// The newest turn, if any.
    pub last: Option<Cursor>,
    /// The number of complete rounds.
    pub completed_rounds: u32,
    /// The runtime without pauses.
    pub ran: Duration,
    /// The charged completion tokens of all calls, including calls that did not become
    /// a turn. See [`Usage::charged_tokens`](crate::Usage::charged_tokens).
    pub spent: u64,
    /// The number of the newest judge's turns in a row without new arguments.
    pub nothing_new: u32,
}

impl RunProgress {
    /// The progress of these turns, which are in order. Runtime and tokens are counted elsewhere.
    #[must_use]
    pub fn from_turns(turns: &[Turn], mode: JudgeMode, ran: Duration, spent: u64) -> Self {
        let newest_first = turns.iter().rev();
        let judged = newest_first.map(|turn| (turn.cursor.actor, turn.metadata.judgement.as_ref()));
        Self {
            last: turns.last().map(|turn| turn.cursor),
            completed_rounds: completed_rounds(turns.iter().map(|turn| turn.cursor), mode),
            ran,
            spent,
            nothing_new: count_trailing_unchanged(judged),
        }
    }
}

/// The plan of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// A model is called for a turn.
    Call {
        /// The turn, which is also the cursor of the run during the call.
        cursor: Cursor,
        /// The maximum number of tokens of the answer.
        allowed: CallTokens,
        /// Whether the run continues after the turn.
        then: AfterTurn,
    },
    /// The run ends without another call.
    Complete {
        /// The turn that would be next, which becomes the cursor of the run.
        cursor: Cursor,
        /// The limit that was reached.
        limit: RunLimit,
    },
}

/// The consequence of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AfterTurn {
    /// The run continues with the next turn.
    Continue,
    /// The run ends: this was the judge's turn after a limit was reached.
    Complete(RunLimit),
}

/// The first limit that is reached, if any is.
#[must_use]
pub fn reached_limit(settings: &RunSettings, progress: &RunProgress) -> Option<RunLimit> {
    let max_runtime = Duration::from_secs(settings.max_runtime_seconds.number().into());
    if progress.completed_rounds >= settings.max_rounds.number() {
        Some(RunLimit::Rounds)
    } else if progress.ran >= max_runtime {
        Some(RunLimit::Runtime)
    } else if remaining_tokens(settings, progress, reserve(settings)) == 0 {
        Some(RunLimit::OutputTokens)
    } else if progress.nothing_new >= NOTHING_NEW_ENOUGH {
        Some(RunLimit::JudgeEarlyStop)
    } else {
        None
    }
}

/// The next step of a run with this progress.
#[must_use]
pub fn plan(settings: &RunSettings, progress: &RunProgress) -> Plan {
    let cursor = next_cursor(progress.last, settings.judge_mode);
    let Some(limit) = reached_limit(settings, progress) else {
        return match allowance(settings, progress, cursor.actor) {
            Some(allowed) => Plan::Call { cursor, allowed, then: AfterTurn::Continue },
            None => Plan::Complete { cursor, limit: RunLimit::OutputTokens },
        };
    };
    let allowed = match settings.judge_mode {
        JudgeMode::Round => None,
        JudgeMode::End if is_judged(progress) => None,
        JudgeMode::End => allowance(settings, progress, Actor::Judge),
    };
    match allowed {
        Some(allowed) => {
            let cursor = closing_cursor(progress.last);
            Plan::Call { cursor, allowed, then: AfterTurn::Complete(limit) }
        }
        None => Plan::Complete { cursor, limit },
    }
}

fn is_judged(progress: &RunProgress) -> bool {
    progress.last.is_some_and(|last| last.actor == Actor::Judge)
}

/// The token limit of an answer: its own limit, but at most the rest of the run's total, so that
/// the total cannot be exceeded.
fn allowance(settings: &RunSettings, progress: &RunProgress, actor: Actor) -> Option<CallTokens> {
    let (most, reserve) = match actor {
        Actor::DebaterA | Actor::DebaterB => (settings.max_tokens_debater, reserve(settings)),
        Actor::Judge => (settings.max_tokens_judge, 0),
    };
    most.limit_to(remaining_tokens(settings, progress, reserve))
}

/// The tokens that are reserved for the judge of [`JudgeMode::End`], at most half of the total.
/// Without them a run that ends by its tokens would have no verdict.
fn reserve(settings: &RunSettings) -> u32 {
    match settings.judge_mode {
        JudgeMode::Round => 0,
        JudgeMode::End => {
            let half = settings.max_total_output_tokens.number() / 2;
            settings.max_tokens_judge.number().min(half)
        }
    }
}

fn remaining_tokens(settings: &RunSettings, progress: &RunProgress, reserve: u32) -> u32 {
    let total = settings.max_total_output_tokens.number().saturating_sub(reserve);
    u32::try_from(u64::from(total).saturating_sub(progress.spent)).unwrap_or(u32::MAX)
}
