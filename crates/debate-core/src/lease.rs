//! Work that survives its worker: the row that says there is work is the work.
//!
//! A worker takes a row for a while and says so again and again. One that falls silent loses it to
//! the next, who has a higher term; whoever comes back with an older one can't write any more.

use jiff::{SignedDuration, Timestamp};

/// One holder's time. Each has a higher one than all before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u64);

impl Term {
    /// Before the first holder.
    pub const NONE: Self = Self(0);

    /// The term with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The term after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Whether a worker is wanted, or at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// There is nothing to do.
    None,
    /// Whoever comes first may take it.
    Due {
        /// But not before.
        at: Timestamp,
    },
    /// A worker has it.
    Held {
        /// Since when, as far as its time is not counted yet.
        since: Timestamp,
        /// Unless it says so again, others may take it then.
        until: Timestamp,
    },
}

impl Work {
    /// Work that was kept as these two; none if they contradict each other.
    #[must_use]
    pub const fn of(due: Option<Timestamp>, held_since: Option<Timestamp>) -> Option<Self> {
        match (due, held_since) {
            (None, None) => Some(Self::None),
            (Some(at), None) => Some(Self::Due { at }),
            (Some(until), Some(since)) => Some(Self::Held { since, until }),
            (None, Some(_)) => None,
        }
    }

    /// When a worker may take it, if ever.
    #[must_use]
    pub const fn due(self) -> Option<Timestamp> {
        match self {
            Self::None => None,
            Self::Due { at } => Some(at),
            Self::Held { until, .. } => Some(until),
        }
    }

    /// Since when a worker has it, if one does.
    #[must_use]
    pub const fn held_since(self) -> Option<Timestamp> {
        match self {
            Self::None | Self::Due { .. } => None,
            Self::Held { since, .. } => Some(since),
        }
    }

    /// Whether a worker may take it now.
    #[must_use]
    pub fn is_due(self, at: Timestamp) -> bool {
        self.due().is_some_and(|due| due <= at)
    }

    /// Taken, or kept, from `at` on for as long as `lease`.
    #[must_use]
    pub fn held(at: Timestamp, lease: SignedDuration) -> Self {
        Self::Held { since: at, until: at.saturating_add(lease).unwrap_or(Timestamp::MAX) }
    }
}
