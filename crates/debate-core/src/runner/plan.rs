//! What a step does: who speaks next and how much they may say, or that it is over.

use std::time::Duration;

use super::cursor::{Actor, Cursor, JudgeMode, closing, completed_rounds, from_turns};
use super::settings::Settings;
use super::turn::Turn;
use super::verdict::trailing_nothing_new;
use crate::CallTokens;

/// What ends a debate by itself, in the order in which it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// All rounds are complete.
    Rounds,
    /// It has run long enough.
    Runtime,
    /// Its answers have used up their tokens.
    OutputTokens,
    /// Two judges in a row saw nothing new.
    JudgeEarlyStop,
}

/// How many judges in a row must see nothing new.
const NOTHING_NEW_ENOUGH: u32 = 2;

/// How far a debate has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Where its newest turn stands.
    pub last: Option<Cursor>,
    /// How many rounds are complete.
    pub completed_rounds: u32,
    /// How long it has run; pauses don't count.
    pub ran: Duration,
    /// The tokens of all answers, also of those that became no turn: what every attempt was
    /// charged ([`Usage::charged`](super::Usage::charged)).
    pub spent: u64,
    /// How many judges in a row, up to the newest, saw nothing new.
    pub nothing_new: u32,
}

impl Progress {
    /// What the turns, in order, say; time and tokens are counted elsewhere.
    #[must_use]
    pub fn of(turns: &[Turn], mode: JudgeMode, ran: Duration, spent: u64) -> Self {
        let newest_first = turns.iter().rev();
        let judged = newest_first.map(|turn| (turn.place.actor, turn.metadata.judgement.as_ref()));
        Self {
            last: turns.last().map(|turn| turn.place),
            completed_rounds: completed_rounds(turns.iter().map(|turn| turn.place), mode),
            ran,
            spent,
            nothing_new: trailing_nothing_new(judged),
        }
    }
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Someone is asked for a turn.
    Ask {
        /// Where the turn belongs, and where the debate's cursor is to stand meanwhile.
        cursor: Cursor,
        /// How many tokens the answer may have.
        allowed: CallTokens,
        /// What comes after the turn.
        then: Then,
    },
    /// Nobody is asked any more.
    Complete {
        /// Where the debate would go on, and where its cursor is to stand.
        cursor: Cursor,
        /// What ended it.
        limit: Limit,
    },
}

/// What comes after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Then {
    /// The next one.
    GoOn,
    /// The end: this was the judge's word on a debate that a limit had ended.
    Complete(Limit),
}

/// The first limit that is reached, if any is.
#[must_use]
pub fn stop(settings: &Settings, progress: &Progress) -> Option<Limit> {
    let max_runtime = Duration::from_secs(settings.max_runtime_seconds.number().into());
    if progress.completed_rounds >= settings.max_rounds.number() {
        Some(Limit::Rounds)
    } else if progress.ran >= max_runtime {
        Some(Limit::Runtime)
    } else if left(settings, progress, reserve(settings)) == 0 {
        Some(Limit::OutputTokens)
    } else if progress.nothing_new >= NOTHING_NEW_ENOUGH {
        Some(Limit::JudgeEarlyStop)
    } else {
        None
    }
}

/// What the next step of a debate is that has come so far.
#[must_use]
pub fn plan(settings: &Settings, progress: &Progress) -> Plan {
    let cursor = from_turns(progress.last, settings.judge_mode);
    let Some(limit) = stop(settings, progress) else {
        return match allowance(settings, progress, cursor.actor) {
            Some(allowed) => Plan::Ask { cursor, allowed, then: Then::GoOn },
            None => Plan::Complete { cursor, limit: Limit::OutputTokens },
        };
    };
    let allowed = match settings.judge_mode {
        JudgeMode::Round => None,
        JudgeMode::End if is_judged(progress) => None,
        JudgeMode::End => allowance(settings, progress, Actor::Judge),
    };
    match allowed {
        Some(allowed) => {
            let cursor = closing(progress.last);
            Plan::Ask { cursor, allowed, then: Then::Complete(limit) }
        }
        None => Plan::Complete { cursor, limit },
    }
}

fn is_judged(progress: &Progress) -> bool {
    progress.last.is_some_and(|last| last.actor == Actor::Judge)
}

/// How many tokens an answer may have: its own limit, clipped to what is left of the debate's. So
/// the total can't be exceeded, whatever is asked for.
fn allowance(settings: &Settings, progress: &Progress, actor: Actor) -> Option<CallTokens> {
    let (most, reserve) = match actor {
        Actor::DebaterA | Actor::DebaterB => (settings.max_tokens_debater, reserve(settings)),
        Actor::Judge => (settings.max_tokens_judge, 0),
    };
    most.clipped(left(settings, progress, reserve))
}

/// What is kept from the debaters for a judge who comes last; else a debate that ends by its tokens
/// would end without a verdict. Never more than half.
fn reserve(settings: &Settings) -> u32 {
    match settings.judge_mode {
        JudgeMode::Round => 0,
        JudgeMode::End => {
            let half = settings.max_total_output_tokens.number() / 2;
            settings.max_tokens_judge.number().min(half)
        }
    }
}

fn left(settings: &Settings, progress: &Progress, reserve: u32) -> u32 {
    let total = settings.max_total_output_tokens.number().saturating_sub(reserve);
    u32::try_from(u64::from(total).saturating_sub(progress.spent)).unwrap_or(u32::MAX)
}
