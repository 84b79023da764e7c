//! The changed seats of a batch as columns.

use debate_core::arena::{Head, Seat, Side};
use uuid::Uuid;

use super::changes::Params;
use crate::arena::side_name;

#[derive(Debug, Default)]
pub(super) struct SeatColumns {
    debates: Vec<Uuid>,
    sides: Vec<&'static str>,
    holders: Vec<Option<String>>,
    tokens: Vec<Option<Vec<u8>>>,
    times: Vec<Option<i64>>,
    changes: Vec<Option<i64>>,
}

impl SeatColumns {
    pub(super) const UPSERT: &'static str =
        "insert into seats (debate_id, side, holder, token, since)
         select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::bigint[])
         on conflict (debate_id, side) do update
         set holder = excluded.holder, token = excluded.token, since = excluded.since";

    pub(super) const COUNT_CHANGES: &'static str =
        "update debates set seat_changes = counted.changes
         from unnest($1::uuid[], $2::bigint[]) as counted (id, changes)
         where debates.id = counted.id and debates.seat_changes <> counted.changes";

    /// Adds a seat in its final state; a seat that was never taken has no row.
    pub(super) fn push(&mut self, head: &Head, side: Side) {
        let holder = match head.seats.as_ref().map(|seats| seats.seat(side)) {
            None | Some(Seat::Open) => return,
            Some(Seat::Taken(holder)) => Some(holder),
            Some(Seat::Released) => None,
        };
        self.debates.push(head.debate.id.uuid());
        self.sides.push(side_name(side));
        self.holders.push(holder.map(|holder| holder.name.as_str().to_owned()));
        self.tokens.push(holder.map(|holder| holder.token.as_bytes().to_vec()));
        self.times.push(holder.map(|holder| holder.since.as_microsecond()));
        self.changes.push(head.debate.seat_changes.map(i64::from));
    }

    /// The parameters of [`Self::UPSERT`]; none without changes.
    pub(super) fn params(&self) -> Option<Params<'_>> {
        let params: Params<'_> =
            vec![&self.debates, &self.sides, &self.holders, &self.tokens, &self.times];
        (!self.debates.is_empty()).then_some(params)
    }

    /// The parameters of [`Self::COUNT_CHANGES`]; none without changes.
    pub(super) fn count_params(&self) -> Option<Params<'_>> {
        let params: Params<'_> = vec![&self.debates, &self.changes];
        (!self.debates.is_empty()).then_some(params)
    }
}
