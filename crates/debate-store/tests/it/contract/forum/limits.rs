//! How often anyone may ask.

use debate_app::forum::Admit;
use debate_core::forum::{Admission, Caller, Network, RateLimit};
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;

use super::stage::agent_id;
use crate::engine::Engine;
use crate::support::instant;

pub(crate) fn limit(count: u32) -> RateLimit {
    RateLimit::new(count).expect("tests set limits that can be")
}

pub(crate) async fn asked(on: &Engine, caller: Caller, count: u32, at: Timestamp) -> Admission {
    let admit = Admit { caller, limit: limit(count), at };
    on.forum.admit(admit).await.expect("the store is well")
}

pub(crate) fn peer(address: &str) -> Caller {
    Caller::Peer(Network::of(address.parse().expect("it is an address")))
}

pub(crate) async fn a_burst_of_a_thousand_gets_exactly_the_limit(on: &Engine) {
    let asks = (0..1000).map(|_| asked(on, peer("192.0.2.1"), 30, instant(0)));
    let answers: Vec<Admission> = stream::iter(asks).buffer_unordered(100).collect().await;
    let admitted = answers.iter().filter(|answer| answer.retry_after.is_none()).count();
    assert_eq!(admitted, 30);
    for answer in answers.iter().filter(|answer| answer.retry_after.is_some()) {
        assert_eq!((answer.limit, answer.remaining), (limit(30), 0));
        let wait = answer.retry_after_seconds().expect("it is allowed");
        assert!((1..=60).contains(&wait), "{wait}");
    }
}

pub(crate) async fn every_caller_has_its_own_window(on: &Engine) {
    let callers = [
        peer("192.0.2.1"),
        peer("192.0.2.2"),
        peer("2001:db8::1"),
        peer("2001:db8:0:1::1"),
        Caller::Agent(agent_id(1)),
        Caller::Agent(agent_id(2)),
        Caller::Admin("ann".to_owned()),
    ];
    for caller in callers {
        let answer = asked(on, caller.clone(), 2, instant(0)).await;
        assert_eq!((answer.remaining, answer.retry_after), (1, None), "{caller}");
        assert_eq!(asked(on, caller.clone(), 2, instant(0)).await.remaining, 0);
        assert!(asked(on, caller.clone(), 2, instant(0)).await.retry_after.is_some());
    }
    // The same customer's network is the same caller.
    assert!(asked(on, peer("2001:db8::2"), 2, instant(0)).await.retry_after.is_some());
}

pub(crate) async fn a_limit_that_is_lowered_counts_what_was_let_in(on: &Engine) {
    for _ in 0..5 {
        assert!(asked(on, peer("192.0.2.1"), 5, instant(0)).await.retry_after.is_none());
    }
    let answer = asked(on, peer("192.0.2.1"), 2, instant(0)).await;
    assert_eq!(answer.remaining, 0);
    assert!(answer.retry_after.is_some());
    // One that is raised lets in the rest.
    assert_eq!(asked(on, peer("192.0.2.1"), 7, instant(0)).await.remaining, 1);
}
