//! Calls are recorded before they are made, and stay within the daily limits.

use debate_app::Settlement;
use debate_core::Usage;
use debate_core::runner::{
    BeginCall, BeginCallError, CallDraft, CallResult, CallStatus, Command, DailyLimits, NanoUsd,
    OverBudget, StepResult, TokenPrice, UsdRates,
};
use futures_util::future::join_all;
use jiff::SignedDuration;

use super::fixture::{
    PROMPT_BYTES, RESERVED, a_rate, allowed, beginning, call_id, call_result, cost_a_day, model,
    run_id, tokens, tokens_a_day, turn_result,
};
use crate::engine::{Engine, with_deadline};
use crate::support::instant;

pub(crate) async fn begun_call_is_charged_with_its_limit(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let call = on.begin_call(&task, 1, 3).await;
    assert_eq!((call.id, call.run, call.number), (call_id(1), run_id(1), 1));
    assert_eq!((call.cursor, &call.model), (task.record.run.cursor, &model("openai:paid")));
    assert_eq!((call.allowed, call.status), (allowed(600), CallStatus::InFlight));
    assert_eq!((call.prompt_bytes, call.rates), (PROMPT_BYTES, Some(a_rate())));
    assert_eq!((call.started_at, call.finished_at), (instant(3), None));
    assert_eq!(call.usage, Usage::UNREPORTED);
    assert_eq!(on.calls(1).await, [call]);
    assert_eq!(on.run(1).await.spent, 600);
    let end = call_result(1, CallStatus::Ok, tokens(7, 40));
    on.settle_run(&task, Some(end), StepResult::Released, 5).await;
    let [call] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((call.status, call.usage), (CallStatus::Ok, tokens(7, 40)));
    assert_eq!(call.finished_at, Some(instant(5)));
    assert_eq!(on.run(1).await.spent, 40);
}

pub(crate) async fn repeated_begin_returns_the_same_call(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let limited =
        |second| BeginCall { limits: tokens_a_day(1000), ..beginning(&task, 1, instant(second)) };
    let first = on.try_begin_call(&task, limited(1)).await.expect("it may begin");
    let again = on.try_begin_call(&task, limited(2)).await.expect("it may begin");
    assert_eq!(again, first);
    assert_eq!(on.calls(1).await, [first]);
    assert_eq!(on.run(1).await.spent, 600);
}

pub(crate) async fn call_without_the_lease_is_refused(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    on.begin_call(&task, 1, 1).await;
    let next = on.acquire_run_task(20).await;
    for number in [1, 2] {
        let lost = on.try_begin_call(&task, beginning(&task, number, instant(21))).await;
        assert_eq!(lost, Err(BeginCallError::Lost));
    }
    on.begin_call(&next, 3, 22).await;
    on.command_run_ok(1, Command::Cancel, 23).await;
    let lost = on.try_begin_call(&next, beginning(&next, 4, instant(24))).await;
    assert_eq!(lost, Err(BeginCallError::Lost));
    on.delete_run(1).await;
    let lost = on.try_begin_call(&next, beginning(&next, 5, instant(25))).await;
    assert_eq!(lost, Err(BeginCallError::Lost));
}

pub(crate) async fn stopping_run_begins_no_new_turn(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    on.command_run_ok(1, Command::Stop, 1).await;
    let stopping = on.try_begin_call(&task, beginning(&task, 1, instant(2))).await;
    assert_eq!(stopping, Err(BeginCallError::Stopping));
    assert!(on.calls(1).await.is_empty());
    // A turn that has begun is finished, also with a second call.
    let task = on.start_and_acquire(2, 0).await;
    on.begin_call(&task, 2, 1).await;
    on.command_run_ok(2, Command::Stop, 2).await;
    let after = Some(call_result(2, CallStatus::Ok, tokens(7, 40)));
    let second = BeginCall { after, ..beginning(&task, 3, instant(3)) };
    assert_eq!(on.try_begin_call(&task, second).await.expect("it may begin").number, 2);
}

pub(crate) async fn begin_saves_the_result_of_the_previous_call(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    on.begin_call(&task, 1, 1).await;
    let after = Some(call_result(1, CallStatus::Ok, tokens(7, 40)));
    let begin = BeginCall { after, ..beginning(&task, 2, instant(2)) };
    let second = on.try_begin_call(&task, begin).await.expect("it may begin");
    let [first, kept] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((first.status, first.finished_at), (CallStatus::Ok, Some(instant(2))));
    assert_eq!((kept.number, &kept), (2, &second));
    assert_eq!(on.run(1).await.spent, 640);
    // The result is saved also if the next call is refused.
    let task = on.start_and_acquire(2, 3).await;
    on.begin_call(&task, 3, 3).await;
    let after = Some(call_result(3, CallStatus::Ok, tokens(7, 41)));
    let begin = BeginCall { after, limits: tokens_a_day(1), ..beginning(&task, 4, instant(4)) };
    let not = on.try_begin_call(&task, begin).await.expect_err("it may not begin");
    assert!(is_over_tokens(not), "{not:?}");
    assert_eq!(on.only_call(2).await.usage, tokens(7, 41));
    assert_eq!(on.run(2).await.spent, 41);
}

pub(crate) async fn daily_token_limit_is_never_exceeded(on: &Engine) {
    const DEBATES: u32 = 12;
    let mut tasks = Vec::new();
    for number in 1..=DEBATES {
        tasks.push(on.start_and_acquire(number, 0).await);
    }
    // Exactly five calls fit into the limit.
    let all = (1..).zip(&tasks).map(|(number, task)| {
        let begin = BeginCall { limits: tokens_a_day(5000), ..beginning(task, number, instant(1)) };
        on.try_begin_call(task, begin)
    });
    let outcomes = with_deadline(join_all(all)).await;
    let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(outcomes.len() - refused.len(), 5);
    assert!(refused.iter().all(|not| is_over_tokens(**not)), "{refused:?}");
}

/// Whether the daily token limit is the reason.
fn is_over_tokens(not: BeginCallError) -> bool {
    matches!(not, BeginCallError::OverBudget(OverBudget::Tokens { .. }))
}

pub(crate) async fn daily_cost_limit_is_never_exceeded(on: &Engine) {
    const RUNS: u32 = 12;
    let mut tasks = Vec::new();
    for number in 1..=RUNS {
        tasks.push(on.start_and_acquire(number, 0).await);
    }
    // Each call reserves a million billionths of a USD; exactly five fit into the limit.
    let limits = cost_a_day(5 * 1_000_000);
    let begin = |task, number| BeginCall { limits, ..beginning(task, number, instant(1)) };
    let all = (1..).zip(&tasks).map(|(number, task)| on.try_begin_call(task, begin(task, number)));
    let outcomes = with_deadline(join_all(all)).await;
    let is_over =
        |not: BeginCallError| matches!(not, BeginCallError::OverBudget(OverBudget::Cost { .. }));
    let begun: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(begun.len(), 5);
    assert!(outcomes.iter().filter_map(|outcome| outcome.clone().err()).all(is_over));
    // Reported usage is clipped to the reservation, so it leaves the next call its share.
    let first = begun.first().expect("five were begun");
    let task = tasks.iter().find(|task| task.record.run.id == first.run).expect("it is one");
    let end = CallResult { call: first.id, status: CallStatus::Ok, usage: tokens(u32::MAX, 0) };
    let failed = StepResult::Failed { error: "no".to_owned() };
    on.settle_run(task, Some(end), failed, 2).await;
    let calls = on.runs.calls(first.run).await.expect("it is there");
    let usage = calls.first().expect("it was recorded").usage;
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (Some(PROMPT_BYTES), Some(0)));
    assert!(usage.clipped);
    // The call used 600,000 less than its reservation.
    let other = on.start_and_acquire(RUNS + 1, 3).await;
    let mut small = begin(&other, 50);
    small.call = CallDraft { allowed: allowed(201), ..small.call };
    on.try_begin_call(&other, small.clone()).await.expect_err("one token too many");
    small.call = CallDraft { allowed: allowed(200), ..small.call };
    on.try_begin_call(&other, small).await.expect("it fits exactly");
    // A free model always fits; a model without a price never does.
    let mut free = begin(&other, 51);
    let zero = TokenPrice::new("0").expect("it is a rate");
    free.call.rates = Some(UsdRates { input: zero, output: zero });
    on.try_begin_call(&other, free).await.expect("0 is a price");
    let mut unpriced = begin(&other, 52);
    unpriced.call.rates = None;
    assert_eq!(on.try_begin_call(&other, unpriced).await, Err(BeginCallError::ModelWithoutPrice));
}

pub(crate) async fn demo_calls_are_exempt_from_daily_limits(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let none = DailyLimits { tokens: Some(1), cost: Some(NanoUsd::default()) };
    let mut begin = BeginCall { limits: none, ..beginning(&task, 1, instant(1)) };
    begin.call.model = model("demo:fast");
    begin.call.rates = None;
    on.try_begin_call(&task, begin).await.expect("the demo costs nothing");
    // The call is not charged to the day.
    let all = BeginCall { limits: tokens_a_day(RESERVED), ..beginning(&task, 2, instant(2)) };
    on.try_begin_call(&task, all).await.expect("the day is empty");
}

pub(crate) async fn daily_charge_is_corrected_by_the_reported_usage(on: &Engine) {
    let limited = |task, number, second| BeginCall {
        limits: tokens_a_day(1407),
        ..beginning(task, number, instant(second))
    };
    let first = on.start_and_acquire(1, 0).await;
    on.try_begin_call(&first, limited(&first, 1, 1)).await.expect("it may begin");
    let second = on.start_and_acquire(2, 1).await;
    let not =
        on.try_begin_call(&second, limited(&second, 2, 1)).await.expect_err("it may not begin");
    assert!(is_over_tokens(not), "{not:?}");
    let end = call_result(1, CallStatus::Ok, tokens(7, 400));
    let place = first.record.run.cursor;
    assert_eq!(on.settle_run(&first, Some(end), turn_result(1, place), 2).await, Settlement::Saved);
    // A charge of 407 and a call of 1000 fit exactly.
    on.try_begin_call(&second, limited(&second, 2, 3)).await.expect("it may begin");
    let third = on.start_and_acquire(3, 0).await;
    let mut begin = limited(&third, 3, 3);
    begin.call = CallDraft { allowed: allowed(1), prompt_bytes: 0, ..begin.call };
    on.try_begin_call(&third, begin.clone()).await.expect_err("it may not begin");
    // In one operation too: the next call may use the tokens that the previous one did not.
    let end = Some(call_result(2, CallStatus::Ok, tokens(0, 0)));
    let next = BeginCall { after: end, ..limited(&second, 4, 4) };
    on.try_begin_call(&second, next).await.expect("it may begin");
    // The charge of a deleted run stays.
    on.delete_run(2).await;
    on.try_begin_call(&third, begin).await.expect_err("it may not begin");
}

pub(crate) async fn tokens_are_counted_per_day(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let today = instant(0);
    let tomorrow = today + SignedDuration::from_hours(24);
    let limited =
        |number, at| BeginCall { limits: tokens_a_day(1000), ..beginning(&task, number, at) };
    on.try_begin_call(&task, limited(1, today)).await.expect("it may begin");
    on.try_begin_call(&task, limited(2, today)).await.expect_err("it may not begin");
    on.try_begin_call(&task, limited(2, tomorrow)).await.expect("it may begin");
    on.try_begin_call(&task, limited(3, tomorrow)).await.expect_err("it may not begin");
    // A call that ends on the next day corrects the charge of the day on which it began.
    let after = Some(call_result(1, CallStatus::Ok, tokens(0, 0)));
    let next = BeginCall { after, ..limited(3, tomorrow) };
    on.try_begin_call(&task, next).await.expect_err("it may not begin");
    on.try_begin_call(&task, limited(4, today)).await.expect("it may begin");
}
