//! The second layer: a model's assessment of a text, cached by text and limited by daily tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use debate_core::forum::guardrail::{
    Assessment, AssessmentKey, NotAnAssessment, classifier_prompt,
};
use debate_core::{CallTokens, Fence, ModelName, TokenCount, Usage};
use jiff::tz::TimeZone;
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;
use uuid::Uuid;

use super::super::{ClassifierTokenReservation, ForumStore};
use crate::failpoint::{self, Failpoint};
use crate::lease::persist;
use crate::llm::{Answer, DeltaSender, Llm, LlmError, LlmRequest};
use crate::{Clock, StoreError};

/// Maximum number of completion tokens: an assessment has four short fields, and some models
/// count their reasoning too.
const ANSWER_TOKENS: CallTokens = CallTokens::constant::<2000>();

/// Parses a model's answer. The parser is a parameter because JSON is read in `debate-llm`.
pub type ReadAssessment = fn(&str) -> Result<Assessment, NotAnAssessment>;

/// A model that assesses texts, and the limits of its calls.
pub struct Classifier {
    /// The port to the providers.
    pub llm: Arc<dyn Llm>,
    /// The model that assesses texts.
    pub model: ModelName,
    /// Parses the model's answer.
    pub read: ReadAssessment,
    /// Maximum number of tokens per day (UTC); none without a limit.
    pub daily_tokens: Option<u64>,
    /// Maximum duration of one call.
    pub call_timeout: Duration,
}

/// The reason why a text has no assessment.
#[derive(Debug)]
pub(super) enum AssessmentError {
    /// The day's tokens are used up.
    NoTokensLeft,
    /// The call or the store failed. The message contains no part of the text.
    Failed(String),
}

impl From<StoreError> for AssessmentError {
    fn from(err: StoreError) -> Self {
        Self::Failed(err.to_string())
    }
}

impl Classifier {
    /// The model's assessment of `text`, cached or new.
    pub(super) async fn assess(
        &self,
        locks: &AssessmentLocks,
        store: &dyn ForumStore,
        clock: &dyn Clock,
        text: &str,
        rules_version: &str,
    ) -> Result<Assessment, AssessmentError> {
        let key = AssessmentKey::new(text, rules_version, &self.model.to_string());
        // A worker that waited for the lock finds the assessment of the previous holder.
        let _lock = locks.lock(key).await;
        if let Some(known) = store.cached_assessment(key).await? {
            return Ok(known);
        }
        let answer = self.call_model(store, clock, text).await?;
        let assessment = (self.read)(&answer.text)
            .map_err(|err| AssessmentError::Failed(format!("{}: {err}", self.model)))?;
        // The call was paid for, so it is retried; without the cache the assessment is still valid.
        let at = clock.now();
        if let Err(err) = persist(|| store.cache_assessment(key, assessment.clone(), at)).await {
            tracing::warn!(error = %err, "caching the classifier's answer failed");
        }
        Ok(assessment)
    }

    /// Makes one call. Tokens are reserved before it and corrected after it, so that a crash in
    /// between leaves too many tokens counted and never too few.
    async fn call_model(
        &self,
        store: &dyn ForumStore,
        clock: &dyn Clock,
        text: &str,
    ) -> Result<Answer, AssessmentError> {
        let prompt = classifier_prompt(text, &Fence::new(Uuid::new_v4().into_bytes()));
        let day = clock.now().to_zoned(TimeZone::UTC).date();
        let max_usage = TokenCount::max_for(&prompt, ANSWER_TOKENS);
        let worst_case = max_usage.total();
        if let Some(daily_most) = self.daily_tokens
            && !store
                .reserve_tokens(ClassifierTokenReservation::Reserve { day, worst_case, daily_most })
                .await?
        {
            return Err(AssessmentError::NoTokensLeft);
        }
        let deadline = Instant::now() + self.call_timeout;
        let request =
            LlmRequest { model: self.model.clone(), prompt, max_tokens: ANSWER_TOKENS, deadline };
        failpoint::abort_at(Failpoint::BeforeCall);
        let outcome = self.llm.call(request, DeltaSender::without_receiver()).await;
        if self.daily_tokens.is_some() {
            let used = used_tokens(&outcome, max_usage);
            let correct = ClassifierTokenReservation::Correct { day, reserved: worst_case, used };
            if let Err(err) = persist(|| store.reserve_tokens(correct)).await {
                tracing::warn!(error = %err, "booking the used tokens failed; reservation stays");
            }
        }
        outcome.map_err(|err| AssessmentError::Failed(err.message))
    }
}

/// The tokens that count towards the day: at most `max_usage`, which also replaces a count that the
/// provider did not report.
fn used_tokens(outcome: &Result<Answer, LlmError>, max_usage: TokenCount) -> u64 {
    let usage: Usage = match outcome {
        Ok(answer) => answer.usage,
        Err(err) => err.usage,
    };
    usage.clip(max_usage).or_max(max_usage).total()
}

type TextLock = Arc<tokio::sync::Mutex<()>>;

/// Locks by text, so that one text is assessed by one call at a time. Holds the texts that are
/// being assessed: at most one for each worker.
#[derive(Default)]
pub(super) struct AssessmentLocks(Arc<Mutex<HashMap<AssessmentKey, TextLock>>>);

/// The right to assess one text, until it is dropped.
pub(super) struct AssessmentLock {
    locks: Arc<Mutex<HashMap<AssessmentKey, TextLock>>>,
    key: AssessmentKey,
    guard: Option<OwnedMutexGuard<()>>,
}

impl AssessmentLocks {
    /// Waits until no other worker assesses the same text.
    pub(super) async fn lock(&self, key: AssessmentKey) -> AssessmentLock {
        let text_lock = Arc::clone(lock(&self.0).entry(key).or_default());
        // Created before the wait, so that its entry is removed if the wait is cancelled.
        let mut lock = AssessmentLock { locks: Arc::clone(&self.0), key, guard: None };
        lock.guard = Some(text_lock.lock_owned().await);
        lock
    }
}

impl Drop for AssessmentLock {
    fn drop(&mut self) {
        drop(self.guard.take());
        let mut locks = lock(&self.locks);
        if locks.get(&self.key).is_some_and(|text_lock| Arc::strong_count(text_lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

/// No code that holds the lock can panic half-way, so a poisoned lock guards sound data.
fn lock(
    locks: &Mutex<HashMap<AssessmentKey, TextLock>>,
) -> MutexGuard<'_, HashMap<AssessmentKey, TextLock>> {
    locks.lock().unwrap_or_else(PoisonError::into_inner)
}
