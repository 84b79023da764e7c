//! One call to a provider: recorded, made, and watched over while it lasts.

use std::pin::pin;

use debate_core::runner::{
    BeginCall, BeginCallError, Call, CallDraft, CallResult, CallStatus, Cursor, RunRecord,
};
use debate_core::{CallId, CallTokens, ModelName, Prompt, RunId, TokenCount, Usage};
use tokio::time::Instant;
use uuid::Uuid;

use super::step::StepRunner;
use crate::failpoint::{self, Failpoint};
use crate::lease::LeaseGuard;
use crate::llm::{Answer, Ask, Deltas, LlmError};
use crate::persist::persist;
use crate::{Lease, Settlement};

/// How many pieces of an answer wait at most until they are shown.
const PIECES_MAX: usize = 64;

/// What is asked.
pub(super) struct CallRequest<'t> {
    pub(super) record: &'t RunRecord,
    pub(super) place: Cursor,
    pub(super) model: ModelName,
    pub(super) prompt: Prompt,
    pub(super) allowed: CallTokens,
    /// The call before it for the same turn, if that was of no use.
    pub(super) after: Option<CallResult>,
}

/// What came of it.
pub(super) enum CallOutcome {
    /// An answer, and how many milliseconds it took.
    Answer(CallResult, Answer, u64),
    /// None, and why is known.
    Failed(CallResult, LlmError),
    /// It was given up: the debate is another's or nobody's now, or the server closes down.
    Gone(Option<CallResult>),
    /// It was not made.
    NotBegun(BeginCallError),
}

impl StepRunner {
    /// Asks once.
    pub(super) async fn call(&self, question: CallRequest<'_>) -> CallOutcome {
        let CallRequest { record, place, model, prompt, allowed, after } = question;
        let budget = &self.runner.budget;
        let call = CallDraft {
            id: CallId::new(Uuid::now_v7()),
            cursor: place,
            rates: budget.usd_rates(&model),
            model,
            allowed,
            prompt_bytes: TokenCount::bound(&prompt, allowed).prompt_tokens,
            at: self.runner.clock.now(),
        };
        let begin =
            BeginCall { fencing_token: record.fencing_token, after, call, limits: budget.limits };
        let store = &self.runner.store;
        let call = match persist(|| store.begin_call(record.run.id, begin.clone())).await {
            Ok(Ok(call)) => call,
            Ok(Err(not)) => return CallOutcome::NotBegun(not),
            Err(err) => {
                let run = record.run.id;
                tracing::error!(run.id = %run, error = %err, "recording a model call failed");
                return CallOutcome::Gone(after);
            }
        };
        failpoint::abort_at(Failpoint::BeforeCall);
        let ended = |called, usage: Usage| {
            if usage.clipped {
                let (run, model) = (record.run.id, &call.model);
                tracing::warn!(
                    run.id = %run,
                    model.name = %model,
                    "reported token usage exceeds the call's limit; clipped"
                );
            }
            CallResult { call: call.id, status: called, usage }
        };
        let asked = Instant::now();
        match self.ask(record, &call, prompt).await {
            Some(Ok(answer)) => {
                let took = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
                failpoint::abort_at(Failpoint::BeforeCommit);
                CallOutcome::Answer(ended(CallStatus::Ok, answer.usage), answer, took)
            }
            Some(Err(err)) => CallOutcome::Failed(ended(CallStatus::Error, err.usage), err),
            None => CallOutcome::Gone(Some(ended(CallStatus::Unknown, Usage::UNREPORTED))),
        }
    }

    /// The provider's answer; none if it is not request any more. Meanwhile the answer is shown as
    /// it comes, and the debate is held.
    async fn ask(
        &self,
        record: &RunRecord,
        call: &Call,
        prompt: Prompt,
    ) -> Option<Result<Answer, LlmError>> {
        let run = record.run.id;
        // Someone may do something to the debate: cancel or delete it, perhaps.
        let subscription = self.runner.notifier.subscribe_worker(run);
        let (duration, grace) = (self.options.lease, self.options.grace);
        let guard = LeaseGuard { subscription, duration, grace };
        let lease = Lease { item: run, fencing_token: record.fencing_token };
        guard.hold(self.stream_answer(run, call, prompt), || self.renew(lease)).await
    }

    /// The provider's answer, shown as it comes.
    async fn stream_answer(
        &self,
        run: RunId,
        call: &Call,
        prompt: Prompt,
    ) -> Result<Answer, LlmError> {
        let channel = self.runner.live_answers.start(run, call.cursor, call.number);
        let (deltas, mut pieces) = Deltas::new(PIECES_MAX);
        let deadline = Instant::now() + self.options.call_timeout;
        let (model, max_tokens) = (call.model.clone(), call.allowed);
        let ask = Ask { model, prompt, max_tokens, deadline };
        let mut answer = pin!(self.runner.llm.ask(ask, deltas));
        loop {
            tokio::select! {
                answer = &mut answer => return answer,
                Some(piece) = pieces.recv() => {
                    channel.push(&piece);
                    failpoint::abort_at(Failpoint::MidAnswer);
                }
            }
        }
    }

    /// Extends the lease; false if it is lost.
    async fn renew(&self, lease: Lease<RunId>) -> bool {
        let (at, duration) = (self.runner.clock.now(), self.lease_duration());
        match self.runner.store.renew(lease, at, duration).await {
            Ok(settlement) => settlement == Settlement::Saved,
            // If the lease ends meanwhile, the result of the step is discarded.
            Err(err) => {
                tracing::warn!(run.id = %lease.item, error = %err, "renewing the lease failed");
                true
            }
        }
    }
}
