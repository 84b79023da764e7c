//! The notifier under real threads: a waiter that reads after it subscribes misses no write.
//!
//! The deadlines here only turn a hang into a failure; nothing depends on how long anything takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use debate_app::{Notification, Notifier};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{debate, notifier, poll_changed};

const ROUNDS: u32 = 400;
const WRITERS: u32 = 2;
const WRITES_EACH: u32 = 25;
const LAST: u32 = WRITERS * WRITES_EACH;
const HANG: Duration = Duration::from_mins(1);

/// A debate reduced to the number of its writes and a notifier.
struct WriteCounter {
    notifier: Arc<Notifier>,
    written: AtomicU32,
}

impl WriteCounter {
    /// As a store does it: write first, then notify.
    async fn write_all(self: Arc<Self>) {
        for _ in 0..WRITES_EACH {
            self.written.fetch_add(1, Ordering::SeqCst);
            self.notifier.notify(debate(1));
            tokio::task::yield_now().await;
        }
    }

    /// As the use case does it: subscribe, read, and only then wait, with one subscription.
    async fn wait_with_one_subscription(self: Arc<Self>) {
        let mut subscription = self.notifier.subscribe(debate(1)).expect("there is room");
        while self.written.load(Ordering::SeqCst) < LAST {
            let notification =
                timeout(HANG, subscription.changed()).await.expect("the last write was announced");
            assert_eq!(notification, Notification::Changed);
        }
    }

    /// As a polling client does it: a new subscription for each read.
    async fn wait_with_a_subscription_each(self: Arc<Self>) {
        loop {
            let mut subscription = self.notifier.subscribe(debate(1)).expect("there is room");
            if self.written.load(Ordering::SeqCst) == LAST {
                return;
            }
            timeout(HANG, subscription.changed()).await.expect("the last write was announced");
        }
    }

    /// Subscribes and drops without waiting to the end, so that channels are created and removed.
    async fn subscribe_and_drop(self: Arc<Self>) {
        while self.written.load(Ordering::SeqCst) < LAST {
            let mut subscription = self.notifier.subscribe(debate(1)).expect("there is room");
            poll_changed(&mut subscription);
            drop(subscription);
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_waiter_misses_the_last_write_while_others_subscribe_and_drop() {
    for round in 0..ROUNDS {
        let counter = Arc::new(WriteCounter { notifier: notifier(), written: AtomicU32::new(0) });
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&counter).wait_with_one_subscription());
        tasks.spawn(Arc::clone(&counter).wait_with_a_subscription_each());
        tasks.spawn(Arc::clone(&counter).subscribe_and_drop());
        for _ in 0..WRITERS {
            tasks.spawn(Arc::clone(&counter).write_all());
        }
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
        assert_eq!(
            (counter.notifier.waiter_count(), counter.notifier.watched_count()),
            (0, 0),
            "round {round}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_waiter_is_not_counted() {
    let notifier = notifier();
    for _ in 0..ROUNDS {
        let mut tasks = JoinSet::new();
        for number in 0..4 {
            let mut subscription = notifier.subscribe(debate(number % 2)).unwrap();
            tasks.spawn(async move { subscription.changed().await });
        }
        notifier.notify(debate(0));
        tasks.shutdown().await;
        assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn close_during_subscriptions_leaves_no_waiter() {
    for _ in 0..ROUNDS {
        let notifier = notifier();
        let mut tasks = JoinSet::new();
        for number in 0..4 {
            let notifier = Arc::clone(&notifier);
            tasks.spawn(async move {
                let mut subscription = notifier.subscribe(debate(number)).expect("there is room");
                timeout(HANG, subscription.changed()).await.expect("the close frees everyone")
            });
        }
        notifier.close();
        while let Some(notification) = tasks.join_next().await {
            assert_eq!(notification.unwrap(), Notification::Closing);
        }
        assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
    }
}
