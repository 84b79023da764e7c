//! The notifier under every order of steps that two writers and two waiters can take.
//!
//! Each operation of the notifier holds its one lock from beginning to end, so every schedule of
//! threads is an order of operations. This test tries all orders; `notifier_threads` tries real
//! threads.

use std::sync::Arc;

use debate_app::{Notification, Notifier, Subscription};

use crate::support::{debate, notifier, poll_changed};

/// A step of a writer or waiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Commit,
    Notify,
    Subscribe,
    Read,
    ReadIfNotified,
    Unsubscribe,
}

const WRITER: &[Step] = &[Step::Commit, Step::Notify];
const WAITER: &[Step] = &[Step::Subscribe, Step::Read, Step::ReadIfNotified, Step::ReadIfNotified];

/// Waiters that drop their subscription after each of their steps.
const DROPPING_WAITERS: [&[Step]; 3] = [
    &[Step::Subscribe, Step::Unsubscribe],
    &[Step::Subscribe, Step::Read, Step::Unsubscribe],
    &[Step::Subscribe, Step::Read, Step::ReadIfNotified, Step::Unsubscribe],
];

/// A waiter that reads before it subscribes, which is the error that the tests must detect.
const READS_FIRST: &[Step] = &[Step::Read, Step::Subscribe, Step::ReadIfNotified];

#[derive(Default)]
struct Actor {
    subscription: Option<Subscription>,
    /// The number of writes that it has read.
    seen: usize,
}

/// All writers and waiters, and the number of writes.
struct Schedule {
    notifier: Arc<Notifier>,
    written: usize,
    actors: Vec<Actor>,
}

impl Schedule {
    fn step(&mut self, actor: usize, step: Step) {
        let actor = self.actors.get_mut(actor).expect("schedules name those who are there");
        match step {
            Step::Commit => self.written += 1,
            Step::Notify => self.notifier.notify(debate(1)),
            Step::Subscribe => {
                actor.subscription =
                    Some(self.notifier.subscribe(debate(1)).expect("there is room"));
            }
            Step::Read => actor.seen = self.written,
            Step::ReadIfNotified => {
                if actor.subscription.as_mut().and_then(poll_changed) == Some(Notification::Changed)
                {
                    actor.seen = self.written;
                }
            }
            Step::Unsubscribe => actor.subscription = None,
        }
    }

    /// Whether every waiter has read all writes or has a notification.
    fn has_no_lost_notification(&mut self) -> bool {
        let written = self.written;
        self.actors.iter_mut().all(|actor| {
            let Some(subscription) = &mut actor.subscription else { return true };
            actor.seen == written || poll_changed(subscription) == Some(Notification::Changed)
        })
    }
}

/// Executes every order of the steps. Returns the number of orders, and the number of those in
/// which a waiter lost a notification.
fn run_all_orders(scripts: &[&[Step]]) -> (usize, usize) {
    let (mut orders, mut lost) = (0, 0);
    each_order(scripts, &mut Vec::new(), &mut |order| {
        let actors = scripts.iter().map(|_| Actor::default()).collect();
        let mut schedule = Schedule { notifier: notifier(), written: 0, actors };
        for (actor, step) in order {
            schedule.step(*actor, *step);
        }
        orders += 1;
        lost += usize::from(!schedule.has_no_lost_notification());
        let waiting = schedule.actors.iter().filter(|actor| actor.subscription.is_some()).count();
        assert_eq!(schedule.notifier.waiter_count(), waiting);
        assert_eq!(schedule.notifier.watched_count(), usize::from(waiting > 0));
        schedule.actors.clear();
        assert_eq!((schedule.notifier.waiter_count(), schedule.notifier.watched_count()), (0, 0));
    });
    (orders, lost)
}

/// Visits every order of the remaining steps after `order`.
fn each_order(
    scripts: &[&[Step]],
    order: &mut Vec<(usize, Step)>,
    visit: &mut impl FnMut(&[(usize, Step)]),
) {
    for (actor, script) in scripts.iter().enumerate() {
        let Some((step, rest)) = script.split_first() else { continue };
        let mut left = scripts.to_vec();
        left.splice(actor..=actor, [rest]);
        order.push((actor, *step));
        each_order(&left, order, visit);
        order.pop();
    }
    if scripts.iter().all(|script| script.is_empty()) {
        visit(order);
    }
}

#[test]
fn no_schedule_loses_a_notification() {
    let (orders, lost) = run_all_orders(&[WRITER, WRITER, WAITER, WAITER]);
    // 12! / (2! 2! 4! 4!)
    assert_eq!((orders, lost), (207_900, 0));
}

#[test]
fn dropped_subscription_loses_no_notification_of_others() {
    for dropping in DROPPING_WAITERS {
        let (orders, lost) = run_all_orders(&[WRITER, WRITER, WAITER, dropping]);
        assert!(orders > 1000);
        assert_eq!(lost, 0, "{dropping:?}");
    }
}

#[test]
fn read_before_subscribe_loses_a_notification_in_some_schedule() {
    let (_, lost) = run_all_orders(&[WRITER, WRITER, READS_FIRST]);
    assert!(lost > 0);
}
