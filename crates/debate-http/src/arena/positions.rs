//! What the parameters of those who wait, follow and connect mean.

use std::time::Duration;

use axum::extract::FromRef;
use debate_app::arena::{Arena, Since};
use debate_core::arena::Side;
use debate_core::{ArgumentId, DebateId, Reference, Seq};
use debate_wire::arena as wire;

use super::parse::{DEBATE, SIDE, count};
use super::resolve::{Resolve, resolve_argument, resolve_debate};
use crate::edge::Settings;
use crate::events::Position;
use crate::parsed::{Parse, given};
use crate::problem::{Invalid, Problem, Unacceptable};

/// The side that asks for news, and its position.
pub(crate) struct Asker {
    pub(super) side: Side,
    pub(super) since: Since,
    pub(super) missed: Missed,
}

/// The same before the last argument seen is looked up.
pub(crate) struct UnresolvedAsker {
    side: Side,
    seen: Option<Reference<ArgumentId>>,
    missed: Missed,
}

impl Resolve for UnresolvedAsker {
    type Resolved = Asker;

    async fn resolve<S>(self, state: &S) -> Result<Asker, Problem>
    where
        S: Send + Sync,
        Arena: FromRef<S>,
    {
        let Self { side, seen, missed } = self;
        let Some(seen) = seen else { return Ok(Asker { side, since: Since::Start, missed }) };
        let found = resolve_argument(&seen, state).await?;
        let argument = found.ok_or_else(|| Problem::unknown_position(&seen))?;
        Ok(Asker { side, since: Since::Argument(argument), missed })
    }
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
    type Domain = UnresolvedAsker;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<UnresolvedAsker, Unacceptable> {
        Ok(asker(self.role, self.argument_id, self.missed)?)
    }
}

/// The side that waits for news, and for how long.
pub(crate) struct Waiter {
    pub(super) asker: Asker,
    pub(super) patience: Duration,
}

/// The same before the last argument seen is looked up.
pub(crate) struct UnresolvedWaiter {
    asker: UnresolvedAsker,
    patience: Duration,
}

impl Resolve for UnresolvedWaiter {
    type Resolved = Waiter;

    async fn resolve<S>(self, state: &S) -> Result<Waiter, Problem>
    where
        S: Send + Sync,
        Arena: FromRef<S>,
    {
        Ok(Waiter { asker: self.asker.resolve(state).await?, patience: self.patience })
    }
}

impl Parse for wire::WaitQuery {
    type Domain = UnresolvedWaiter;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, settings: &Settings) -> Result<UnresolvedWaiter, Unacceptable> {
        let asked = given(self.timeout_ms).map(|text| count("timeout_ms", &text)).transpose()?;
        let asked = asked.map(|ms| Duration::from_millis(ms.into()));
        Ok(UnresolvedWaiter {
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
) -> Result<UnresolvedAsker, Invalid> {
    let side = match given(role).as_deref() {
        Some("proposer") => Side::Proposer,
        Some("opponent") => Side::Opponent,
        Some(_) => return Err(Invalid::new("role", format!("must be {SIDE}"))),
        None => return Err(Invalid::new("role", format!("is required: {SIDE}"))),
    };
    let seen = given(argument_id).map(|text| text.parse()).transpose();
    let seen = seen.map_err(|err| Invalid::new("argument_id", err))?;
    let missed = match given(missed).as_deref() {
        None | Some("all") => Missed::All,
        Some("earlier") => Missed::Earlier,
        Some(_) => return Err(Invalid::new("missed", "must be `all` or `earlier`")),
    };
    Ok(UnresolvedAsker { side, seen, missed })
}

impl Parse for wire::EventsQuery {
    type Domain = Option<Position<Reference<ArgumentId>>>;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Self::Domain, Unacceptable> {
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

/// The debate that a socket is for, and the position it continues from.
pub(crate) struct SocketAsk {
    pub(super) debate: DebateId,
    pub(super) after: Option<Seq>,
}

/// The same before the debate is looked up.
pub(crate) struct UnresolvedSocketAsk {
    debate: Reference<DebateId>,
    after: Option<Seq>,
}

impl Resolve for UnresolvedSocketAsk {
    type Resolved = SocketAsk;

    async fn resolve<S>(self, state: &S) -> Result<SocketAsk, Problem>
    where
        S: Send + Sync,
        Arena: FromRef<S>,
    {
        Ok(SocketAsk { debate: resolve_debate(&self.debate, state).await?, after: self.after })
    }
}

impl Parse for wire::SocketQuery {
    type Domain = UnresolvedSocketAsk;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<UnresolvedSocketAsk, Unacceptable> {
        let debate = given(self.debate_id)
            .ok_or_else(|| Invalid::new("debate_id", format!("is required: {DEBATE}")))?;
        let after = given(self.after_seq).map(|text| place(&text)).transpose()?;
        Ok(UnresolvedSocketAsk {
            debate: debate.parse().map_err(|err| Invalid::new("debate_id", err))?,
            after,
        })
    }
}
