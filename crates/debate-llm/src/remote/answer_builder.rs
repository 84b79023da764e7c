//! An answer while its stream is read: text, usage, finish reason, and the errors of its end.

use debate_app::llm::{Answer, DeltaSender, FinishReason, LlmError, LlmRequest};
use debate_core::Usage;

use super::answer_part::AnswerPart;
use crate::error::{self, ErrorCodes};
use crate::limits::text_bytes_max;

/// The progress of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerPhase {
    /// More text may follow.
    Open,
    /// The text is complete; its usage may follow.
    Finished,
    /// The stream has nothing more to send.
    Ended,
}

/// The answer so far.
pub(super) struct AnswerBuilder<'a> {
    request: &'a LlmRequest,
    deltas: DeltaSender,
    text: String,
    refused: bool,
    finish_reason: Option<FinishReason>,
    ended: bool,
    usage: Usage,
    model: Option<String>,
}

impl<'a> AnswerBuilder<'a> {
    pub(super) fn new(request: &'a LlmRequest, deltas: DeltaSender) -> Self {
        Self {
            request,
            deltas,
            text: String::new(),
            refused: false,
            finish_reason: None,
            ended: false,
            usage: Usage::UNREPORTED,
            model: None,
        }
    }

    pub(super) const fn progress(&self) -> AnswerPhase {
        if self.ended {
            AnswerPhase::Ended
        } else if self.finish_reason.is_some() {
            AnswerPhase::Finished
        } else {
            AnswerPhase::Open
        }
    }

    /// Adds a part. Parts after the end, or after the cut, are ignored.
    pub(super) fn add(&mut self, part: AnswerPart) {
        if self.ended {
            return;
        }
        match part {
            AnswerPart::Text(text) => self.add_text(&text),
            AnswerPart::Refusal(text) => {
                self.refused = true;
                self.add_text(&text);
            }
            AnswerPart::Model(model) => self.model = Some(model.chars().take(200).collect()),
            AnswerPart::PromptTokens(count) => self.usage.prompt_tokens = Some(count),
            AnswerPart::CompletionTokens(count) => self.usage.completion_tokens = Some(count),
            AnswerPart::Finish(finish_reason) => self.finish_reason = Some(finish_reason),
            AnswerPart::End => self.ended = true,
        }
    }

    /// Adds to the text and cuts it at the limit.
    fn add_text(&mut self, text: &str) {
        // PostgreSQL cannot store U+0000.
        let text = text.replace('\0', "\u{fffd}");
        let room = text_bytes_max(self.request).saturating_sub(self.text.len());
        let fits = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        self.text.push_str(fits);
        self.deltas.push(fits);
        if fits.len() < text.len() {
            self.finish_reason = Some(FinishReason::Truncated);
            self.usage.completion_tokens = None;
            self.ended = true;
        }
    }

    /// The answer at the end of the stream; an error unless the provider marked it as complete.
    pub(super) fn finish(self) -> Result<Answer, LlmError> {
        let finish_reason = match (self.finish_reason, self.progress()) {
            (None, AnswerPhase::Open | AnswerPhase::Finished) => return Err(self.incomplete()),
            (Some(_) | None, _) if self.refused => FinishReason::Refused,
            (Some(finish_reason), _) => finish_reason,
            (None, AnswerPhase::Ended) => FinishReason::Complete,
        };
        if self.text.trim().is_empty() && finish_reason != FinishReason::Refused {
            return Err(self.empty(finish_reason));
        }
        Ok(Answer { text: self.text, finish_reason, usage: self.usage, model: self.model })
    }

    fn empty(&self, finish_reason: FinishReason) -> LlmError {
        let provider = self.provider();
        let message = match finish_reason {
            FinishReason::Complete | FinishReason::Refused => {
                format!("{provider} sent an empty answer")
            }
            FinishReason::Truncated => format!(
                "{provider} used all {} tokens of the limit before it wrote any text",
                self.request.max_tokens
            ),
        };
        error::transient(message, self.usage)
    }

    pub(super) fn incomplete(&self) -> LlmError {
        let message =
            format!("{} closed the connection before the answer was complete", self.provider());
        error::transient(message, self.unfinished())
    }

    pub(super) fn malformed(&self) -> LlmError {
        let message = format!("{} sent a malformed response", self.provider());
        error::transient(message, self.unfinished())
    }

    /// Permanent, because the next answer would be as long and cost as much.
    pub(super) fn too_large(&self, most: usize) -> LlmError {
        let kib = most / 1024;
        let message = format!("{} sent a response larger than {kib} KiB", self.provider());
        error::permanent(message, self.unfinished())
    }

    pub(super) fn error(&self, codes: &ErrorCodes, key: Option<&str>) -> LlmError {
        error::from_error_object(codes, self.unfinished(), self.request, key)
    }

    fn provider(&self) -> &str {
        error::provider(&self.request.model)
    }

    /// The usage of an incomplete answer: its completion tokens are unknown.
    const fn unfinished(&self) -> Usage {
        Usage { completion_tokens: None, ..self.usage }
    }
}
