//! Sliding windows: exact limits, exact waits, and clocks that jump.

use std::net::IpAddr;
use std::time::Duration;

use debate_core::AgentId;
use debate_core::forum::{Caller, Network, RateLimit, WINDOW, Window};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::instant;

fn limit(count: u32) -> RateLimit {
    RateLimit::new(count).expect("it is one")
}

fn micros(count: i64) -> Timestamp {
    instant(0) + SignedDuration::from_micros(count)
}

#[test]
fn a_burst_of_a_thousand_gets_exactly_the_limit() {
    for count in [1, 30, 60, 300, 1000] {
        let mut window = Window::default();
        let let_in = (0..1000)
            .filter(|n| window.admit(limit(count), micros(*n)).retry_after.is_none())
            .count();
        assert_eq!(u32::try_from(let_in), Ok(count));
    }
}

#[test]
fn answers_say_what_is_left_and_exactly_how_long_to_wait() {
    let mut window = Window::default();
    let first = window.admit(limit(2), micros(0));
    assert_eq!((first.remaining, first.retry_after), (1, None));
    assert_eq!(first.reset, micros(0) + WINDOW);
    let second = window.admit(limit(2), micros(10_000_000));
    assert_eq!((second.remaining, second.reset), (0, micros(0) + WINDOW));
    let refused = window.admit(limit(2), micros(59_999_999));
    assert_eq!(refused.retry_after, Some(Duration::from_micros(1)));
    assert_eq!(refused.retry_after_seconds(), Some(1));
    assert_eq!(window.admit(limit(2), micros(60_000_000)).retry_after, None);
    let next = window.admit(limit(2), micros(60_000_000));
    assert_eq!(next.retry_after, Some(Duration::from_secs(10)));
    assert_eq!(next.retry_after_seconds(), Some(10));
}

#[test]
fn a_lowered_limit_lets_as_many_leave_as_must() {
    let mut window = Window::default();
    for second in 0..5 {
        window.admit(limit(5), micros(second * 1_000_000));
    }
    let refused = window.admit(limit(2), micros(5_000_000));
    // Four have to be gone before the window holds one: the fourth leaves at 63 s.
    assert_eq!(refused.retry_after, Some(Duration::from_secs(58)));
    assert_eq!(window.admit(limit(2), micros(63_000_000)).retry_after, None);
}

#[test]
fn a_clock_set_back_refills_nothing() {
    let mut window = Window::default();
    for _ in 0..3 {
        window.admit(limit(3), micros(0));
    }
    assert!(window.admit(limit(3), micros(-3_600_000_000)).retry_after.is_some());
}

#[test]
fn limits_are_one_to_a_thousand() {
    assert!(RateLimit::new(0).is_err() && RateLimit::new(1001).is_err());
    assert_eq!(limit(1000).count(), 1000);
}

#[test]
fn a_caller_is_an_agent_or_a_network() {
    let peer = |text: &str| {
        let address: IpAddr = text.parse().expect("it is an address");
        Caller::Peer(Network::of(address)).to_string()
    };
    assert_eq!(peer("192.0.2.7"), "peer:192.0.2.7");
    assert_eq!(peer("::ffff:192.0.2.7"), "peer:192.0.2.7");
    assert_eq!(peer("2001:db8:1:2:3:4:5:6"), "peer:2001:db8:1:2::");
    assert_eq!(peer("2001:db8:1:2:9::"), peer("2001:db8:1:2::1"));
    assert_ne!(peer("2001:db8:1:3::1"), peer("2001:db8:1:2::1"));
    let agent = Caller::Agent(AgentId::new(Uuid::from_u128(1)));
    assert_eq!(agent.to_string(), "agent:00000000-0000-0000-0000-000000000001");
}

proptest! {
    /// No stretch of a minute, wherever it begins, has more than the limit; and whoever was refused
    /// is let in exactly when it was told, if nobody came between.
    #[test]
    fn no_minute_has_more_than_its_limit(
        waits in prop::collection::vec(0..20_000_000_i64, 1..120), count in 1..10_u32,
    ) {
        let mut window = Window::default();
        let (mut now, mut let_in) = (0, Vec::new());
        for wait in waits {
            now += wait;
            let at = micros(now);
            let before = window.clone();
            let admission = window.admit(limit(count), at);
            match admission.retry_after {
                None => let_in.push(at),
                Some(wait) => {
                    let wait = SignedDuration::try_from(wait).expect("it is short");
                    let mut early = before.clone();
                    let just_before = at + wait - SignedDuration::from_micros(1);
                    prop_assert!(early.admit(limit(count), just_before).retry_after.is_some());
                    let mut then = before;
                    prop_assert!(then.admit(limit(count), at + wait).retry_after.is_none());
                }
            }
            prop_assert_eq!(Window::new(window.admitted().to_vec()), window.clone());
        }
        for at in &let_in {
            let within = let_in.iter().filter(|other| **other >= *at && **other < *at + WINDOW);
            prop_assert!(within.count() <= usize::try_from(count).unwrap());
        }
    }
}
