//! Sessions that were revoked, and one-time login codes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use debate_app::{SessionStore, Sessions, StoreError, SystemClock};
use debate_core::SessionDigest;
use futures_util::future::try_join_all;
use jiff::{SignedDuration, Timestamp};

use crate::engine::Engine;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn session(number: u8) -> SessionDigest {
    SessionDigest::new([number; 32])
}

fn after(seconds: i64) -> Timestamp {
    NOW + SignedDuration::from_secs(seconds)
}

pub(crate) async fn revoked_session_is_found_and_no_other(engine: &Engine) {
    let store = &engine.sessions;
    assert!(!store.is_session_revoked(session(1)).await.expect("it can be asked"));
    for _ in 0..2 {
        store.revoke_session(session(1), after(60), NOW).await.expect("it is revoked");
    }
    assert!(store.is_session_revoked(session(1)).await.expect("it can be asked"));
    assert!(!store.is_session_revoked(session(2)).await.expect("it can be asked"));
}

pub(crate) async fn revocation_is_removed_once_the_session_has_expired(engine: &Engine) {
    let store = &engine.sessions;
    for (number, expires) in [(1, 60), (2, 61)] {
        store.revoke_session(session(number), after(expires), NOW).await.expect("it is revoked");
    }
    store.revoke_session(session(3), after(1000), after(60)).await.expect("it is revoked");
    let mut kept = Vec::new();
    for number in 1..=3 {
        kept.push(store.is_session_revoked(session(number)).await.expect("it can be asked"));
    }
    assert_eq!(kept, [false, true, true]);
}

/// The engine's store, with a count of its reads.
struct Counted {
    store: Arc<dyn SessionStore>,
    asked: AtomicUsize,
}

#[async_trait]
impl SessionStore for Counted {
    async fn revoke_session(
        &self,
        session: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.revoke_session(session, expires, now).await
    }

    async fn is_session_revoked(&self, session: SessionDigest) -> Result<bool, StoreError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.store.is_session_revoked(session).await
    }

    async fn add_login_code(
        &self,
        code: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.add_login_code(code, expires, now).await
    }

    async fn use_login_code(
        &self,
        code: SessionDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.store.use_login_code(code, now).await
    }
}

fn process(engine: &Engine) -> (Sessions, Arc<Counted>) {
    let store = Arc::clone(&engine.sessions);
    let counted = Arc::new(Counted { store, asked: AtomicUsize::new(0) });
    (Sessions::new(counted.clone(), Arc::new(SystemClock)), counted)
}

pub(crate) async fn revocation_holds_at_once_in_its_process_without_asking_again(engine: &Engine) {
    let (sessions, store) = process(engine);
    let expires = Timestamp::now() + SignedDuration::from_hours(1);
    for _ in 0..5 {
        assert!(!sessions.is_revoked(session(1)).await.expect("it can be asked"));
    }
    let asked = store.asked.load(Ordering::Relaxed);
    assert!(asked < 5, "the answer is remembered");
    let waiting = tokio::spawn({
        let sessions = sessions.clone();
        async move { sessions.wait_until_revoked(session(1)).await }
    });
    sessions.revoke(session(1), expires).await.expect("it is revoked");
    waiting.await.expect("it hears of it");
    for _ in 0..5 {
        assert!(sessions.is_revoked(session(1)).await.expect("it can be asked"));
    }
    assert!(!sessions.is_revoked(session(2)).await.expect("it can be asked"));
}

pub(crate) async fn login_code_is_valid_once(engine: &Engine) {
    let store = &engine.sessions;
    for number in [1, 2] {
        store.add_login_code(session(number), after(60), NOW).await.expect("it is stored");
    }
    let mut answers = Vec::new();
    for number in [1, 1, 3, 2, 2] {
        answers.push(store.use_login_code(session(number), NOW).await.expect("it can be asked"));
    }
    assert_eq!(answers, [true, false, false, true, false]);
    assert!(!store.is_session_revoked(session(1)).await.expect("a code is not a session"));
}

pub(crate) async fn login_code_expires(engine: &Engine) {
    let store = &engine.sessions;
    for (used_at, is_valid) in [(59, true), (60, false), (61, false)] {
        store.add_login_code(session(1), after(60), NOW).await.expect("it is stored");
        let used = store.use_login_code(session(1), after(used_at)).await;
        assert_eq!(used.expect("it can be asked"), is_valid, "{used_at}");
        let again = store.use_login_code(session(1), NOW).await.expect("it can be asked");
        assert!(!again, "an expired code is deleted too");
    }
}

pub(crate) async fn expired_login_codes_are_removed_with_the_next_one(engine: &Engine) {
    let store = &engine.sessions;
    for (number, expires) in [(1, 60), (2, 61)] {
        store.add_login_code(session(number), after(expires), NOW).await.expect("it is stored");
    }
    store.add_login_code(session(3), after(1000), after(60)).await.expect("it is stored");
    let mut kept = Vec::new();
    for number in 1..=3 {
        // Asked at a time at which all of them would be valid.
        kept.push(store.use_login_code(session(number), NOW).await.expect("it can be asked"));
    }
    assert_eq!(kept, [false, true, true]);
}

pub(crate) async fn login_code_is_used_by_one_of_several_parallel_requests(engine: &Engine) {
    let store = &engine.sessions;
    for number in 1..=10 {
        store.add_login_code(session(number), after(60), NOW).await.expect("it is stored");
        let uses = (0..8).map(|_| store.use_login_code(session(number), NOW));
        let used = try_join_all(uses).await.expect("it can be asked");
        assert_eq!(used.iter().filter(|is_valid| **is_valid).count(), 1, "{number}");
    }
}

pub(crate) async fn revocation_reaches_another_process_within_seconds(engine: &Engine) {
    let ((one, _), (other, _)) = (process(engine), process(engine));
    assert!(!other.is_revoked(session(1)).await.expect("it can be asked"));
    let expires = Timestamp::now() + SignedDuration::from_hours(1);
    one.revoke(session(1), expires).await.expect("it is revoked");
    let heard = tokio::time::timeout(Duration::from_mins(1), other.wait_until_revoked(session(1)));
    heard.await.expect("it hears of it");
    assert!(other.is_revoked(session(1)).await.expect("it can be asked"));
}
