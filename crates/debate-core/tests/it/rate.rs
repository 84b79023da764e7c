//! Sliding windows: exact limits, exact waits, several windows at once, and clocks that jump.

use std::net::IpAddr;
use std::time::Duration;

use debate_core::forum::NetworkLimits;
use debate_core::{
    Admission, AgentId, Bucket, Network, Quota, RateDecision, RateKey, RateLimit, Window, admit,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::instant;

const MINUTE: SignedDuration = SignedDuration::from_secs(60);

fn limit(count: u32) -> RateLimit {
    RateLimit::new(count).expect("tests use valid limits")
}

fn micros(count: i64) -> Timestamp {
    instant(0) + SignedDuration::from_micros(count)
}

fn network(text: &str) -> Network {
    let address: IpAddr = text.parse().expect("tests use valid addresses");
    Network::from_address(address)
}

/// One window with a quota per minute.
#[derive(Clone)]
struct Single([(Quota, Window); 1]);

impl Single {
    fn new(count: u32) -> Self {
        Self([(Quota::per_minute(limit(count)), Window::default())])
    }

    fn set_limit(&mut self, count: u32) {
        let [(quota, _)] = &mut self.0;
        quota.limit = limit(count);
    }

    fn admit(&mut self, at: Timestamp) -> Admission {
        admit(&mut self.0, at).expect("there is a window").admission
    }

    fn window(&self) -> &Window {
        let [(_, window)] = &self.0;
        window
    }
}

#[test]
fn window_accepts_exactly_its_limit_in_a_burst() {
    for count in [1, 30, 1000, 1001, 5000] {
        let mut window = Single::new(count);
        let accepted = (0..6000).filter(|n| !window.admit(micros(*n)).is_refused()).count();
        assert_eq!(u32::try_from(accepted), Ok(count));
    }
}

#[test]
fn admission_reports_remaining_requests_and_the_exact_wait() {
    let mut window = Single::new(2);
    assert!(window.window().is_empty());
    let first = window.admit(micros(0));
    assert!(!window.window().is_empty());
    assert_eq!((first.remaining, first.retry_after), (1, None));
    assert_eq!(first.reset, micros(0) + MINUTE);
    let second = window.admit(micros(10_000_000));
    assert_eq!((second.remaining, second.reset), (0, micros(0) + MINUTE));
    let refused = window.admit(micros(59_999_999));
    assert_eq!(refused.retry_after, Some(Duration::from_micros(1)));
    assert_eq!(refused.retry_after_seconds(), Some(1));
    assert_eq!(window.admit(micros(60_000_000)).retry_after, None);
    let next = window.admit(micros(60_000_000));
    assert_eq!(next.retry_after, Some(Duration::from_secs(10)));
    assert_eq!(next.retry_after_seconds(), Some(10));
}

#[test]
fn lowered_limit_waits_until_enough_requests_have_expired() {
    let mut window = Single::new(5);
    for second in 0..5 {
        window.admit(micros(second * 1_000_000));
    }
    window.set_limit(2);
    let refused = window.admit(micros(5_000_000));
    // Four have to expire before the window holds one: the fourth expires at 63 s.
    assert_eq!(refused.retry_after, Some(Duration::from_secs(58)));
    assert_eq!(window.admit(micros(63_000_000)).retry_after, None);
}

#[test]
fn window_refills_nothing_when_the_clock_is_set_back_by_less_than_a_window() {
    let mut window = Single::new(3);
    for _ in 0..3 {
        window.admit(micros(0));
    }
    assert!(window.admit(micros(-59_000_000)).is_refused());
    assert!(window.admit(micros(-60_000_000)).is_refused());
}

/// Finding L3: a restart after the clock was set back by an hour used to lock a caller
/// out for that hour.
#[test]
fn window_drops_times_that_are_more_than_a_window_ahead() {
    let mut window = Single::new(3);
    for _ in 0..3 {
        window.admit(micros(0));
    }
    let admission = window.admit(micros(-60_000_001));
    assert_eq!((admission.remaining, admission.retry_after), (2, None));
}

#[test]
fn request_counts_in_all_windows_or_in_none() {
    let quotas = [3, 2, 10].map(|count| Quota::per_minute(limit(count)));
    let mut windows = quotas.map(|quota| (quota, Window::default()));
    for (n, remaining) in [(0, 1), (1, 0)] {
        let RateDecision { decisive, admission } = admit(&mut windows, micros(n)).expect("windows");
        assert_eq!((decisive, admission.remaining), (1, remaining), "the fewest are left there");
    }
    let before = windows.clone();
    let refused = admit(&mut windows, micros(2)).expect("windows");
    assert_eq!((refused.decisive, refused.admission.is_refused()), (1, true));
    assert_eq!(windows, before, "a refused request counts nowhere");
}

#[test]
fn longest_wait_of_refusing_windows_is_reported() {
    let one = limit(1);
    let mut windows =
        [Quota::per_minute(one), Quota::per_day(one)].map(|quota| (quota, Window::default()));
    assert_eq!(admit(&mut windows, micros(0)).expect("windows").decisive, 0, "alike: the first");
    let refused = admit(&mut windows, micros(0)).expect("windows");
    assert_eq!(refused.decisive, 1);
    assert_eq!(refused.admission.retry_after_seconds(), Some(24 * 60 * 60));
    assert_eq!(admit(&mut [], micros(0)), None);
}

/// A limit of a million requests per minute does not store a time for each of them.
#[test]
fn window_of_a_large_limit_keeps_a_bounded_number_of_runs() {
    let mut window = Single::new(RateLimit::MAX);
    for n in 0..20_000 {
        assert!(!window.admit(micros(n * 6010)).is_refused());
        assert!(window.window().buckets().len() <= 1001);
    }
    let counted: u32 = window.window().buckets().iter().map(|run| run.count).sum();
    // The requests of the last 60 s, and at most a thousandth of the window's requests more.
    assert!((9_980..=10_000).contains(&counted), "{counted}");
}

#[test]
fn limits_range_from_one_to_a_million() {
    assert!(RateLimit::new(0).is_err() && RateLimit::new(1_000_001).is_err());
    assert_eq!(limit(1_000_000).count(), 1_000_000);
}

#[test]
fn network_is_an_ipv4_address_or_an_ipv6_prefix_of_64_bits() {
    let name = |text: &str| RateKey::Anonymous(network(text)).to_string();
    assert_eq!(name("192.0.2.7"), "anonymous:192.0.2.7");
    assert_eq!(name("::ffff:192.0.2.7"), "anonymous:192.0.2.7");
    assert_eq!(name("2001:db8:1:2:3:4:5:6"), "anonymous:2001:db8:1:2::/64");
    assert_eq!(name("2001:db8:1:2:9::"), name("2001:db8:1:2::1"));
    assert_ne!(name("2001:db8:1:3::1"), name("2001:db8:1:2::1"));
    let agent = RateKey::Agent(AgentId::new(Uuid::from_u128(1)));
    assert_eq!(agent.to_string(), "agent:00000000-0000-0000-0000-000000000001");
}

#[test]
fn all_loopback_addresses_are_one_network() {
    for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        assert_eq!(network(address), network("127.0.0.1"), "{address}");
        assert!(network(address).is_loopback(), "{address}");
    }
    assert!(!network("::2").is_loopback() && !network("10.0.0.1").is_loopback());
}

#[test]
fn loopback_is_exempt_from_network_limits_only_where_they_do_not_apply_to_it() {
    let limits = |limits_loopback| NetworkLimits {
        requests: limit(600),
        registrations_per_minute: limit(5),
        registrations_per_day: limit(50),
        limits_loopback,
    };
    for (limits_loopback, address, counts) in
        [(true, "::1", true), (false, "127.0.0.1", false), (false, "192.0.2.1", true)]
    {
        let limits = limits(limits_loopback);
        assert_eq!(limits.request(network(address)).is_some(), counts, "{address}");
        let charges = limits.registration(network(address));
        assert_eq!(charges.len(), if counts { 2 } else { 0 }, "{address}");
    }
}

proptest! {
    /// No period of a minute, wherever it begins, has more than the limit; and a refused request is
    /// accepted exactly after the returned wait, if no other request is made in between.
    #[test]
    fn window_accepts_at_most_its_limit_in_any_minute(
        waits in prop::collection::vec(0..20_000_000_i64, 1..120), count in 1..10_u32,
    ) {
        check_sliding(waits, count)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// The same with requests that share runs.
    #[test]
    fn window_with_shared_runs_accepts_at_most_its_limit_in_any_minute(
        waits in prop::collection::vec(0..60_000_i64, 2500..2600), count in 1001..1100_u32,
    ) {
        check_sliding(waits, count)?;
    }
}

fn check_sliding(waits: Vec<i64>, count: u32) -> Result<(), TestCaseError> {
    let mut window = Single::new(count);
    let (mut now, mut accepted) = (0, Vec::new());
    for wait in waits {
        now += wait;
        let at = micros(now);
        let before = window.clone();
        match window.admit(at).retry_after {
            None => accepted.push(at),
            Some(wait) => {
                let wait = SignedDuration::try_from(wait).expect("it is short");
                let mut early = before.clone();
                prop_assert!(early.admit(at + wait - SignedDuration::from_micros(1)).is_refused());
                let mut then = before;
                prop_assert!(!then.admit(at + wait).is_refused());
            }
        }
        prop_assert_eq!(&Window::new(window.window().buckets().to_vec()), window.window());
    }
    // Accepted times increase, so the period that begins with one contains those that follow it.
    for (first, at) in accepted.iter().enumerate() {
        let end = accepted.partition_point(|other| *other < *at + MINUTE);
        prop_assert!(u32::try_from(end - first).expect("it is small") <= count);
    }
    Ok(())
}

#[test]
fn runs_are_sorted_when_a_window_is_read_back() {
    let run = |second| Bucket { at: instant(second), count: 1 };
    let window = Window::new(vec![run(3), run(1), run(2)]);
    assert_eq!(window.buckets(), [run(1), run(2), run(3)]);
}
