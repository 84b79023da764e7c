//! Cursors: the order of turns, and the next turn of a run.

use std::fmt;
use std::num::NonZeroU32;

/// The author of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Actor {
    /// The first debater of every round.
    DebaterA,
    /// The second debater of every round.
    DebaterB,
    /// The judge of the run.
    Judge,
}

impl Actor {
    /// All actors, in the order of a round.
    pub const ALL: [Self; 3] = [Self::DebaterA, Self::DebaterB, Self::Judge];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DebaterA => "debater_a",
            Self::DebaterB => "debater_b",
            Self::Judge => "judge",
        }
    }

    /// The actor with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|actor| actor.name() == name)
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The time of the judge's turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JudgeMode {
    /// At the end of every round.
    Round,
    /// Once, when a limit ends the run.
    End,
}

impl JudgeMode {
    /// Both modes, in declaration order.
    pub const ALL: [Self; 2] = [Self::Round, Self::End];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::End => "end",
        }
    }

    /// The mode with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// A round's number; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Round(NonZeroU32);

impl Round {
    /// The round with the number 1.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// The round with this number; none for 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get()
    }

    /// The round after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A turn by its round and actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor {
    /// The round of the turn.
    pub round: Round,
    /// The actor of the turn.
    pub actor: Actor,
}

impl Cursor {
    /// The first turn of every run.
    pub const START: Self = Self { round: Round::FIRST, actor: Actor::DebaterA };

    /// The turn after this one.
    #[must_use]
    pub const fn after(self, mode: JudgeMode) -> Self {
        let Self { round, actor } = self;
        match (actor, mode) {
            (Actor::DebaterA, JudgeMode::Round | JudgeMode::End) => {
                Self { round, actor: Actor::DebaterB }
            }
            (Actor::DebaterB, JudgeMode::Round) => Self { round, actor: Actor::Judge },
            (Actor::DebaterB, JudgeMode::End)
            | (Actor::Judge, JudgeMode::Round | JudgeMode::End) => {
                Self { round: round.next(), actor: Actor::DebaterA }
            }
        }
    }
}

/// The next turn of a run whose newest turn is `last`, unless a limit ends the run.
#[must_use]
pub const fn next_cursor(last: Option<Cursor>, mode: JudgeMode) -> Cursor {
    match last {
        Some(last) => last.after(mode),
        None => Cursor::START,
    }
}

/// The judge's turn of [`JudgeMode::End`], in the round of the last turn.
#[must_use]
pub const fn closing_cursor(last: Option<Cursor>) -> Cursor {
    let round = match last {
        Some(last) => last.round,
        None => Round::FIRST,
    };
    Cursor { round, actor: Actor::Judge }
}

/// The number of complete rounds: those with the last turn of a round in this mode.
pub fn completed_rounds(turns: impl IntoIterator<Item = Cursor>, mode: JudgeMode) -> u32 {
    let ends_a_round = match mode {
        JudgeMode::Round => Actor::Judge,
        JudgeMode::End => Actor::DebaterB,
    };
    let complete = turns.into_iter().filter(|turn| turn.actor == ends_a_round).count();
    u32::try_from(complete).unwrap_or(u32::MAX)
}

/// A stored cursor that contradicts the turns. The turns are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorRepair {
    /// The cursor in the store.
    pub stored: Cursor,
    /// The cursor that follows from the turns.
    pub from_turns: Cursor,
}

impl CursorRepair {
    /// Compares the stored cursor with the newest turn. In [`JudgeMode::End`] a cursor at the
    /// closing judge's turn is right as well: a limit set it.
    #[must_use]
    pub fn detect(stored: Cursor, last: Option<Cursor>, mode: JudgeMode) -> Option<Self> {
        let from_turns = next_cursor(last, mode);
        let waits_for_judge = match mode {
            JudgeMode::Round => false,
            JudgeMode::End => stored == closing_cursor(last) && last != Some(stored),
        };
        (stored != from_turns && !waits_for_judge).then_some(Self { stored, from_turns })
    }
}
