//! Seats: the right to play a role of one debate, proven by a token.
//!
//! A debate with seats accepts claims, appeals and resolutions only from the holder of the role's
//! seat, and rulings, interventions and the deletion only with arbitrator rights. All decisions are
//! pure functions of the stored seats and of the credentials of a request.

use jiff::Timestamp;

use super::rules::{Role, Side};
use super::secret::SecretDigest;

/// The text is not a valid name of a seat holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HolderNameError {
    /// The text is blank, too long or has control characters.
    #[error("must be 1 to {} printable characters", HolderName::MOST)]
    Form,
    /// The server itself writes under this name.
    #[error("must not be one of the reserved names web, server, arbitrator and model …")]
    Reserved,
}

/// The name of a seat holder: 1 to [`HolderName::MOST`] printable characters without surrounding
/// spaces, and none of the reserved names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderName(String);

/// Authors that no participant can be named like.
const RESERVED: [&str; 3] = [WEB, SERVER, ARBITRATOR];

/// The author of rulings and interventions by a form of the pages, and of motions by the form for a
/// new debate.
pub const WEB: &str = "web";

/// The author of automatic rulings.
pub const SERVER: &str = "server";

/// The author of rulings and interventions with the arbitrator token.
pub const ARBITRATOR: &str = "arbitrator";

impl HolderName {
    /// The maximum length in characters.
    pub const MOST: usize = 80;

    /// Checks the name of a new holder.
    pub fn new(text: &str) -> Result<Self, HolderNameError> {
        let name = text.trim();
        let is_printable = |c: char| !c.is_control() && !crate::is_misleading(c);
        if name.is_empty() || name.chars().count() > Self::MOST || !name.chars().all(is_printable) {
            return Err(HolderNameError::Form);
        }
        let folded = name.to_lowercase();
        if RESERVED.contains(&folded.as_str()) || folded == "model" || folded.starts_with("model ")
        {
            return Err(HolderNameError::Reserved);
        }
        Ok(Self(name.to_owned()))
    }

    /// A name from the store.
    #[must_use]
    pub const fn from_stored(name: String) -> Self {
        Self(name)
    }

    /// The name without surrounding spaces.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The participant that holds a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatHolder {
    /// The name that arguments are attributed to.
    pub name: HolderName,
    /// The digest of the token that proves the seat.
    pub token: SecretDigest,
    /// The time at which the seat was taken.
    pub since: Timestamp,
}

/// A seat of a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seat {
    /// The seat was never taken.
    Open,
    /// A participant holds the seat.
    Taken(SeatHolder),
    /// The last holder released the seat.
    Released,
}

impl Seat {
    /// The holder of a taken seat.
    #[must_use]
    pub const fn holder(&self) -> Option<&SeatHolder> {
        match self {
            Self::Taken(holder) => Some(holder),
            Self::Open | Self::Released => None,
        }
    }

    /// Whether the token proves this seat.
    fn is_held_by(&self, token: SecretDigest) -> bool {
        self.holder().is_some_and(|holder| holder.token == token)
    }
}

/// The seats of a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// The seat of the proposer.
    pub proposer: Seat,
    /// The seat of the opponent.
    pub opponent: Seat,
    /// The digest of the invite, if only invited participants may take a seat.
    pub invite: Option<SecretDigest>,
}

impl Seats {
    /// The seat of a side.
    #[must_use]
    pub const fn seat(&self, side: Side) -> &Seat {
        match side {
            Side::Proposer => &self.proposer,
            Side::Opponent => &self.opponent,
        }
    }

    /// These seats with another seat of a side.
    #[must_use]
    pub fn with(mut self, side: Side, seat: Seat) -> Self {
        match side {
            Side::Proposer => self.proposer = seat,
            Side::Opponent => self.opponent = seat,
        }
        self
    }
}

/// The arbitrator rights that a request proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArbitratorRights {
    /// The request presents none.
    #[default]
    Missing,
    /// The request presents a wrong arbitrator token.
    Wrong,
    /// The request presents the arbitrator token.
    Token,
    /// The request is a form of a session with arbitrator rights.
    Session,
}

impl ArbitratorRights {
    /// The author of a ruling with these rights; none if they are not proven.
    #[must_use]
    pub const fn author(self) -> Option<&'static str> {
        match self {
            Self::Missing | Self::Wrong => None,
            Self::Token => Some(ARBITRATOR),
            Self::Session => Some(WEB),
        }
    }
}

/// The credentials of a request to a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Credentials {
    /// The digest of the seat token.
    pub seat: Option<SecretDigest>,
    /// The digest of the invite.
    pub invite: Option<SecretDigest>,
    /// The arbitrator rights.
    pub arbitrator: ArbitratorRights,
}

/// The reason why a request to a debate with seats is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeatRefusal {
    /// The request has no credential for the role.
    #[error("this debate has seats; the request has no credential of the {0}")]
    Required(Role),
    /// The credential is not that of the role.
    #[error("the credential is not that of the {role} of this debate")]
    Invalid {
        /// The role that the request needs.
        role: Role,
        /// The name of the present holder.
        holder: Option<String>,
    },
    /// Another participant holds the seat.
    #[error("the seat of the {} is taken by {}", Role::from(*side), holder.name.as_str())]
    Taken {
        /// The side of the seat.
        side: Side,
        /// The present holder.
        holder: SeatHolder,
    },
    /// The seat can be taken only with the invite or arbitrator rights.
    #[error("the seat of the {} can be taken only with the invite of the debate", Role::from(*.0))]
    InviteRequired(Side),
    /// The token holds the other seat of the debate.
    #[error("the token already holds the seat of the {}", Role::from(*.0))]
    Conflict(Side),
    /// The debate has no seats.
    #[error("the debate has no seats")]
    NotSeated,
}

/// The author of an action of `role`, if the credentials prove the role.
pub fn check_role(
    seats: &Seats,
    role: Role,
    credentials: &Credentials,
) -> Result<String, SeatRefusal> {
    match role {
        Role::Proposer => check_seat(seats, Side::Proposer, credentials),
        Role::Opponent => check_seat(seats, Side::Opponent, credentials),
        Role::Arbitrator => check_arbitrator(credentials).map(str::to_owned),
    }
}

/// The author of an action of the arbitrator, if the credentials prove arbitrator rights.
pub const fn check_arbitrator(credentials: &Credentials) -> Result<&'static str, SeatRefusal> {
    match (credentials.arbitrator, credentials.arbitrator.author()) {
        (_, Some(author)) => Ok(author),
        (ArbitratorRights::Wrong, None) => {
            Err(SeatRefusal::Invalid { role: Role::Arbitrator, holder: None })
        }
        (_, None) => Err(SeatRefusal::Required(Role::Arbitrator)),
    }
}

fn check_seat(seats: &Seats, side: Side, credentials: &Credentials) -> Result<String, SeatRefusal> {
    let token = credentials.seat.ok_or(SeatRefusal::Required(side.into()))?;
    let holder = seats.seat(side).holder();
    match holder.filter(|holder| holder.token == token) {
        Some(holder) => Ok(holder.name.as_str().to_owned()),
        None => Err(SeatRefusal::Invalid {
            role: side.into(),
            holder: holder.map(|holder| holder.name.as_str().to_owned()),
        }),
    }
}

/// Whether a seat change was made now or by an earlier request with the same token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatDecision {
    /// The seat becomes this one.
    Change(Seat),
    /// The seat stays as it is.
    Unchanged,
}

/// Gives a free seat to `holder`. A repeat with the same token changes nothing.
pub fn take_seat(
    seats: &Seats,
    side: Side,
    holder: SeatHolder,
    credentials: &Credentials,
) -> Result<SeatDecision, SeatRefusal> {
    if seats.seat(side.other()).is_held_by(holder.token) {
        return Err(SeatRefusal::Conflict(side.other()));
    }
    let needs_invite = match (seats.seat(side), side) {
        (Seat::Taken(present), _) if present.token == holder.token => {
            return Ok(SeatDecision::Unchanged);
        }
        (Seat::Taken(present), _) => {
            return Err(SeatRefusal::Taken { side, holder: present.clone() });
        }
        // The plan's author left; a stranger must not continue in the author's role.
        (Seat::Released, Side::Proposer) => true,
        (Seat::Released, Side::Opponent) | (Seat::Open, _) => seats.invite.is_some(),
    };
    let is_invited = seats.invite.is_some() && seats.invite == credentials.invite;
    if needs_invite && !is_invited && credentials.arbitrator.author().is_none() {
        return Err(SeatRefusal::InviteRequired(side));
    }
    Ok(SeatDecision::Change(Seat::Taken(holder)))
}

/// Releases a seat for its holder or the arbitrator. Releasing a free seat changes nothing.
pub fn release_seat(
    seats: &Seats,
    side: Side,
    credentials: &Credentials,
) -> Result<SeatDecision, SeatRefusal> {
    if seats.seat(side).holder().is_none() {
        return Ok(SeatDecision::Unchanged);
    }
    if credentials.arbitrator.author().is_none() {
        check_seat(seats, side, credentials)?;
    }
    Ok(SeatDecision::Change(Seat::Released))
}
