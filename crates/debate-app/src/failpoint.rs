//! Points at which a test can make the process abort, to check what survives. Only debug builds
//! have them; in release builds `abort_at` does nothing.

/// A point in the processing of a work item: a turn of a run or an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failpoint {
    /// The lease is acquired, and nothing else has happened.
    BeforeAttempt,
    /// The call to a model is recorded but not made yet.
    BeforeCall,
    /// A part of the answer was received; only for streamed answers.
    MidAnswer,
    /// The result is known but not saved.
    BeforeCommit,
    /// The result is saved, and the next step has not begun.
    AfterCommit,
}

impl Failpoint {
    /// All failpoints, in processing order.
    pub const ALL: [Self; 5] = [
        Self::BeforeAttempt,
        Self::BeforeCall,
        Self::MidAnswer,
        Self::BeforeCommit,
        Self::AfterCommit,
    ];

    /// The name that a test selects it by.
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

    /// Selects the failpoint of this process by name; false if the name is unknown.
    #[must_use]
    pub fn choose(name: &str) -> bool {
        let failpoint = Failpoint::ALL.into_iter().find(|failpoint| failpoint.name() == name);
        failpoint.is_some_and(|failpoint| CHOSEN.set(failpoint).is_ok())
    }

    /// Aborts the process if a test selected this failpoint.
    pub(crate) fn abort_at(failpoint: Failpoint) {
        if CHOSEN.get() == Some(&failpoint) {
            std::process::abort();
        }
    }
}

#[cfg(not(debug_assertions))]
mod switch {
    use super::Failpoint;

    /// Does nothing in release builds.
    pub(crate) const fn abort_at(_: Failpoint) {}
}

pub(crate) use switch::abort_at;
#[cfg(debug_assertions)]
pub use switch::choose;
