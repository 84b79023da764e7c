//! Notifications: who receives them, and that closed channels are removed.

use debate_app::{Notification, Subject, TooManyWaiters};

use crate::support::{debate, notifier, notifier_for, poll_changed};

#[test]
fn subscriber_is_notified_of_a_later_change() {
    let notifier = notifier();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    notifier.notify(debate(1));
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Changed));
}

#[test]
fn subscriber_is_not_notified_of_an_earlier_change() {
    let notifier = notifier();
    let _earlier = notifier.subscribe(debate(1)).unwrap();
    notifier.notify(debate(1));
    let mut later = notifier.subscribe(debate(1)).unwrap();
    assert_eq!(poll_changed(&mut later), None);
}

#[test]
fn notify_without_subscribers_creates_no_channel() {
    let notifier = notifier();
    notifier.notify(debate(1));
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    assert_eq!(poll_changed(&mut subscription), None);
}

#[test]
fn notify_wakes_all_subscribers_of_its_subject_only() {
    let notifier = notifier();
    let mut here: Vec<_> = (0..10).map(|_| notifier.subscribe(debate(1)).unwrap()).collect();
    let mut elsewhere: Vec<_> =
        (2..12).map(|number| notifier.subscribe(debate(number)).unwrap()).collect();
    notifier.notify(debate(1));
    for subscription in &mut here {
        assert_eq!(poll_changed(subscription), Some(Notification::Changed));
    }
    for subscription in &mut elsewhere {
        assert_eq!(poll_changed(subscription), None);
    }
}

#[test]
fn several_notifications_are_received_as_one() {
    let notifier = notifier();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    for _ in 0..1000 {
        notifier.notify(debate(1));
    }
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Changed));
    assert_eq!(poll_changed(&mut subscription), None);
}

#[test]
fn later_notification_is_received_again() {
    let notifier = notifier();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    for _ in 0..3 {
        notifier.notify(debate(1));
        assert_eq!(poll_changed(&mut subscription), Some(Notification::Changed));
        assert_eq!(poll_changed(&mut subscription), None);
    }
}

/// A wait that is cancelled, for example by a deadline, must not consume the notification.
#[test]
fn cancelled_wait_loses_no_notification() {
    let notifier = notifier();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    assert_eq!(poll_changed(&mut subscription), None);
    notifier.notify(debate(1));
    drop(subscription.changed());
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Changed));
}

#[test]
fn channel_is_removed_with_its_last_subscription() {
    let notifier = notifier();
    let first = notifier.subscribe(debate(1)).unwrap();
    let second = notifier.subscribe(debate(1)).unwrap();
    let third = notifier.subscribe(debate(2)).unwrap();
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (3, 2));
    drop(first);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (2, 2));
    drop(second);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (1, 1));
    drop(third);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}

#[test]
fn removed_channel_can_be_created_again() {
    let notifier = notifier();
    drop(notifier.subscribe(debate(1)).unwrap());
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    notifier.notify(debate(1));
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Changed));
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (1, 1));
}

#[test]
fn limit_per_subject_is_enforced_and_freed_by_a_drop() {
    let notifier = notifier_for(10, 2);
    let first = notifier.subscribe(debate(1)).unwrap();
    let _second = notifier.subscribe(debate(1)).unwrap();
    assert_eq!(notifier.subscribe(debate(1)).unwrap_err(), TooManyWaiters);
    let _elsewhere = notifier.subscribe(debate(2)).unwrap();
    drop(first);
    let _third = notifier.subscribe(debate(1)).unwrap();
    assert_eq!(notifier.subscribe(debate(1)).unwrap_err(), TooManyWaiters);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (3, 2));
}

#[test]
fn total_limit_is_enforced_and_freed_by_a_drop() {
    let notifier = notifier_for(2, 2);
    let first = notifier.subscribe(debate(1)).unwrap();
    let _second = notifier.subscribe(debate(2)).unwrap();
    assert_eq!(notifier.subscribe(debate(3)).unwrap_err(), TooManyWaiters);
    drop(first);
    let _third = notifier.subscribe(debate(3)).unwrap();
    assert_eq!(notifier.subscribe(debate(1)).unwrap_err(), TooManyWaiters);
}

#[test]
fn refused_subscription_is_not_counted() {
    let notifier = notifier_for(1, 1);
    let only = notifier.subscribe(debate(1)).unwrap();
    for number in 1..100 {
        assert!(notifier.subscribe(debate(number)).is_err());
    }
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (1, 1));
    drop(only);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}

#[test]
fn close_wakes_every_subscriber() {
    let notifier = notifier();
    let mut subscriptions: Vec<_> =
        (0..10).map(|number| notifier.subscribe(debate(number / 2)).unwrap()).collect();
    notifier.close();
    for subscription in &mut subscriptions {
        assert_eq!(poll_changed(subscription), Some(Notification::Closing));
        assert_eq!(poll_changed(subscription), Some(Notification::Closing));
    }
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
    drop(subscriptions);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}

#[test]
fn subscription_after_close_returns_closing_at_once() {
    let notifier = notifier();
    notifier.close();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    notifier.notify(debate(1));
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Closing));
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}

#[test]
fn notification_before_close_is_still_received() {
    let notifier = notifier();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    notifier.notify(debate(1));
    notifier.close();
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Changed));
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Closing));
}

#[test]
fn second_close_changes_nothing() {
    let notifier = notifier();
    let mut subscription = notifier.subscribe(debate(1)).unwrap();
    notifier.close();
    notifier.close();
    assert_eq!(poll_changed(&mut subscription), Some(Notification::Closing));
    drop(subscription);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}

#[test]
fn worker_subscriptions_are_neither_counted_nor_refused() {
    let notifier = notifier_for(1, 1);
    let _client = notifier.subscribe(debate(1)).unwrap();
    let mut worker = notifier.subscribe_worker(debate(1));
    let idle = notifier.subscribe_worker(Subject::RUNNER_WORK);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (1, 1));
    assert_eq!(notifier.subscribe(debate(1)).unwrap_err(), TooManyWaiters);
    notifier.notify(debate(1));
    assert_eq!(poll_changed(&mut worker), Some(Notification::Changed));
    drop((worker, idle));
    assert_eq!(notifier.subjects(), [Subject::from(debate(1))]);
}
