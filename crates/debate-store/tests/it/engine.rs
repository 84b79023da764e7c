//! A storage engine under test, with helpers for the first steps of most tests.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use debate_app::arena::{
    ArenaError, ArenaStore, DeleteDebate, Transcript, TranscriptLimit, WriteOutcome,
    WrittenArgument,
};
use debate_app::forum::ForumStore;
use debate_app::runner::RunnerStore;
use debate_app::{
    Notification, Notifier, RateWindows, SessionStore, Storage, Subscription, WaiterLimits,
};
use debate_core::arena::{Argument, Credentials, Draft, Move, NewDebate};
use debate_core::{DebateId, Seq};
use futures_util::FutureExt;
use tokio::time::timeout;

use crate::support::{append, debate_id, draft, instant, open, opening};

/// A store, its notifier, and the values that must outlive both.
pub(crate) struct Engine {
    pub(crate) store: Arc<dyn ArenaStore>,
    /// The same store as the runner's port.
    pub(crate) runs: Arc<dyn RunnerStore>,
    /// The same store as the forum's port.
    pub(crate) forum: Arc<dyn ForumStore>,
    /// The same store as the port of the health check.
    pub(crate) storage: Arc<dyn Storage>,
    /// The rate windows of a server on this store.
    pub(crate) windows: Arc<dyn RateWindows>,
    /// The same store as the port of revoked sessions.
    pub(crate) sessions: Arc<dyn SessionStore>,
    pub(crate) notifier: Arc<Notifier>,
    /// A directory or a server, dropped after the store.
    _home: Box<dyn Any>,
}

impl Engine {
    pub(crate) fn new<S>(store: S, notifier: Arc<Notifier>, home: Box<dyn Any>) -> Self
    where
        S: ArenaStore + RunnerStore + ForumStore + Storage + RateWindows + SessionStore + 'static,
    {
        let store = Arc::new(store);
        Self {
            store: store.clone(),
            runs: store.clone(),
            forum: store.clone(),
            storage: store.clone(),
            windows: store.clone(),
            sessions: store,
            notifier,
            _home: home,
        }
    }

    /// Opens debate `number` at second 0.
    pub(crate) async fn open_debate(&self, number: u32) -> DebateId {
        self.open_debate_as(opening(number)).await.debate.id
    }

    pub(crate) async fn open_debate_as(&self, opening: NewDebate) -> WrittenArgument {
        let written = self.store.open(open(opening, 0)).await.expect("the id is free");
        assert_eq!(written.outcome, WriteOutcome::Fresh);
        written
    }

    /// Adds a draft, at the second of its own number.
    pub(crate) async fn add_argument(
        &self,
        debate: DebateId,
        number: u32,
        mv: Move,
    ) -> WrittenArgument {
        self.add_draft(debate, draft(number, mv), number).await
    }

    pub(crate) async fn add_draft(
        &self,
        debate: DebateId,
        draft: Draft,
        second: u32,
    ) -> WrittenArgument {
        let written = self.store.append(append(debate, draft, second)).await.expect("it is legal");
        assert_eq!(written.outcome, WriteOutcome::Fresh);
        written
    }

    /// Tries a draft at a time after all others of the tests.
    pub(crate) async fn try_argument(
        &self,
        debate: DebateId,
        draft: Draft,
    ) -> Result<WrittenArgument, ArenaError> {
        self.store.append(append(debate, draft, 1_000_000)).await
    }

    /// Opens debate `number` and makes these moves: drafts 100 × `number` and up.
    pub(crate) async fn play_moves(&self, number: u32, moves: &[Move]) -> DebateId {
        let debate = self.open_debate(number).await;
        for (number, &mv) in (100 * number..).zip(moves) {
            self.add_argument(debate, number, mv).await;
        }
        debate
    }

    /// Opens debate 1 with `count` claims of alternating sides: drafts 1 to `count`.
    pub(crate) async fn open_long_debate(&self, count: u32) -> DebateId {
        let debate = self.open_debate(1).await;
        for number in 1..=count {
            self.add_argument(debate, number, turn(number)).await;
        }
        debate
    }

    /// Deletes a debate at a time after all others of the tests.
    pub(crate) async fn delete(&self, debate: DebateId) -> Result<(), ArenaError> {
        let (credentials, at) = (Credentials::default(), instant(2_000_000));
        self.store.delete(DeleteDebate { debate, credentials, at }).await
    }

    /// The first page of a transcript without a limit.
    pub(crate) async fn transcript(&self, debate: DebateId) -> Transcript {
        self.store.transcript(debate, TranscriptLimit::All).await.expect("the debate exists")
    }

    /// All arguments of all pages, motion first.
    pub(crate) async fn arguments(&self, debate: DebateId) -> Vec<Argument> {
        let first = self.transcript(debate).await;
        let mut rest = first.rest();
        let through = first.through;
        let mut log = vec![first.motion];
        log.extend(first.arguments);
        while let Some(after) = rest {
            let page = self.store.page(debate, after, through).await.expect("it is still there");
            let last = page.last().expect("a page before the end is not empty").seq;
            log.extend(page);
            rest = (last < through).then_some(last);
        }
        log
    }

    pub(crate) fn subscribe(&self, debate: DebateId) -> Subscription {
        self.notifier.subscribe(debate).expect("the notifier has room")
    }
}

/// A notifier with limits that no test reaches.
pub(crate) fn notifier() -> Arc<Notifier> {
    Notifier::new(WaiterLimits { waiters_max: 1000, waiters_per_debate_max: 1000 })
}

/// The result of `future`. The deadline only turns a hang into a failure.
pub(crate) async fn with_deadline<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_mins(1), future).await.expect("nothing here hangs")
}

/// Waits until `condition` holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    let watch = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    with_deadline(watch).await;
}

/// Whether a subscription was notified since the last call.
pub(crate) fn has_changed(subscription: &mut Subscription) -> bool {
    subscription.changed().now_or_never() == Some(Notification::Changed)
}

/// The side of the `number`th claim, if no argument is an appeal.
pub(crate) const fn turn(number: u32) -> Move {
    if number % 2 == 1 { crate::support::OPPOSE } else { crate::support::PROPOSE }
}

/// A debate that was never opened.
pub(crate) fn missing_debate() -> DebateId {
    debate_id(999_999)
}

/// All sequence numbers from the motion to `last`.
pub(crate) fn seqs_up_to(last: u32) -> Vec<Seq> {
    (1..=last).map(Seq::new).collect()
}
