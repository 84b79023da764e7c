//! Deliberate defects, to prove that the history checker sees them.
//!
//! Compiled in only with the feature `sabotage`, which nothing but the proof of the checker turns
//! on; in every other build `is` is a constant `false` and the defects are not there.

/// A defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// Answers a write before it is committed.
    AckBeforeCommit,
    /// Takes any request under a known key for a retry.
    SkipFingerprint,
    /// Notifications the notifier before the commit, and not after it.
    NotifyBeforeCommit,
    /// Loses the first event after a position.
    DropOnReconnect,
    /// Repeats the last event before a position.
    DoubleOnReconnect,
    /// Leaves out a seq now and then.
    GapInSeq,
    /// Moves the debate's state in a transaction of its own, after the argument's.
    StateOutsideTransaction,
    /// On PostgreSQL: does not listen to what other servers say they have written.
    DeafToOthers,
    /// On PostgreSQL: does not look for what it missed while it could not listen.
    NoCatchUp,
    /// On PostgreSQL: takes a commit whose answer was lost for one that happened.
    AckInDoubt,
}

#[cfg(not(feature = "sabotage"))]
mod switch {
    use super::Sabotage;

    /// Whether this defect is to happen: never.
    #[must_use]
    pub const fn is(_: Sabotage) -> bool {
        false
    }
}

#[cfg(feature = "sabotage")]
mod switch {
    use std::sync::OnceLock;

    use super::Sabotage;

    static CHOSEN: OnceLock<Sabotage> = OnceLock::new();

    /// Whether this defect is to happen.
    #[must_use]
    pub fn is(defect: Sabotage) -> bool {
        CHOSEN.get() == Some(&defect)
    }

    /// Chooses the defect of this process, by name; false if there is none of that name.
    pub fn choose(name: &str) -> bool {
        let defect = match name {
            "ack-before-commit" => Sabotage::AckBeforeCommit,
            "skip-fingerprint" => Sabotage::SkipFingerprint,
            "notify-before-commit" => Sabotage::NotifyBeforeCommit,
            "drop-on-reconnect" => Sabotage::DropOnReconnect,
            "double-on-reconnect" => Sabotage::DoubleOnReconnect,
            "gap-in-seq" => Sabotage::GapInSeq,
            "state-outside-transaction" => Sabotage::StateOutsideTransaction,
            "deaf-to-others" => Sabotage::DeafToOthers,
            "no-catch-up" => Sabotage::NoCatchUp,
            "ack-in-doubt" => Sabotage::AckInDoubt,
            _ => return false,
        };
        CHOSEN.set(defect).is_ok()
    }
}

pub use switch::*;
