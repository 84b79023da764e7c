//! Figures about calls, for whoever watches the server.
//!
//! By provider and not by model: anyone who starts a debate names its models, and figures have no
//! room for whatever anyone may name.

use debate_app::llm::{Answer, Finish, LlmError};
use debate_app::{Clock, SteadyClock};
use debate_core::{Failure, ModelName, Usage};
use jiff::Timestamp;

/// A call while it is made. One that is dropped was given up.
pub(crate) struct Call {
    provider: String,
    clock: SteadyClock,
    begun: Timestamp,
    outcome: &'static str,
}

impl Call {
    pub(crate) fn begin(model: &ModelName, clock: SteadyClock) -> Self {
        let provider = model.provider().to_owned();
        Self { provider, clock, begun: clock.now(), outcome: "given_up" }
    }

    /// What came of it.
    pub(crate) fn end(mut self, answer: &Result<Answer, LlmError>) {
        let (outcome, usage) = match answer {
            Ok(answer) => (finished(answer.finish), answer.usage),
            Err(err) => (failed(err.failure), err.usage),
        };
        self.outcome = outcome;
        self.count_tokens(usage);
    }

    /// Those that the provider told.
    fn count_tokens(&self, usage: Usage) {
        let kinds = [("prompt", usage.prompt_tokens), ("completion", usage.completion_tokens)];
        for (kind, tokens) in kinds {
            let provider = self.provider.clone();
            metrics::counter!("aw_model_tokens_total", "provider" => provider, "kind" => kind)
                .increment(tokens.unwrap_or_default().into());
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let (provider, outcome) = (self.provider.clone(), self.outcome);
        let took = self.clock.now().duration_since(self.begun);
        metrics::histogram!("aw_model_call_seconds", "provider" => provider.clone())
            .record(took.as_secs_f64());
        // Last: who sees it counted finds its time, too.
        metrics::counter!("aw_model_calls_total", "provider" => provider, "outcome" => outcome)
            .increment(1);
    }
}

const fn finished(finish: Finish) -> &'static str {
    match finish {
        Finish::Complete => "complete",
        Finish::Truncated => "truncated",
        Finish::Refused => "refused",
    }
}

const fn failed(failure: Failure) -> &'static str {
    match failure {
        Failure::Transient { .. } => "failed",
        Failure::Permanent => "failed_for_good",
    }
}
