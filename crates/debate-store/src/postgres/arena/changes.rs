//! The writes of a batch as columns: one statement per table for any number of rows.

use std::collections::{HashMap, HashSet};

use debate_core::arena::{Debate, Head, StoredArgument};
use debate_core::{ArgumentId, DebateId, SearchText};
use jiff::Timestamp;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::listen::NOTIFY;
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
}

#[derive(Debug, Default)]
struct CounterColumns {
    buckets: Vec<&'static str>,
    changes: Vec<i64>,
    slot: i16,
}

impl Changes {
    /// The statements in the order in which they are sent; `params` returns their parameters.
    pub(in super::super) const STATEMENTS: [&'static str; 9] = [
        "insert into debates
             (id, title, debate_type, state, last_seq, auto_ruling, created_at, updated_at)
         select id, title, type, state, 1, auto_ruling, at, at
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::bigint[])
             as opened (id, title, type, state, auto_ruling, at)",
        Self::REFUSE_DELETED,
        Self::INSERT_SEARCH,
        ArgumentColumns::INSERT,
        "update debates set state = moved.state, last_seq = moved.last_seq, updated_at = moved.at
         from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
             as moved (id, state, last_seq, at)
         where debates.id = moved.id",
        "delete from debates where id = any($1)",
        "insert into deleted_debates (id, deleted_at)
         select * from unnest($1::uuid[], $2::bigint[]) on conflict (id) do nothing",
        Self::COUNT,
        NOTIFY,
    ];

    /// Does nothing, unless another process has opened and deleted one of these debates since the
    /// batch was loaded: a second row for its tombstone violates the primary key. The batch is then
    /// tried again, and finds the tombstone.
    const REFUSE_DELETED: &'static str = "insert into deleted_debates (id, deleted_at)
         select id, deleted_at from deleted_debates where id = any($1)";

    pub(super) const INSERT_SEARCH: &'static str = "insert into debate_search (debate_id, folded)
         select * from unnest($1::uuid[], $2::text[])";

    /// Ordered by bucket, so that transactions on the same slot lock its rows in the same order.
    pub(super) const COUNT: &'static str = "insert into debate_counts (bucket, slot, debates)
         select bucket, $3, change from unnest($1::text[], $2::bigint[]) as counted (bucket, change)
         order by bucket
         on conflict (bucket, slot)
             do update set debates = debate_counts.debates + excluded.debates";

    /// The parameters of each statement; none for a statement that would change nothing.
    pub(in super::super) fn params(&self) -> [Option<Params<'_>>; 9] {
        let Self { opened: o, states: s, tombstones: t, counts: c, .. } = self;
        [
            some(&o.ids, vec![&o.ids, &o.titles, &o.types, &o.states, &o.auto_rulings, &o.times]),
            some(&o.ids, vec![&o.ids]),
            some(&o.ids, vec![&o.ids, &o.folded]),
            self.arguments.params(),
            some(&s.ids, vec![&s.ids, &s.states, &s.last_seqs, &s.times]),
            some(&t.ids, vec![&t.ids]),
            some(&t.ids, vec![&t.ids, &t.times]),
            some(&c.buckets, vec![&c.buckets, &c.changes, &c.slot]),
            some(&self.notices, vec![&self.notices]),
        ]
    }

    pub(super) fn add_debate(&mut self, debate: &Debate, auto_ruling: Option<bool>, motion: &str) {
        let opened = &mut self.opened;
        opened.ids.push(debate.id.uuid());
        opened.titles.push(debate.title.clone());
        opened.types.push(debate.debate_type.name());
        opened.states.push(debate.state.name());
        opened.auto_rulings.push(auto_ruling);
        opened.times.push(debate.created_at.as_microsecond());
        opened.folded.push(SearchText::haystack(&debate.title, motion));
    }

    pub(super) fn add_argument(&mut self, entry: &StoredArgument) {
        self.arguments.push(entry);
    }

    pub(super) fn save_state(&mut self, debate: DebateId) {
        self.changed.insert(debate);
    }

    pub(super) fn delete_debate(&mut self, debate: DebateId, at: Timestamp) {
        self.tombstones.ids.push(debate.uuid());
        self.tombstones.times.push(at.as_microsecond());
    }

    /// Adds the final state of each changed debate, the counters, and the
    /// notices for other processes.
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
        (self.counts.buckets, self.counts.changes) = counters.counts().unzip();
        self.counts.slot = slot;
        self.notices = notices;
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
}

impl ArgumentColumns {
    const INSERT: &'static str = "insert into arguments
             (id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint, seq,
              state_after, created_at)
         select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[],
             $6::text[], $7::text[], $8::bytea[], $9::bigint[], $10::text[], $11::bigint[])";

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
        ];
        (!self.ids.is_empty()).then_some(params)
    }
}
