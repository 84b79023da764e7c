//! The notifications of a transaction, sent after its commit.

use std::collections::BTreeSet;

use debate_app::{Notifier, Subject};

/// The number of ids that fit into one `NOTIFY` payload, which PostgreSQL limits to 8,000 bytes.
const IDS_PER_PAYLOAD: usize = 200;

/// The subjects that the requests of a transaction changed.
#[derive(Debug, Default)]
pub(crate) struct Notifications(Vec<Subject>);

impl Notifications {
    /// Records that `subject` changed.
    pub(crate) fn add(&mut self, subject: impl Into<Subject>) {
        self.0.push(subject.into());
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notifies the subscribers in this process. Must follow the commit.
    pub(crate) fn send(&self, notifier: &Notifier) {
        for &subject in &self.0 {
            notifier.notify(subject);
        }
    }

    /// The payloads for other processes, with the name of this process.
    pub(crate) fn payloads(&self, process: &str) -> Vec<String> {
        let changed = self.0.iter().map(|subject| subject.uuid()).collect::<BTreeSet<_>>();
        let ids: Vec<String> = changed.iter().map(|id| id.simple().to_string()).collect();
        ids.chunks(IDS_PER_PAYLOAD).map(|ids| format!("{process}:{}", ids.join(","))).collect()
    }
}
