//! The writes of a batch as columns: one statement per table for any number of rows.

use std::collections::{HashMap, HashSet};

use debate_core::arena::{Debate, Head, Side, StoredArgument};
use debate_core::{ArgumentId, DebateId, SearchText};
use jiff::Timestamp;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::listen::NOTIFY;
use super::seat_columns::SeatColumns;
use crate::arena::CounterChanges;

/// The parameters of one statement.
pub(in super::super) type Params<'c> = Vec<&'c (dyn ToSql + Sync)>;

#[derive(Debug, Default)]
pub(in super::super) struct Changes {
    opened: DebateColumns,
    arguments: ArgumentColumns,
    /// Debates that have new arguments.
    changed: HashSet<DebateId>,
    states: StateColumns,
    /// Seats that have changed.
    changed_seats: HashSet<(DebateId, Side)>,
    seats: SeatColumns,
    tombstones: TombstoneColumns,
    counts: CounterColumns,
    notices: Vec<String>,
}

#[derive(Debug, Default)]
struct DebateColumns {
    ids: Vec<Uuid>,
    titles: Vec<String>,
    types: Vec<&'static str>,
    states: Vec<&'static str>,
    auto_rulings: Vec<Option<bool>>,
    times: Vec<i64>,
    folded: Vec<String>,
    slugs: Vec<String>,
    seat_changes: Vec<Option<i64>>,
    invites: Vec<Option<Vec<u8>>>,
    seat_fields: Vec<Option<Vec<u8>>>,
}

#[derive(Debug, Default)]
struct StateColumns {
    ids: Vec<Uuid>,
    states: Vec<&'static str>,
    last_seqs: Vec<i64>,
    times: Vec<i64>,
}

#[derive(Debug, Default)]
struct TombstoneColumns {
    ids: Vec<Uuid>,
    times: Vec<i64>,
    slugs: Vec<String>,
}

#[derive(Debug, Default)]
struct CounterColumns {
    buckets: Vec<&'static str>,
    changes: Vec<i64>,
    slot: i16,
}

impl Changes {
    /// The statements in the order in which they are sent; `params` returns their parameters.
    pub(in super::super) const STATEMENTS: [&'static str; 11] = [
        "insert into debates
             (id, title, debate_type, state, last_seq, auto_ruling, created_at, updated_at, slug,
              seat_changes, invite, seat_fields)
         select id, title, type, state, 1, auto_ruling, at, at, slug, seat_changes, invite,
                seat_fields
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::bigint[],
                     $7::text[], $8::bigint[], $9::bytea[], $10::bytea[])
             as opened (id, title, type, state, auto_ruling, at, slug, seat_changes, invite,
                        seat_fields)",
        Self::REFUSE_DELETED,
        Self::INSERT_SEARCH,
        ArgumentColumns::INSERT,
        "update debates set state = moved.state, last_seq = moved.last_seq, updated_at = moved.at
         from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
             as moved (id, state, last_seq, at)
         where debates.id = moved.id",
        SeatColumns::UPSERT,
        SeatColumns::COUNT_CHANGES,
        "delete from debates where id = any($1)",
        "insert into deleted_debates (id, deleted_at, slug)
         select * from unnest($1::uuid[], $2::bigint[], $3::text[]) on conflict (id) do nothing",
        Self::COUNT,
        NOTIFY,
    ];

    /// Does nothing, unless another process has opened and deleted a debate with one of these ids
    /// or slugs since the batch was loaded: a second row for its tombstone violates the primary
    /// key. The batch is then tried again, and finds the tombstone.
    const REFUSE_DELETED: &'static str = "insert into deleted_debates (id, deleted_at)
         select id, deleted_at from deleted_debates where id = any($1) or slug = any($2)";

    pub(super) const INSERT_SEARCH: &'static str = "insert into debate_search (debate_id, folded)
         select * from unnest($1::uuid[], $2::text[])";

    /// Ordered by bucket, so that transactions on the same slot lock its rows in the same order.
    pub(super) const COUNT: &'static str = "insert into debate_counts (bucket, slot, debates)
         select bucket, $3, change from unnest($1::text[], $2::bigint[]) as counted (bucket, change)
         order by bucket
         on conflict (bucket, slot)
             do update set debates = debate_counts.debates + excluded.debates";

    /// The parameters of each statement; none for a statement that would change nothing.
    pub(in super::super) fn params(&self) -> [Option<Params<'_>>; 11] {
        let Self { opened: o, states: s, tombstones: t, counts: c, .. } = self;
        [
            o.params(),
            some(&o.ids, vec![&o.ids, &o.slugs]),
            some(&o.ids, vec![&o.ids, &o.folded]),
            self.arguments.params(),
            some(&s.ids, vec![&s.ids, &s.states, &s.last_seqs, &s.times]),
            self.seats.params(),
            self.seats.count_params(),
            some(&t.ids, vec![&t.ids]),
            some(&t.ids, vec![&t.ids, &t.times, &t.slugs]),
            some(&c.buckets, vec![&c.buckets, &c.changes, &c.slot]),
            some(&self.notices, vec![&self.notices]),
        ]
    }

    pub(super) fn add_debate(&mut self, head: &Head, motion: &str) {
        let debate = head.debate.id;
        self.opened.push(head, motion);
        // Seats that were never taken get no row.
        self.changed_seats.extend(Side::ALL.map(|side| (debate, side)));
    }

    pub(super) fn add_argument(&mut self, entry: &StoredArgument) {
        self.arguments.push(entry);
    }

    pub(super) fn save_state(&mut self, debate: DebateId) {
        self.changed.insert(debate);
    }

    pub(super) fn save_seat(&mut self, debate: DebateId, side: Side) {
        self.changed_seats.insert((debate, side));
    }

    pub(super) fn delete_debate(&mut self, debate: &Debate, at: Timestamp) {
        self.tombstones.ids.push(debate.id.uuid());
        self.tombstones.times.push(at.as_microsecond());
        self.tombstones.slugs.push(debate.slug.clone());
    }

    /// Adds the final state of each changed debate and seat, the counters, and the notices for
    /// other processes.
    pub(super) fn finish(
        &mut self,
        heads: &HashMap<DebateId, Head>,
        counters: &CounterChanges,
        slot: i16,
        notices: Vec<String>,
    ) {
        for head in self.changed.iter().filter_map(|debate| heads.get(debate)) {
            self.states.ids.push(head.debate.id.uuid());
            self.states.states.push(head.debate.state.name());
            self.states.last_seqs.push(i64::from(head.last_seq.number()));
            self.states.times.push(head.debate.updated_at.as_microsecond());
        }
        for (debate, side) in &self.changed_seats {
            if let Some(head) = heads.get(debate) {
                self.seats.push(head, *side);
            }
        }
        (self.counts.buckets, self.counts.changes) = counters.counts().unzip();
        self.counts.slot = slot;
        self.notices = notices;
    }
}

impl DebateColumns {
    fn push(&mut self, head: &Head, motion: &str) {
        let Head { debate, auto_ruling, seats, seat_fields, .. } = head;
        let invite = seats.as_ref().and_then(|seats| seats.invite);
        self.ids.push(debate.id.uuid());
        self.titles.push(debate.title.clone());
        self.types.push(debate.debate_type.name());
        self.states.push(debate.state.name());
        self.auto_rulings.push(*auto_ruling);
        self.times.push(debate.created_at.as_microsecond());
        self.folded.push(SearchText::haystack(&debate.title, motion));
        self.slugs.push(debate.slug.clone());
        self.seat_changes.push(debate.seat_changes.map(i64::from));
        self.invites.push(invite.map(|digest| digest.as_bytes().to_vec()));
        self.seat_fields.push(seat_fields.map(|print| print.as_bytes().to_vec()));
    }

    fn params(&self) -> Option<Params<'_>> {
        let params: Params<'_> = vec![
            &self.ids,
            &self.titles,
            &self.types,
            &self.states,
            &self.auto_rulings,
            &self.times,
            &self.slugs,
            &self.seat_changes,
            &self.invites,
            &self.seat_fields,
        ];
        some(&self.ids, params)
    }
}

fn some<'c, T>(rows: &[T], params: Params<'c>) -> Option<Params<'c>> {
    (!rows.is_empty()).then_some(params)
}

/// The columns of new arguments.
#[derive(Debug, Default)]
struct ArgumentColumns {
    ids: Vec<Uuid>,
    debates: Vec<Uuid>,
    parents: Vec<Option<Uuid>>,
    kinds: Vec<&'static str>,
    roles: Vec<&'static str>,
    contents: Vec<String>,
    keys: Vec<Option<String>>,
    fingerprints: Vec<Option<Vec<u8>>>,
    seqs: Vec<i64>,
    states: Vec<&'static str>,
    times: Vec<i64>,
    authors: Vec<Option<String>>,
}

impl ArgumentColumns {
    const INSERT: &'static str = "insert into arguments
             (id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint, seq,
              state_after, created_at, author)
         select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[],
             $6::text[], $7::text[], $8::bytea[], $9::bigint[], $10::text[], $11::bigint[],
             $12::text[])";

    fn push(&mut self, entry: &StoredArgument) {
        let StoredArgument { argument, fingerprint } = entry;
        self.ids.push(argument.id.uuid());
        self.debates.push(argument.debate.uuid());
        self.parents.push(argument.parent.map(ArgumentId::uuid));
        self.kinds.push(argument.kind.name());
        self.roles.push(argument.role.name());
        self.contents.push(argument.content.clone());
        self.keys.push(argument.request_key.clone());
        self.fingerprints.push(fingerprint.as_ref().map(|print| print.as_bytes().to_vec()));
        self.seqs.push(i64::from(argument.seq.number()));
        self.states.push(argument.state_after.name());
        self.times.push(argument.created_at.as_microsecond());
        self.authors.push(argument.by.clone());
    }

    /// The parameters of [`Self::INSERT`]; none without arguments.
    fn params(&self) -> Option<Params<'_>> {
        let params: Params<'_> = vec![
            &self.ids,
            &self.debates,
            &self.parents,
            &self.kinds,
            &self.roles,
            &self.contents,
            &self.keys,
            &self.fingerprints,
            &self.seqs,
            &self.states,
            &self.times,
            &self.authors,
        ];
        (!self.ids.is_empty()).then_some(params)
    }
}
