//! What an operation writes, as statements and what they take.

use std::collections::BTreeMap;

use debate_app::Subject;
use debate_core::runner::{
    Call, Charge, Judgement, NanoUsd, Record, Settings, StopReason, Turn, Verdict,
};
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

/// What an operation adds to a day's row, or takes off it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DayChange {
    /// Tokens.
    pub(crate) tokens: i64,
    /// Billionths of a USD.
    pub(crate) cost: i64,
}

impl DayChange {
    /// From one booking of a call to the next.
    pub(super) fn between(before: Charge, after: Charge) -> Self {
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Self {
            tokens: signed(after.tokens).saturating_sub(signed(before.tokens)),
            cost: signed(after.cost.nanos()).saturating_sub(signed(before.cost.nanos())),
        }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
        }
    }

    /// The booking as it is counted: never below zero.
    pub(super) fn to_charge(self) -> Charge {
        let unsigned = |count: i64| u64::try_from(count).unwrap_or_default();
        Charge { tokens: unsigned(self.tokens), cost: NanoUsd::new(unsigned(self.cost)) }
    }
}

/// All that an operation writes, and whom it tells.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    pub(crate) changes: Vec<Change>,
    /// What is added to each day's row. They come last, and in order: a transaction that locks such
    /// rows holds its run already, so that no two wait for each other.
    pub(crate) charges: BTreeMap<i64, DayChange>,
    pub(crate) rings: Rings,
}

impl Writes {
    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn charge(&mut self, day: i64, change: DayChange) {
        if change != DayChange::default() {
            let entry = self.charges.entry(day).or_default();
            *entry = entry.plus(change);
        }
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
            Self::AddTurn(turn) => (ADD_TURN, spoken(turn)?),
            Self::AddCall(call) => (ADD_CALL, called(call)?),
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
    values.push(Value::Flag(run.settings.output_language_given));
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
    values.push(Value::from(run.settings.output_language.tag()));
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

fn spoken(turn: &Turn) -> Result<Vec<Value<'_>>, Misfit> {
    let judgement = turn.metadata.judgement.as_ref();
    let verdict: Option<&Verdict> = match judgement {
        Some(Judgement::Given(verdict)) => Some(verdict),
        Some(Judgement::Missing) | None => None,
    };
    Ok(vec![
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
        maybe_large("duration_ms", turn.metadata.duration_ms)?,
        Value::Flag(turn.usage.clipped),
    ])
}

fn called(call: &Call) -> Result<Vec<Value<'_>>, Misfit> {
    let rates = call.rates;
    Ok(vec![
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
        Value::from(call.prompt_bytes),
        maybe_large("usd_input_rate", rates.map(|rates| rates.input.millionths()))?,
        maybe_large("usd_output_rate", rates.map(|rates| rates.output.millionths()))?,
        Value::Flag(call.usage.clipped),
    ])
}

fn known(call: &Call) -> Vec<Value<'_>> {
    vec![
        call.finished_at.map_or(Value::Null, time),
        Value::from(call.called.name()),
        Value::maybe_number(call.usage.prompt_tokens),
        Value::maybe_number(call.usage.completion_tokens),
        Value::Flag(call.usage.clipped),
        Value::Id(call.id.uuid()),
    ]
}

fn time(at: Timestamp) -> Value<'static> {
    Value::Number(at.as_microsecond())
}

fn large(column: &str, number: impl TryInto<i64> + Copy) -> Result<Value<'static>, Misfit> {
    let fits = number.try_into().map_err(|_| Misfit(format!("{column} is out of range")))?;
    Ok(Value::Number(fits))
}

fn maybe_large(column: &str, number: Option<u64>) -> Result<Value<'static>, Misfit> {
    number.map_or(Ok(Value::Null), |number| large(column, number))
}
