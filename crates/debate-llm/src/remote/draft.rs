//! An answer while it comes in, and what becomes of it when it stops coming.

use debate_app::llm::{Answer, Ask, Deltas, Finish, LlmError};
use debate_core::Usage;

use super::piece::Piece;
use crate::bound::text_bytes_most;
use crate::fault::{self, ErrorNames};

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// More is to come.
    Open,
    /// It is whole, and what it cost may follow.
    Finished,
    /// Nothing follows.
    Ended,
}

/// An answer so far.
pub(super) struct Draft<'a> {
    ask: &'a Ask,
    deltas: Deltas,
    text: String,
    refused: bool,
    finish: Option<Finish>,
    ended: bool,
    usage: Usage,
    model: Option<String>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(ask: &'a Ask, deltas: Deltas) -> Self {
        Self {
            ask,
            deltas,
            text: String::new(),
            refused: false,
            finish: None,
            ended: false,
            usage: Usage::NOT_TOLD,
            model: None,
        }
    }

    pub(super) const fn state(&self) -> State {
        if self.ended {
            State::Ended
        } else if self.finish.is_some() {
            State::Finished
        } else {
            State::Open
        }
    }

    /// Adds a piece. Whatever follows the end, or the cut, is not part of the answer.
    pub(super) fn take(&mut self, piece: Piece) {
        if self.ended {
            return;
        }
        match piece {
            Piece::Text(text) => self.say(&text),
            Piece::Refusal(text) => {
                self.refused = true;
                self.say(&text);
            }
            Piece::Model(model) => self.model = Some(model.chars().take(200).collect()),
            Piece::PromptTokens(count) => self.usage.prompt_tokens = Some(count),
            Piece::CompletionTokens(count) => self.usage.completion_tokens = Some(count),
            Piece::Finish(finish) => self.finish = Some(finish),
            Piece::End => self.ended = true,
        }
    }

    /// Adds to the text, or cuts it off where it is too long.
    fn say(&mut self, words: &str) {
        // PostgreSQL can't hold U+0000.
        let words = words.replace('\0', "\u{fffd}");
        let room = text_bytes_most(self.ask).saturating_sub(self.text.len());
        let fits = words.get(..words.floor_char_boundary(room)).unwrap_or_default();
        self.text.push_str(fits);
        self.deltas.push(fits);
        if fits.len() < words.len() {
            self.finish = Some(Finish::Truncated);
            self.usage.completion_tokens = None;
            self.ended = true;
        }
    }

    /// The answer, now that nothing more will come; an error unless the provider said that it was
    /// whole.
    pub(super) fn finished(self) -> Result<Answer, LlmError> {
        let finish = match (self.finish, self.state()) {
            (None, State::Open | State::Finished) => return Err(self.broken_off()),
            (Some(_) | None, _) if self.refused => Finish::Refused,
            (Some(finish), _) => finish,
            (None, State::Ended) => Finish::Complete,
        };
        if self.text.trim().is_empty() && finish != Finish::Refused {
            return Err(self.empty(finish));
        }
        Ok(Answer { text: self.text, finish, usage: self.usage, model: self.model })
    }

    fn empty(&self, finish: Finish) -> LlmError {
        let provider = self.provider();
        let sentence = match finish {
            Finish::Complete | Finish::Refused => format!("{provider} sent an empty answer"),
            Finish::Truncated => format!(
                "{provider} used all {} tokens of the limit before it wrote any text",
                self.ask.max_tokens
            ),
        };
        fault::transient(sentence, self.usage)
    }

    pub(super) fn broken_off(&self) -> LlmError {
        let sentence =
            format!("{} closed the connection before the answer was complete", self.provider());
        fault::transient(sentence, self.unfinished())
    }

    pub(super) fn malformed(&self) -> LlmError {
        let sentence = format!("{} sent a malformed response", self.provider());
        fault::transient(sentence, self.unfinished())
    }

    /// Permanent: the next one would be as long, and cost as much.
    pub(super) fn too_much(&self, most: usize) -> LlmError {
        let kib = most / 1024;
        let sentence = format!("{} sent a response larger than {kib} KiB", self.provider());
        fault::permanent(sentence, self.unfinished())
    }

    pub(super) fn error(&self, names: &ErrorNames, key: Option<&str>) -> LlmError {
        fault::instead_of_an_answer(names, self.unfinished(), self.ask, key)
    }

    fn provider(&self) -> &str {
        fault::provider(&self.ask.model)
    }

    /// The usage of an incomplete answer: its completion tokens are unknown.
    const fn unfinished(&self) -> Usage {
        Usage { completion_tokens: None, ..self.usage }
    }
}
