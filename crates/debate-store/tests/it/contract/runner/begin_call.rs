//! Calls are recorded before they are made, and the day's tokens are never exceeded.

use debate_app::Settlement;
use debate_core::Usage;
use debate_core::runner::{
    BeginCall, BeginCallError, CallDraft, CallResult, CallStatus, Command, DailyLimits, NanoUsd,
    OverBudget, StepResult, TokenPrice, UsdRates,
};
use futures_util::future::join_all;
use jiff::SignedDuration;

use super::fixture::{
    PROMPT_BYTES, RESERVED, a_rate, allowed, beginning, call_id, cost_a_day, ended, model, run_id,
    spoke, tokens, tokens_a_day,
};
use crate::engine::{Engine, in_time};
use crate::support::instant;

pub(crate) async fn begun_call_is_charged_with_its_limit(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let call = on.begun(&task, 1, 3).await;
    assert_eq!((call.id, call.run, call.number), (call_id(1), run_id(1), 1));
    assert_eq!((call.cursor, &call.model), (task.record.run.cursor, &model("openai:paid")));
    assert_eq!((call.allowed, call.status), (allowed(600), CallStatus::InFlight));
    assert_eq!((call.prompt_bytes, call.rates), (PROMPT_BYTES, Some(a_rate())));
    assert_eq!((call.started_at, call.finished_at), (instant(3), None));
    assert_eq!(call.usage, Usage::UNREPORTED);
    assert_eq!(on.calls(1).await, [call]);
    assert_eq!(on.run(1).await.spent, 600);
    let end = ended(1, CallStatus::Ok, tokens(7, 40));
    on.settled(&task, Some(end), StepResult::Released, 5).await;
    let [call] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((call.status, call.usage), (CallStatus::Ok, tokens(7, 40)));
    assert_eq!(call.finished_at, Some(instant(5)));
    assert_eq!(on.run(1).await.spent, 40);
}

pub(crate) async fn repeated_begin_returns_the_same_call(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let limited =
        |second| BeginCall { limits: tokens_a_day(1000), ..beginning(&task, 1, instant(second)) };
    let first = on.tried_to_begin(&task, limited(1)).await.expect("it may begin");
    let again = on.tried_to_begin(&task, limited(2)).await.expect("it may begin");
    assert_eq!(again, first);
    assert_eq!(on.calls(1).await, [first]);
    assert_eq!(on.run(1).await.spent, 600);
}

pub(crate) async fn call_without_the_lease_is_refused(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.begun(&task, 1, 1).await;
    let next = on.taken(20).await;
    for number in [1, 2] {
        let lost = on.tried_to_begin(&task, beginning(&task, number, instant(21))).await;
        assert_eq!(lost, Err(BeginCallError::Lost));
    }
    on.begun(&next, 3, 22).await;
    on.told(1, Command::Cancel, 23).await;
    let lost = on.tried_to_begin(&next, beginning(&next, 4, instant(24))).await;
    assert_eq!(lost, Err(BeginCallError::Lost));
    on.forgot(1).await;
    let lost = on.tried_to_begin(&next, beginning(&next, 5, instant(25))).await;
    assert_eq!(lost, Err(BeginCallError::Lost));
}

pub(crate) async fn stopping_run_begins_no_new_turn(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.told(1, Command::Stop, 1).await;
    let stopping = on.tried_to_begin(&task, beginning(&task, 1, instant(2))).await;
    assert_eq!(stopping, Err(BeginCallError::Stopping));
    assert!(on.calls(1).await.is_empty());
    // But one that was begun is brought to its end, also with a second call.
    let task = on.at_work(2, 0).await;
    on.begun(&task, 2, 1).await;
    on.told(2, Command::Stop, 2).await;
    let after = Some(ended(2, CallStatus::Ok, tokens(7, 40)));
    let second = BeginCall { after, ..beginning(&task, 3, instant(3)) };
    assert_eq!(on.tried_to_begin(&task, second).await.expect("it may begin").number, 2);
}

pub(crate) async fn begin_saves_the_result_of_the_previous_call(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.begun(&task, 1, 1).await;
    let after = Some(ended(1, CallStatus::Ok, tokens(7, 40)));
    let begin = BeginCall { after, ..beginning(&task, 2, instant(2)) };
    let second = on.tried_to_begin(&task, begin).await.expect("it may begin");
    let [first, kept] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((first.status, first.finished_at), (CallStatus::Ok, Some(instant(2))));
    assert_eq!((kept.number, &kept), (2, &second));
    assert_eq!(on.run(1).await.spent, 640);
    // It is kept also where the next one may not begin.
    let task = on.at_work(2, 3).await;
    on.begun(&task, 3, 3).await;
    let after = Some(ended(3, CallStatus::Ok, tokens(7, 41)));
    let begin = BeginCall { after, limits: tokens_a_day(1), ..beginning(&task, 4, instant(4)) };
    let not = on.tried_to_begin(&task, begin).await.expect_err("it may not begin");
    assert!(is_over_tokens(not), "{not:?}");
    assert_eq!(on.only_call(2).await.usage, tokens(7, 41));
    assert_eq!(on.run(2).await.spent, 41);
}

pub(crate) async fn daily_token_limit_is_never_exceeded(on: &Engine) {
    const DEBATES: u32 = 12;
    let mut tasks = Vec::new();
    for number in 1..=DEBATES {
        tasks.push(on.at_work(number, 0).await);
    }
    // Five of them fit, exactly.
    let all = (1..).zip(&tasks).map(|(number, task)| {
        let begin = BeginCall { limits: tokens_a_day(5000), ..beginning(task, number, instant(1)) };
        on.tried_to_begin(task, begin)
    });
    let outcomes = in_time(join_all(all)).await;
    let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(outcomes.len() - refused.len(), 5);
    assert!(refused.iter().all(|not| is_over_tokens(**not)), "{refused:?}");
}

/// Whether a day's tokens are the reason.
fn is_over_tokens(not: BeginCallError) -> bool {
    matches!(not, BeginCallError::OverBudget(OverBudget::Tokens { .. }))
}

pub(crate) async fn daily_cost_limit_is_never_exceeded(on: &Engine) {
    const RUNS: u32 = 12;
    let mut tasks = Vec::new();
    for number in 1..=RUNS {
        tasks.push(on.at_work(number, 0).await);
    }
    // Each call reserves a million billionths of a USD; five of them fit, exactly.
    let limits = cost_a_day(5 * 1_000_000);
    let begin = |task, number| BeginCall { limits, ..beginning(task, number, instant(1)) };
    let all = (1..).zip(&tasks).map(|(number, task)| on.tried_to_begin(task, begin(task, number)));
    let outcomes = in_time(join_all(all)).await;
    let is_over =
        |not: BeginCallError| matches!(not, BeginCallError::OverBudget(OverBudget::Cost { .. }));
    let begun: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(begun.len(), 5);
    assert!(outcomes.iter().filter_map(|outcome| outcome.clone().err()).all(is_over));
    // Absurd usage is clipped to the reservation, so it takes nothing from the next call.
    let first = begun.first().expect("five were begun");
    let task = tasks.iter().find(|task| task.record.run.id == first.run).expect("it is one");
    let end = CallResult { call: first.id, status: CallStatus::Ok, usage: tokens(u32::MAX, 0) };
    let failed = StepResult::Failed { error: "no".to_owned() };
    on.settled(task, Some(end), failed, 2).await;
    let calls = on.runs.calls(first.run).await.expect("it is there");
    let usage = calls.first().expect("it was recorded").usage;
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (Some(PROMPT_BYTES), Some(0)));
    assert!(usage.clipped);
    // 600,000 of its reservation came back.
    let other = on.at_work(RUNS + 1, 3).await;
    let mut small = begin(&other, 50);
    small.call = CallDraft { allowed: allowed(201), ..small.call };
    on.tried_to_begin(&other, small.clone()).await.expect_err("one token too many");
    small.call = CallDraft { allowed: allowed(200), ..small.call };
    on.tried_to_begin(&other, small).await.expect("it fits exactly");
    // What is free fits always; what has no price never.
    let mut free = begin(&other, 51);
    let zero = TokenPrice::new("0").expect("it is a rate");
    free.call.rates = Some(UsdRates { input: zero, output: zero });
    on.tried_to_begin(&other, free).await.expect("0 is a price");
    let mut unpriced = begin(&other, 52);
    unpriced.call.rates = None;
    assert_eq!(on.tried_to_begin(&other, unpriced).await, Err(BeginCallError::Unpriced));
}

pub(crate) async fn demo_calls_are_exempt_from_daily_limits(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let none = DailyLimits { tokens: Some(1), cost: Some(NanoUsd::default()) };
    let mut begin = BeginCall { limits: none, ..beginning(&task, 1, instant(1)) };
    begin.call.model = model("demo:fast");
    begin.call.rates = None;
    on.tried_to_begin(&task, begin).await.expect("the demo costs nothing");
    // And the day is not booked with it.
    let all = BeginCall { limits: tokens_a_day(RESERVED), ..beginning(&task, 2, instant(2)) };
    on.tried_to_begin(&task, all).await.expect("the day is empty");
}

pub(crate) async fn daily_charge_is_corrected_by_the_reported_usage(on: &Engine) {
    let limited = |task, number, second| BeginCall {
        limits: tokens_a_day(1407),
        ..beginning(task, number, instant(second))
    };
    let first = on.at_work(1, 0).await;
    on.tried_to_begin(&first, limited(&first, 1, 1)).await.expect("it may begin");
    let second = on.at_work(2, 1).await;
    let not =
        on.tried_to_begin(&second, limited(&second, 2, 1)).await.expect_err("it may not begin");
    assert!(is_over_tokens(not), "{not:?}");
    let end = ended(1, CallStatus::Ok, tokens(7, 400));
    let place = first.record.run.cursor;
    assert_eq!(on.settled(&first, Some(end), spoke(1, place), 2).await, Settlement::Saved);
    // 407 and 1000 fit exactly; not one more.
    on.tried_to_begin(&second, limited(&second, 2, 3)).await.expect("it may begin");
    let third = on.at_work(3, 0).await;
    let mut begin = limited(&third, 3, 3);
    begin.call = CallDraft { allowed: allowed(1), prompt_bytes: 0, ..begin.call };
    on.tried_to_begin(&third, begin.clone()).await.expect_err("it may not begin");
    // Within one operation too: what the call before gives back, the next may use.
    let end = Some(ended(2, CallStatus::Ok, tokens(0, 0)));
    let next = BeginCall { after: end, ..limited(&second, 4, 4) };
    on.tried_to_begin(&second, next).await.expect("it may begin");
    // A debate that is gone has still cost what it cost.
    on.forgot(2).await;
    on.tried_to_begin(&third, begin).await.expect_err("it may not begin");
}

pub(crate) async fn tokens_are_counted_per_day(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let today = instant(0);
    let tomorrow = today + SignedDuration::from_hours(24);
    let limited =
        |number, at| BeginCall { limits: tokens_a_day(1000), ..beginning(&task, number, at) };
    on.tried_to_begin(&task, limited(1, today)).await.expect("it may begin");
    on.tried_to_begin(&task, limited(2, today)).await.expect_err("it may not begin");
    on.tried_to_begin(&task, limited(2, tomorrow)).await.expect("it may begin");
    on.tried_to_begin(&task, limited(3, tomorrow)).await.expect_err("it may not begin");
    // What ends tomorrow is given back to the day it began.
    let after = Some(ended(1, CallStatus::Ok, tokens(0, 0)));
    let next = BeginCall { after, ..limited(3, tomorrow) };
    on.tried_to_begin(&task, next).await.expect_err("it may not begin");
    on.tried_to_begin(&task, limited(4, today)).await.expect("it may begin");
}
