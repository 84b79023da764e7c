//! Retries of failed calls.

use std::time::Duration;

use debate_core::CallFailure;
use debate_core::runner::{Attempt, Retry, retry};
use proptest::option;
use proptest::prelude::*;

const PLAIN: CallFailure = CallFailure::Transient { retry_after: None };

fn attempt(number: u32) -> Attempt {
    Attempt::new(number).expect("a turn has four")
}

fn after(failure: CallFailure, number: u32, jitter: u16) -> Option<Duration> {
    match retry(attempt(number), failure, jitter) {
        Retry::After { wait, attempt: next } => {
            assert_eq!(next, attempt(number + 1));
            Some(wait)
        }
        Retry::GiveUp => None,
    }
}

#[test]
fn wait_doubles_from_one_second_and_ends_after_the_fourth_attempt() {
    let most = [1, 2, 3].map(|number| after(PLAIN, number, u16::MAX));
    assert_eq!(most, [1, 2, 4].map(|seconds| Some(Duration::from_secs(seconds))));
    let least = [1, 2, 3].map(|number| after(PLAIN, number, 0));
    assert_eq!(least, [500, 1000, 2000].map(|ms| Some(Duration::from_millis(ms))));
    assert_eq!(after(PLAIN, 4, 0), None);
}

#[test]
fn turn_has_four_attempts() {
    assert_eq!((Attempt::new(0), Attempt::new(5)), (None, None));
    assert_eq!(Attempt::FIRST.number(), 1);
    assert_eq!(attempt(3).next(), Some(attempt(4)));
    assert_eq!(attempt(4).next(), None);
}

#[test]
fn permanent_failure_is_not_retried() {
    assert_eq!(retry(Attempt::FIRST, CallFailure::Permanent, 0), Retry::GiveUp);
}

#[test]
fn retry_after_is_respected_and_a_longer_one_than_the_limit_fails() {
    let prompt_for = |seconds| {
        let retry_after = Some(Duration::from_secs(seconds));
        after(CallFailure::Transient { retry_after }, 1, 0)
    };
    assert_eq!(prompt_for(0), Some(Duration::from_millis(500)));
    assert_eq!(prompt_for(30), Some(Duration::from_secs(30)));
    assert_eq!(prompt_for(900), Some(Duration::from_mins(15)));
    assert_eq!(prompt_for(901), None);
    let retry_after = Some(Duration::from_secs(30));
    let jittered = after(CallFailure::Transient { retry_after }, 1, u16::MAX);
    assert_eq!(jittered, Some(Duration::from_millis(30_500)), "many are asked the same");
}

proptest! {
    #[test]
    fn wait_is_at_least_retry_after_and_bounded(
        number in 1_u32..=3, seconds in option::of(0_u64..=900), jitter: u16,
    ) {
        let retry_after = seconds.map(Duration::from_secs);
        let wait = after(CallFailure::Transient { retry_after }, number, jitter)
            .expect("there is another attempt");
        let prompt_for = retry_after.unwrap_or_default();
        let own = Duration::from_secs(1 << (number - 1));
        prop_assert!(wait >= prompt_for && wait >= own / 2);
        prop_assert!(wait <= prompt_for.max(own / 2) + own / 2);
    }
}
