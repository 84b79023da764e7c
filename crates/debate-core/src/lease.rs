//! Leases of work items. The row of a run or of an evaluation is the work item.
//!
//! A worker acquires a lease for a limited time and renews it while it works. If it stops renewing,
//! another worker acquires the item with a higher fencing token, and writes with an older token are
//! discarded.

use jiff::{SignedDuration, Timestamp};

/// A number that grows with each acquisition of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencingToken(u64);

impl FencingToken {
    /// The token of an item that was never acquired.
    pub const NONE: Self = Self(0);

    /// The token with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The token of the next acquisition.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The state of a work item: without work, due, or held by a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseState {
    /// The item has no work.
    Idle,
    /// The first worker that asks may acquire the item.
    Due {
        /// The earliest time of the acquisition.
        at: Timestamp,
    },
    /// A worker holds the lease.
    Held {
        /// The start of the time that is not yet counted as runtime.
        since: Timestamp,
        /// The end of the lease unless it is renewed.
        until: Timestamp,
    },
}

impl LeaseState {
    /// The state that is stored in these two columns; none if they contradict each other.
    #[must_use]
    pub const fn from_columns(
        due: Option<Timestamp>,
        held_since: Option<Timestamp>,
    ) -> Option<Self> {
        match (due, held_since) {
            (None, None) => Some(Self::Idle),
            (Some(at), None) => Some(Self::Due { at }),
            (Some(until), Some(since)) => Some(Self::Held { since, until }),
            (None, Some(_)) => None,
        }
    }

    /// The earliest time at which another worker may acquire the item.
    #[must_use]
    pub const fn due(self) -> Option<Timestamp> {
        match self {
            Self::Idle => None,
            Self::Due { at } => Some(at),
            Self::Held { until, .. } => Some(until),
        }
    }

    /// The start of the uncounted time, if a worker holds the lease.
    #[must_use]
    pub const fn held_since(self) -> Option<Timestamp> {
        match self {
            Self::Idle | Self::Due { .. } => None,
            Self::Held { since, .. } => Some(since),
        }
    }

    /// Whether a worker may acquire the item at `at`.
    #[must_use]
    pub fn is_due(self, at: Timestamp) -> bool {
        self.due().is_some_and(|due| due <= at)
    }

    /// A lease that begins at `at` and lasts for `lease`.
    #[must_use]
    pub fn hold(at: Timestamp, lease: SignedDuration) -> Self {
        Self::Held { since: at, until: at.saturating_add(lease).unwrap_or(Timestamp::MAX) }
    }
}
