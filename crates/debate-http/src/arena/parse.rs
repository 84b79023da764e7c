//! Conversion of the arena's wire types to domain types.

use debate_app::arena::{Arena, TranscriptLimit};
use debate_core::arena::{
    Draft, IdPrefix, ListFilter, ListPosition, ListQuery, ListStart, Move, NameFilter, NewDebate,
    RulingEffect, SeatFields, State, is_slug,
};
use debate_core::{
    ArgumentId, Content, DebateId, Limit, Offset, Reference, RequestKey, SearchText, Title,
};
use debate_wire::arena as wire;
use uuid::Uuid;

use super::resolve::Resolve;
use crate::app_state::Settings;
use crate::cursor;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, non_empty};

const UUID: &str = "a UUID";
const ARGUMENT: &str = "the id of an argument";
pub(super) const DEBATE: &str = "the id of a debate";
const CONTENT: &str = "a non-blank string";
const KEY: &str = "a string of 1 to 200 printable characters";
pub(super) const SIDE: &str = "`proposer` or `opponent`";
const FLAG: &str = "true or false";

impl Parse for wire::CreateDebate {
    type Domain = NewDebate;

    const FIELDS: &'static [(&'static str, &'static str)] = &[
        ("debate_id", UUID),
        ("title", "a string of 1 to 300 characters"),
        ("debate_type", "`coding_plan_debate` or `general_debate`"),
        ("motion_content", CONTENT),
        ("client_request_id", KEY),
        ("auto_ruling", FLAG),
        ("seats", FLAG),
        ("holder", "a string of 1 to 80 printable characters"),
        ("invite_only", FLAG),
    ];

    fn parse(self, settings: &Settings) -> Result<NewDebate, Unacceptable> {
        Ok(NewDebate {
            debate: debate_or_new(self.debate_id.as_deref())?,
            motion_id: new_id(),
            title: Title::new(self.title).map_err(|err| Invalid::new("title", err))?,
            debate_type: self.debate_type.into(),
            auto_ruling: self.auto_ruling,
            key: key_or_new(self.client_request_id)?,
            // Headers and settings decide about seats too.
            seats: None,
            seat_fields: SeatFields {
                seats: self.seats,
                invite_only: self.invite_only,
                holder: self.holder,
                ..SeatFields::default()
            },
            // Last, so that other errors are reported before the size.
            motion: content("motion_content", self.motion_content, settings)?,
        })
    }
}

impl Parse for wire::SubmitClaim {
    type Domain = UnresolvedDraft;

    const FIELDS: &'static [(&'static str, &'static str)] = &[
        ("role", SIDE),
        ("target_id", ARGUMENT),
        ("content", CONTENT),
        ("client_request_id", KEY),
    ];

    fn parse(self, settings: &Settings) -> Result<UnresolvedDraft, Unacceptable> {
        let mv = Move::Claim(self.role.into());
        unresolved_draft(mv, &self.target_id, self.content, self.client_request_id, settings)
    }
}

impl Parse for wire::SubmitAppeal {
    type Domain = UnresolvedDraft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("target_id", ARGUMENT), ("content", CONTENT), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<UnresolvedDraft, Unacceptable> {
        unresolved_draft(
            Move::Appeal,
            &self.target_id,
            self.content,
            self.client_request_id,
            settings,
        )
    }
}

impl Parse for wire::SubmitResolution {
    type Domain = UnresolvedDraft;

    const FIELDS: &'static [(&'static str, &'static str)] = wire::SubmitAppeal::FIELDS;

    fn parse(self, settings: &Settings) -> Result<UnresolvedDraft, Unacceptable> {
        unresolved_draft(
            Move::Resolve,
            &self.target_id,
            self.content,
            self.client_request_id,
            settings,
        )
    }
}

impl Parse for wire::SubmitIntervention {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("content", "a string"), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        let key = key_or_new(self.client_request_id)?;
        let text = self.content.unwrap_or_default();
        let content = Content::new_or_blank(text, settings.content_bytes_max)
            .map_err(|err| Unacceptable::content("content", &err))?;
        Ok(draft(Move::Intervene, content, key))
    }
}

impl Parse for wire::SubmitRuling {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("content", CONTENT), ("close", FLAG), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        let effect = if self.close.unwrap_or_default() {
            RulingEffect::Close
        } else {
            RulingEffect::Continue
        };
        let key = key_or_new(self.client_request_id)?;
        let content = content("content", self.content, settings)?;
        Ok(draft(Move::Rule(effect), content, key))
    }
}

/// An argument that answers another, whose id is not resolved yet.
pub(crate) struct UnresolvedDraft {
    target: Reference<ArgumentId>,
    draft: Draft,
}

impl Resolve for UnresolvedDraft {
    type Resolved = Draft;

    async fn resolve(self, arena: &Arena) -> Result<Draft, ErrorResponse> {
        let target = arena.find_argument(&self.target).await?;
        let target = target.ok_or_else(|| ErrorResponse::unknown_argument(&self.target))?;
        Ok(Draft { target: Some(target), ..self.draft })
    }
}

fn unresolved_draft(
    mv: Move,
    target: &str,
    text: String,
    request_id: String,
    settings: &Settings,
) -> Result<UnresolvedDraft, Unacceptable> {
    let target = target.parse().map_err(|err| Invalid::new("target_id", err))?;
    let key = key(request_id)?;
    Ok(UnresolvedDraft { target, draft: draft(mv, content("content", text, settings)?, key) })
}

fn draft(mv: Move, content: Content, key: RequestKey) -> Draft {
    Draft { id: new_id(), closing_id: new_id(), mv, target: None, content, key }
}

fn content(field: &str, text: String, settings: &Settings) -> Result<Content, Unacceptable> {
    Content::new(text, settings.content_bytes_max).map_err(|err| Unacceptable::content(field, &err))
}

fn key(text: String) -> Result<RequestKey, Invalid> {
    RequestKey::new(text).map_err(|err| Invalid::new("client_request_id", err))
}

/// A generated key if the client sent none. Such a write is not idempotent.
fn key_or_new(text: Option<String>) -> Result<RequestKey, Invalid> {
    key(text.unwrap_or_else(|| Uuid::now_v7().to_string()))
}

/// A generated id if the client sent none. Every such request creates a debate.
fn debate_or_new(text: Option<&str>) -> Result<DebateId, Invalid> {
    let Some(text) = text else { return Ok(DebateId::new(Uuid::now_v7())) };
    text.parse().map_err(|err| Invalid::new("debate_id", err))
}

fn new_id() -> ArgumentId {
    ArgumentId::new(Uuid::now_v7())
}

impl Parse for wire::ListQuery {
    type Domain = ListQuery;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<ListQuery, Unacceptable> {
        let in_state = non_empty(self.state).map(|name| state(&name)).transpose()?;
        let pending = non_empty(self.pending_first_opponent)
            .map(|text| flag("pending_first_opponent", &text))
            .transpose()?;
        let search = non_empty(self.q)
            .map(|text| SearchText::new(&text).map_err(|err| Invalid::new("q", err)))
            .transpose()?;
        let limit = non_empty(self.limit).map(|text| limit(&text)).transpose()?;
        Ok(ListQuery {
            filter: match (pending, in_state) {
                (Some(true), _) => ListFilter::PendingFirstOpponent,
                (Some(false) | None, Some(state)) => ListFilter::In(state),
                (Some(false) | None, None) => ListFilter::Any,
            },
            search,
            name: name_filter(non_empty(self.slug), non_empty(self.id_prefix))?,
            start: start(non_empty(self.offset), non_empty(self.cursor))?,
            limit: limit.unwrap_or(Limit::DEFAULT),
        })
    }
}

fn name_filter(
    slug: Option<String>,
    id_prefix: Option<String>,
) -> Result<Option<NameFilter>, Invalid> {
    match (slug, id_prefix) {
        (Some(_), Some(_)) => Err(Invalid::new("id_prefix", "cannot be combined with `slug`")),
        (Some(slug), None) if is_slug(&slug) => Ok(Some(NameFilter::Slug(slug))),
        (Some(_), None) => {
            Err(Invalid::new("slug", "must be a slug, such as cache-the-index-k3f7"))
        }
        (None, Some(text)) => {
            IdPrefix::new(&text).map(|prefix| Some(NameFilter::IdPrefix(prefix))).ok_or_else(|| {
                Invalid::new("id_prefix", "must be the first 4 to 36 characters of a UUID")
            })
        }
        (None, None) => Ok(None),
    }
}

fn state(name: &str) -> Result<State, Invalid> {
    let names = State::ALL.map(State::name).join(", ");
    State::from_name(name).ok_or_else(|| Invalid::new("state", format!("must be one of {names}")))
}

fn flag(field: &str, text: &str) -> Result<bool, Invalid> {
    text.parse().map_err(|_| Invalid::new(field, "must be true or false"))
}

fn limit(text: &str) -> Result<Limit, Invalid> {
    text.parse()
        .ok()
        .and_then(|count| Limit::new(count).ok())
        .ok_or_else(|| Invalid::new("limit", "must be a whole number from 0 to 500"))
}

fn start(offset: Option<String>, cursor: Option<String>) -> Result<ListStart, Invalid> {
    match (offset, cursor) {
        (Some(_), Some(_)) => Err(Invalid::new("cursor", "cannot be combined with `offset`")),
        (None, Some(text)) => cursor::parse(&text)
            .map(|(updated_at, debate)| ListStart::After(ListPosition { updated_at, debate }))
            .ok_or_else(|| Invalid::new("cursor", "must be the next_cursor of an earlier page")),
        (Some(text), None) => parse_offset(&text).map(ListStart::At),
        (None, None) => Ok(ListStart::At(Offset::default())),
    }
}

fn parse_offset(text: &str) -> Result<Offset, Invalid> {
    let most = Offset::MOST;
    text.parse()
        .ok()
        .and_then(|count| Offset::new(count).ok())
        .ok_or_else(|| Invalid::new("offset", format!("must be a whole number from 0 to {most}")))
}

pub(super) fn count(field: &str, text: &str) -> Result<u32, Invalid> {
    let most = i32::MAX.unsigned_abs();
    text.parse()
        .ok()
        .filter(|count| *count <= most)
        .ok_or_else(|| Invalid::new(field, format!("must be a whole number from 0 to {most}")))
}

impl Parse for wire::DebateQuery {
    type Domain = TranscriptLimit;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<TranscriptLimit, Unacceptable> {
        Ok(match non_empty(self.limit) {
            None => TranscriptLimit::All,
            Some(text) => TranscriptLimit::Newest(count("limit", &text)?),
        })
    }
}
