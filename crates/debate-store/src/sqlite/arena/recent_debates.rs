//! What the writer still knows of the debates it wrote to last.
//!
//! Nobody else writes, so a debate stands where the writer left it, and need not be looked up for
//! the next claim. This is worth what SQLite's own cache of pages is worth, and is dropped when
//! that is: after a rollback, and when a stranger has changed the file.

use std::collections::HashMap;

use debate_core::arena::Head;
use debate_core::{ArgumentId, DebateId};

/// With so many known, all are forgotten before the next one. Whoever has more debates in use at
/// once looks some of them up again; a server with fewer never comes here.
const KNOWN_MAX: usize = 4096;

#[derive(Default)]
pub(in super::super) struct RecentDebates {
    debates: HashMap<DebateId, Known>,
}

struct Known {
    head: Head,
    /// Two arguments of the debate: the one said last, and the one asked for last. Who answers,
    /// answers one of these nearly always.
    newest: Option<ArgumentId>,
    asked_for: Option<ArgumentId>,
}

impl RecentDebates {
    pub(super) fn head(&self, debate: DebateId) -> Option<&Head> {
        self.debates.get(&debate).map(|known| &known.head)
    }

    pub(super) fn has(&self, debate: DebateId, argument: ArgumentId) -> bool {
        self.debates.get(&debate).is_some_and(|known| {
            known.newest == Some(argument) || known.asked_for == Some(argument)
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
        self.debates.insert(head.debate.id, Known { head, newest: None, asked_for: None });
    }

    pub(super) fn remember_newest(&mut self, debate: DebateId, argument: ArgumentId) {
        if let Some(known) = self.debates.get_mut(&debate) {
            known.newest = Some(argument);
        }
    }

    pub(super) fn remember_target(&mut self, debate: DebateId, argument: ArgumentId) {
        if let Some(known) = self.debates.get_mut(&debate) {
            known.asked_for = Some(argument);
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
        };
        Head { debate, last_seq: Seq::FIRST, auto_ruling: None }
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        let mut recent = RecentDebates::default();
        for number in 0..=KNOWN_MAX {
            recent.remember_head(head(number));
            assert_eq!(recent.head(id(number)).map(|head| head.debate.id), Some(id(number)));
            assert!(recent.debates.len() <= KNOWN_MAX);
        }
        assert!(recent.head(id(0)).is_none());
    }

    #[test]
    fn an_argument_is_at_home_where_it_was_said_or_found_and_nowhere_else() {
        let [said, found, neither] = [1, 2, 3].map(|id| ArgumentId::new(Uuid::from_u128(id)));
        let mut recent = RecentDebates::default();
        recent.remember_newest(id(1), said);
        assert!(!recent.has(id(1), said), "nothing is known of the debate");
        recent.remember_head(head(1));
        recent.remember_head(head(2));
        recent.remember_newest(id(1), said);
        recent.remember_target(id(1), found);
        recent.remember_head(head(1));
        let known = [said, found, neither].map(|argument| recent.has(id(1), argument));
        assert_eq!(known, [true, true, false]);
        assert!(!recent.has(id(2), said));
        recent.forget(id(1));
        assert!(!recent.has(id(1), said));
    }
}
