//! Seats of a debate: requests, responses, events and headers.

use debate_core::arena;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Side;
use crate::render_time;

/// Header with the token of a seat: `aws_` and 43 characters of base64url.
pub const SEAT_HEADER: &str = "debate-seat";

/// Header with the invite of a debate: `awi_` and 43 characters of base64url.
pub const INVITE_HEADER: &str = "debate-invite";

/// Header with the arbitrator token of the server: `awa_` and 43 characters of base64url.
pub const ARBITRATOR_HEADER: &str = "debate-arbitrator";

/// Credential of a participant in a debate with seats.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct SeatHeader {
    /// Token of the role's seat: `aws_` and 43 characters of base64url. Needed in a debate with
    /// seats only.
    #[param(rename = "Debate-Seat")]
    pub debate_seat: Option<String>,
}

/// Secrets that a client makes for a new debate or a new seat.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct NewSeatHeader {
    /// Token for the new seat: `aws_` and 43 characters of base64url, 256 random bits. The request
    /// can be repeated with the same token. Without this header the server makes a token and
    /// returns it.
    #[param(rename = "Debate-Seat", pattern = "^aws_[A-Za-z0-9_-]{43}$")]
    pub debate_seat: Option<String>,
}

/// Secret that allows a participant to take a seat.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct InviteHeader {
    /// Invite of the debate: `awi_` and 43 characters of base64url. Needed for debates with
    /// `invite_only` only.
    #[param(rename = "Debate-Invite")]
    pub debate_invite: Option<String>,
}

/// Credential of the arbitrator.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct ArbitratorHeader {
    /// Arbitrator token of the server: `awa_` and 43 characters of base64url. It proves arbitrator
    /// rights in debates with seats.
    #[param(rename = "Debate-Arbitrator")]
    pub debate_arbitrator: Option<String>,
}

/// Path parameters of `/debates/{id}/seats/{role}`.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SeatPath {
    /// Id or slug of the debate, or the id that it had in the server it was migrated from.
    #[param(min_length = 1, example = "cache-the-index-k3f7")]
    pub id: String,
    /// Role of the seat: `proposer` or `opponent`.
    #[param(value_type = Side)]
    pub role: String,
}

/// Body of `POST /debates/{id}/seats/{role}`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TakeSeat {
    /// Name of the new holder, 1 to 80 printable characters. The names `web`, `server`,
    /// `arbitrator` and names that begin with `model ` are reserved.
    #[schema(min_length = 1, max_length = 80, example = "codex")]
    pub holder: String,
}

/// A seat that a request took or holds.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SeatGrant {
    /// Role that the holder of the seat plays.
    pub role: Side,
    /// Name of the holder.
    pub holder: String,
    /// Time at which the holder took the seat, UTC, `YYYY-MM-DD HH:MM:SS`.
    #[schema(example = "2026-11-15 20:29:30")]
    pub since: String,
    /// The token of the seat, if the request had no `Debate-Seat` header and the server made one.
    /// It is returned this one time only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<String>,
}

/// Result of taking a seat.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SeatResult {
    /// The seat that the request took, or already held.
    pub seat: SeatGrant,
}

/// Result of releasing a seat.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReleasedSeat {
    /// The seat, which is open now.
    pub seat: Seat,
}

/// Status of a seat:
/// - `open`: the seat can be taken.
/// - `taken`: a participant holds the seat.
/// - `hosted`: the server plays the role with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeatStatus {
    /// The seat can be taken.
    Open,
    /// A participant holds the seat.
    Taken,
    /// The server plays the role with a model.
    Hosted,
}

/// A seat of a debate, without its token.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Seat {
    /// Role that the holder of the seat plays.
    pub role: Side,
    /// Whether the seat is open, taken or hosted.
    pub status: SeatStatus,
    /// Name of the holder. Null for an open seat.
    #[schema(required = true)]
    pub holder: Option<String>,
    /// Time at which the holder took the seat, UTC, `YYYY-MM-DD HH:MM:SS`. Null for an open seat.
    #[schema(required = true, example = "2026-11-15 20:29:30")]
    pub since: Option<String>,
    /// Time of the last request with the token of the seat, UTC, `YYYY-MM-DD HH:MM:SS`. Null if the
    /// server has seen none since it started.
    #[schema(required = true, example = "2026-11-15 20:29:30")]
    pub last_seen: Option<String>,
}

impl Seat {
    /// A seat and the time of the last request of its holder.
    #[must_use]
    pub fn new(side: arena::Side, seat: &arena::Seat, last_seen: Option<Timestamp>) -> Self {
        let holder = seat.holder();
        Self {
            role: side.into(),
            status: if holder.is_some() { SeatStatus::Taken } else { SeatStatus::Open },
            holder: holder.map(|holder| holder.name.as_str().to_owned()),
            since: holder.map(|holder| render_time(holder.since)),
            last_seen: last_seen.map(render_time),
        }
    }
}

/// A change of a seat, as streams report it. Changes are not replayed: `GET /debates/{id}/seats` is
/// authoritative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeatChange {
    /// Role that the holder of the seat plays.
    pub role: Side,
    /// Status after the change.
    pub status: SeatStatus,
    /// Name of the holder. Null for an open seat.
    #[schema(required = true)]
    pub holder: Option<String>,
}

impl SeatChange {
    /// A seat after a change.
    #[must_use]
    pub fn new(side: arena::Side, seat: &arena::Seat) -> Self {
        let Seat { role, status, holder, .. } = Seat::new(side, seat, None);
        Self { role, status, holder }
    }
}
