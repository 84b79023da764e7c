//! Rate windows in memory: bounded in number, and exact while they are used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use debate_app::{MemoryWindows, RateLimiter, RateWindows, SystemClock};
use debate_core::{Charge, Network, Quota, RateDecision, RateKey, RateLimit};
use futures_util::FutureExt;
use jiff::{SignedDuration, Timestamp};

/// The number of windows of one kind that are held at most.
const WINDOWS_MAX: usize = 65_536;

fn limit(count: u32) -> RateLimit {
    RateLimit::new(count).expect("tests use valid limits")
}

fn network(number: u32) -> Network {
    Network::from_address(IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number)))
}

fn anonymous(number: u32, count: u32) -> Charge {
    Charge::new(RateKey::Anonymous(network(number)), Quota::per_minute(limit(count)))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_770_000_000 + second).expect("it is near our own time")
}

fn admit(windows: &MemoryWindows, charges: &[Charge], second: i64) -> RateDecision {
    let decision = windows.admit(charges, at(second)).now_or_never().expect("memory does not wait");
    decision.expect("memory does not fail").expect("there are charges")
}

fn is_refused(windows: &MemoryWindows, charges: &[Charge], second: i64) -> bool {
    admit(windows, charges, second).admission.is_refused()
}

#[test]
fn keys_have_separate_windows() {
    let windows = MemoryWindows::default();
    for number in 0..3 {
        assert!(!is_refused(&windows, &[anonymous(number, 2)], 0));
        assert!(!is_refused(&windows, &[anonymous(number, 2)], 1));
        assert!(is_refused(&windows, &[anonymous(number, 2)], 2));
    }
}

#[test]
fn request_over_the_limit_of_one_key_counts_for_no_other() {
    let windows = MemoryWindows::default();
    let shared = Charge::new(RateKey::Network(network(1)), Quota::per_minute(limit(3)));
    let admitted = (0..10).filter(|number| {
        let own = anonymous(number % 2, 2);
        !is_refused(&windows, &[own, shared.clone()], 0)
    });
    assert_eq!(admitted.count(), 3);
    // The third request of the first key used the capacity of the second key.
    assert_eq!(admit(&windows, &[anonymous(1, 2)], 0).admission.remaining, 0);
    assert!(is_refused(&windows, &[anonymous(0, 2)], 0));
}

#[test]
fn windows_are_kept_for_as_long_as_they_count() {
    let windows = MemoryWindows::default();
    let mut second = 0;
    // One request every 7 s, over several generations: the window always holds the last nine.
    while second < 600 {
        let expected = u32::try_from(second / 7 + 1).expect("it is small").min(9);
        let admission = admit(&windows, &[anonymous(1, 100)], second).admission;
        assert_eq!(admission.remaining, 100 - expected, "at {second} s");
        second += 7;
    }
}

#[test]
fn unused_windows_are_dropped_after_two_windows() {
    let windows = MemoryWindows::default();
    for number in 0..1000 {
        admit(&windows, &[anonymous(number, 30)], 0);
    }
    assert_eq!(windows.len(), 1000);
    for second in [60, 120] {
        admit(&windows, &[anonymous(5000, 30)], second);
    }
    assert_eq!(windows.len(), 1);
    assert!(!windows.is_empty());
}

#[test]
fn number_of_windows_is_bounded_and_the_most_recent_stay() {
    let windows = MemoryWindows::default();
    let agents = Charge::new(RateKey::Reviewer("ann".to_owned()), Quota::per_minute(limit(1)));
    admit(&windows, std::slice::from_ref(&agents), 0);
    for number in 0..200_000 {
        admit(&windows, &[anonymous(number, 1)], 0);
        assert!(windows.len() <= WINDOWS_MAX + 1);
    }
    for number in 180_000..200_000 {
        assert!(is_refused(&windows, &[anonymous(number, 1)], 1), "{number}");
    }
    assert!(is_refused(&windows, &[agents], 1), "another kind is displaced by none of them");
}

#[test]
fn addresses_of_one_ipv6_network_share_a_window() {
    let windows = MemoryWindows::default();
    let charge = |interface: u128| {
        let address = Ipv6Addr::from_bits((0x2001_0db8_u128 << 96) + interface);
        Charge::new(
            RateKey::Anonymous(Network::from_address(address.into())),
            Quota::per_minute(limit(5)),
        )
    };
    let accepted = (0..100).filter(|interface| !is_refused(&windows, &[charge(*interface)], 0));
    assert_eq!(accepted.count(), 5);
}

#[tokio::test]
async fn limiter_without_charges_decides_nothing() {
    let rate_limiter = RateLimiter::new(Arc::new(MemoryWindows::default()), &SystemClock);
    assert_eq!(rate_limiter.admit(&[]).await.expect("memory does not fail"), None);
    let admission = rate_limiter.admit(&[anonymous(1, 1)]).await.expect("memory does not fail");
    let reset = admission.expect("there is a charge").reset;
    assert!(reset.duration_since(Timestamp::now()) <= SignedDuration::from_secs(60));
}
