//! Whole numbers that lie where a contract lets them.

use std::fmt;

use crate::OutOfRange;

/// A whole number from `LEAST` to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Within<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Within<LEAST, MOST> {
    /// The number, if it lies within.
    pub const fn new(number: u32) -> Result<Self, OutOfRange> {
        if number < LEAST || number > MOST {
            return Err(OutOfRange { least: LEAST, most: MOST });
        }
        Ok(Self(number))
    }

    /// The number `N`; one that lies outside does not compile.
    #[must_use]
    pub const fn of<const N: u32>() -> Self {
        const { assert!(LEAST <= N && N <= MOST) };
        Self(N)
    }

    /// As `new`, for a number as the wire brings it.
    pub fn from_wire(number: i64) -> Result<Self, OutOfRange> {
        let number = u32::try_from(number).map_err(|_| OutOfRange { least: LEAST, most: MOST })?;
        Self::new(number)
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// This, or `left` where that is less; none where that is below anything that counts.
    #[must_use]
    pub fn clipped(self, left: u32) -> Option<Self> {
        Self::new(self.0.min(left)).ok()
    }
}

impl<const LEAST: u32, const MOST: u32> fmt::Display for Within<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
