//! How long an answer may be, whoever gives it.

use debate_app::llm::Ask;

/// The most bytes of text an answer has, however many tokens it was allowed.
const TEXT_BYTES_MOST: usize = 256 * 1024;

/// More bytes than a token has. Whoever sends more of them than it was allowed tokens does not keep
/// to what it was asked, and is cut off.
const TOKEN_BYTES_MOST: usize = 32;

/// How many bytes of text the answer may have.
pub(crate) fn text_bytes_most(ask: &Ask) -> usize {
    let tokens = usize::try_from(ask.max_tokens.number()).unwrap_or(usize::MAX);
    tokens.saturating_mul(TOKEN_BYTES_MOST).saturating_add(1024).min(TEXT_BYTES_MOST)
}
