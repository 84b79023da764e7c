//! Rows of seats, once for both engines.

use debate_app::StoreError;
use debate_core::DebateId;
use debate_core::arena::{Head, HolderName, Role, Seat, SeatHolder, Seats, SecretDigest, Side};
use jiff::Timestamp;

use crate::sql::{Row, undecodable};

/// A row of `seats`.
pub(crate) struct SeatRow {
    pub(crate) debate: DebateId,
    pub(crate) side: Side,
    pub(crate) seat: Seat,
}

impl SeatRow {
    /// Builds the row from its columns. A row without a holder is a released seat.
    pub(crate) fn new(
        debate: DebateId,
        side: &str,
        holder: Option<String>,
        token: Option<[u8; 32]>,
        since: Option<Timestamp>,
    ) -> Result<Self, StoreError> {
        let side = parse_side(side).ok_or_else(|| undecodable(format!("unknown side {side:?}")))?;
        let seat = match (holder, token, since) {
            (Some(name), Some(token), Some(since)) => {
                let (name, token) =
                    (HolderName::from_stored(name), SecretDigest::from_bytes(token));
                Seat::Taken(SeatHolder { name, token, since })
            }
            (None, None, None) => Seat::Released,
            (_, _, _) => return Err(undecodable("incomplete seat holder")),
        };
        Ok(Self { debate, side, seat })
    }

    /// Adds the seat to its debate, which must have seats.
    pub(crate) fn add_to(self, head: &mut Head) -> Result<(), StoreError> {
        let seats =
            head.seats.take().ok_or_else(|| undecodable("seat of a debate without seats"))?;
        head.seats = Some(seats.with(self.side, self.seat));
        Ok(())
    }
}

/// Decodes a row of `seats` by the names of its columns.
pub(crate) fn seat_row(row: &Row) -> Result<SeatRow, StoreError> {
    let (debate, side) = (DebateId::new(row.id("debate_id")?), row.text("side")?);
    let (holder, token) = (row.maybe_text("holder")?, row.maybe_digest("token")?);
    SeatRow::new(debate, &side, holder, token, row.maybe_time("since")?)
}

/// The seats of a debate without rows in `seats`; none for a debate without seats.
pub(crate) fn open_seats(seat_changes: Option<u32>, invite: Option<[u8; 32]>) -> Option<Seats> {
    let invite = invite.map(SecretDigest::from_bytes);
    seat_changes.map(|_| Seats { proposer: Seat::Open, opponent: Seat::Open, invite })
}

/// The name of a side in the stores.
pub(crate) fn side_name(side: Side) -> &'static str {
    Role::from(side).name()
}

fn parse_side(name: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|side| side_name(*side) == name)
}
