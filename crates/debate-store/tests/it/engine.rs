//! A storage engine under test, with short ways to say what most tests begin with.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use debate_app::arena::{
    ArenaError, ArenaStore, Transcript, TranscriptLimit, WriteOutcome, WrittenArgument,
};
use debate_app::forum::ForumStore;
use debate_app::runner::RunnerStore;
use debate_app::{
    Notification, Notifier, RateWindows, SessionStore, Storage, Subscription, WaiterLimits,
};
use debate_core::arena::{Argument, Draft, Move, NewDebate};
use debate_core::{DebateId, Seq};
use futures_util::FutureExt;
use tokio::time::timeout;

use crate::support::{append, debate_id, draft, instant, open, opening};

/// A store, the notifier it notifications, and whatever must live as long as they do.
pub(crate) struct Engine {
    pub(crate) store: Arc<dyn ArenaStore>,
    /// The same, as the runner sees it.
    pub(crate) runs: Arc<dyn RunnerStore>,
    /// The same, as the forum sees it.
    pub(crate) forum: Arc<dyn ForumStore>,
    /// The same, as the health check sees it.
    pub(crate) storage: Arc<dyn Storage>,
    /// The rate windows of a server on this store.
    pub(crate) windows: Arc<dyn RateWindows>,
    /// The same, as revoked sessions are kept in it.
    pub(crate) sessions: Arc<dyn SessionStore>,
    pub(crate) notifier: Arc<Notifier>,
    /// A folder, a server: dropped after the store.
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
    pub(crate) async fn opened(&self, number: u32) -> DebateId {
        self.opened_as(opening(number)).await.debate.id
    }

    pub(crate) async fn opened_as(&self, opening: NewDebate) -> WrittenArgument {
        let written = self.store.open(open(opening, 0)).await.expect("the id is free");
        assert_eq!(written.outcome, WriteOutcome::Fresh);
        written
    }

    /// Adds a draft, at the second of its own number.
    pub(crate) async fn added(&self, debate: DebateId, number: u32, mv: Move) -> WrittenArgument {
        self.added_as(debate, draft(number, mv), number).await
    }

    pub(crate) async fn added_as(
        &self,
        debate: DebateId,
        draft: Draft,
        second: u32,
    ) -> WrittenArgument {
        let written = self.store.append(append(debate, draft, second)).await.expect("it is legal");
        assert_eq!(written.outcome, WriteOutcome::Fresh);
        written
    }

    /// Tries a draft, at a second later than any other of these tests.
    pub(crate) async fn tried(
        &self,
        debate: DebateId,
        draft: Draft,
    ) -> Result<WrittenArgument, ArenaError> {
        self.store.append(append(debate, draft, 1_000_000)).await
    }

    /// Opens debate `number`, and makes these moves in it: drafts 100 × `number` and on.
    pub(crate) async fn played(&self, number: u32, moves: &[Move]) -> DebateId {
        let debate = self.opened(number).await;
        for (number, &mv) in (100 * number..).zip(moves) {
            self.added(debate, number, mv).await;
        }
        debate
    }

    /// Opens debate 1 and lets the two sides answer each other so many times: drafts 1 to `count`.
    pub(crate) async fn long_debate(&self, count: u32) -> DebateId {
        let debate = self.opened(1).await;
        for number in 1..=count {
            self.added(debate, number, turn(number)).await;
        }
        debate
    }

    /// Deletes a debate, at a second later than any other of these tests.
    pub(crate) async fn delete(&self, debate: DebateId) -> Result<(), ArenaError> {
        self.store.delete(debate, instant(2_000_000)).await
    }

    /// A debate as a reader without limit sees it first.
    pub(crate) async fn seen(&self, debate: DebateId) -> Transcript {
        self.store.transcript(debate, TranscriptLimit::All).await.expect("the debate exists")
    }

    /// All that was said, motion first, page after page.
    pub(crate) async fn log(&self, debate: DebateId) -> Vec<Argument> {
        let first = self.seen(debate).await;
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

    pub(crate) fn listen(&self, debate: DebateId) -> Subscription {
        self.notifier.subscribe(debate).expect("the notifier has room")
    }
}

/// A notifier with room for every test.
pub(crate) fn notifier() -> Arc<Notifier> {
    Notifier::new(WaiterLimits { waiters_max: 1000, waiters_per_debate_max: 1000 })
}

/// What comes of `future`, which is sure to come: the deadline only turns a hang into a failure.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_mins(1), future).await.expect("nothing here hangs")
}

/// Waits until `condition` holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    let watch = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    in_time(watch).await;
}

/// Whether a subscription has rung since it was last asked.
pub(crate) fn has_changed(subscription: &mut Subscription) -> bool {
    subscription.changed().now_or_never() == Some(Notification::Changed)
}

/// Whose turn the `number`th answer to a motion is, while nobody appeals.
pub(crate) const fn turn(number: u32) -> Move {
    if number % 2 == 1 { crate::support::OPPOSE } else { crate::support::PROPOSE }
}

/// A debate that was never opened.
pub(crate) fn nowhere() -> DebateId {
    debate_id(999_999)
}

/// Every place from the motion to `last`.
pub(crate) fn places(last: u32) -> Vec<Seq> {
    (1..=last).map(Seq::new).collect()
}
