//! Conversion of the arena's wire types to domain types.

use std::time::Duration;

use debate_app::arena::{Newest, Since};
use debate_core::arena::{
    Cursor, Draft, Filter, ListQuery, Move, Opening, Side, Start, State, Verdict,
};
use debate_core::{
    ArgumentId, Content, DebateId, Limit, Offset, RequestKey, SearchText, Seq, Title,
};
use debate_wire::arena as wire;
use uuid::Uuid;

use crate::cursor;
use crate::edge::Settings;
use crate::events::Position;
use crate::parsed::{Parse, given};
use crate::problem::{Invalid, Unacceptable};

const UUID: &str = "a UUID";
const CONTENT: &str = "a non-blank string";
const KEY: &str = "a string of 1 to 200 printable characters";
const SIDE: &str = "`proposer` or `opponent`";
const FLAG: &str = "true or false";

impl Parse for wire::CreateDebate {
    type Domain = Opening;

    const FIELDS: &'static [(&'static str, &'static str)] = &[
        ("debate_id", UUID),
        ("title", "a string of 1 to 300 characters"),
        ("debate_type", "`coding_plan_debate` or `general_debate`"),
        ("motion_content", CONTENT),
        ("client_request_id", KEY),
        ("auto_ruling", FLAG),
    ];

    fn parse(self, settings: &Settings) -> Result<Opening, Unacceptable> {
        Ok(Opening {
            debate: debate_or_new(self.debate_id.as_deref())?,
            motion_id: new_id(),
            title: Title::new(self.title).map_err(|err| Invalid::new("title", err))?,
            debate_type: self.debate_type.into(),
            auto_ruling: self.auto_ruling,
            key: key_or_new(self.client_request_id)?,
            // Last: everything else that is wrong is said before the size is.
            motion: content("motion_content", self.motion_content, settings)?,
        })
    }
}

impl Parse for wire::SubmitClaim {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("role", SIDE), ("target_id", UUID), ("content", CONTENT), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        let mv = Move::Claim(self.role.into());
        answer(mv, &self.target_id, self.content, self.client_request_id, settings)
    }
}

impl Parse for wire::SubmitAppeal {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("target_id", UUID), ("content", CONTENT), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        answer(Move::Appeal, &self.target_id, self.content, self.client_request_id, settings)
    }
}

impl Parse for wire::SubmitResolution {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] = wire::SubmitAppeal::FIELDS;

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        answer(Move::Resolve, &self.target_id, self.content, self.client_request_id, settings)
    }
}

impl Parse for wire::SubmitIntervention {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("content", "a string"), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        let key = key_or_new(self.client_request_id)?;
        let text = self.content.unwrap_or_default();
        let content = Content::maybe_blank(text, settings.content_bytes_max)
            .map_err(|err| Unacceptable::content("content", &err))?;
        Ok(draft(Move::Intervene, None, content, key))
    }
}

impl Parse for wire::SubmitRuling {
    type Domain = Draft;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("content", CONTENT), ("close", FLAG), ("client_request_id", KEY)];

    fn parse(self, settings: &Settings) -> Result<Draft, Unacceptable> {
        let verdict =
            if self.close.unwrap_or_default() { Verdict::Close } else { Verdict::Continue };
        let key = key_or_new(self.client_request_id)?;
        let content = content("content", self.content, settings)?;
        Ok(draft(Move::Rule(verdict), None, content, key))
    }
}

fn answer(
    mv: Move,
    target: &str,
    text: String,
    request_id: String,
    settings: &Settings,
) -> Result<Draft, Unacceptable> {
    let target: ArgumentId = target.parse().map_err(|err| Invalid::new("target_id", err))?;
    let key = key(request_id)?;
    Ok(draft(mv, Some(target), content("content", text, settings)?, key))
}

fn draft(mv: Move, target: Option<ArgumentId>, content: Content, key: RequestKey) -> Draft {
    Draft { id: new_id(), closing_id: new_id(), mv, target, content, key }
}

fn content(field: &str, text: String, settings: &Settings) -> Result<Content, Unacceptable> {
    Content::new(text, settings.content_bytes_max).map_err(|err| Unacceptable::content(field, &err))
}

fn key(text: String) -> Result<RequestKey, Invalid> {
    RequestKey::new(text).map_err(|err| Invalid::new("client_request_id", err))
}

/// A key of our own where the client gave none: then the write is simply not idempotent.
fn key_or_new(text: Option<String>) -> Result<RequestKey, Invalid> {
    key(text.unwrap_or_else(|| Uuid::now_v7().to_string()))
}

/// A generated id where the client sent none: every such request creates a debate.
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
        let in_state = given(self.state).map(|name| state(&name)).transpose()?;
        let pending = given(self.pending_first_opponent)
            .map(|text| flag("pending_first_opponent", &text))
            .transpose()?;
        let search = given(self.q)
            .map(|text| SearchText::new(&text).map_err(|err| Invalid::new("q", err)))
            .transpose()?;
        let limit = given(self.limit).map(|text| limit(&text)).transpose()?;
        Ok(ListQuery {
            filter: match (pending, in_state) {
                (Some(true), _) => Filter::PendingFirstOpponent,
                (Some(false) | None, Some(state)) => Filter::In(state),
                (Some(false) | None, None) => Filter::Any,
            },
            search,
            start: start(given(self.offset), given(self.cursor))?,
            limit: limit.unwrap_or(Limit::DEFAULT),
        })
    }
}

fn state(name: &str) -> Result<State, Invalid> {
    let names = State::ALL.map(State::name).join(", ");
    State::named(name).ok_or_else(|| Invalid::new("state", format!("must be one of {names}")))
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

fn start(offset: Option<String>, cursor: Option<String>) -> Result<Start, Invalid> {
    match (offset, cursor) {
        (Some(_), Some(_)) => Err(Invalid::new("cursor", "cannot be combined with `offset`")),
        (None, Some(text)) => cursor::parse(&text)
            .map(|(updated_at, debate)| Start::After(Cursor { updated_at, debate }))
            .ok_or_else(|| Invalid::new("cursor", "must be the next_cursor of an earlier page")),
        (Some(text), None) => parse_offset(&text).map(Start::At),
        (None, None) => Ok(Start::At(Offset::default())),
    }
}

fn parse_offset(text: &str) -> Result<Offset, Invalid> {
    let most = Offset::MOST;
    text.parse()
        .ok()
        .and_then(|count| Offset::new(count).ok())
        .ok_or_else(|| Invalid::new("offset", format!("must be a whole number from 0 to {most}")))
}

fn count(field: &str, text: &str) -> Result<u32, Invalid> {
    let most = i32::MAX.unsigned_abs();
    text.parse()
        .ok()
        .filter(|count| *count <= most)
        .ok_or_else(|| Invalid::new(field, format!("must be a whole number from 0 to {most}")))
}

impl Parse for wire::DebateQuery {
    type Domain = Newest;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Newest, Unacceptable> {
        Ok(match given(self.limit) {
            None => Newest::All,
            Some(text) => Newest::Count(count("limit", &text)?),
        })
    }
}

/// Who asks for news, and from where on.
pub(crate) struct Asker {
    pub(super) side: Side,
    pub(super) since: Since,
    pub(super) missed: Missed,
}

/// Which of the new arguments an answer lists beside the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missed {
    /// All of them, the newest once more.
    All,
    /// Those before the newest.
    Earlier,
}

impl Parse for wire::PollQuery {
    type Domain = Asker;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Asker, Unacceptable> {
        Ok(asker(self.role, self.argument_id, self.missed)?)
    }
}

/// Who waits for news, and how long.
pub(crate) struct Waiter {
    pub(super) asker: Asker,
    pub(super) patience: Duration,
}

impl Parse for wire::WaitQuery {
    type Domain = Waiter;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, settings: &Settings) -> Result<Waiter, Unacceptable> {
        let asked = given(self.timeout_ms).map(|text| count("timeout_ms", &text)).transpose()?;
        let asked = asked.map(|ms| Duration::from_millis(ms.into()));
        Ok(Waiter {
            asker: asker(self.role, self.argument_id, self.missed)?,
            patience: asked
                .map_or_else(|| settings.own_patience(), |span| span.min(settings.poll_timeout)),
        })
    }
}

fn asker(
    role: Option<String>,
    argument_id: Option<String>,
    missed: Option<String>,
) -> Result<Asker, Invalid> {
    let side = match given(role).as_deref() {
        Some("proposer") => Side::Proposer,
        Some("opponent") => Side::Opponent,
        Some(_) => return Err(Invalid::new("role", format!("must be {SIDE}"))),
        None => return Err(Invalid::new("role", format!("is required: {SIDE}"))),
    };
    let since = match given(argument_id) {
        None => Since::Start,
        Some(text) => {
            Since::Argument(text.parse().map_err(|err| Invalid::new("argument_id", err))?)
        }
    };
    let missed = match given(missed).as_deref() {
        None | Some("all") => Missed::All,
        Some("earlier") => Missed::Earlier,
        Some(_) => return Err(Invalid::new("missed", "must be `all` or `earlier`")),
    };
    Ok(Asker { side, since, missed })
}

impl Parse for wire::EventsQuery {
    type Domain = Option<Position<ArgumentId>>;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Option<Position<ArgumentId>>, Unacceptable> {
        Ok(given(self.after).map(|text| Position::parse(&text)))
    }
}

/// A place by its number; a number beyond every debate's end is still a place, beyond the end.
fn place(text: &str) -> Result<Seq, Invalid> {
    let number: u64 = text
        .parse()
        .map_err(|_| Invalid::new("after_seq", "must be a whole number of at least 0"))?;
    Ok(Seq::new(u32::try_from(number).unwrap_or(u32::MAX)))
}

/// Which debate a socket is for, and from where on.
pub(crate) struct SocketAsk {
    pub(super) debate: DebateId,
    pub(super) after: Option<Seq>,
}

impl Parse for wire::SocketQuery {
    type Domain = SocketAsk;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<SocketAsk, Unacceptable> {
        let debate = given(self.debate_id)
            .ok_or_else(|| Invalid::new("debate_id", format!("is required: {UUID}")))?;
        let after = given(self.after_seq).map(|text| place(&text)).transpose()?;
        Ok(SocketAsk {
            debate: debate.parse().map_err(|err| Invalid::new("debate_id", err))?,
            after,
        })
    }
}
