//! One call to a provider: recorded, then made while the lease of the run is renewed.

use std::pin::pin;

use debate_core::runner::{
    BeginCall, BeginCallError, Call, CallDraft, CallResult, CallStatus, Cursor, RunRecord,
};
use debate_core::{CallId, CallTokens, ModelName, Prompt, RunId, TokenCount, Usage};
use tokio::time::Instant;
use uuid::Uuid;

use super::step::StepRunner;
use crate::failpoint::{self, Failpoint};
use crate::lease::{LeaseGuard, persist};
use crate::llm::{Answer, DeltaSender, LlmError, LlmRequest};
use crate::{Lease, Settlement};

/// Maximum number of pieces of an answer that wait for publication.
const PIECES_MAX: usize = 64;

/// A call for a turn of a leased run.
pub(super) struct CallRequest<'t> {
    pub(super) record: &'t RunRecord,
    pub(super) cursor: Cursor,
    pub(super) model: ModelName,
    pub(super) prompt: Prompt,
    pub(super) allowed: CallTokens,
    /// The result of the previous call for the same turn, if that call gave no valid turn.
    pub(super) after: Option<CallResult>,
}

/// The outcome of a call.
pub(super) enum CallOutcome {
    /// An answer, and its duration in milliseconds.
    Answer(CallResult, Answer, u64),
    /// The provider returned an error.
    Failed(CallResult, LlmError),
    /// The call was cancelled because the lease is lost or the server shuts down.
    Abandoned(Option<CallResult>),
    /// The rules did not allow the call.
    NotBegun(BeginCallError),
}

impl StepRunner {
    /// Records a call, makes it, and returns its outcome, which is not saved yet.
    pub(super) async fn call(&self, request: CallRequest<'_>) -> CallOutcome {
        let CallRequest { record, cursor, model, prompt, allowed, after } = request;
        let budget = &self.runner.budget;
        let call = CallDraft {
            id: CallId::new(Uuid::now_v7()),
            cursor,
            rates: budget.usd_rates(&model),
            model,
            allowed,
            prompt_bytes: TokenCount::max_for(&prompt, allowed).prompt_tokens,
            at: self.runner.clock.now(),
        };
        let begin =
            BeginCall { fencing_token: record.fencing_token, after, call, limits: budget.limits };
        let store = &self.runner.store;
        let call = match persist(|| store.begin_call(record.run.id, begin.clone())).await {
            Ok(Ok(call)) => call,
            Ok(Err(error)) => return CallOutcome::NotBegun(error),
            Err(err) => {
                let run = record.run.id;
                tracing::error!(run.id = %run, error = %err, "recording a model call failed");
                return CallOutcome::Abandoned(after);
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
        let started = Instant::now();
        match self.call_model(record, &call, prompt).await {
            Some(Ok(answer)) => {
                let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
                failpoint::abort_at(Failpoint::BeforeCommit);
                CallOutcome::Answer(ended(CallStatus::Ok, answer.usage), answer, took)
            }
            Some(Err(err)) => CallOutcome::Failed(ended(CallStatus::Error, err.usage), err),
            None => CallOutcome::Abandoned(Some(ended(CallStatus::Unknown, Usage::UNREPORTED))),
        }
    }

    /// The provider's answer; none if the lease is lost or the server shuts down.
    /// Renews the lease meanwhile.
    async fn call_model(
        &self,
        record: &RunRecord,
        call: &Call,
        prompt: Prompt,
    ) -> Option<Result<Answer, LlmError>> {
        let run = record.run.id;
        // A client may cancel or delete the run during the call.
        let subscription = self.runner.notifier.subscribe_worker(run);
        let (duration, grace) = (self.options.lease, self.options.grace);
        let guard = LeaseGuard { subscription, duration, grace };
        let lease = Lease { item: run, fencing_token: record.fencing_token };
        guard.hold(self.stream_answer(run, call, prompt), || self.renew(lease)).await
    }

    /// The provider's answer. Followers receive its text as it arrives.
    async fn stream_answer(
        &self,
        run: RunId,
        call: &Call,
        prompt: Prompt,
    ) -> Result<Answer, LlmError> {
        let channel = self.runner.live_answers.start(run, call.cursor, call.number);
        let (deltas, mut pieces) = DeltaSender::new(PIECES_MAX);
        let deadline = Instant::now() + self.options.call_timeout;
        let (model, max_tokens) = (call.model.clone(), call.allowed);
        let request = LlmRequest { model, prompt, max_tokens, deadline };
        let mut answer = pin!(self.runner.llm.call(request, deltas));
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
