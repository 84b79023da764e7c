//! Metrics of model calls.
//!
//! The labels name the provider and not the model: a client chooses the model of a run, and the
//! number of label values must stay bounded.

use debate_app::llm::{Answer, FinishReason, LlmError};
use debate_app::{Clock, MonotonicClock};
use debate_core::{CallFailure, ModelName, Usage};
use jiff::Timestamp;

/// A call in progress. Dropping it counts the call as given up.
pub(crate) struct CallMetrics {
    provider: String,
    clock: MonotonicClock,
    started: Timestamp,
    outcome: &'static str,
}

impl CallMetrics {
    pub(crate) fn start(model: &ModelName, clock: MonotonicClock) -> Self {
        let provider = model.provider().to_owned();
        Self { provider, clock, started: clock.now(), outcome: "given_up" }
    }

    /// Sets the outcome of the call and counts its tokens.
    pub(crate) fn finish(mut self, answer: &Result<Answer, LlmError>) {
        let (outcome, usage) = match answer {
            Ok(answer) => (finish_label(answer.finish_reason), answer.usage),
            Err(err) => (failure_label(err.failure), err.usage),
        };
        self.outcome = outcome;
        self.count_tokens(usage);
    }

    /// Counts the tokens that the provider reported.
    fn count_tokens(&self, usage: Usage) {
        let kinds = [("prompt", usage.prompt_tokens), ("completion", usage.completion_tokens)];
        for (kind, tokens) in kinds {
            let provider = self.provider.clone();
            metrics::counter!("aw_model_tokens_total", "provider" => provider, "kind" => kind)
                .increment(tokens.unwrap_or_default().into());
        }
    }
}

impl Drop for CallMetrics {
    fn drop(&mut self) {
        let (provider, outcome) = (self.provider.clone(), self.outcome);
        let took = self.clock.now().duration_since(self.started);
        metrics::histogram!("aw_model_call_seconds", "provider" => provider.clone())
            .record(took.as_secs_f64());
        // Last, so that a reader who sees the count also finds the duration.
        metrics::counter!("aw_model_calls_total", "provider" => provider, "outcome" => outcome)
            .increment(1);
    }
}

const fn finish_label(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Complete => "complete",
        FinishReason::Truncated => "truncated",
        FinishReason::Refused => "refused",
    }
}

const fn failure_label(failure: CallFailure) -> &'static str {
    match failure {
        CallFailure::Transient { .. } => "failed",
        CallFailure::Permanent => "failed_for_good",
    }
}
