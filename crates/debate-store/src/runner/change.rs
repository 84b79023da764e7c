//! What an operation writes, as statements and what they take.

use std::collections::BTreeMap;

use debate_app::Subject;
use debate_core::runner::{Call, Judgement, Record, Settings, StopReason, Turn, Verdict};
use debate_core::{Fingerprint, RequestKey, RunId, Work};
use jiff::Timestamp;

use super::statements::{ADD_CALL, ADD_RUN, ADD_TURN, FORGET_RUN, PUT_OFF, SAVE_CALL, SAVE_RUN};
use crate::rings::Rings;
use crate::sql::{Misfit, Value};

/// One row that is another afterwards.
#[derive(Debug)]
pub(crate) enum Change {
    /// A new debate, and by which key it was asked for. Nobody has had it yet.
    AddRun { record: Record, key: Option<(RequestKey, Fingerprint)> },
    /// A debate as it stands now, and who takes it, if somebody does.
    SaveRun { record: Record, holder: Option<String> },
    /// A debate is looked at again only then, whatever it is.
    PutOff { run: RunId, until: Timestamp },
    /// All of it is forgotten.
    Forget(RunId),
    /// A new turn.
    AddTurn(Turn),
    /// A new call.
    AddCall(Call),
    /// What is known of a call by now.
    SaveCall(Call),
}

/// All that an operation writes, and whom it tells.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    pub(crate) changes: Vec<Change>,
    /// What is added to each day's tokens. They come last, and in order: whoever locks such rows
    /// has its debate already, so that nobody waits in a circle.
    pub(crate) charges: BTreeMap<i64, i64>,
    pub(crate) rings: Rings,
}

impl Writes {
    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn charge(&mut self, day: i64, tokens: i64) {
        *self.charges.entry(day).or_default() += tokens;
    }

    /// Something that is shown of the debate is another now.
    pub(super) fn shown(&mut self, record: &Record) {
        self.rings.moved(record.run.id);
        match record.work {
            Work::Due { .. } => self.rings.moved(Subject::RUNNER_WORK),
            Work::None | Work::Held { .. } => {}
        }
    }
}

impl Change {
    /// The statement, and what it takes.
    pub(crate) fn bound(&self) -> Result<(&'static str, Vec<Value<'_>>), Misfit> {
        Ok(match self {
            Self::AddRun { record, key } => (ADD_RUN, added(record, key.as_ref())?),
            Self::SaveRun { record, holder } => (SAVE_RUN, saved(record, holder.as_deref())?),
            Self::PutOff { run, until } => {
                (PUT_OFF, vec![Value::Number(until.as_microsecond()), Value::Id(run.uuid())])
            }
            Self::Forget(run) => (FORGET_RUN, vec![Value::Id(run.uuid())]),
            Self::AddTurn(turn) => (ADD_TURN, spoken(turn)),
            Self::AddCall(call) => (ADD_CALL, called(call)),
            Self::SaveCall(call) => (SAVE_CALL, known(call)),
        })
    }
}

fn added<'r>(
    record: &'r Record,
    key: Option<&'r (RequestKey, Fingerprint)>,
) -> Result<Vec<Value<'r>>, Misfit> {
    let run = &record.run;
    let mut values = vec![
        Value::Id(run.id.uuid()),
        Value::from(run.topic.as_str()),
        Value::from(run.standing.status().name()),
        Value::maybe_text(run.standing.reason().map(StopReason::name)),
    ];
    values.extend(set(&run.settings));
    values.extend(progress(record)?);
    values.push(Value::Null);
    values.extend(work(record));
    values.push(Value::maybe_text(key.map(|(key, _)| key.as_str())));
    values.push(key.map_or(Value::Null, |(_, print)| Value::from(print.as_bytes().as_slice())));
    values.push(time(run.created_at));
    values.push(time(run.updated_at));
    Ok(values)
}

fn saved<'r>(record: &'r Record, holder: Option<&'r str>) -> Result<Vec<Value<'r>>, Misfit> {
    let run = &record.run;
    let mut values = vec![
        Value::from(run.standing.status().name()),
        Value::maybe_text(run.standing.reason().map(StopReason::name)),
    ];
    values.extend(progress(record)?);
    values.push(Value::maybe_text(holder));
    values.extend(work(record));
    values.push(time(run.updated_at));
    values.push(Value::Id(run.id.uuid()));
    Ok(values)
}

fn set(settings: &Settings) -> [Value<'_>; 13] {
    [
        Value::from(settings.debater_a_side.name()),
        Value::from(settings.output_language.tag()),
        Value::from(settings.judge_mode.name()),
        Value::from(settings.max_rounds.number()),
        Value::from(settings.max_runtime_seconds.number()),
        Value::from(settings.max_total_output_tokens.number()),
        Value::from(settings.max_tokens_debater.number()),
        Value::from(settings.max_tokens_judge.number()),
        Value::from(settings.model_debater.to_string()),
        Value::from(settings.model_debater_a.to_string()),
        Value::from(settings.model_debater_b.to_string()),
        Value::from(settings.model_judge.to_string()),
        Value::from(settings.prompt_version.name()),
    ]
}

/// From `next_round` to `term`.
fn progress(record: &Record) -> Result<[Value<'_>; 9], Misfit> {
    let run = &record.run;
    Ok([
        Value::from(run.cursor.round.number()),
        Value::from(run.cursor.actor.name()),
        Value::maybe_text(run.last_error.as_deref()),
        Value::from(record.last_seq.number()),
        Value::from(run.completed_rounds),
        large("spent", run.spent)?,
        large("ran", run.ran.as_micros())?,
        Value::from(record.tries),
        large("term", record.term.number())?,
    ])
}

/// `due` and `held_since`.
fn work(record: &Record) -> [Value<'_>; 2] {
    [record.work.due(), record.work.held_since()].map(|at| at.map_or(Value::Null, time))
}

fn spoken(turn: &Turn) -> Vec<Value<'_>> {
    let judgement = turn.metadata.judgement.as_ref();
    let verdict: Option<&Verdict> = match judgement {
        Some(Judgement::Given(verdict)) => Some(verdict),
        Some(Judgement::Missing) | None => None,
    };
    vec![
        Value::Id(turn.id.uuid()),
        Value::Id(turn.debate.uuid()),
        Value::from(turn.seq.number()),
        Value::from(turn.place.round.number()),
        Value::from(turn.place.actor.name()),
        Value::from(turn.content.as_str()),
        Value::maybe_text(turn.model.as_deref()),
        Value::maybe_number(turn.usage.prompt_tokens),
        Value::maybe_number(turn.usage.completion_tokens),
        Value::from(turn.metadata.outcome.name()),
        Value::maybe_flag(judgement.map(Judgement::is_valid)),
        Value::maybe_text(verdict.map(|verdict| verdict.summary.as_str())),
        Value::maybe_number(verdict.map(|verdict| verdict.score_a.points())),
        Value::maybe_number(verdict.map(|verdict| verdict.score_b.points())),
        Value::maybe_text(verdict.map(|verdict| verdict.winner.name())),
        Value::maybe_flag(verdict.map(|verdict| verdict.no_new_substantive_arguments)),
        time(turn.created_at),
    ]
}

fn called(call: &Call) -> Vec<Value<'_>> {
    vec![
        Value::Id(call.id.uuid()),
        Value::Id(call.run.uuid()),
        Value::from(call.place.round.number()),
        Value::from(call.place.actor.name()),
        Value::from(call.number),
        Value::from(call.model.to_string()),
        Value::from(call.allowed.number()),
        time(call.started_at),
        call.finished_at.map_or(Value::Null, time),
        Value::from(call.called.name()),
        Value::maybe_number(call.usage.prompt_tokens),
        Value::maybe_number(call.usage.completion_tokens),
    ]
}

fn known(call: &Call) -> Vec<Value<'_>> {
    vec![
        call.finished_at.map_or(Value::Null, time),
        Value::from(call.called.name()),
        Value::maybe_number(call.usage.prompt_tokens),
        Value::maybe_number(call.usage.completion_tokens),
        Value::Id(call.id.uuid()),
    ]
}

fn time(at: Timestamp) -> Value<'static> {
    Value::Number(at.as_microsecond())
}

fn large(column: &str, number: impl TryInto<i64> + Copy) -> Result<Value<'static>, Misfit> {
    let fits = number.try_into().map_err(|_| Misfit(format!("{column} is beyond counting")))?;
    Ok(Value::Number(fits))
}
