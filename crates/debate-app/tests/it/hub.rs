//! Who hears a ring, who does not, and that nothing is left behind.

use debate_app::{Crowded, Rung, Subject};

use crate::support::{debate, heard, hub, hub_for};

#[test]
fn whoever_listened_before_a_ring_hears_it() {
    let hub = hub();
    let mut bell = hub.listen(debate(1)).unwrap();
    hub.ring(debate(1));
    assert_eq!(heard(&mut bell), Some(Rung::Moved));
}

#[test]
fn whoever_listens_after_a_ring_hears_nothing_of_it() {
    let hub = hub();
    let _earlier = hub.listen(debate(1)).unwrap();
    hub.ring(debate(1));
    let mut later = hub.listen(debate(1)).unwrap();
    assert_eq!(heard(&mut later), None);
}

#[test]
fn a_ring_that_nobody_listens_for_does_nothing_and_leaves_no_room() {
    let hub = hub();
    hub.ring(debate(1));
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
    let mut bell = hub.listen(debate(1)).unwrap();
    assert_eq!(heard(&mut bell), None);
}

#[test]
fn a_ring_wakes_everyone_at_its_debate_and_nobody_elsewhere() {
    let hub = hub();
    let mut here: Vec<_> = (0..10).map(|_| hub.listen(debate(1)).unwrap()).collect();
    let mut elsewhere: Vec<_> = (2..12).map(|number| hub.listen(debate(number)).unwrap()).collect();
    hub.ring(debate(1));
    for bell in &mut here {
        assert_eq!(heard(bell), Some(Rung::Moved));
    }
    for bell in &mut elsewhere {
        assert_eq!(heard(bell), None);
    }
}

#[test]
fn many_rings_are_heard_as_one() {
    let hub = hub();
    let mut bell = hub.listen(debate(1)).unwrap();
    for _ in 0..1000 {
        hub.ring(debate(1));
    }
    assert_eq!(heard(&mut bell), Some(Rung::Moved));
    assert_eq!(heard(&mut bell), None);
}

#[test]
fn a_ring_after_the_last_one_heard_is_heard_again() {
    let hub = hub();
    let mut bell = hub.listen(debate(1)).unwrap();
    for _ in 0..3 {
        hub.ring(debate(1));
        assert_eq!(heard(&mut bell), Some(Rung::Moved));
        assert_eq!(heard(&mut bell), None);
    }
}

/// A waiter whose wait was given up, by a deadline for one, must not have used the ring up.
#[test]
fn a_wait_that_was_given_up_takes_no_ring_with_it() {
    let hub = hub();
    let mut bell = hub.listen(debate(1)).unwrap();
    assert_eq!(heard(&mut bell), None);
    hub.ring(debate(1));
    drop(bell.rung());
    assert_eq!(heard(&mut bell), Some(Rung::Moved));
}

#[test]
fn the_last_to_leave_takes_the_room_along() {
    let hub = hub();
    let first = hub.listen(debate(1)).unwrap();
    let second = hub.listen(debate(1)).unwrap();
    let third = hub.listen(debate(2)).unwrap();
    assert_eq!((hub.waiters(), hub.debates()), (3, 2));
    drop(first);
    assert_eq!((hub.waiters(), hub.debates()), (2, 2));
    drop(second);
    assert_eq!((hub.waiters(), hub.debates()), (1, 1));
    drop(third);
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
}

#[test]
fn a_room_that_was_left_can_be_entered_again() {
    let hub = hub();
    drop(hub.listen(debate(1)).unwrap());
    let mut bell = hub.listen(debate(1)).unwrap();
    hub.ring(debate(1));
    assert_eq!(heard(&mut bell), Some(Rung::Moved));
    assert_eq!((hub.waiters(), hub.debates()), (1, 1));
}

#[test]
fn no_more_wait_on_one_debate_than_may_and_a_place_left_is_free_again() {
    let hub = hub_for(10, 2);
    let first = hub.listen(debate(1)).unwrap();
    let _second = hub.listen(debate(1)).unwrap();
    assert_eq!(hub.listen(debate(1)).unwrap_err(), Crowded);
    let _elsewhere = hub.listen(debate(2)).unwrap();
    drop(first);
    let _third = hub.listen(debate(1)).unwrap();
    assert_eq!(hub.listen(debate(1)).unwrap_err(), Crowded);
    assert_eq!((hub.waiters(), hub.debates()), (3, 2));
}

#[test]
fn no_more_wait_in_all_than_may_and_a_place_left_is_free_again() {
    let hub = hub_for(2, 2);
    let first = hub.listen(debate(1)).unwrap();
    let _second = hub.listen(debate(2)).unwrap();
    assert_eq!(hub.listen(debate(3)).unwrap_err(), Crowded);
    drop(first);
    let _third = hub.listen(debate(3)).unwrap();
    assert_eq!(hub.listen(debate(1)).unwrap_err(), Crowded);
}

#[test]
fn whoever_is_turned_away_leaves_no_trace() {
    let hub = hub_for(1, 1);
    let only = hub.listen(debate(1)).unwrap();
    for number in 1..100 {
        assert!(hub.listen(debate(number)).is_err());
    }
    assert_eq!((hub.waiters(), hub.debates()), (1, 1));
    drop(only);
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
}

#[test]
fn closing_lets_everyone_go() {
    let hub = hub();
    let mut bells: Vec<_> = (0..10).map(|number| hub.listen(debate(number / 2)).unwrap()).collect();
    hub.close();
    for bell in &mut bells {
        assert_eq!(heard(bell), Some(Rung::Closing));
        assert_eq!(heard(bell), Some(Rung::Closing));
    }
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
    drop(bells);
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
}

#[test]
fn whoever_listens_after_the_close_is_told_at_once() {
    let hub = hub();
    hub.close();
    let mut bell = hub.listen(debate(1)).unwrap();
    hub.ring(debate(1));
    assert_eq!(heard(&mut bell), Some(Rung::Closing));
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
}

#[test]
fn a_ring_before_the_close_is_still_heard() {
    let hub = hub();
    let mut bell = hub.listen(debate(1)).unwrap();
    hub.ring(debate(1));
    hub.close();
    assert_eq!(heard(&mut bell), Some(Rung::Moved));
    assert_eq!(heard(&mut bell), Some(Rung::Closing));
}

#[test]
fn closing_twice_is_closing_once() {
    let hub = hub();
    let mut bell = hub.listen(debate(1)).unwrap();
    hub.close();
    hub.close();
    assert_eq!(heard(&mut bell), Some(Rung::Closing));
    drop(bell);
    assert_eq!((hub.waiters(), hub.debates()), (0, 0));
}

#[test]
fn the_servers_own_listeners_are_neither_counted_nor_refused() {
    let hub = hub_for(1, 1);
    let _client = hub.listen(debate(1)).unwrap();
    let mut worker = hub.attend(debate(1));
    let idle = hub.attend(Subject::RUNNER_WORK);
    assert_eq!((hub.waiters(), hub.debates()), (1, 1));
    assert_eq!(hub.listen(debate(1)).unwrap_err(), Crowded);
    hub.ring(debate(1));
    assert_eq!(heard(&mut worker), Some(Rung::Moved));
    drop((worker, idle));
    assert_eq!(hub.listened(), [Subject::from(debate(1))]);
}
