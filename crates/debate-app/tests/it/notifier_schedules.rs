//! The notifier under every order of steps that two writers and two waiters can take.
//!
//! Each operation of the notifier holds its one lock from beginning to end, so every schedule of
//! threads is an order of operations. This test tries all orders; `notifier_threads` tries real
//! threads.

use std::sync::Arc;

use debate_app::{Notification, Notifier, Subscription};

use crate::support::{debate, heard, notifier};

/// What somebody does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Commit,
    Ring,
    Listen,
    Look,
    LookIfRung,
    Leave,
}

const WRITER: &[Step] = &[Step::Commit, Step::Ring];
const WAITER: &[Step] = &[Step::Listen, Step::Look, Step::LookIfRung, Step::LookIfRung];

/// Those who leave in the middle, after each of their steps.
const LEAVERS: [&[Step]; 3] = [
    &[Step::Listen, Step::Leave],
    &[Step::Listen, Step::Look, Step::Leave],
    &[Step::Listen, Step::Look, Step::LookIfRung, Step::Leave],
];

/// One who looks before it listens: the mistake that all of this is about.
const HASTY: &[Step] = &[Step::Look, Step::Listen, Step::LookIfRung];

#[derive(Default)]
struct Actor {
    subscription: Option<Subscription>,
    /// How much it has seen.
    seen: usize,
}

/// Whoever takes part, and how much was written.
struct World {
    notifier: Arc<Notifier>,
    written: usize,
    actors: Vec<Actor>,
}

impl World {
    fn step(&mut self, actor: usize, step: Step) {
        let actor = self.actors.get_mut(actor).expect("schedules name those who are there");
        match step {
            Step::Commit => self.written += 1,
            Step::Ring => self.notifier.notify(debate(1)),
            Step::Listen => {
                actor.subscription =
                    Some(self.notifier.subscribe(debate(1)).expect("there is room"));
            }
            Step::Look => actor.seen = self.written,
            Step::LookIfRung => {
                if actor.subscription.as_mut().and_then(heard) == Some(Notification::Changed) {
                    actor.seen = self.written;
                }
            }
            Step::Leave => actor.subscription = None,
        }
    }

    /// Whether everyone who still waits has seen everything, or has been told to look.
    fn has_no_lost_notification(&mut self) -> bool {
        let written = self.written;
        self.actors.iter_mut().all(|actor| {
            let Some(subscription) = &mut actor.subscription else { return true };
            actor.seen == written || heard(subscription) == Some(Notification::Changed)
        })
    }
}

/// Plays every order of the scripts' steps; tells how many there were, and in how many of them
/// somebody was forgotten.
fn play(scripts: &[&[Step]]) -> (usize, usize) {
    let (mut orders, mut forgotten) = (0, 0);
    each_order(scripts, &mut Vec::new(), &mut |order| {
        let actors = scripts.iter().map(|_| Actor::default()).collect();
        let mut world = World { notifier: notifier(), written: 0, actors };
        for (actor, step) in order {
            world.step(*actor, *step);
        }
        orders += 1;
        forgotten += usize::from(!world.has_no_lost_notification());
        let waiting = world.actors.iter().filter(|actor| actor.subscription.is_some()).count();
        assert_eq!(world.notifier.waiter_count(), waiting);
        assert_eq!(world.notifier.watched_count(), usize::from(waiting > 0));
        world.actors.clear();
        assert_eq!((world.notifier.waiter_count(), world.notifier.watched_count()), (0, 0));
    });
    (orders, forgotten)
}

/// Visits every order of what is left of the scripts, after `order`.
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
    let (orders, forgotten) = play(&[WRITER, WRITER, WAITER, WAITER]);
    // 12! / (2! 2! 4! 4!)
    assert_eq!((orders, forgotten), (207_900, 0));
}

#[test]
fn dropped_subscription_loses_no_notification_of_others() {
    for leaver in LEAVERS {
        let (orders, forgotten) = play(&[WRITER, WRITER, WAITER, leaver]);
        assert!(orders > 1000);
        assert_eq!(forgotten, 0, "{leaver:?}");
    }
}

#[test]
fn read_before_subscribe_loses_a_notification_in_some_schedule() {
    let (_, forgotten) = play(&[WRITER, WRITER, HASTY]);
    assert!(forgotten > 0);
}
