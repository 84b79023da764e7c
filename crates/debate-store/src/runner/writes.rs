//! The statements that the runner writes, with their values.

use std::collections::BTreeMap;

use debate_app::Subject;
use debate_core::runner::{
    Call, Charge, Judgement, NanoUsd, RunRecord, RunSettings, StopReason, Turn, Verdict,
};
use debate_core::{Fingerprint, LeaseState, RequestKey, RunId};
use jiff::Timestamp;

use super::statements::{
    ADD_CALL, ADD_RUN, ADD_TURN, CHARGE_POSTGRES, CHARGE_SQLITE, DELETE_RUN, SAVE_CALL, SAVE_RUN,
};
use crate::sql::{Sql, Value, Writes};

const SECONDS_PER_DAY: i64 = 86_400;

/// Adds to the charge of a day.
pub(crate) const CHARGE: Sql = Sql::PerEngine { sqlite: CHARGE_SQLITE, postgres: CHARGE_POSTGRES };

/// The day of a time: days since 1970, UTC.
pub(super) fn day_number(at: Timestamp) -> i64 {
    at.as_second().div_euclid(SECONDS_PER_DAY)
}

/// The charge of a day, or a change of it. The cost is in billionths of a USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DayCharge {
    pub(crate) tokens: i64,
    pub(crate) cost: i64,
}

impl DayCharge {
    /// The change if a call is charged with `after` instead of `before`.
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

    /// The charge as the rules count it: never below zero.
    pub(super) fn to_charge(self) -> Charge {
        let unsigned = |count: i64| u64::try_from(count).unwrap_or_default();
        Charge { tokens: unsigned(self.tokens), cost: NanoUsd::new(unsigned(self.cost)) }
    }
}

/// The writes of one operation of the runner.
#[derive(Debug, Default)]
pub(crate) struct RunWrites {
    writes: Writes,
    /// Changes of the charge by day. They are written last and in the order of the days: a
    /// transaction that locks the row of a day holds the lock of its run already, so that no two
    /// transactions wait for each other.
    charges: BTreeMap<i64, DayCharge>,
}

impl RunWrites {
    pub(crate) fn add_run(&mut self, record: &RunRecord, key: Option<&(RequestKey, Fingerprint)>) {
        let run = &record.run;
        let mut values = vec![
            run.id.uuid().into(),
            run.topic.as_str().to_owned().into(),
            run.state.status().name().into(),
            run.state.reason().map(StopReason::name).into(),
        ];
        values.extend(settings(&run.settings));
        values.extend(progress(record));
        values.extend([
            Value::Null,
            record.lease.due().into(),
            record.lease.held_since().into(),
            key.map(|(key, _)| key.as_str().to_owned()).into(),
            key.map(|(_, fingerprint)| fingerprint.as_bytes().to_vec()).into(),
            run.created_at.into(),
            run.updated_at.into(),
            run.settings.output_language_given.into(),
        ]);
        self.writes.push(ADD_RUN, values);
    }

    /// Saves a run. `holder` is the worker that acquires it, if one does.
    pub(super) fn save_run(&mut self, record: &RunRecord, holder: Option<&str>) {
        let run = &record.run;
        let mut values =
            vec![run.state.status().name().into(), run.state.reason().map(StopReason::name).into()];
        values.extend(progress(record));
        values.extend([
            holder.map(str::to_owned).into(),
            record.lease.due().into(),
            record.lease.held_since().into(),
            run.updated_at.into(),
            run.settings.output_language.tag().to_owned().into(),
            run.id.uuid().into(),
        ]);
        self.writes.push(SAVE_RUN, values);
    }

    pub(super) fn delete_run(&mut self, run: RunId) {
        self.writes.push(DELETE_RUN, vec![run.uuid().into()]);
        self.writes.notify(run);
    }

    pub(crate) fn add_turn(&mut self, turn: &Turn) {
        let judgement = turn.metadata.judgement.as_ref();
        let verdict: Option<&Verdict> = match judgement {
            Some(Judgement::Given(verdict)) => Some(verdict),
            Some(Judgement::Missing) | None => None,
        };
        let values = vec![
            turn.id.uuid().into(),
            turn.run.uuid().into(),
            turn.seq.number().into(),
            turn.cursor.round.number().into(),
            turn.cursor.actor.name().into(),
            turn.content.clone().into(),
            turn.model.clone().into(),
            turn.usage.prompt_tokens.into(),
            turn.usage.completion_tokens.into(),
            turn.metadata.outcome.name().into(),
            judgement.map(Judgement::is_valid).into(),
            verdict.map(|verdict| verdict.summary.clone()).into(),
            verdict.map(|verdict| u32::from(verdict.score_a.points())).into(),
            verdict.map(|verdict| u32::from(verdict.score_b.points())).into(),
            verdict.map(|verdict| verdict.winner.name()).into(),
            verdict.map(|verdict| verdict.no_new_substantive_arguments).into(),
            turn.created_at.into(),
            turn.metadata.duration_ms.map(saturating).into(),
            turn.usage.clipped.into(),
        ];
        self.writes.push(ADD_TURN, values);
    }

    pub(crate) fn add_call(&mut self, call: &Call) {
        let rates = call.rates;
        let values = vec![
            call.id.uuid().into(),
            call.run.uuid().into(),
            call.cursor.round.number().into(),
            call.cursor.actor.name().into(),
            call.number.into(),
            call.model.to_string().into(),
            call.allowed.number().into(),
            call.started_at.into(),
            call.finished_at.into(),
            call.status.name().into(),
            call.usage.prompt_tokens.into(),
            call.usage.completion_tokens.into(),
            call.prompt_bytes.into(),
            rates.map(|rates| saturating(rates.input.millionths())).into(),
            rates.map(|rates| saturating(rates.output.millionths())).into(),
            call.usage.clipped.into(),
        ];
        self.writes.push(ADD_CALL, values);
    }

    pub(super) fn save_call(&mut self, call: &Call) {
        let values = vec![
            call.finished_at.into(),
            call.status.name().into(),
            call.usage.prompt_tokens.into(),
            call.usage.completion_tokens.into(),
            call.usage.clipped.into(),
            call.id.uuid().into(),
        ];
        self.writes.push(SAVE_CALL, values);
    }

    pub(super) fn charge(&mut self, day: i64, change: DayCharge) {
        if change != DayCharge::default() {
            let entry = self.charges.entry(day).or_default();
            *entry = entry.plus(change);
        }
    }

    /// The change of a day's charge so far.
    pub(super) fn charge_for(&self, day: i64) -> DayCharge {
        self.charges.get(&day).copied().unwrap_or_default()
    }

    /// Notifies the run's subscribers, and the workers if the run is due.
    pub(super) fn notify(&mut self, record: &RunRecord) {
        self.writes.notify(record.run.id);
        match record.lease {
            LeaseState::Due { .. } => self.writes.notify(Subject::RUNNER_WORK),
            LeaseState::Idle | LeaseState::Held { .. } => {}
        }
    }

    pub(crate) fn finish(mut self) -> Writes {
        for (day, DayCharge { tokens, cost }) in self.charges {
            self.writes.push(CHARGE, vec![day.into(), tokens.into(), cost.into()]);
        }
        self.writes
    }
}

fn settings(settings: &RunSettings) -> [Value<'static>; 13] {
    [
        settings.debater_a_side.name().into(),
        settings.output_language.tag().to_owned().into(),
        settings.judge_mode.name().into(),
        settings.max_rounds.number().into(),
        settings.max_runtime_seconds.number().into(),
        settings.max_total_output_tokens.number().into(),
        settings.max_tokens_debater.number().into(),
        settings.max_tokens_judge.number().into(),
        settings.model_debater.to_string().into(),
        settings.model_debater_a.to_string().into(),
        settings.model_debater_b.to_string().into(),
        settings.model_judge.to_string().into(),
        settings.prompt_version.name().into(),
    ]
}

/// The columns from `next_round` to `term`.
fn progress(record: &RunRecord) -> [Value<'static>; 9] {
    let run = &record.run;
    [
        run.cursor.round.number().into(),
        run.cursor.actor.name().into(),
        run.last_error.clone().into(),
        record.last_seq.number().into(),
        run.completed_rounds.into(),
        saturating(run.spent).into(),
        saturating(run.ran.as_micros()).into(),
        record.tries.into(),
        saturating(record.fencing_token.number()).into(),
    ]
}

/// No count comes near the limit.
fn saturating(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
