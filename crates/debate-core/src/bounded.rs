//! Whole numbers within a fixed range.

use std::fmt;

use crate::OutOfRange;

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    /// Checks that `number` is in the range.
    pub const fn new(number: u32) -> Result<Self, OutOfRange> {
        if number < MIN || number > MAX {
            return Err(OutOfRange { least: MIN, most: MAX });
        }
        Ok(Self(number))
    }

    /// The constant `N`. A constant outside of the range does not compile.
    #[must_use]
    pub const fn constant<const N: u32>() -> Self {
        const { assert!(MIN <= N && N <= MAX) };
        Self(N)
    }

    /// As `new`, for an integer of a request.
    pub fn from_wire(number: i64) -> Result<Self, OutOfRange> {
        let number = u32::try_from(number).map_err(|_| OutOfRange { least: MIN, most: MAX })?;
        Self::new(number)
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The smaller of this number and `left`; none if that is below the range.
    #[must_use]
    pub fn limit_to(self, left: u32) -> Option<Self> {
        Self::new(self.0.min(left)).ok()
    }
}

impl<const MIN: u32, const MAX: u32> fmt::Display for Bounded<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
