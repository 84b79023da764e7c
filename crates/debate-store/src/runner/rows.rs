//! Rows to values, by the names of their columns. What our own database holds and this code can't
//! read is a fault, not a panic.

use std::time::Duration;

use debate_app::runner::{Cost, DaySpent, RunRows};
use debate_core::runner::{
    Actor, Call, Called, Charge, Cursor, JudgeMode, Judgement, Language, Metadata, NanoUsd,
    Outcome, PromptVersion, Rate, Record, Round, Run, Score, Settings, Stance, Standing, Status,
    StopReason, Turn, UsdRates, Verdict, Winner,
};
use debate_core::{
    CallId, Fingerprint, ModelName, RequestKey, RunId, Seq, Term, Topic, TurnId, Usage, Within,
    Work,
};

use super::change::DayChange;
use crate::sql::{Columns, Misfit};

/// What only the runner's columns hold.
trait Settled: Columns {
    fn within<const LEAST: u32, const MOST: u32>(
        &self,
        column: &str,
    ) -> Result<Within<LEAST, MOST>, Self::Fault> {
        let number = self.count(column)?;
        Ok(Within::new(number).map_err(|_| Misfit(format!("{column} is {number}")))?)
    }

    fn model_name(&self, column: &str) -> Result<ModelName, Self::Fault> {
        self.parsed(column, |text| ModelName::new(&text).ok())
    }
}

impl<C: Columns> Settled for C {}

/// A debate as it is kept.
pub(crate) fn record<C: Columns>(row: &C) -> Result<Record, C::Fault> {
    let reason = row
        .maybe_text("stop_reason")?
        .map(|name| {
            StopReason::named(&name).ok_or_else(|| Misfit(format!("unknown stop reason {name:?}")))
        })
        .transpose()?;
    let status = row.parsed("status", |name| Status::named(&name))?;
    let standing = Standing::of(status, reason)
        .ok_or_else(|| Misfit(format!("status {status} with stop reason {reason:?}")))?;
    let (due, held_since) = (row.maybe_time("due")?, row.maybe_time("held_since")?);
    let work = Work::of(due, held_since).ok_or_else(|| Misfit("held without due".to_owned()))?;
    let run = Run {
        id: RunId::new(row.id("id")?),
        topic: row.parsed("topic", |text| Topic::new(text).ok())?,
        standing,
        settings: settings(row)?,
        cursor: place(row, "next_round", "next_actor")?,
        last_error: row.maybe_text("last_error")?,
        completed_rounds: row.count("completed_rounds")?,
        spent: row.count("spent")?,
        ran: Duration::from_micros(row.count("ran")?),
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    };
    Ok(Record {
        run,
        last_seq: Seq::new(row.count("last_seq")?),
        tries: row.count("tries")?,
        term: Term::new(row.count("term")?),
        work,
    })
}

/// By which a debate was asked for, and what made it the same request.
pub(crate) fn keyed<C: Columns>(row: &C) -> Result<Option<(RequestKey, Fingerprint)>, C::Fault> {
    let (key, bytes) = (row.maybe_text("idempotency_key")?, row.maybe_bytes("fingerprint")?);
    match (key, bytes) {
        (None, None) => Ok(None),
        (Some(key), Some(bytes)) => {
            let key = RequestKey::new(key).map_err(|_| Misfit("invalid request key".to_owned()))?;
            let bytes = <[u8; 32]>::try_from(bytes)
                .map_err(|_| Misfit("invalid fingerprint".to_owned()))?;
            Ok(Some((key, Fingerprint::from_bytes(bytes))))
        }
        (Some(_), None) | (None, Some(_)) => {
            Err(Misfit("request key or fingerprint without the other".to_owned()).into())
        }
    }
}

fn settings<C: Columns>(row: &C) -> Result<Settings, C::Fault> {
    Ok(Settings {
        debater_a_side: row.parsed("debater_a_side", |name| Stance::named(&name))?,
        output_language: row.parsed("output_language", |tag| Language::new(tag).ok())?,
        output_language_given: row.flag("output_language_given")?,
        judge_mode: row.parsed("judge_mode", |name| JudgeMode::named(&name))?,
        max_rounds: row.within("max_rounds")?,
        max_runtime_seconds: row.within("max_runtime_seconds")?,
        max_total_output_tokens: row.within("max_total_output_tokens")?,
        max_tokens_debater: row.within("max_tokens_debater")?,
        max_tokens_judge: row.within("max_tokens_judge")?,
        model_debater: row.model_name("model_debater")?,
        model_debater_a: row.model_name("model_debater_a")?,
        model_debater_b: row.model_name("model_debater_b")?,
        model_judge: row.model_name("model_judge")?,
        prompt_version: row.parsed("prompt_version", |name| PromptVersion::named(&name))?,
    })
}

/// One turn.
pub(crate) fn turn<C: Columns>(row: &C) -> Result<Turn, C::Fault> {
    Ok(Turn {
        id: TurnId::new(row.id("id")?),
        debate: RunId::new(row.id("run_id")?),
        seq: seq(row)?,
        place: cursor(row)?,
        content: row.text("content")?,
        model: row.maybe_text("model")?,
        usage: usage(row)?,
        metadata: Metadata {
            outcome: row.parsed("outcome", |name| Outcome::named(&name))?,
            judgement: judgement(row)?,
            duration_ms: row.maybe_count("duration_ms")?,
        },
        created_at: row.time("created_at")?,
    })
}

fn judgement<C: Columns>(row: &C) -> Result<Option<Judgement>, C::Fault> {
    let score = |column| {
        let points = row.count(column)?;
        Score::new(points).map_err(|_| C::Fault::from(Misfit(format!("{column} is {points}"))))
    };
    Ok(match row.maybe_flag("verdict_valid")? {
        None => None,
        Some(false) => Some(Judgement::Missing),
        Some(true) => Some(Judgement::Given(Verdict {
            summary: row.text("summary")?,
            score_a: score("score_a")?,
            score_b: score("score_b")?,
            winner: row.parsed("winner", |name| Winner::named(&name))?,
            no_new_substantive_arguments: row.flag("no_new_substantive_arguments")?,
        })),
    })
}

/// One call.
pub(crate) fn call<C: Columns>(row: &C) -> Result<Call, C::Fault> {
    Ok(Call {
        id: CallId::new(row.id("id")?),
        run: RunId::new(row.id("run_id")?),
        place: cursor(row)?,
        number: row.count("number")?,
        model: row.model_name("model")?,
        allowed: row.within("allowed")?,
        prompt_bytes: row.count("prompt_bytes")?,
        rates: rates(row)?,
        started_at: row.time("started_at")?,
        finished_at: row.maybe_time("finished_at")?,
        called: row.parsed("called", |name| Called::named(&name))?,
        usage: usage(row)?,
    })
}

/// The price of a call's model, if it was known.
fn rates<C: Columns>(row: &C) -> Result<Option<UsdRates>, C::Fault> {
    let rate = |column: &str| {
        let millionths = row.maybe_count(column)?;
        let rate = millionths.map(Rate::from_millionths).transpose();
        rate.map_err(|_| C::Fault::from(Misfit(format!("{column} is out of range"))))
    };
    match (rate("usd_input_rate")?, rate("usd_output_rate")?) {
        (Some(input), Some(output)) => Ok(Some(UsdRates { input, output })),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => {
            Err(Misfit("call with only one of its two rates".to_owned()).into())
        }
    }
}

/// What the calls to one model cost.
pub(crate) fn cost<C: Columns>(row: &C) -> Result<Cost, C::Fault> {
    Ok(Cost {
        model: row.model_name("model")?,
        calls: row.count("calls")?,
        unknown: row.count("unknown")?,
        prompt_tokens: row.count("prompt_tokens")?,
        charged_prompt_tokens: row.count("charged_prompt_tokens")?,
        completion_tokens: row.count("completion_tokens")?,
    })
}

/// What a day is booked with.
pub(crate) fn day<C: Columns>(row: &C) -> Result<DaySpent, C::Fault> {
    let cost = NanoUsd::new(row.count("cost")?);
    let booked = Charge { tokens: row.count("spent")?, cost };
    Ok(DaySpent { day: row.count("day")?, booked })
}

/// The same, as changes are added to it.
pub(crate) fn booked<C: Columns>(row: &C) -> Result<DayChange, C::Fault> {
    Ok(DayChange { tokens: row.count("spent")?, cost: row.count("cost")? })
}

/// How many rows there are.
pub(crate) fn counted<C: Columns>(row: &C) -> Result<RunRows, C::Fault> {
    Ok(RunRows {
        runs: row.count("runs")?,
        turns: row.count("turns")?,
        calls: row.count("calls")?,
        days: row.count("days")?,
    })
}

fn usage<C: Columns>(row: &C) -> Result<Usage, C::Fault> {
    Ok(Usage {
        prompt_tokens: row.maybe_count("prompt_tokens")?,
        completion_tokens: row.maybe_count("completion_tokens")?,
        clipped: row.flag("usage_clipped")?,
    })
}

/// A turn's place among all.
pub(crate) fn seq<C: Columns>(row: &C) -> Result<Seq, C::Fault> {
    Ok(Seq::new(row.count("seq")?))
}

/// The place of a turn or call.
pub(crate) fn cursor<C: Columns>(row: &C) -> Result<Cursor, C::Fault> {
    place(row, "round", "actor")
}

fn place<C: Columns>(row: &C, round: &str, actor: &str) -> Result<Cursor, C::Fault> {
    let number = row.count(round)?;
    let round = Round::new(number).ok_or_else(|| Misfit(format!("{round} is {number}")))?;
    Ok(Cursor { round, actor: row.parsed(actor, |name| Actor::named(&name))? })
}
