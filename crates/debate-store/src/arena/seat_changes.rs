//! Changes of seats, once for both engines.

use debate_app::arena::{ArenaError, ReleaseSeat, TakeSeat, TakenSeat, WriteOutcome};
use debate_core::DebateId;
use debate_core::arena::{self, Head, Seat, SeatDecision, SeatRefusal, Seats, Side};

use super::ledger::{Ledger, load_head, refuse};

/// Takes a free seat. A repeat with the same token changes nothing.
pub(crate) fn take_seat<L: Ledger>(
    ledger: &mut L,
    take: &TakeSeat,
) -> Result<TakenSeat, ArenaError> {
    let TakeSeat { debate, side, holder, credentials } = take;
    let (head, seats) = load_seats(ledger, *debate)?;
    let decision = arena::take_seat(&seats, *side, holder.clone(), credentials);
    match decision.map_err(refuse(*debate))? {
        SeatDecision::Change(seat) => {
            change_seat(ledger, head, seats, (*side, seat))?;
            Ok(TakenSeat { holder: holder.clone(), outcome: WriteOutcome::Fresh })
        }
        SeatDecision::Unchanged => {
            let present = seats.seat(*side).holder().unwrap_or(holder).clone();
            Ok(TakenSeat { holder: present, outcome: WriteOutcome::Replayed })
        }
    }
}

/// Releases a seat for its holder or the arbitrator. Releasing a free seat changes nothing.
pub(crate) fn release_seat<L: Ledger>(
    ledger: &mut L,
    release: &ReleaseSeat,
) -> Result<(), ArenaError> {
    let ReleaseSeat { debate, side, credentials } = release;
    let (head, seats) = load_seats(ledger, *debate)?;
    let decision = arena::release_seat(&seats, *side, credentials);
    match decision.map_err(refuse(*debate))? {
        SeatDecision::Change(seat) => change_seat(ledger, head, seats, (*side, seat)),
        SeatDecision::Unchanged => Ok(()),
    }
}

fn load_seats<L: Ledger>(ledger: &mut L, debate: DebateId) -> Result<(Head, Seats), ArenaError> {
    let mut head = load_head(ledger, debate)?;
    let seats = head.seats.take().ok_or(SeatRefusal::NotSeated).map_err(refuse(debate))?;
    Ok((head, seats))
}

/// Saves the new seat and counts the change. The time of the debate's last change stays.
fn change_seat<L: Ledger>(
    ledger: &mut L,
    mut head: Head,
    seats: Seats,
    (side, seat): (Side, Seat),
) -> Result<(), ArenaError> {
    head.seats = Some(seats.with(side, seat));
    head.debate.seat_changes = head.debate.seat_changes.map(|changes| changes.saturating_add(1));
    ledger.save_seat(&head, side).map_err(Into::into)?;
    ledger.notifications().add(head.debate.id);
    Ok(())
}
