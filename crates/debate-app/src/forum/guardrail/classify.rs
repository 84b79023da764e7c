//! The second layer: what a model says of a text, asked once for each text and paid from a budget.

use std::sync::Arc;
use std::time::Duration;

use debate_core::forum::guardrail::{
    Assessment, AssessmentKey, NotAnAssessment, classifier_prompt,
};
use debate_core::{CallTokens, Fence, ModelName, TokenCount, Usage};
use jiff::tz::TimeZone;
use tokio::time::Instant;
use uuid::Uuid;

use super::super::{ForumStore, Spend};
pub(super) use super::assessment_locks::AssessmentLocks;
use crate::failpoint::{self, Failpoint};
use crate::llm::{Answer, Ask, Deltas, Llm, LlmError};
use crate::persist::persist;
use crate::{Clock, StoreError};

/// How many tokens an assessment may have: four short fields, and a model that thinks first.
const ANSWER_TOKENS: CallTokens = CallTokens::constant::<2000>();

/// How a model's answer is read. What providers send is read beside them, in `debate-llm`.
pub type ReadAssessment = fn(&str) -> Result<Assessment, NotAnAssessment>;

/// A model that is asked about texts.
pub struct Classifier {
    /// Through whom.
    pub llm: Arc<dyn Llm>,
    /// Which model.
    pub model: ModelName,
    /// How its answer is read.
    pub read: ReadAssessment,
    /// How many tokens it may use a day, if that is limited.
    pub daily_tokens: Option<u64>,
    /// How long one call may take.
    pub call_timeout: Duration,
}

/// Why there is no assessment.
#[derive(Debug)]
pub(super) enum AssessmentError {
    /// The day's tokens are used up.
    NoTokensLeft,
    /// Something failed; without a word of the text.
    Failed(String),
}

impl From<StoreError> for AssessmentError {
    fn from(err: StoreError) -> Self {
        Self::Failed(err.to_string())
    }
}

impl Classifier {
    /// What the model says of `text`, or said before.
    pub(super) async fn assess(
        &self,
        locks: &AssessmentLocks,
        store: &dyn ForumStore,
        clock: &dyn Clock,
        text: &str,
        rules_version: &str,
    ) -> Result<Assessment, AssessmentError> {
        let key = AssessmentKey::new(text, rules_version, &self.model.to_string());
        // Whoever waited here finds what the one before was told.
        let _lock = locks.lock(key).await;
        if let Some(known) = store.known_verdict(key).await? {
            return Ok(known);
        }
        let answer = self.ask(store, clock, text).await?;
        let assessment = (self.read)(&answer.text)
            .map_err(|err| AssessmentError::Failed(format!("{}: {err}", self.model)))?;
        // It was paid; but an assessment that can't be kept is an assessment nevertheless.
        let at = clock.now();
        if let Err(err) = persist(|| store.keep_verdict(key, assessment.clone(), at)).await {
            tracing::warn!(error = %err, "caching the classifier's answer failed");
        }
        Ok(assessment)
    }

    /// Asks once. Tokens are put aside before the call and corrected after it, so that a crash in
    /// between leaves too many counted, never too few.
    async fn ask(
        &self,
        store: &dyn ForumStore,
        clock: &dyn Clock,
        text: &str,
    ) -> Result<Answer, AssessmentError> {
        let prompt = classifier_prompt(text, &Fence::new(Uuid::new_v4().into_bytes()));
        let day = clock.now().to_zoned(TimeZone::UTC).date();
        let bound = TokenCount::bound(&prompt, ANSWER_TOKENS);
        let worst_case = bound.total();
        if let Some(daily_most) = self.daily_tokens
            && !store.spend(Spend::Reserve { day, worst_case, daily_most }).await?
        {
            return Err(AssessmentError::NoTokensLeft);
        }
        let deadline = Instant::now() + self.call_timeout;
        let ask = Ask { model: self.model.clone(), prompt, max_tokens: ANSWER_TOKENS, deadline };
        failpoint::abort_at(Failpoint::BeforeCall);
        let outcome = self.llm.ask(ask, Deltas::unwatched()).await;
        if self.daily_tokens.is_some() {
            let used = used(&outcome, bound);
            let correct = Spend::Correct { day, reserved: worst_case, used };
            if let Err(err) = persist(|| store.spend(correct)).await {
                tracing::warn!(error = %err, "booking the used tokens failed; reservation stays");
            }
        }
        outcome.map_err(|err| AssessmentError::Failed(err.sentence))
    }
}

/// The tokens that the day is booked with: the bound in place of what was not reported, and never
/// more than it.
fn used(outcome: &Result<Answer, LlmError>, bound: TokenCount) -> u64 {
    let usage: Usage = match outcome {
        Ok(answer) => answer.usage,
        Err(err) => err.usage,
    };
    usage.clip(bound).or_bound(bound).total()
}
