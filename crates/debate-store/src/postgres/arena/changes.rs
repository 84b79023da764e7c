//! Everything a batch writes, as columns: one statement a table, however many rows.

use std::collections::{HashMap, HashSet};

use debate_core::arena::{Debate, Head, StoredArgument};
use debate_core::{DebateId, SearchText};
use jiff::Timestamp;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::listen::NOTIFY;
use super::said::Said;
use crate::arena::Effects;

/// The parameters of one statement.
pub(in super::super) type Params<'c> = Vec<&'c (dyn ToSql + Sync)>;

#[derive(Debug, Default)]
pub(in super::super) struct Changes {
    opened: Opened,
    said: Said,
    /// Debates whose head is another at the end.
    moving: HashSet<DebateId>,
    moved: Moved,
    forgotten: Forgotten,
    counts: Counts,
    notices: Vec<String>,
}

#[derive(Debug, Default)]
struct Opened {
    ids: Vec<Uuid>,
    titles: Vec<String>,
    types: Vec<&'static str>,
    states: Vec<&'static str>,
    auto_rulings: Vec<Option<bool>>,
    times: Vec<i64>,
    folded: Vec<String>,
}

#[derive(Debug, Default)]
struct Moved {
    ids: Vec<Uuid>,
    states: Vec<&'static str>,
    last_seqs: Vec<i64>,
    times: Vec<i64>,
}

#[derive(Debug, Default)]
struct Forgotten {
    ids: Vec<Uuid>,
    times: Vec<i64>,
}

#[derive(Debug, Default)]
struct Counts {
    buckets: Vec<&'static str>,
    changes: Vec<i64>,
    slot: i16,
}

impl Changes {
    /// In the order they are sent; `params` gives what each takes.
    pub(in super::super) const STATEMENTS: [&'static str; 9] = [
        "insert into debates
             (id, title, debate_type, state, last_seq, auto_ruling, created_at, updated_at)
         select id, title, type, state, 1, auto_ruling, at, at
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::bigint[])
             as opened (id, title, type, state, auto_ruling, at)",
        Self::REFUSE_DELETED,
        Self::INSERT_SEARCH,
        Said::INSERT,
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

    /// Sorted, as the debates are: whoever shares the slot locks the rows in the same order.
    pub(super) const COUNT: &'static str = "insert into debate_counts (bucket, slot, debates)
         select bucket, $3, change from unnest($1::text[], $2::bigint[]) as counted (bucket, change)
         order by bucket
         on conflict (bucket, slot)
             do update set debates = debate_counts.debates + excluded.debates";

    /// What each statement takes; none for one that would do nothing.
    pub(in super::super) fn params(&self) -> [Option<Params<'_>>; 9] {
        let Self { opened: o, moved: m, forgotten: f, counts: c, .. } = self;
        [
            some(&o.ids, vec![&o.ids, &o.titles, &o.types, &o.states, &o.auto_rulings, &o.times]),
            some(&o.ids, vec![&o.ids]),
            some(&o.ids, vec![&o.ids, &o.folded]),
            self.said.params(),
            some(&m.ids, vec![&m.ids, &m.states, &m.last_seqs, &m.times]),
            some(&f.ids, vec![&f.ids]),
            some(&f.ids, vec![&f.ids, &f.times]),
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
        self.said.push(entry);
    }

    pub(super) fn move_on(&mut self, debate: DebateId) {
        self.moving.insert(debate);
    }

    pub(super) fn forget(&mut self, debate: DebateId, at: Timestamp) {
        self.forgotten.ids.push(debate.uuid());
        self.forgotten.times.push(at.as_microsecond());
    }

    /// Adds what only the end of a batch can tell: where each debate stands then, the counters,
    /// and the notices for other processes.
    pub(super) fn conclude(
        &mut self,
        heads: &HashMap<DebateId, Head>,
        effects: &Effects,
        slot: i16,
        notices: Vec<String>,
    ) {
        for head in self.moving.iter().filter_map(|debate| heads.get(debate)) {
            self.moved.ids.push(head.debate.id.uuid());
            self.moved.states.push(head.debate.state.name());
            self.moved.last_seqs.push(i64::from(head.last_seq.number()));
            self.moved.times.push(head.debate.updated_at.as_microsecond());
        }
        (self.counts.buckets, self.counts.changes) = effects.counts().unzip();
        self.counts.slot = slot;
        self.notices = notices;
    }
}

fn some<'c, T>(rows: &[T], params: Params<'c>) -> Option<Params<'c>> {
    (!rows.is_empty()).then_some(params)
}
