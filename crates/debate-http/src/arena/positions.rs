//! Conversion of the query parameters of polls, streams and sockets to domain types.

use std::time::Duration;

use debate_app::StreamPosition;
use debate_app::arena::Arena;
use debate_core::arena::Side;
use debate_core::{ArgumentId, DebateId, Reference, Seq};
use debate_wire::arena as wire;

use super::parse::{DEBATE, SIDE, count};
use super::resolve::{Resolve, resolve_debate};
use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::events::RequestedPosition;
use crate::extract::{Parse, non_empty};

/// A side that polls for new arguments, and its position.
pub(crate) struct PollRequest {
    pub(super) side: Side,
    pub(super) since: StreamPosition<ArgumentId>,
    pub(super) missed: CatchUp,
}

/// The request before the last argument that the client has seen is resolved.
pub(crate) struct UnresolvedPoll {
    side: Side,
    seen: Option<Reference<ArgumentId>>,
    missed: CatchUp,
}

impl Resolve for UnresolvedPoll {
    type Resolved = PollRequest;

    async fn resolve(self, arena: &Arena) -> Result<PollRequest, ErrorResponse> {
        let Self { side, seen, missed } = self;
        let Some(seen) = seen else {
            return Ok(PollRequest { side, since: StreamPosition::Start, missed });
        };
        let found = arena.find_argument(&seen).await?;
        let argument = found.ok_or_else(|| ErrorResponse::unknown_position(&seen))?;
        Ok(PollRequest { side, since: StreamPosition::Item(argument), missed })
    }
}

/// The new arguments that a response lists beside the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CatchUp {
    /// All new arguments, including the newest.
    All,
    /// All new arguments before the newest.
    Earlier,
}

impl Parse for wire::PollQuery {
    type Domain = UnresolvedPoll;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<UnresolvedPoll, Unacceptable> {
        Ok(parse_poll(self.role, self.argument_id, self.missed)?)
    }
}

/// A side that waits for new arguments, and the maximum duration.
pub(crate) struct WaitRequest {
    pub(super) poll: PollRequest,
    pub(super) timeout: Duration,
}

/// The request before the last argument that the client has seen is resolved.
pub(crate) struct UnresolvedWait {
    poll: UnresolvedPoll,
    timeout: Duration,
}

impl Resolve for UnresolvedWait {
    type Resolved = WaitRequest;

    async fn resolve(self, arena: &Arena) -> Result<WaitRequest, ErrorResponse> {
        Ok(WaitRequest { poll: self.poll.resolve(arena).await?, timeout: self.timeout })
    }
}

impl Parse for wire::WaitQuery {
    type Domain = UnresolvedWait;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, settings: &Settings) -> Result<UnresolvedWait, Unacceptable> {
        let requested =
            non_empty(self.timeout_ms).map(|text| count("timeout_ms", &text)).transpose()?;
        let requested = requested.map(|ms| Duration::from_millis(ms.into()));
        Ok(UnresolvedWait {
            poll: parse_poll(self.role, self.argument_id, self.missed)?,
            timeout: requested.map_or_else(
                || settings.default_poll_duration(),
                |span| span.min(settings.poll_timeout),
            ),
        })
    }
}

fn parse_poll(
    role: Option<String>,
    argument_id: Option<String>,
    missed: Option<String>,
) -> Result<UnresolvedPoll, Invalid> {
    let side = match non_empty(role).as_deref() {
        Some("proposer") => Side::Proposer,
        Some("opponent") => Side::Opponent,
        Some(_) => return Err(Invalid::new("role", format!("must be {SIDE}"))),
        None => return Err(Invalid::new("role", format!("is required: {SIDE}"))),
    };
    let seen = non_empty(argument_id).map(|text| text.parse()).transpose();
    let seen = seen.map_err(|err| Invalid::new("argument_id", err))?;
    let missed = match non_empty(missed).as_deref() {
        None | Some("all") => CatchUp::All,
        Some("earlier") => CatchUp::Earlier,
        Some(_) => return Err(Invalid::new("missed", "must be `all` or `earlier`")),
    };
    Ok(UnresolvedPoll { side, seen, missed })
}

impl Parse for wire::EventsQuery {
    type Domain = Option<RequestedPosition<Reference<ArgumentId>>>;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Self::Domain, Unacceptable> {
        Ok(non_empty(self.after).map(|text| RequestedPosition::parse(&text)))
    }
}

/// A position by its number. A number beyond the end of every debate is accepted.
fn parse_seq(text: &str) -> Result<Seq, Invalid> {
    let number: u64 = text
        .parse()
        .map_err(|_| Invalid::new("after_seq", "must be a whole number of at least 0"))?;
    Ok(Seq::new(u32::try_from(number).unwrap_or(u32::MAX)))
}

/// The debate that a socket is for, and the position it continues from.
pub(crate) struct SocketRequest {
    pub(super) debate: DebateId,
    pub(super) after: Option<Seq>,
}

/// The request before the debate is resolved.
pub(crate) struct UnresolvedSocketRequest {
    debate: Reference<DebateId>,
    after: Option<Seq>,
}

impl Resolve for UnresolvedSocketRequest {
    type Resolved = SocketRequest;

    async fn resolve(self, arena: &Arena) -> Result<SocketRequest, ErrorResponse> {
        Ok(SocketRequest { debate: resolve_debate(&self.debate, arena).await?, after: self.after })
    }
}

impl Parse for wire::SocketQuery {
    type Domain = UnresolvedSocketRequest;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<UnresolvedSocketRequest, Unacceptable> {
        let debate = non_empty(self.debate_id)
            .ok_or_else(|| Invalid::new("debate_id", format!("is required: {DEBATE}")))?;
        let after = non_empty(self.after_seq).map(|text| parse_seq(&text)).transpose()?;
        Ok(UnresolvedSocketRequest {
            debate: debate.parse().map_err(|err| Invalid::new("debate_id", err))?,
            after,
        })
    }
}
