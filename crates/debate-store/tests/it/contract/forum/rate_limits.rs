//! Rate limits and their windows.

use debate_core::{Admission, Charge, Network, Quota, RateKey, RateLimit};
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;

use super::fixture::agent_id;
use crate::engine::Engine;
use crate::support::instant;

pub(crate) fn limit(count: u32) -> RateLimit {
    RateLimit::new(count).expect("tests use valid limits")
}

pub(crate) fn charge(key: RateKey, count: u32) -> Charge {
    Charge::new(key, Quota::per_minute(limit(count)))
}

pub(crate) async fn admit(on: &Engine, charges: &[Charge], at: Timestamp) -> Admission {
    let decision = on.windows.admit(charges, at).await.expect("the store is well");
    decision.expect("there are charges").admission
}

pub(crate) async fn admit_caller(
    on: &Engine,
    key: RateKey,
    count: u32,
    at: Timestamp,
) -> Admission {
    admit(on, &[charge(key, count)], at).await
}

pub(crate) fn network(address: &str) -> Network {
    Network::from_address(address.parse().expect("tests use valid addresses"))
}

pub(crate) fn peer(address: &str) -> RateKey {
    RateKey::Anonymous(network(address))
}

pub(crate) async fn burst_of_1000_requests_is_accepted_up_to_the_limit(on: &Engine) {
    let asks = (0..1000).map(|_| admit_caller(on, peer("192.0.2.1"), 30, instant(0)));
    let answers: Vec<Admission> = stream::iter(asks).buffer_unordered(100).collect().await;
    let admitted = answers.iter().filter(|answer| answer.retry_after.is_none()).count();
    assert_eq!(admitted, 30);
    for answer in answers.iter().filter(|answer| answer.retry_after.is_some()) {
        assert_eq!((answer.quota.limit, answer.remaining), (limit(30), 0));
        let wait = answer.retry_after_seconds().expect("it is allowed");
        assert!((1..=60).contains(&wait), "{wait}");
    }
}

pub(crate) async fn callers_have_separate_windows(on: &Engine) {
    let callers = [
        peer("192.0.2.1"),
        peer("192.0.2.2"),
        peer("2001:db8::1"),
        peer("2001:db8:0:1::1"),
        RateKey::Agent(agent_id(1)),
        RateKey::Agent(agent_id(2)),
        RateKey::Reviewer("ann".to_owned()),
        RateKey::Network(network("192.0.2.1")),
        RateKey::RegistrationsPerMinute(network("192.0.2.1")),
        RateKey::RegistrationsPerDay(network("192.0.2.1")),
        RateKey::WrongTokens(network("192.0.2.1")),
    ];
    for caller in callers {
        let answer = admit_caller(on, caller.clone(), 2, instant(0)).await;
        assert_eq!((answer.remaining, answer.retry_after), (1, None), "{caller}");
        assert_eq!(admit_caller(on, caller.clone(), 2, instant(0)).await.remaining, 0);
        assert!(admit_caller(on, caller.clone(), 2, instant(0)).await.retry_after.is_some());
    }
    // An address of the same network is the same caller.
    assert!(admit_caller(on, peer("2001:db8::2"), 2, instant(0)).await.retry_after.is_some());
}

pub(crate) async fn lowered_limit_counts_earlier_requests(on: &Engine) {
    for _ in 0..5 {
        assert!(admit_caller(on, peer("192.0.2.1"), 5, instant(0)).await.retry_after.is_none());
    }
    let answer = admit_caller(on, peer("192.0.2.1"), 2, instant(0)).await;
    assert_eq!(answer.remaining, 0);
    assert!(answer.retry_after.is_some());
    // A raised limit accepts the rest.
    assert_eq!(admit_caller(on, peer("192.0.2.1"), 7, instant(0)).await.remaining, 1);
}

/// H2: one network with any number of keys stays within its own window.
pub(crate) async fn keys_of_one_network_share_its_window(on: &Engine) {
    let shared = charge(RateKey::Network(network("192.0.2.1")), 10);
    let asks = (0..40).map(|number| {
        let own = charge(RateKey::Agent(agent_id(number)), 5);
        let charges = [own, shared.clone()];
        async move { admit(on, &charges, instant(0)).await }
    });
    let answers: Vec<Admission> = stream::iter(asks).buffer_unordered(20).collect().await;
    assert_eq!(answers.iter().filter(|answer| !answer.is_refused()).count(), 10);
    let refused: Vec<_> = answers.iter().filter(|answer| answer.is_refused()).collect();
    assert!(refused.iter().all(|answer| answer.quota == shared.quota), "{refused:?}");
    // A request that its network refuses does not count for its key.
    let fresh = charge(RateKey::Agent(agent_id(100)), 2);
    assert!(admit(on, &[fresh.clone(), shared], instant(0)).await.is_refused());
    assert_eq!(admit(on, &[fresh], instant(0)).await.remaining, 1);
}

pub(crate) async fn request_without_charges_is_not_decided_on(on: &Engine) {
    assert_eq!(on.windows.admit(&[], instant(0)).await.expect("the store is well"), None);
}

pub(crate) async fn large_limits_are_counted_exactly(on: &Engine) {
    let key = RateKey::Anonymous(network("192.0.2.1"));
    for number in 1..=50 {
        let answer = admit_caller(on, key.clone(), RateLimit::MAX, instant(0)).await;
        assert_eq!(answer.remaining, RateLimit::MAX - number);
    }
}
