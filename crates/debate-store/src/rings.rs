//! Whom a transaction must tell, once it is committed.

use std::collections::BTreeSet;

use debate_app::{Hub, Subject};

/// So many ids fit into one notice, which PostgreSQL limits to 8,000 bytes.
const IDS_A_NOTICE: usize = 200;

/// Gathered by each request of a transaction, rung once it is committed.
#[derive(Debug, Default)]
pub(crate) struct Rings(Vec<Subject>);

impl Rings {
    /// Whoever listens to `subject` is to be told.
    pub(crate) fn moved(&mut self, subject: impl Into<Subject>) {
        self.0.push(subject.into());
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What moved, as often as it did.
    pub(crate) fn subjects(&self) -> &[Subject] {
        &self.0
    }

    /// Rings for everything that moved. After the commit, never before.
    pub(crate) fn ring(&self, hub: &Hub) {
        for &subject in &self.0 {
            hub.ring(subject);
        }
    }

    /// What other processes are told, in the name of this one.
    pub(crate) fn notices(&self, process: &str) -> Vec<String> {
        let named = self.0.iter().map(|subject| subject.uuid()).collect::<BTreeSet<_>>();
        let ids: Vec<String> = named.iter().map(|id| id.simple().to_string()).collect();
        ids.chunks(IDS_A_NOTICE).map(|ids| format!("{process}:{}", ids.join(","))).collect()
    }
}
