//! Positions and amounts, each a type of its own.

use std::fmt;

/// A position in a debate's dense sequence: 1 is the motion, 0 is before everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u32);

impl Seq {
    /// Before the first entry.
    pub const START: Self = Self(0);
    /// The motion's place.
    pub const FIRST: Self = Self(1);

    /// The position with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The next position. A debate of four thousand million arguments does not exist.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// How many entries lie after `earlier`, up to and including this one.
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

/// A number lay outside what is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from {least} to {most}")]
pub struct OutOfRange {
    /// The least accepted value.
    pub least: u32,
    /// The greatest accepted value.
    pub most: u32,
}

/// How many debates a page of a list holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(u32);

impl Limit {
    /// The largest page anyone may ask for.
    pub const MOST: u32 = 500;
    /// What is meant when nothing is asked for.
    pub const DEFAULT: Self = Self(50);

    /// A page of at most `count` debates; none is a legal page, for the total alone.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count > Self::MOST {
            return Err(OutOfRange { least: 0, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The count itself.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// The number of debates that a page of a list skips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offset(u32);

impl Offset {
    /// The greatest offset. A store steps over each skipped debate, so the cost of a page grows
    /// with its offset; a cursor has no such cost.
    pub const MOST: u32 = 100_000;

    /// Skips `count` debates.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count > Self::MOST {
            return Err(OutOfRange { least: 0, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The count itself.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}
