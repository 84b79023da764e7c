//! The largest answer that is accepted from any provider.

use debate_app::llm::LlmRequest;

/// The limit for any number of tokens.
const TEXT_BYTES_MAX: usize = 256 * 1024;

/// More bytes than a token has. An answer with more bytes ignores its token limit and is cut off.
const TOKEN_BYTES_MAX: usize = 32;

/// The maximum bytes of text in the answer to `request`.
pub(crate) fn text_bytes_max(request: &LlmRequest) -> usize {
    let tokens = usize::try_from(request.max_tokens.number()).unwrap_or(usize::MAX);
    tokens.saturating_mul(TOKEN_BYTES_MAX).saturating_add(1024).min(TEXT_BYTES_MAX)
}
