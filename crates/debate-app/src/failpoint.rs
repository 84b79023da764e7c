//! Places where a process can be made to die, to test what survives it. Only debug builds have
//! them: in a release `reached` is nothing.

/// A place in the life of a piece of work: a turn of the runner's, an examination of the forum's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failpoint {
    /// The piece is taken, nothing was done for it yet.
    BeforeAttempt,
    /// A model is about to be asked; what has to be on record before is.
    BeforeCall,
    /// Some of the answer has come; only where it is shown as it comes.
    MidAnswer,
    /// All is known, and not kept yet.
    BeforeCommit,
    /// It is kept, and nobody has gone on yet.
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

#[cfg(debug_assertions)]
pub use switch::choose;
pub(crate) use switch::reached;
