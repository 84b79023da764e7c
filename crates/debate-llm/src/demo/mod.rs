//! The built-in demo: scripted turns for a run on any topic, without a model.
//!
//! It reads the same prompt as a model would, and the same prompt always gives the same text. Every
//! turn says that no model wrote it.

mod script;
mod themes;

use std::time::Duration;

use debate_app::llm::{Answer, DeltaSender, FinishReason, LlmError, LlmRequest};
use debate_core::{MessageRole, Prompt, Usage};
use serde::Deserialize;

use crate::error;

/// The speed of a demo answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Sends all text immediately.
    Fast,
    /// Word by word, like a model.
    Paced,
}

impl Pace {
    pub(crate) const ALL: [Self; 2] = [Self::Fast, Self::Paced];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Paced => "paced",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.name() == name)
    }

    const fn word_pause(self) -> Option<Duration> {
        match self {
            Self::Fast => None,
            Self::Paced => Some(Duration::from_millis(20)),
        }
    }
}

/// The fields of a prompt's data that the demo uses.
#[derive(Deserialize)]
struct PromptData {
    #[serde(flatten)]
    role: PromptTask,
    round: u32,
    language: String,
    topic: String,
    turns: Vec<EarlierTurn>,
}

#[derive(Deserialize)]
#[serde(tag = "task", rename_all = "lowercase")]
enum PromptTask {
    Argue { you: Speaker, stance: AssignedStance },
    Judge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Speaker {
    A,
    B,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AssignedStance {
    For,
    Against,
}

#[derive(Deserialize)]
struct EarlierTurn {
    round: u32,
    speaker: Speaker,
    text: String,
}

/// Answers at the given pace. A token is a word.
pub(crate) async fn call(
    pace: Pace,
    request: &LlmRequest,
    mut deltas: DeltaSender,
) -> Result<Answer, LlmError> {
    let Some(task) = task(&request.prompt) else {
        let message = "demo models only answer the prompts of a run".to_owned();
        return Err(error::permanent(message, Usage::ZERO));
    };
    let whole = script::answer(&task);
    let most = usize::try_from(request.max_tokens.number()).unwrap_or(usize::MAX);
    let words = |text: &str| text.split_inclusive(' ').count();
    let mut text = String::new();
    for word in whole.split_inclusive(' ').take(most) {
        if let Some(pause) = pace.word_pause() {
            tokio::time::sleep(pause).await;
        }
        text.push_str(word);
        deltas.push(word);
    }
    let finish_reason =
        if text.len() < whole.len() { FinishReason::Truncated } else { FinishReason::Complete };
    let asked = request.prompt.iter().map(|message| words(&message.text)).sum();
    let usage = Usage::reported(count(asked), count(words(&text)));
    Ok(Answer { text, finish_reason, usage, model: Some(request.model.to_string()) })
}

fn count(words: usize) -> u32 {
    u32::try_from(words).unwrap_or(u32::MAX)
}

/// The data of a prompt: the second line of the first user message, between the fences.
fn task(prompt: &Prompt) -> Option<PromptData> {
    let question = prompt.iter().find(|message| message.role == MessageRole::User)?;
    let data = question.text.lines().nth(1)?;
    serde_json::from_str(data).ok()
}
