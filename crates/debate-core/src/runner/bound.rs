//! How much of anything a debate may have.

use crate::Within;

/// How many rounds a debate has at most.
pub type MaxRounds = Within<1, 100>;
/// How many seconds a debate runs at most.
pub type MaxSeconds = Within<1, 86_400>;
/// How many tokens all answers of a debate have at most, together.
pub type TotalTokens = Within<1, 2_000_000>;
