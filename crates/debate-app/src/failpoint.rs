//! Places where a process can be made to die, to test what survives it. Only debug builds have
//! them: in a release `reached` is nothing.

/// A place in the life of a runner's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failpoint {
    /// The debate is taken, nothing is recorded yet.
    BeforeAttempt,
    /// The call is recorded, and not made yet.
    BeforeCall,
    /// Some of the answer has come.
    MidAnswer,
    /// The answer is whole, and not kept yet.
    BeforeCommit,
    /// The turn is kept, and nobody has gone on yet.
    AfterCommit,
}

impl Failpoint {
    /// Every place.
    pub const ALL: [Self; 5] = [
        Self::BeforeAttempt,
        Self::BeforeCall,
        Self::MidAnswer,
        Self::BeforeCommit,
        Self::AfterCommit,
    ];

    /// The name by which it is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeforeAttempt => "before-attempt",
            Self::BeforeCall => "before-call",
            Self::MidAnswer => "mid-answer",
            Self::BeforeCommit => "before-commit",
            Self::AfterCommit => "after-commit",
        }
    }
}

#[cfg(debug_assertions)]
mod switch {
    use std::sync::OnceLock;

    use super::Failpoint;

    static CHOSEN: OnceLock<Failpoint> = OnceLock::new();

    /// Chooses where this process dies, by name; false if there is no such place.
    #[must_use]
    pub fn choose(name: &str) -> bool {
        let place = Failpoint::ALL.into_iter().find(|place| place.name() == name);
        place.is_some_and(|place| CHOSEN.set(place).is_ok())
    }

    /// Dies without another word, if this is the place.
    pub(crate) fn reached(place: Failpoint) {
        if CHOSEN.get() == Some(&place) {
            std::process::abort();
        }
    }
}

#[cfg(not(debug_assertions))]
mod switch {
    use super::Failpoint;

    /// Goes on.
    pub(crate) const fn reached(_: Failpoint) {}
}

pub use switch::*;
