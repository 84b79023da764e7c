//! What the runner's wire types mean.

use debate_core::runner::{ListPlace, RunQuery, SettingsDraft, Status};
use debate_core::{Limit, Topic, TurnId};
use debate_wire::runner as wire;

use crate::cursor;
use crate::edge::Settings;
use crate::events::Position;
use crate::parsed::{Parse, given};
use crate::problem::{Invalid, Unacceptable};

const MODEL: &str = "a string such as `openai:gpt-4.1`, or null";
const CALL_TOKENS: &str = "a whole number from 1 to 20000, or null";

/// The largest page of the list.
const LIMIT_MAX: u32 = 200;

/// What a client wants to have debated.
pub(crate) struct Wish {
    pub(crate) topic: Topic,
    pub(crate) settings: SettingsDraft,
}

impl Parse for wire::CreateDebate {
    type Domain = Wish;

    const FIELDS: &'static [(&'static str, &'static str)] = &[
        ("topic", "a string of 1 to 2000 characters"),
        ("settings", "an object, or null"),
        ("settings.debater_a_side", "`pro`, `con` or null"),
        ("settings.output_language", "a language tag such as `en` or `pt-BR`, or null"),
        ("settings.judge_mode", "`round`, `end` or null"),
        ("settings.max_rounds", "a whole number from 1 to 100, or null"),
        ("settings.max_runtime_seconds", "a whole number from 1 to 86400, or null"),
        ("settings.max_total_output_tokens", "a whole number from 1 to 2000000, or null"),
        ("settings.max_tokens_debater", CALL_TOKENS),
        ("settings.max_tokens_judge", CALL_TOKENS),
        ("settings.model_debater", MODEL),
        ("settings.model_debater_a", MODEL),
        ("settings.model_debater_b", MODEL),
        ("settings.model_judge", MODEL),
        ("settings.prompt_version", "a string such as `v1`, or null"),
    ];

    fn parse(self, _: &Settings) -> Result<Wish, Unacceptable> {
        Ok(Wish {
            topic: Topic::new(self.topic).map_err(|err| Invalid::new("topic", err))?,
            settings: self.settings.unwrap_or_default().into(),
        })
    }
}

impl Parse for wire::ListQuery {
    type Domain = RunQuery;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<RunQuery, Unacceptable> {
        let status = given(self.status).map(|name| status(&name)).transpose()?;
        let after = given(self.cursor).map(|text| place(&text)).transpose()?;
        let limit = given(self.limit).map(|text| limit(&text)).transpose()?;
        Ok(RunQuery { status, after, limit: limit.unwrap_or(Limit::DEFAULT) })
    }
}

fn status(name: &str) -> Result<Status, Invalid> {
    let names = Status::ALL.map(Status::name).join(", ");
    Status::named(name).ok_or_else(|| Invalid::new("status", format!("must be one of {names}")))
}

fn place(text: &str) -> Result<ListPlace, Invalid> {
    let (updated_at, run) = cursor::parse(text).ok_or_else(|| {
        Invalid::new("cursor", "must come from the Link header of an earlier page")
    })?;
    Ok(ListPlace { updated_at, run })
}

fn limit(text: &str) -> Result<Limit, Invalid> {
    let count = text.parse().ok().filter(|count| (1..=LIMIT_MAX).contains(count));
    count.and_then(|count| Limit::new(count).ok()).ok_or_else(|| {
        Invalid::new("limit", format!("must be a whole number from 1 to {LIMIT_MAX}"))
    })
}

impl Parse for wire::EventsQuery {
    type Domain = Option<Position<TurnId>>;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Option<Position<TurnId>>, Unacceptable> {
        Ok(given(self.after).map(|text| Position::parse(&text)))
    }
}
