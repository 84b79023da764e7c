//! Loads a run's row, and decodes the runner's rows.

use std::time::Duration;

use debate_app::StoreError;
use debate_app::runner::Cost;
use debate_core::runner::{
    Actor, Call, CallStatus, Cursor, DebaterSide, JudgeMode, Judgement, Language, Metadata,
    Outcome, PromptVersion, Round, Run, RunRecord, RunSettings, RunState, Score, Status,
    StopReason, TokenPrice, Turn, UsdRates, Verdict, Winner,
};
use debate_core::{
    Bounded, CallId, FencingToken, Fingerprint, LeaseState, ModelName, RequestKey, RunId, Seq,
    Topic, TurnId, Usage,
};

use super::statements::RUN;
use super::writes::DayCharge;
use crate::lease::statements::RUNS;
use crate::sql::{Group, Handle, Row, Statement, undecodable};

pub(super) fn run_by_id(run: RunId) -> Statement<'static> {
    Statement::new(RUN, vec![run.uuid().into()])
}

/// Locks a run and loads it.
pub(super) fn lock_run(group: &mut Group<'_>, run: RunId) -> Handle<RunRecord> {
    group.lock(RUNS.lock, run.uuid());
    group.push(run_by_id(run), record)
}

fn bounded<const LEAST: u32, const MOST: u32>(
    row: &Row,
    column: &str,
) -> Result<Bounded<LEAST, MOST>, StoreError> {
    let number = row.count(column)?;
    Bounded::new(number).map_err(|_| undecodable(format!("{column} is {number}")))
}

fn model_name(row: &Row, column: &str) -> Result<ModelName, StoreError> {
    row.parsed(column, |text| ModelName::new(&text).ok())
}

pub(crate) fn record(row: &Row) -> Result<RunRecord, StoreError> {
    let reason = row.maybe_parsed("stop_reason", |name| StopReason::from_name(&name))?;
    let status = row.parsed("status", |name| Status::from_name(&name))?;
    let state = RunState::from_parts(status, reason)
        .ok_or_else(|| undecodable(format!("status {status} with stop reason {reason:?}")))?;
    let (due, held_since) = (row.maybe_time("due")?, row.maybe_time("held_since")?);
    let lease =
        LeaseState::from_columns(due, held_since).ok_or_else(|| undecodable("held without due"))?;
    let run = Run {
        id: RunId::new(row.id("id")?),
        topic: row.parsed("topic", |text| Topic::new(text).ok())?,
        state,
        settings: settings(row)?,
        cursor: cursor_in(row, "next_round", "next_actor")?,
        last_error: row.maybe_text("last_error")?,
        completed_rounds: row.count("completed_rounds")?,
        spent: row.count("spent")?,
        ran: Duration::from_micros(row.count("ran")?),
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    };
    Ok(RunRecord {
        run,
        last_seq: Seq::new(row.count("last_seq")?),
        tries: row.count("tries")?,
        fencing_token: FencingToken::new(row.count("term")?),
        lease,
    })
}

/// The idempotency key that a run was created with, and the fingerprint of its request.
pub(crate) fn idempotency_key(row: &Row) -> Result<Option<(RequestKey, Fingerprint)>, StoreError> {
    let key = row.maybe_parsed("idempotency_key", |key| RequestKey::new(key).ok())?;
    match (key, row.maybe_digest("fingerprint")?) {
        (None, None) => Ok(None),
        (Some(key), Some(bytes)) => Ok(Some((key, Fingerprint::from_bytes(bytes)))),
        (Some(_), None) | (None, Some(_)) => {
            Err(undecodable("request key or fingerprint without the other"))
        }
    }
}

fn settings(row: &Row) -> Result<RunSettings, StoreError> {
    Ok(RunSettings {
        debater_a_side: row.parsed("debater_a_side", |name| DebaterSide::from_name(&name))?,
        output_language: row.parsed("output_language", |tag| Language::new(tag).ok())?,
        output_language_given: row.flag("output_language_given")?,
        judge_mode: row.parsed("judge_mode", |name| JudgeMode::from_name(&name))?,
        max_rounds: bounded(row, "max_rounds")?,
        max_runtime_seconds: bounded(row, "max_runtime_seconds")?,
        max_total_output_tokens: bounded(row, "max_total_output_tokens")?,
        max_tokens_debater: bounded(row, "max_tokens_debater")?,
        max_tokens_judge: bounded(row, "max_tokens_judge")?,
        model_debater: model_name(row, "model_debater")?,
        model_debater_a: model_name(row, "model_debater_a")?,
        model_debater_b: model_name(row, "model_debater_b")?,
        model_judge: model_name(row, "model_judge")?,
        prompt_version: row.parsed("prompt_version", |name| PromptVersion::from_name(&name))?,
    })
}

pub(crate) fn turn(row: &Row) -> Result<Turn, StoreError> {
    Ok(Turn {
        id: TurnId::new(row.id("id")?),
        run: RunId::new(row.id("run_id")?),
        seq: seq(row)?,
        cursor: cursor(row)?,
        content: row.text("content")?,
        model: row.maybe_text("model")?,
        usage: usage(row)?,
        metadata: Metadata {
            outcome: row.parsed("outcome", |name| Outcome::from_name(&name))?,
            judgement: judgement(row)?,
            duration_ms: row.maybe_count("duration_ms")?,
        },
        created_at: row.time("created_at")?,
    })
}

fn judgement(row: &Row) -> Result<Option<Judgement>, StoreError> {
    let score = |column| {
        let points = row.count(column)?;
        Score::new(points).map_err(|_| undecodable(format!("{column} is {points}")))
    };
    Ok(match row.maybe_flag("verdict_valid")? {
        None => None,
        Some(false) => Some(Judgement::Missing),
        Some(true) => Some(Judgement::Given(Verdict {
            summary: row.text("summary")?,
            score_a: score("score_a")?,
            score_b: score("score_b")?,
            winner: row.parsed("winner", |name| Winner::from_name(&name))?,
            no_new_substantive_arguments: row.flag("no_new_substantive_arguments")?,
        })),
    })
}

pub(crate) fn call(row: &Row) -> Result<Call, StoreError> {
    Ok(Call {
        id: CallId::new(row.id("id")?),
        run: RunId::new(row.id("run_id")?),
        cursor: cursor(row)?,
        number: row.count("number")?,
        model: model_name(row, "model")?,
        allowed: bounded(row, "allowed")?,
        prompt_bytes: row.count("prompt_bytes")?,
        rates: rates(row)?,
        started_at: row.time("started_at")?,
        finished_at: row.maybe_time("finished_at")?,
        status: row.parsed("called", |name| CallStatus::from_name(&name))?,
        usage: usage(row)?,
    })
}

/// The price of a call's model, if it was known when the call began.
fn rates(row: &Row) -> Result<Option<UsdRates>, StoreError> {
    let rate = |column: &str| {
        let millionths = row.maybe_count(column)?;
        let rate = millionths.map(TokenPrice::from_millionths).transpose();
        rate.map_err(|_| undecodable(format!("{column} is out of range")))
    };
    match (rate("usd_input_rate")?, rate("usd_output_rate")?) {
        (Some(input), Some(output)) => Ok(Some(UsdRates { input, output })),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => {
            Err(undecodable("call with only one of its two rates"))
        }
    }
}

pub(crate) fn cost(row: &Row) -> Result<Cost, StoreError> {
    Ok(Cost {
        model: model_name(row, "model")?,
        calls: row.count("calls")?,
        unknown: row.count("unknown")?,
        prompt_tokens: row.count("prompt_tokens")?,
        charged_prompt_tokens: row.count("charged_prompt_tokens")?,
        completion_tokens: row.count("completion_tokens")?,
    })
}

/// The sum that a day is charged with.
pub(crate) fn day_charge(row: &Row) -> Result<DayCharge, StoreError> {
    Ok(DayCharge { tokens: row.count("spent")?, cost: row.count("cost")? })
}

fn usage(row: &Row) -> Result<Usage, StoreError> {
    Ok(Usage {
        prompt_tokens: row.maybe_count("prompt_tokens")?,
        completion_tokens: row.maybe_count("completion_tokens")?,
        clipped: row.flag("usage_clipped")?,
    })
}

pub(crate) fn seq(row: &Row) -> Result<Seq, StoreError> {
    Ok(Seq::new(row.count("seq")?))
}

pub(crate) fn cursor(row: &Row) -> Result<Cursor, StoreError> {
    cursor_in(row, "round", "actor")
}

fn cursor_in(row: &Row, round: &str, actor: &str) -> Result<Cursor, StoreError> {
    let number = row.count(round)?;
    let round = Round::new(number).ok_or_else(|| undecodable(format!("{round} is {number}")))?;
    Ok(Cursor { round, actor: row.parsed(actor, |name| Actor::from_name(&name))? })
}
