//! Sessions that ended before their time: revoked at logout, whatever copies of the cookie exist.
//!
//! A session cookie is signed and valid without the store, so the store holds only the revoked
//! sessions. Its answer is cached for [`REMEMBERED`], so that requests of one session read the
//! store once in that time. A revocation takes effect at once in the process that made it, and in
//! another process on the same database when the cached answer expires.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use debate_core::SessionDigest;
use jiff::Timestamp;
use tokio::sync::watch;

use crate::{Clock, StoreError};

/// Duration for which the store's answer is cached, and the interval at which an
/// open stream asks again.
pub const REMEMBERED: Duration = Duration::from_secs(2);

/// The most sessions that are remembered. Beyond that the store is asked more often.
const REMEMBERED_MAX: usize = 4096;

/// Storage of revoked sessions.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Revokes a session that would have expired at `expires`, and removes revocations of sessions
    /// that have expired by `now`. To revoke a session again changes nothing.
    async fn revoke_session(
        &self,
        session: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Whether the session was revoked.
    async fn is_session_revoked(&self, session: SessionDigest) -> Result<bool, StoreError>;

    /// Stores a one-time code until `expires`, and removes codes that have expired by `now`.
    async fn add_login_code(
        &self,
        code: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Deletes a one-time code. Returns whether it existed and had not expired by `now`.
    async fn use_login_code(&self, code: SessionDigest, now: Timestamp)
    -> Result<bool, StoreError>;
}

/// The revoked sessions; cheap to clone.
#[derive(Clone)]
pub struct Sessions(Arc<Shared>);

struct Shared {
    store: Arc<dyn SessionStore>,
    clock: Arc<dyn Clock>,
    remembered: Mutex<HashMap<SessionDigest, CachedStatus>>,
    /// Changes with each revocation of this process.
    revoked: watch::Sender<()>,
}

/// The status of a session as the store last returned it.
#[derive(Debug, Clone, Copy)]
struct CachedStatus {
    is_revoked: bool,
    at: Instant,
}

impl CachedStatus {
    /// A revocation is final and stays current.
    fn is_current(&self) -> bool {
        self.is_revoked || self.at.elapsed() < REMEMBERED
    }
}

impl Sessions {
    /// Sessions whose revocations are stored in `store`.
    #[must_use]
    pub fn new(store: Arc<dyn SessionStore>, clock: Arc<dyn Clock>) -> Self {
        let (remembered, revoked) = (Mutex::default(), watch::Sender::new(()));
        Self(Arc::new(Shared { store, clock, remembered, revoked }))
    }

    /// Revokes a session that would have expired at `expires`.
    pub async fn revoke(
        &self,
        session: SessionDigest,
        expires: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.store.revoke_session(session, expires, self.0.clock.now()).await?;
        self.remember(session, true);
        self.0.revoked.send_replace(());
        Ok(())
    }

    /// Stores a one-time code that is valid for `lifetime`.
    pub async fn add_login_code(
        &self,
        code: SessionDigest,
        lifetime: Duration,
    ) -> Result<(), StoreError> {
        let now = self.0.clock.now();
        let expires = now.saturating_add(lifetime).unwrap_or(now);
        self.0.store.add_login_code(code, expires, now).await
    }

    /// Uses a one-time code up. Returns whether it was valid.
    pub async fn use_login_code(&self, code: SessionDigest) -> Result<bool, StoreError> {
        self.0.store.use_login_code(code, self.0.clock.now()).await
    }

    /// Whether the session was revoked. While the store does not answer, its last answer counts,
    /// however old; without one this fails.
    pub async fn is_revoked(&self, session: SessionDigest) -> Result<bool, StoreError> {
        let known = self.cache().get(&session).copied();
        if let Some(answer) = known.filter(CachedStatus::is_current) {
            return Ok(answer.is_revoked);
        }
        match (self.0.store.is_session_revoked(session).await, known) {
            (Ok(is_revoked), _) => Ok(self.remember(session, is_revoked)),
            (Err(_), Some(answer)) => Ok(answer.is_revoked),
            (Err(err), None) => Err(err),
        }
    }

    /// Returns once the session is revoked: at once if this process revoked it, otherwise within
    /// twice the duration of [`REMEMBERED`].
    pub async fn wait_until_revoked(&self, session: SessionDigest) {
        // Subscribed before the first read, so that no revocation in between is missed.
        let mut revoked = self.0.revoked.subscribe();
        while !self.is_revoked(session).await.unwrap_or(false) {
            // Both outcomes lead to another read: the sender lives as long as `self`.
            let _ = tokio::time::timeout(REMEMBERED, revoked.changed()).await;
        }
    }

    /// Remembers the answer and returns it; a revocation that came meanwhile wins.
    fn remember(&self, session: SessionDigest, is_revoked: bool) -> bool {
        let mut remembered = self.cache();
        if remembered.len() >= REMEMBERED_MAX && !remembered.contains_key(&session) {
            remembered.retain(|_, answer| !answer.is_revoked && answer.is_current());
            if remembered.len() >= REMEMBERED_MAX {
                remembered.clear();
            }
        }
        let answer = CachedStatus { is_revoked, at: Instant::now() };
        let entry = remembered.entry(session).or_insert(answer);
        if !entry.is_revoked {
            *entry = answer;
        }
        entry.is_revoked
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<SessionDigest, CachedStatus>> {
        self.0.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
