//! The rows that a batch has loaded, with the changes of its requests on top of them.

use std::collections::{HashMap, HashSet};

use debate_core::arena::{Debate, Head, NewDebate, Side, StoredArgument, slug_candidates};
use debate_core::{ArgumentId, DebateId, RequestKey, Seq};
use jiff::Timestamp;
use uuid::Uuid;

use super::super::batch_session::LoadedRows;
use super::changes::Changes;
use super::queued_write::QueuedWrite;
use super::rows;
use crate::arena::{CounterChanges, Ledger};
use crate::engine::EngineError;
use crate::notifications::Notifications;

/// The keys of all rows that a batch must load before it can decide.
#[derive(Debug, Default)]
pub(in super::super) struct Lookups {
    pub(in super::super) debates: Vec<Uuid>,
    pub(in super::super) keys: Vec<String>,
    pub(in super::super) key_debates: Vec<Uuid>,
    pub(in super::super) targets: Vec<Uuid>,
    /// Debates that the batch opens, whose ids may belong to deleted ones.
    pub(in super::super) opened: Vec<Uuid>,
    /// The slugs that these debates may get.
    pub(in super::super) slugs: Vec<String>,
}

impl Lookups {
    pub(in super::super) fn for_batch(batch: &[QueuedWrite]) -> Self {
        let mut lookups = Self::default();
        let mut debates = HashSet::new();
        for task in batch {
            debates.insert(task.debate().uuid());
            if let Some(key) = task.key() {
                lookups.keys.push(key.as_str().to_owned());
                lookups.key_debates.push(task.debate().uuid());
            }
            lookups.targets.extend(task.target().map(ArgumentId::uuid));
            if let Some(NewDebate { debate, title, .. }) = task.opening() {
                lookups.opened.push(debate.uuid());
                lookups.slugs.extend(slug_candidates(title.as_str(), *debate));
            }
        }
        lookups.debates = debates.into_iter().collect();
        lookups
    }
}

/// The loaded rows with the changes that the batch has made so far.
pub(in super::super) struct BatchState {
    heads: HashMap<DebateId, Head>,
    keys: HashMap<(DebateId, String), StoredArgument>,
    homes: HashMap<ArgumentId, DebateId>,
    deleted: HashSet<DebateId>,
    /// The slugs in use among those that opened debates may get.
    slugs: HashSet<String>,
    changes: Changes,
    counters: CounterChanges,
    notifications: Notifications,
}

impl BatchState {
    pub(in super::super) fn from_rows(loaded: &LoadedRows) -> Result<Self, EngineError> {
        let mut state = Self {
            heads: HashMap::new(),
            keys: HashMap::new(),
            homes: HashMap::new(),
            deleted: HashSet::new(),
            slugs: HashSet::new(),
            changes: Changes::default(),
            counters: CounterChanges::default(),
            notifications: Notifications::default(),
        };
        for row in &loaded.heads {
            let head = rows::head(row)?;
            state.heads.insert(head.debate.id, head);
        }
        for row in &loaded.keys {
            let entry = rows::stored_argument(row)?;
            state.add_key(&entry);
        }
        for row in &loaded.homes {
            let (argument, debate) = (row.try_get(0)?, row.try_get(1)?);
            state.homes.insert(ArgumentId::new(argument), DebateId::new(debate));
        }
        for row in &loaded.tombstones {
            state.deleted.insert(DebateId::new(row.try_get(0)?));
        }
        for row in &loaded.slugs {
            state.slugs.insert(row.try_get(0)?);
        }
        for row in &loaded.seats {
            let seat = rows::seat(row)?;
            if let Some(head) = state.heads.get_mut(&seat.debate) {
                seat.add_to(head).map_err(EngineError)?;
            }
        }
        Ok(state)
    }

    /// The changes to write, and the notifications that follow the commit.
    pub(in super::super) fn into_changes(
        mut self,
        slot: i16,
        process: &str,
    ) -> (Changes, Notifications) {
        self.changes.finish(
            &self.heads,
            &self.counters,
            slot,
            self.notifications.payloads(process),
        );
        (self.changes, self.notifications)
    }

    fn add_key(&mut self, entry: &StoredArgument) {
        if let Some(key) = &entry.argument.request_key {
            self.keys.insert((entry.argument.debate, key.clone()), entry.clone());
        }
    }
}

impl Ledger for BatchState {
    type Error = EngineError;

    fn head(&mut self, debate: DebateId) -> Result<Option<Head>, EngineError> {
        Ok(self.heads.get(&debate).cloned())
    }

    fn find_by_key(
        &mut self,
        debate: DebateId,
        key: &RequestKey,
    ) -> Result<Option<StoredArgument>, EngineError> {
        Ok(self.keys.get(&(debate, key.as_str().to_owned())).cloned())
    }

    fn find_debate(
        &mut self,
        argument: ArgumentId,
        _likely: DebateId,
    ) -> Result<Option<DebateId>, EngineError> {
        Ok(self.homes.get(&argument).copied())
    }

    fn is_slug_used(&mut self, slug: &str) -> Result<bool, EngineError> {
        Ok(self.slugs.contains(slug))
    }

    fn add_debate(&mut self, head: &Head, motion: &str) -> Result<(), EngineError> {
        self.changes.add_debate(head, motion);
        self.slugs.insert(head.debate.slug.clone());
        self.heads.insert(head.debate.id, head.clone());
        Ok(())
    }

    fn add_argument(&mut self, entry: &StoredArgument) -> Result<(), EngineError> {
        self.changes.add_argument(entry);
        self.homes.insert(entry.argument.id, entry.argument.debate);
        self.add_key(entry);
        Ok(())
    }

    fn save_state(&mut self, from: &Head, to: &Debate, last_seq: Seq) -> Result<(), EngineError> {
        self.changes.save_state(to.id);
        let head = Head { debate: to.clone(), last_seq, ..from.clone() };
        self.heads.insert(to.id, head);
        Ok(())
    }

    fn save_seat(&mut self, head: &Head, side: Side) -> Result<(), EngineError> {
        self.changes.save_seat(head.debate.id, side);
        self.heads.insert(head.debate.id, head.clone());
        Ok(())
    }

    fn is_deleted(&mut self, debate: DebateId) -> Result<bool, EngineError> {
        Ok(self.deleted.contains(&debate))
    }

    fn delete_debate(&mut self, head: &Head, at: Timestamp) -> Result<(), EngineError> {
        self.changes.delete_debate(&head.debate, at);
        self.heads.remove(&head.debate.id);
        self.deleted.insert(head.debate.id);
        Ok(())
    }

    fn counters(&mut self) -> &mut CounterChanges {
        &mut self.counters
    }

    fn notifications(&mut self) -> &mut Notifications {
        &mut self.notifications
    }
}
