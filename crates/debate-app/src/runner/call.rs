//! One call to a provider: recorded, made, and watched over while it lasts.

use std::pin::pin;

use debate_core::runner::{Begin, Call, CallDraft, CallEnd, Called, Cursor, NotBegun, Record};
use debate_core::{CallId, CallTokens, ModelName, Prompt, RunId, TokenCount, Usage};
use tokio::time::Instant;
use uuid::Uuid;

use super::Renew;
use super::step::Desk;
use crate::crew::Hold;
use crate::failpoint::{self, Failpoint};
use crate::llm::{Answer, Ask, Deltas, LlmError};
use crate::persist::persist;

/// How many pieces of an answer wait at most until they are shown.
const PIECES_MAX: usize = 64;

/// What is asked.
pub(super) struct Question<'t> {
    pub(super) record: &'t Record,
    pub(super) place: Cursor,
    pub(super) model: ModelName,
    pub(super) prompt: Prompt,
    pub(super) allowed: CallTokens,
    /// The call before it for the same turn, if that was of no use.
    pub(super) after: Option<CallEnd>,
}

/// What came of it.
pub(super) enum Reply {
    /// An answer, and how many milliseconds it took.
    Answer(CallEnd, Answer, u64),
    /// None, and why is known.
    Failed(CallEnd, LlmError),
    /// It was given up: the debate is another's or nobody's now, or the server closes down.
    Gone(Option<CallEnd>),
    /// It was not made.
    NotBegun(NotBegun),
}

impl Desk {
    /// Asks once.
    pub(super) async fn call(&self, question: Question<'_>) -> Reply {
        let Question { record, place, model, prompt, allowed, after } = question;
        let budget = &self.runner.budget;
        let call = CallDraft {
            id: CallId::new(Uuid::now_v7()),
            place,
            rates: budget.usd_rates(&model),
            model,
            allowed,
            prompt_bytes: TokenCount::bound(&prompt, allowed).prompt_tokens,
            at: self.runner.clock.now(),
        };
        let begin = Begin { term: record.term, after, call, limits: budget.limits };
        let store = &self.runner.store;
        let call = match persist(|| store.begin(record.run.id, begin.clone())).await {
            Ok(Ok(call)) => call,
            Ok(Err(not)) => return Reply::NotBegun(not),
            Err(err) => {
                let run = record.run.id;
                tracing::error!(run.id = %run, error = %err, "recording a model call failed");
                return Reply::Gone(after);
            }
        };
        failpoint::reached(Failpoint::BeforeCall);
        let ended = |called, usage: Usage| {
            if usage.clipped {
                let (run, model) = (record.run.id, &call.model);
                tracing::warn!(
                    run.id = %run,
                    model.name = %model,
                    "reported token usage exceeds the call's limit; clipped"
                );
            }
            CallEnd { call: call.id, called, usage }
        };
        let asked = Instant::now();
        match self.ask(record, &call, prompt).await {
            Some(Ok(answer)) => {
                let took = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
                failpoint::reached(Failpoint::BeforeCommit);
                Reply::Answer(ended(Called::Ok, answer.usage), answer, took)
            }
            Some(Err(err)) => Reply::Failed(ended(Called::Error, err.usage), err),
            None => Reply::Gone(Some(ended(Called::Unknown, Usage::NOT_TOLD))),
        }
    }

    /// The provider's answer; none if it is not wanted any more. Meanwhile the answer is shown as
    /// it comes, and the debate is held.
    async fn ask(
        &self,
        record: &Record,
        call: &Call,
        prompt: Prompt,
    ) -> Option<Result<Answer, LlmError>> {
        let run = record.run.id;
        // Someone may do something to the debate: cancel or delete it, perhaps.
        let bell = self.runner.hub.attend(run);
        let hold = Hold { bell, lease: self.options.lease, grace: self.options.grace };
        hold.over(self.shown(run, call, prompt), || self.still_wanted(record)).await
    }

    /// The provider's answer, shown as it comes.
    async fn shown(&self, run: RunId, call: &Call, prompt: Prompt) -> Result<Answer, LlmError> {
        let scene = self.runner.stage.perform(run, call.place, call.number);
        let (deltas, mut pieces) = Deltas::new(PIECES_MAX);
        let deadline = Instant::now() + self.options.call_timeout;
        let (model, max_tokens) = (call.model.clone(), call.allowed);
        let ask = Ask { model, prompt, max_tokens, deadline };
        let mut answer = pin!(self.runner.llm.ask(ask, deltas));
        loop {
            tokio::select! {
                answer = &mut answer => return answer,
                Some(piece) = pieces.recv() => {
                    scene.push(&piece);
                    failpoint::reached(Failpoint::MidAnswer);
                }
            }
        }
    }

    /// Says that this worker is still at it, and learns whether anyone cares.
    async fn still_wanted(&self, record: &Record) -> bool {
        let (at, lease) = (self.runner.clock.now(), self.lease());
        let renew = Renew { run: record.run.id, term: record.term, at, lease };
        match self.runner.store.renew(renew).await {
            Ok(standing) => standing.is_some(),
            // The lease may end meanwhile; then what the step brings is refused.
            Err(err) => {
                tracing::warn!(run.id = %record.run.id, error = %err, "renewing the lease failed");
                true
            }
        }
    }
}
