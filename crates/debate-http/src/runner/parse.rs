//! Conversion of the runner's wire types and headers to domain types.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderName;
use axum::http::request::Parts;
use debate_core::runner::{Language, ListPosition, RunQuery, RunSettingsDraft, Status};
use debate_core::{Limit, Topic, TurnId};
use debate_wire::runner as wire;

use crate::app_state::Settings;
use crate::cursor;
use crate::error::{Invalid, Unacceptable};
use crate::events::RequestedPosition;
use crate::extract::{Parse, non_empty};

const MODEL: &str = "a string such as `openai:gpt-4.1`, or null";
const CALL_TOKENS: &str = "a whole number from 1 to 20000, or null";

/// The largest page of the list.
const LIMIT_MAX: u32 = 200;

/// The parsed body of a new run.
pub(crate) struct NewRunRequest {
    pub(crate) topic: Topic,
    pub(crate) settings: RunSettingsDraft,
}

impl Parse for wire::CreateDebate {
    type Domain = NewRunRequest;

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

    fn parse(self, _: &Settings) -> Result<NewRunRequest, Unacceptable> {
        Ok(NewRunRequest {
            topic: Topic::new(self.topic).map_err(|err| Invalid::new("topic", err))?,
            settings: self.settings.unwrap_or_default().into(),
        })
    }
}

impl Parse for wire::ListQuery {
    type Domain = RunQuery;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<RunQuery, Unacceptable> {
        let status = non_empty(self.status).map(|name| status(&name)).transpose()?;
        let after = non_empty(self.cursor).map(|text| parse_cursor(&text)).transpose()?;
        let limit = non_empty(self.limit).map(|text| limit(&text)).transpose()?;
        Ok(RunQuery { status, after, limit: limit.unwrap_or(Limit::DEFAULT) })
    }
}

fn status(name: &str) -> Result<Status, Invalid> {
    let names = Status::ALL.map(Status::name).join(", ");
    Status::from_name(name).ok_or_else(|| Invalid::new("status", format!("must be one of {names}")))
}

fn parse_cursor(text: &str) -> Result<ListPosition, Invalid> {
    let (updated_at, run) = cursor::parse(text).ok_or_else(|| {
        Invalid::new("cursor", "must come from the Link header of an earlier page")
    })?;
    Ok(ListPosition { updated_at, run })
}

fn limit(text: &str) -> Result<Limit, Invalid> {
    let count = text.parse().ok().filter(|count| (1..=LIMIT_MAX).contains(count));
    count.and_then(|count| Limit::new(count).ok()).ok_or_else(|| {
        Invalid::new("limit", format!("must be a whole number from 1 to {LIMIT_MAX}"))
    })
}

impl Parse for wire::EventsQuery {
    type Domain = Option<RequestedPosition<TurnId>>;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Option<RequestedPosition<TurnId>>, Unacceptable> {
        Ok(non_empty(self.after).map(|text| RequestedPosition::parse(&text)))
    }
}

const X_UI_LANGUAGE: HeaderName = HeaderName::from_static("x-ui-language");

/// The language, if the header is there once and holds a language tag. Anything else is ignored.
pub(crate) struct UiLanguage(pub(crate) Option<Language>);

impl<S: Sync> FromRequestParts<S> for UiLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let mut values = parts.headers.get_all(X_UI_LANGUAGE).iter();
        let only = values.next().filter(|_| values.next().is_none());
        let tag = only.and_then(|value| value.to_str().ok()).map(|text| text.trim().to_owned());
        Ok(Self(tag.and_then(|tag| Language::new(tag).ok())))
    }
}
