//! Positions in sequences and lists, and sizes of pages.

use std::fmt;

/// The position of an entry in a sequence without gaps. The first entry has 1; 0 is before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u32);

impl Seq {
    /// The position before the first entry.
    pub const START: Self = Self(0);
    /// The first entry; in a debate its motion.
    pub const FIRST: Self = Self(1);

    /// The position with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The next position. It saturates at 4,294,967,295.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The number of entries after `earlier`, up to and including this one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u32 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number is outside of the accepted range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from {least} to {most}")]
pub struct OutOfRange {
    /// The smallest accepted value.
    pub least: u32,
    /// The largest accepted value.
    pub most: u32,
}

/// The maximum number of items on a page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(u32);

impl Limit {
    /// The largest page that a client may request.
    pub const MOST: u32 = 500;
    /// The size of a page if the client names none.
    pub const DEFAULT: Self = Self(50);

    /// A page of at most `count` items. An empty page is allowed: it shows the total only.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count > Self::MOST {
            return Err(OutOfRange { least: 0, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// The number of items that a page of a list skips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offset(u32);

impl Offset {
    /// The largest offset. A store reads each skipped item, so the cost of a page grows with its
    /// offset; a cursor has no such cost.
    pub const MOST: u32 = 100_000;

    /// An offset that skips `count` items.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count > Self::MOST {
            return Err(OutOfRange { least: 0, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}
