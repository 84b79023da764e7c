//! Where a debate goes on: after one turn, from all of them, and when it is about to end.

use std::fmt;
use std::num::NonZeroU32;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Actor {
    /// Opens every round.
    DebaterA,
    /// Answers.
    DebaterB,
    /// Rules.
    Judge,
}

impl Actor {
    /// Everyone, in the order of a round.
    pub const ALL: [Self; 3] = [Self::DebaterA, Self::DebaterB, Self::Judge];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DebaterA => "debater_a",
            Self::DebaterB => "debater_b",
            Self::Judge => "judge",
        }
    }

    /// The actor of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|actor| actor.name() == name)
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When the judge speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JudgeMode {
    /// At the end of every round.
    Round,
    /// Once, when a limit ends the debate.
    End,
}

impl JudgeMode {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Round, Self::End];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::End => "end",
        }
    }

    /// The mode of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// A round's number; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Round(NonZeroU32);

impl Round {
    /// The first round.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// The round with this number; there is no round 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// The number itself.
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

/// A place in a debate: that of a turn, or of the turn that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor {
    /// Which round.
    pub round: Round,
    /// Whose turn.
    pub actor: Actor,
}

impl Cursor {
    /// Where every debate begins.
    pub const START: Self = Self { round: Round::FIRST, actor: Actor::DebaterA };

    /// The place after this one.
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

/// Where a debate goes on whose newest turn stands at `last`, unless a limit ends it.
#[must_use]
pub const fn from_turns(last: Option<Cursor>, mode: JudgeMode) -> Cursor {
    match last {
        Some(last) => last.after(mode),
        None => Cursor::START,
    }
}

/// Where the one judge turn of [`JudgeMode::End`] stands: in the round of the last turn.
#[must_use]
pub const fn closing(last: Option<Cursor>) -> Cursor {
    let round = match last {
        Some(last) => last.round,
        None => Round::FIRST,
    };
    Cursor { round, actor: Actor::Judge }
}

/// How many rounds are complete: those with the turn that ends a round in this mode.
pub fn completed_rounds(turns: impl IntoIterator<Item = Cursor>, mode: JudgeMode) -> u32 {
    let ends_a_round = match mode {
        JudgeMode::Round => Actor::Judge,
        JudgeMode::End => Actor::DebaterB,
    };
    let complete = turns.into_iter().filter(|turn| turn.actor == ends_a_round).count();
    u32::try_from(complete).unwrap_or(u32::MAX)
}

/// A stored cursor that the turns contradict. The turns are right: they were said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// What was stored.
    pub stored: Cursor,
    /// What the turns say.
    pub from_turns: Cursor,
}

impl Repair {
    /// What there is to repair in a debate whose newest turn stands at `last`, if anything. Where
    /// the judge comes last, a cursor that waits for that judge is right as well: a limit put it
    /// there.
    #[must_use]
    pub fn needed(stored: Cursor, last: Option<Cursor>, mode: JudgeMode) -> Option<Self> {
        let from_turns = from_turns(last, mode);
        let waits_for_judge = match mode {
            JudgeMode::Round => false,
            JudgeMode::End => stored == closing(last) && last != Some(stored),
        };
        (stored != from_turns && !waits_for_judge).then_some(Self { stored, from_turns })
    }
}
