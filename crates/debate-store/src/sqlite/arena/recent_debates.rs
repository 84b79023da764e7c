//! The writer's cache of the debates that it wrote to last.
//!
//! The server has one writer, so the cached state of a debate is current and the next claim needs
//! no lookup. Like SQLite's own page cache it is dropped after a rollback, and when another program
//! has changed the file.

use std::collections::HashMap;

use debate_core::arena::Head;
use debate_core::{ArgumentId, DebateId};

/// Maximum number of cached debates. Before the next one is added, the cache is emptied; a server
/// with fewer active debates never reaches the limit.
const KNOWN_MAX: usize = 4096;

#[derive(Default)]
pub(in super::super) struct RecentDebates {
    debates: HashMap<DebateId, CachedDebate>,
}

struct CachedDebate {
    head: Head,
    /// Two arguments of the debate: the newest, and the last target that was looked up. The target
    /// of a reply is nearly always one of these.
    newest: Option<ArgumentId>,
    last_target: Option<ArgumentId>,
}

impl RecentDebates {
    pub(super) fn head(&self, debate: DebateId) -> Option<&Head> {
        self.debates.get(&debate).map(|known| &known.head)
    }

    pub(super) fn has(&self, debate: DebateId, argument: ArgumentId) -> bool {
        self.debates.get(&debate).is_some_and(|known| {
            known.newest == Some(argument) || known.last_target == Some(argument)
        })
    }

    pub(super) fn remember_head(&mut self, head: Head) {
        if let Some(known) = self.debates.get_mut(&head.debate.id) {
            known.head = head;
            return;
        }
        if self.debates.len() >= KNOWN_MAX {
            self.forget_all();
        }
        self.debates.insert(head.debate.id, CachedDebate { head, newest: None, last_target: None });
    }

    pub(super) fn remember_newest(&mut self, debate: DebateId, argument: ArgumentId) {
        if let Some(known) = self.debates.get_mut(&debate) {
            known.newest = Some(argument);
        }
    }

    pub(super) fn remember_target(&mut self, debate: DebateId, argument: ArgumentId) {
        if let Some(known) = self.debates.get_mut(&debate) {
            known.last_target = Some(argument);
        }
    }

    pub(super) fn forget(&mut self, debate: DebateId) {
        self.debates.remove(&debate);
    }

    pub(in super::super) fn forget_all(&mut self) {
        self.debates.clear();
    }
}

#[cfg(test)]
mod tests {
    use debate_core::Seq;
    use debate_core::arena::{Debate, DebateType, State};
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn id(number: usize) -> DebateId {
        DebateId::new(Uuid::from_u128(u128::try_from(number).unwrap()))
    }

    fn head(number: usize) -> Head {
        let debate = Debate {
            id: id(number),
            title: "On the plan".to_owned(),
            debate_type: DebateType::General,
            state: State::AwaitingOpponent,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            slug: format!("on-the-plan-{number:04}"),
            seat_changes: None,
        };
        Head { debate, last_seq: Seq::FIRST, auto_ruling: None, seats: None, seat_fields: None }
    }

    #[test]
    fn cache_is_emptied_at_its_limit() {
        let mut recent = RecentDebates::default();
        for number in 0..=KNOWN_MAX {
            recent.remember_head(head(number));
            assert_eq!(recent.head(id(number)).map(|head| head.debate.id), Some(id(number)));
            assert!(recent.debates.len() <= KNOWN_MAX);
        }
        assert!(recent.head(id(0)).is_none());
    }

    #[test]
    fn cache_holds_the_newest_argument_and_the_last_target_of_each_debate() {
        let [newest, target, other] = [1, 2, 3].map(|id| ArgumentId::new(Uuid::from_u128(id)));
        let mut recent = RecentDebates::default();
        recent.remember_newest(id(1), newest);
        assert!(!recent.has(id(1), newest), "the debate is not cached");
        recent.remember_head(head(1));
        recent.remember_head(head(2));
        recent.remember_newest(id(1), newest);
        recent.remember_target(id(1), target);
        recent.remember_head(head(1));
        let known = [newest, target, other].map(|argument| recent.has(id(1), argument));
        assert_eq!(known, [true, true, false]);
        assert!(!recent.has(id(2), newest));
        recent.forget(id(1));
        assert!(!recent.has(id(1), newest));
    }
}
