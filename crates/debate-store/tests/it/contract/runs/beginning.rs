//! Calls are recorded before they are made, and the day's tokens are never exceeded.

use debate_app::runner::Settlement;
use debate_core::Usage;
use debate_core::runner::{Begin, CallDraft, Called, Command, NotBegun, StepEnd};
use futures_util::future::join_all;
use jiff::SignedDuration;

use super::stage::{allowed, beginning, call_id, ended, model, run_id, spoke, tokens};
use crate::engine::{Engine, in_time};
use crate::support::instant;

pub(crate) async fn a_call_is_recorded_and_counts_as_all_it_is_allowed(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let call = on.begun(&task, 1, 3).await;
    assert_eq!((call.id, call.run, call.number), (call_id(1), run_id(1), 1));
    assert_eq!((call.place, &call.model), (task.record.run.cursor, &model("demo:paced")));
    assert_eq!((call.allowed, call.called), (allowed(600), Called::InFlight));
    assert_eq!((call.started_at, call.finished_at), (instant(3), None));
    assert_eq!(call.usage, Usage::NOT_TOLD);
    assert_eq!(on.calls(1).await, [call]);
    assert_eq!(on.run(1).await.spent, 600);
    let end = ended(1, Called::Ok, tokens(7, 40));
    on.settled(&task, Some(end), StepEnd::LetGo, 5).await;
    let [call] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((call.called, call.usage), (Called::Ok, tokens(7, 40)));
    assert_eq!(call.finished_at, Some(instant(5)));
    assert_eq!(on.run(1).await.spent, 40);
}

pub(crate) async fn the_same_call_begun_again_is_the_same_call(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let limited =
        |second| Begin { daily_tokens: Some(600), ..beginning(&task, 1, instant(second)) };
    let first = on.tried_to_begin(&task, limited(1)).await.expect("it may begin");
    let again = on.tried_to_begin(&task, limited(2)).await.expect("it may begin");
    assert_eq!(again, first);
    assert_eq!(on.calls(1).await, [first]);
    assert_eq!(on.run(1).await.spent, 600);
}

pub(crate) async fn whoever_lost_the_debate_begins_nothing(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.begun(&task, 1, 1).await;
    let next = on.taken(20).await;
    for number in [1, 2] {
        let lost = on.tried_to_begin(&task, beginning(&task, number, instant(21))).await;
        assert_eq!(lost, Err(NotBegun::Lost));
    }
    on.begun(&next, 3, 22).await;
    on.told(1, Command::Cancel, 23).await;
    let lost = on.tried_to_begin(&next, beginning(&next, 4, instant(24))).await;
    assert_eq!(lost, Err(NotBegun::Lost));
    on.forgot(1).await;
    let lost = on.tried_to_begin(&next, beginning(&next, 5, instant(25))).await;
    assert_eq!(lost, Err(NotBegun::Lost));
}

pub(crate) async fn a_debate_that_is_to_stop_begins_no_new_turn(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.told(1, Command::Stop, 1).await;
    let stopping = on.tried_to_begin(&task, beginning(&task, 1, instant(2))).await;
    assert_eq!(stopping, Err(NotBegun::Stopping));
    assert!(on.calls(1).await.is_empty());
    // But one that was begun is brought to its end, also with a second call.
    let task = on.at_work(2, 0).await;
    on.begun(&task, 2, 1).await;
    on.told(2, Command::Stop, 2).await;
    let after = Some(ended(2, Called::Ok, tokens(7, 40)));
    let second = Begin { after, ..beginning(&task, 3, instant(3)) };
    assert_eq!(on.tried_to_begin(&task, second).await.expect("it may begin").number, 2);
}

pub(crate) async fn the_end_of_the_call_before_comes_with_the_next(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.begun(&task, 1, 1).await;
    let after = Some(ended(1, Called::Ok, tokens(7, 40)));
    let begin = Begin { after, ..beginning(&task, 2, instant(2)) };
    let second = on.tried_to_begin(&task, begin).await.expect("it may begin");
    let [first, kept] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((first.called, first.finished_at), (Called::Ok, Some(instant(2))));
    assert_eq!((kept.number, &kept), (2, &second));
    assert_eq!(on.run(1).await.spent, 640);
    // It is kept also where the next one may not begin.
    let task = on.at_work(2, 3).await;
    on.begun(&task, 3, 3).await;
    let after = Some(ended(3, Called::Ok, tokens(7, 41)));
    let begin = Begin { after, daily_tokens: Some(1), ..beginning(&task, 4, instant(4)) };
    let not = on.tried_to_begin(&task, begin).await.expect_err("it may not begin");
    assert_eq!(not, NotBegun::DailyTokens(1));
    assert_eq!(on.only_call(2).await.usage, tokens(7, 41));
    assert_eq!(on.run(2).await.spent, 41);
}

pub(crate) async fn a_days_tokens_are_never_exceeded(on: &Engine) {
    const DEBATES: u32 = 12;
    let mut tasks = Vec::new();
    for number in 1..=DEBATES {
        tasks.push(on.at_work(number, 0).await);
    }
    // Five of them fit, exactly.
    let all = (1..).zip(&tasks).map(|(number, task)| {
        let begin = Begin { daily_tokens: Some(3000), ..beginning(task, number, instant(1)) };
        on.tried_to_begin(task, begin)
    });
    let outcomes = in_time(join_all(all)).await;
    let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(outcomes.len() - refused.len(), 5);
    assert!(refused.iter().all(|not| **not == NotBegun::DailyTokens(3000)), "{refused:?}");
}

pub(crate) async fn a_day_counts_what_calls_turned_out_to_cost(on: &Engine) {
    let limited = |task, number, second| Begin {
        daily_tokens: Some(1000),
        ..beginning(task, number, instant(second))
    };
    let first = on.at_work(1, 0).await;
    on.tried_to_begin(&first, limited(&first, 1, 1)).await.expect("it may begin");
    let second = on.at_work(2, 1).await;
    let not =
        on.tried_to_begin(&second, limited(&second, 2, 1)).await.expect_err("it may not begin");
    assert_eq!(not, NotBegun::DailyTokens(1000));
    let end = ended(1, Called::Ok, tokens(7, 400));
    let place = first.record.run.cursor;
    assert_eq!(on.settled(&first, Some(end), spoke(1, place), 2).await, Settlement::Kept);
    // 400 and 600 fit exactly; not one more.
    on.tried_to_begin(&second, limited(&second, 2, 3)).await.expect("it may begin");
    let third = on.at_work(3, 0).await;
    let mut begin = limited(&third, 3, 3);
    begin.call = CallDraft { allowed: allowed(1), ..begin.call };
    on.tried_to_begin(&third, begin.clone()).await.expect_err("it may not begin");
    // Within one operation too: what the call before gives back, the next may use.
    let end = Some(ended(2, Called::Ok, tokens(7, 0)));
    let next = Begin { after: end, ..limited(&second, 4, 4) };
    on.tried_to_begin(&second, next).await.expect("it may begin");
    // A debate that is gone has still cost what it cost.
    on.forgot(2).await;
    on.tried_to_begin(&third, begin).await.expect_err("it may not begin");
}

pub(crate) async fn each_day_has_its_own_tokens(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let today = instant(0);
    let tomorrow = today + SignedDuration::from_hours(24);
    let limited = |number, at| Begin { daily_tokens: Some(600), ..beginning(&task, number, at) };
    on.tried_to_begin(&task, limited(1, today)).await.expect("it may begin");
    on.tried_to_begin(&task, limited(2, today)).await.expect_err("it may not begin");
    on.tried_to_begin(&task, limited(2, tomorrow)).await.expect("it may begin");
    on.tried_to_begin(&task, limited(3, tomorrow)).await.expect_err("it may not begin");
    // What ends tomorrow is given back to the day it began.
    let after = Some(ended(1, Called::Ok, tokens(7, 0)));
    let next = Begin { after, ..limited(3, tomorrow) };
    on.tried_to_begin(&task, next).await.expect_err("it may not begin");
    on.tried_to_begin(&task, limited(4, today)).await.expect("it may begin");
}
