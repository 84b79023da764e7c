//! Waiter pools: no pool and no credential uses the capacity of another.

use std::net::{IpAddr, Ipv4Addr};

use debate_app::{Notifier, Subscription, TooManyWaiters, Waiter};
use debate_core::{AgentId, Network};
use uuid::Uuid;

use crate::support::{debate, notifier_for};

fn anonymous(number: u32) -> Waiter {
    Waiter::Anonymous(Network::from_address(IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number))))
}

fn agent(number: u128) -> Waiter {
    Waiter::Agent(AgentId::new(Uuid::from_u128(number)))
}

/// Subscribes `waiters` one after the other, each to a debate of its own, up to the limit.
fn fill(
    notifier: &std::sync::Arc<Notifier>,
    waiters: impl Iterator<Item = Waiter>,
) -> Vec<Subscription> {
    let numbered = waiters.zip(1000..);
    numbered
        .map_while(|(waiter, number)| notifier.subscribe_as(waiter, debate(number)).ok())
        .collect()
}

/// M4: streams without a credential used the capacity of token holders.
#[test]
fn anonymous_waiters_use_no_slot_of_other_pools() {
    let notifier = notifier_for(100, 100);
    let anonymous = fill(&notifier, (0..1000).map(anonymous));
    assert_eq!(anonymous.len(), 25, "a quarter");
    let agents = fill(&notifier, (0..1000).map(agent));
    assert_eq!(agents.len(), 25, "a quarter");
    assert_eq!(
        notifier.subscribe_as(Waiter::Reviewer, debate(1)).unwrap_err(),
        TooManyWaiters,
        "keys too"
    );
    let arena = fill(&notifier, std::iter::repeat(Waiter::Arena));
    let runner = fill(&notifier, std::iter::repeat(Waiter::Runner));
    assert_eq!((arena.len(), runner.len(), notifier.waiter_count()), (100, 100, 250));
    drop((anonymous, agents, arena, runner));
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}

#[test]
fn one_credential_uses_at_most_its_share_of_a_pool() {
    let notifier = notifier_for(20_000, 20_000);
    let first = fill(&notifier, std::iter::repeat(anonymous(1)));
    assert_eq!(first.len(), 78, "a 64th of 5,000");
    let second = fill(&notifier, std::iter::repeat(anonymous(2)));
    let third = fill(&notifier, std::iter::repeat(agent(1)));
    assert_eq!((second.len(), third.len()), (78, 78));
    drop(first);
    assert_eq!(fill(&notifier, std::iter::repeat(anonymous(1))).len(), 78, "places are given back");
}

#[test]
fn limit_per_debate_applies_to_each_pool() {
    let notifier = notifier_for(100, 2);
    let on_one = |waiter: Waiter| notifier.subscribe_as(waiter, debate(1));
    let anonymous: Vec<_> = (0..2).map(|number| on_one(anonymous(number)).unwrap()).collect();
    assert_eq!(
        on_one(Waiter::Anonymous(Network::from_address([10, 0, 0, 9].into()))).unwrap_err(),
        TooManyWaiters
    );
    let agents: Vec<_> = (0..2).map(|number| on_one(agent(number)).unwrap()).collect();
    assert_eq!(on_one(agent(9)).unwrap_err(), TooManyWaiters);
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (4, 1));
    drop((anonymous, agents));
    assert_eq!((notifier.waiter_count(), notifier.watched_count()), (0, 0));
}
