//! One step of a debate: exactly one turn, or its end.

use debate_core::runner::{
    Actor, Attempt, Brief, CallEnd, Cursor, Judgement, Metadata, NotAVerdict, NotBegun, Outcome,
    Plan, Progress, Record, Repair, Retry, Said, StepEnd, Then, Verdict, plan, prompt, repaired,
    retry,
};
use debate_core::{CallTokens, Fence, Prompt, TurnId};
use jiff::SignedDuration;
use uuid::Uuid;

use super::call::{Question, Reply};
use super::{Runner, Settle, Settlement, Task, WorkerOptions};
use crate::crew::jitter;
use crate::failpoint::{self, Failpoint};
use crate::llm::{Answer, Finish, LlmError};
use crate::persist::persist;

/// How a judge's answer is read. What providers send is read beside them, in `debate-llm`; the
/// runner is given the function.
pub type ReadVerdict = fn(&str) -> Result<Verdict, NotAVerdict>;

/// Where steps are done.
pub(super) struct Desk {
    pub(super) runner: Runner,
    pub(super) read_verdict: ReadVerdict,
    pub(super) options: WorkerOptions,
}

/// How a step ended, and what came of its last call.
struct Ending {
    call: Option<CallEnd>,
    end: StepEnd,
}

impl Ending {
    const fn new(call: Option<CallEnd>, end: StepEnd) -> Self {
        Self { call, end }
    }
}

/// A turn that is wanted.
struct Wanted<'t> {
    task: &'t Task,
    place: Cursor,
    allowed: CallTokens,
    then: Then,
}

impl<'t> Wanted<'t> {
    /// The question for it.
    fn question(
        &self,
        prompt: Prompt,
        allowed: CallTokens,
        after: Option<CallEnd>,
    ) -> Question<'t> {
        let model = self.task.record.run.settings.model_of(self.place.actor);
        Question {
            record: &self.task.record,
            place: self.place,
            model: model.clone(),
            prompt,
            allowed,
            after,
        }
    }
}

impl Desk {
    pub(super) fn lease(&self) -> SignedDuration {
        SignedDuration::try_from(self.options.lease).unwrap_or(SignedDuration::MAX)
    }

    /// Does one step of a debate that was taken, and gives it back.
    pub(super) async fn step(&self, task: Task) {
        failpoint::reached(Failpoint::BeforeAttempt);
        let Task { record, turns } = &task;
        let settings = &record.run.settings;
        let last = turns.last().map(|turn| turn.place);
        if let Some(Repair { stored, from_turns }) =
            Repair::needed(record.run.cursor, last, settings.judge_mode)
        {
            tracing::warn!(
                run.id = %record.run.id,
                cursor.stored = ?stored,
                cursor.from_turns = ?from_turns,
                "cursor disagrees with the turns; repaired"
            );
        }
        let Ending { call, end } = match plan(settings, &progress(&task, record.run.spent)) {
            Plan::Complete { cursor, limit } => Ending::new(None, StepEnd::Over { cursor, limit }),
            Plan::Ask { cursor, allowed, then } => {
                self.bring(&Wanted { task: &task, place: cursor, allowed, then }).await
            }
        };
        let spoke = matches!(end, StepEnd::Spoke { .. });
        self.settle(record, call, end).await;
        if spoke {
            failpoint::reached(Failpoint::AfterCommit);
        }
    }

    /// Asks for a turn.
    async fn bring(&self, wanted: &Wanted<'_>) -> Ending {
        let Task { record, turns } = wanted.task;
        let brief = Brief { topic: &record.run.topic, settings: &record.run.settings, turns };
        let fence = Fence::new(Uuid::new_v4().into_bytes());
        let asked = prompt(&brief, wanted.place, &fence);
        let reply = self.call(wanted.question(asked.clone(), wanted.allowed, None)).await;
        match reply {
            Reply::Answer(call, answer, took) => match wanted.place.actor {
                Actor::DebaterA | Actor::DebaterB => {
                    Ending::new(Some(call), spoke(wanted, answer, took, None))
                }
                Actor::Judge => self.judged(wanted, asked, call, (answer, took)).await,
            },
            Reply::Failed(call, err) => Ending::new(Some(call), failed(record, &err)),
            Reply::Gone(call) => Ending::new(call, StepEnd::LetGo),
            Reply::NotBegun(NotBegun::Lost | NotBegun::Stopping) => {
                Ending::new(None, StepEnd::LetGo)
            }
            Reply::NotBegun(not @ (NotBegun::OverBudget(_) | NotBegun::Unpriced)) => {
                Ending::new(None, StepEnd::Failed { sentence: not.to_string() })
            }
        }
    }

    /// A judge answered: with a verdict, or with something that is none and is asked for once more.
    async fn judged(
        &self,
        wanted: &Wanted<'_>,
        asked: Prompt,
        call: CallEnd,
        (answer, took): (Answer, u64),
    ) -> Ending {
        let why = match (self.read_verdict)(&answer.text) {
            Ok(verdict) => {
                let judgement = Judgement::Given(verdict);
                return Ending::new(Some(call), spoke(wanted, answer, took, Some(judgement)));
            }
            Err(why) => why,
        };
        let missing = |call, answer| {
            Ending::new(Some(call), spoke(wanted, answer, took, Some(Judgement::Missing)))
        };
        let charged = u64::from(call.usage.charged(wanted.allowed.number()));
        let spent = wanted.task.record.run.spent.saturating_add(charged);
        let Some(allowed) = allowed_again(wanted, spent) else { return missing(call, answer) };
        let version = wanted.task.record.run.settings.prompt_version;
        let again = repaired(asked, version, answer.text.clone(), why);
        match self.call(wanted.question(again, allowed, Some(call))).await {
            Reply::Answer(call, answer, took) => {
                let judgement =
                    (self.read_verdict)(&answer.text).map_or(Judgement::Missing, Judgement::Given);
                Ending::new(Some(call), spoke(wanted, answer, took, Some(judgement)))
            }
            // The judge had its chance.
            Reply::Failed(call, err) => {
                let run = wanted.task.record.run.id;
                tracing::warn!(run.id = %run, error = %err, "asking for a valid verdict failed");
                missing(call, answer)
            }
            Reply::Gone(call) => Ending::new(call, StepEnd::LetGo),
            Reply::NotBegun(NotBegun::Lost) => Ending::new(Some(call), StepEnd::LetGo),
            Reply::NotBegun(NotBegun::Stopping | NotBegun::OverBudget(_) | NotBegun::Unpriced) => {
                missing(call, answer)
            }
        }
    }

    /// Keeps what the step came to.
    async fn settle(&self, record: &Record, call: Option<CallEnd>, end: StepEnd) {
        let settle = Settle {
            run: record.run.id,
            term: record.term,
            call,
            end,
            at: self.runner.clock.now(),
        };
        let store = &self.runner.store;
        match persist(|| store.settle(settle.clone())).await {
            Ok(Settlement::Kept) => {}
            Ok(Settlement::Dropped) => {
                tracing::info!(run.id = %record.run.id, "lease lost; result discarded");
            }
            // Its lease will end, and another worker goes on from what is kept.
            Err(err) => {
                tracing::error!(run.id = %record.run.id, error = %err, "saving the result failed");
            }
        }
    }
}

/// How far the debate has come, once so much is spent.
fn progress(task: &Task, spent: u64) -> Progress {
    let run = &task.record.run;
    Progress::of(&task.turns, run.settings.judge_mode, run.ran, spent)
}

/// How much may be said when the same turn is asked for once more.
fn allowed_again(wanted: &Wanted<'_>, spent: u64) -> Option<CallTokens> {
    match plan(&wanted.task.record.run.settings, &progress(wanted.task, spent)) {
        Plan::Ask { cursor, allowed, .. } => (cursor == wanted.place).then_some(allowed),
        Plan::Complete { .. } => None,
    }
}

/// The end of a step whose call took `took` milliseconds.
fn spoke(wanted: &Wanted<'_>, answer: Answer, took: u64, judgement: Option<Judgement>) -> StepEnd {
    let language = wanted.task.record.run.settings.output_language.label_language();
    let content = match &judgement {
        Some(judgement) => judgement.content(language),
        None => answer.text,
    };
    let said = Said {
        turn: TurnId::new(Uuid::now_v7()),
        place: wanted.place,
        content,
        model: answer.model,
        usage: answer.usage,
        metadata: Metadata { outcome: outcome(answer.finish), judgement, duration_ms: Some(took) },
    };
    StepEnd::Spoke { said, then: wanted.then }
}

const fn outcome(finish: Finish) -> Outcome {
    match finish {
        Finish::Complete => Outcome::Ok,
        Finish::Truncated => Outcome::Truncated,
        Finish::Refused => Outcome::Refused,
    }
}

/// What a failed call leads to.
fn failed(record: &Record, err: &LlmError) -> StepEnd {
    let attempt = Attempt::new(record.tries.saturating_add(1));
    let retry = attempt.map_or(Retry::GiveUp, |attempt| retry(attempt, err.failure, jitter()));
    let sentence = err.sentence.clone();
    match retry {
        Retry::GiveUp => StepEnd::Failed { sentence },
        Retry::After { wait, attempt } => {
            let (number, most, seconds) = (attempt.number(), Attempt::MOST, wait.as_secs_f32());
            let sentence = format!("{sentence}; attempt {number} of {most} in {seconds:.0} s");
            StepEnd::WillRetry { sentence, wait }
        }
    }
}
