//! The seats of a debate: its participants, and the panel for its free seats.

use debate_app::arena::{Arena, ArenaError};
use debate_core::arena::{Debate, Role, Seat, Seats, Side, State};
use debate_render::arena::{agent_instructions, join_command, role_label};
use debate_render::visible;

use super::view::DebateRow;
use crate::frame::PageRequest;
use crate::time::Seen;

/// One side of a debate with seats.
#[derive(Debug)]
pub(crate) struct Participant {
    pub(crate) role: &'static str,
    /// The name of the holder; none if the seat is free.
    pub(crate) name: Option<String>,
    /// The time of the holder's last request, while the debate is not closed.
    pub(crate) seen: Option<Seen>,
}

/// A seat that can be taken.
pub(crate) struct FreeSeat {
    pub(crate) role: &'static str,
    /// The command that takes the seat.
    pub(crate) command: String,
    /// The instructions for an agent.
    pub(crate) prompt: String,
    /// The credential that taking the seat needs.
    pub(crate) condition: Option<&'static str>,
}

/// The seats of a debate, as its page shows them.
pub(super) struct SeatsView {
    pub(super) participants: Vec<Participant>,
    /// The free seats; none in a closed debate.
    pub(super) free: Vec<FreeSeat>,
}

impl SeatsView {
    /// Reads the seats; none for a debate without.
    pub(super) async fn load(
        arena: &Arena,
        request: &PageRequest,
        debate: &Debate,
    ) -> Result<Option<Self>, ArenaError> {
        let Some(seats) = read_seats(arena, debate).await? else { return Ok(None) };
        let is_closed = debate.state == State::Closed;
        let sides = Side::ALL.into_iter().filter(|_| !is_closed);
        let free = sides.filter_map(|side| FreeSeat::new(&seats, side, &debate.slug, request));
        Ok(Some(Self { free: free.collect(), participants: participants(arena, debate, &seats) }))
    }

    /// The heading of the panel for the free seats.
    pub(super) fn heading(&self) -> String {
        match self.free.as_slice() {
            [only] => format!("Waiting for {} {}", article(only.role), only.role),
            _ => "Waiting for both sides".to_owned(),
        }
    }
}

fn article(role: &str) -> &'static str {
    if role.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

impl FreeSeat {
    fn new(seats: &Seats, side: Side, slug: &str, request: &PageRequest) -> Option<Self> {
        let condition = match (seats.seat(side), side) {
            (Seat::Taken(_), _) => return None,
            (Seat::Released, Side::Proposer) => Some(
                "The last proposer released this seat. Taking it needs the invite of the debate or \
                 arbitrator rights.",
            ),
            (Seat::Released, Side::Opponent) | (Seat::Open, _) => seats.invite.map(|_| {
                "Only participants with the invite of this debate can take this seat: add --invite \
                 FILE to the command."
            }),
        };
        let role = Role::from(side).into();
        Some(Self {
            role: role_label(role),
            command: join_command(role, slug, &request.server),
            prompt: agent_instructions(role, slug, &request.server),
            condition,
        })
    }
}

fn participants(arena: &Arena, debate: &Debate, seats: &Seats) -> Vec<Participant> {
    let is_closed = debate.state == State::Closed;
    let participant = |side| {
        let seat = seats.seat(side);
        Participant {
            role: role_label(Role::from(side).into()),
            name: seat.holder().map(|holder| visible::line(holder.name.as_str())),
            seen: arena.last_seen(seat).filter(|_| !is_closed).map(Seen),
        }
    };
    Side::ALL.into_iter().map(participant).collect()
}

/// The seats of a debate; none for a debate without, and for one that was deleted meanwhile.
async fn read_seats(arena: &Arena, debate: &Debate) -> Result<Option<Seats>, ArenaError> {
    if debate.seat_changes.is_none() {
        return Ok(None);
    }
    match arena.seats(debate.id).await {
        Err(ArenaError::UnknownDebate(_)) => Ok(None),
        found => found,
    }
}

/// Debates as rows of a list, with their participants.
pub(super) async fn read_rows(
    arena: &Arena,
    debates: Vec<Debate>,
) -> Result<Vec<DebateRow>, ArenaError> {
    let mut rows = Vec::with_capacity(debates.len());
    for debate in debates {
        let seats = read_seats(arena, &debate).await?;
        let participants = seats.map(|seats| participants(arena, &debate, &seats));
        let participants = participants.unwrap_or_default();
        rows.push(DebateRow { participants, ..DebateRow::from(debate) });
    }
    Ok(rows)
}
