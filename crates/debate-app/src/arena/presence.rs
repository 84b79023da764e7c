//! The time of the last request of each seat holder, in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::arena::SecretDigest;
use jiff::Timestamp;

/// The most tokens that are remembered. Before the next one is added, the older half is forgotten.
const KNOWN_MAX: usize = 8192;

/// The time of the last request with each seat token. Empty after a restart. A wrong token is
/// remembered too and belongs to no seat.
#[derive(Debug, Clone, Default)]
pub struct Presence(Arc<Mutex<HashMap<SecretDigest, Timestamp>>>);

impl Presence {
    /// Remembers a request with this token.
    pub fn note(&self, token: SecretDigest, at: Timestamp) {
        let mut known = self.known();
        if known.len() >= KNOWN_MAX && !known.contains_key(&token) {
            let mut times: Vec<Timestamp> = known.values().copied().collect();
            let (_, median, _) = times.select_nth_unstable(KNOWN_MAX / 2);
            let median = *median;
            known.retain(|_, seen| *seen > median);
        }
        known.insert(token, at);
    }

    /// The time of the last request with this token.
    #[must_use]
    pub fn last_seen(&self, token: SecretDigest) -> Option<Timestamp> {
        self.known().get(&token).copied()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SecretDigest, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn newer_half_is_known_after_the_limit() {
        let presence = Presence::default();
        let at = |second: usize| {
            let second = i64::try_from(second).expect("it is small");
            Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)
        };
        let token = |number: usize| SecretDigest::from_secret(&number.to_string());
        for number in 0..=KNOWN_MAX {
            presence.note(token(number), at(number));
        }
        assert_eq!(presence.last_seen(token(KNOWN_MAX)), Some(at(KNOWN_MAX)));
        assert_eq!(presence.last_seen(token(KNOWN_MAX - 1)), Some(at(KNOWN_MAX - 1)));
        assert_eq!(presence.last_seen(token(0)), None);
        assert!(presence.known().len() <= KNOWN_MAX);
    }
}
