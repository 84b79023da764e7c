//! The plan of a run: its end, its next actor, and its token limit.

use std::time::Duration;

use debate_core::Usage;
use debate_core::runner::{
    Actor, AfterTurn, Cursor, JudgeMode, Judgement, Metadata, Outcome, Plan, RunLimit, RunProgress,
    RunSettingsDraft, Turn, plan, reached_limit,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::support::{cursor_at, in_mode, settings, turn, verdict};

/// No limit is reached: one round of the default five, one token, one second.
const EARLY: RunProgress = RunProgress {
    last: None,
    completed_rounds: 1,
    ran: Duration::from_secs(1),
    spent: 1,
    nothing_new: 1,
};

fn completed(plan: Plan) -> Option<RunLimit> {
    match plan {
        Plan::Complete { limit, .. } => Some(limit),
        Plan::Call { .. } => None,
    }
}

#[test]
fn limit_is_reached_exactly_at_its_number() {
    let settings = settings(RunSettingsDraft::default());
    let (nearly, full) = (Duration::from_millis(599_999), Duration::from_mins(10));
    let table = [
        (EARLY, None),
        (RunProgress { completed_rounds: 4, ..EARLY }, None),
        (RunProgress { completed_rounds: 5, ..EARLY }, Some(RunLimit::Rounds)),
        (RunProgress { completed_rounds: 6, ..EARLY }, Some(RunLimit::Rounds)),
        (RunProgress { ran: nearly, ..EARLY }, None),
        (RunProgress { ran: full, ..EARLY }, Some(RunLimit::Runtime)),
        (RunProgress { spent: 7999, ..EARLY }, None),
        (RunProgress { spent: 8000, ..EARLY }, Some(RunLimit::OutputTokens)),
        (RunProgress { spent: u64::MAX, ..EARLY }, Some(RunLimit::OutputTokens)),
        (RunProgress { nothing_new: 2, ..EARLY }, Some(RunLimit::JudgeEarlyStop)),
        (RunProgress { nothing_new: 3, ..EARLY }, Some(RunLimit::JudgeEarlyStop)),
    ];
    for (progress, expected) in table {
        assert_eq!(reached_limit(&settings, &progress), expected, "{progress:?}");
    }
}

#[test]
fn first_limit_in_contract_order_is_the_stop_reason() {
    let settings = settings(RunSettingsDraft::default());
    let mut all = RunProgress {
        completed_rounds: 5,
        ran: Duration::from_mins(10),
        spent: 8000,
        nothing_new: 2,
        ..EARLY
    };
    assert_eq!(reached_limit(&settings, &all), Some(RunLimit::Rounds));
    all.completed_rounds = 4;
    assert_eq!(reached_limit(&settings, &all), Some(RunLimit::Runtime));
    all.ran = Duration::ZERO;
    assert_eq!(reached_limit(&settings, &all), Some(RunLimit::OutputTokens));
    all.spent = 0;
    assert_eq!(reached_limit(&settings, &all), Some(RunLimit::JudgeEarlyStop));
}

#[test]
fn call_is_limited_by_its_maximum_and_the_remaining_tokens() {
    let settings = settings(RunSettingsDraft::default());
    let table = [
        (None, 0, Actor::DebaterA, 600),
        (Some(cursor_at(1, Actor::DebaterA)), 7400, Actor::DebaterB, 600),
        (Some(cursor_at(1, Actor::DebaterA)), 7401, Actor::DebaterB, 599),
        (Some(cursor_at(1, Actor::DebaterA)), 7999, Actor::DebaterB, 1),
        (Some(cursor_at(1, Actor::DebaterB)), 0, Actor::Judge, 400),
        (Some(cursor_at(1, Actor::DebaterB)), 7700, Actor::Judge, 300),
    ];
    for (last, spent, actor, tokens) in table {
        let Plan::Call { cursor, allowed, then } =
            plan(&settings, &RunProgress { last, spent, ..EARLY })
        else {
            panic!("nothing is reached at {spent}")
        };
        assert_eq!((cursor.actor, allowed.number(), then), (actor, tokens, AfterTurn::Continue));
    }
}

#[test]
fn limit_completes_a_run_that_is_judged_each_round() {
    let settings = settings(RunSettingsDraft::default());
    let done = RunProgress { completed_rounds: 5, last: Some(cursor_at(5, Actor::Judge)), ..EARLY };
    assert_eq!(completed(plan(&settings, &done)), Some(RunLimit::Rounds));
}

#[test]
fn limit_calls_the_final_judge_once() {
    let settings = settings(in_mode(JudgeMode::End));
    for (last, judged) in [
        (None, cursor_at(1, Actor::Judge)),
        (Some(cursor_at(2, Actor::DebaterA)), cursor_at(2, Actor::Judge)),
        (Some(cursor_at(2, Actor::DebaterB)), cursor_at(2, Actor::Judge)),
    ] {
        let late = RunProgress { last, ran: Duration::from_mins(10), ..EARLY };
        let Plan::Call { cursor, allowed, then } = plan(&settings, &late) else {
            panic!("the judge is still to speak")
        };
        assert_eq!((cursor, allowed.number()), (judged, 400));
        assert_eq!(then, AfterTurn::Complete(RunLimit::Runtime));
        let had = RunProgress { last: Some(judged), ..late };
        assert_eq!(completed(plan(&settings, &had)), Some(RunLimit::Runtime));
    }
}

#[test]
fn tokens_are_reserved_for_the_final_judge() {
    let settings = settings(in_mode(JudgeMode::End));
    let last = Some(cursor_at(1, Actor::DebaterA));
    let near = RunProgress { last, spent: 7500, ..EARLY };
    let Plan::Call { cursor, allowed, .. } = plan(&settings, &near) else { panic!("100 left") };
    assert_eq!((cursor.actor, allowed.number()), (Actor::DebaterB, 100));
    let reached = RunProgress { last, spent: 7600, ..EARLY };
    let Plan::Call { cursor, allowed, then } = plan(&settings, &reached) else {
        panic!("400 left")
    };
    assert_eq!((cursor, allowed.number()), (cursor_at(1, Actor::Judge), 400));
    assert_eq!(then, AfterTurn::Complete(RunLimit::OutputTokens));
    let overrun = RunProgress { last, spent: 8000, ..EARLY };
    assert_eq!(completed(plan(&settings, &overrun)), Some(RunLimit::OutputTokens));
}

#[test]
fn final_judge_reserves_at_most_half_of_the_tokens() {
    let draft = RunSettingsDraft { max_total_output_tokens: Some(500), ..in_mode(JudgeMode::End) };
    let last = Some(cursor_at(1, Actor::DebaterA));
    for (spent, actor, tokens) in
        [(0, Actor::DebaterB, 250), (249, Actor::DebaterB, 1), (250, Actor::Judge, 250)]
    {
        let progress = RunProgress { last, spent, ..EARLY };
        let Plan::Call { cursor, allowed, .. } = plan(&settings(draft.clone()), &progress) else {
            panic!("tokens are left at {spent}")
        };
        assert_eq!((cursor.actor, allowed.number()), (actor, tokens), "{spent}");
    }
}

#[test]
fn completed_run_has_the_cursor_of_its_turns() {
    for (mode, last, expected) in [
        (JudgeMode::Round, cursor_at(5, Actor::Judge), cursor_at(6, Actor::DebaterA)),
        (JudgeMode::Round, cursor_at(5, Actor::DebaterA), cursor_at(5, Actor::DebaterB)),
        (JudgeMode::End, cursor_at(5, Actor::Judge), cursor_at(6, Actor::DebaterA)),
    ] {
        let over = RunProgress { last: Some(last), ran: Duration::from_mins(10), ..EARLY };
        let expected = Plan::Complete { cursor: expected, limit: RunLimit::Runtime };
        assert_eq!(plan(&settings(in_mode(mode)), &over), expected);
    }
}

#[test]
fn progress_is_computed_from_turns() {
    let judge = |number, round, nothing_new| Turn {
        metadata: Metadata {
            outcome: Outcome::Ok,
            judgement: Some(Judgement::Given(verdict(nothing_new))),
            duration_ms: None,
        },
        ..turn(number, cursor_at(round, Actor::Judge), "Winner: A")
    };
    let mut turns = vec![judge(1, 1, true), judge(2, 2, false), judge(3, 3, true)];
    turns.push(turn(4, cursor_at(4, Actor::DebaterA), "So it is."));
    turns.push(judge(5, 4, true));
    turns.push(turn(6, cursor_at(5, Actor::DebaterA), "It is."));
    let progress = RunProgress::from_turns(&turns, JudgeMode::Round, Duration::ZERO, 9);
    assert_eq!(progress.last, Some(cursor_at(5, Actor::DebaterA)));
    assert_eq!((progress.completed_rounds, progress.nothing_new, progress.spent), (4, 2, 9));

    turns.push(Turn {
        metadata: Metadata {
            outcome: Outcome::Ok,
            judgement: Some(Judgement::Missing),
            duration_ms: None,
        },
        ..judge(7, 5, true)
    });
    let progress = RunProgress::from_turns(&turns, JudgeMode::Round, Duration::ZERO, 9);
    assert_eq!(progress.nothing_new, 0, "a missing verdict says nothing");
}

#[test]
fn unreported_usage_counts_as_all_allowed_tokens() {
    assert_eq!(Usage::UNREPORTED.charged_tokens(600), 600);
    assert_eq!(Usage::ZERO.charged_tokens(600), 0);
    let told = Usage { prompt_tokens: None, ..Usage::reported(0, 17) };
    assert_eq!(told.charged_tokens(600), 17);
}

fn any_settings() -> impl Strategy<Value = RunSettingsDraft> {
    (1_i64..=100, 1_i64..=5000, 1_i64..=1000, 1_i64..=1000, any::<bool>()).prop_map(
        |(rounds, total, debater, judge, end)| RunSettingsDraft {
            max_rounds: Some(rounds),
            max_total_output_tokens: Some(total),
            max_tokens_debater: Some(debater),
            max_tokens_judge: Some(judge),
            ..in_mode(if end { JudgeMode::End } else { JudgeMode::Round })
        },
    )
}

proptest! {
    /// For any usage of each call, reported or not, and for turns that are saved or retried.
    #[test]
    fn run_never_exceeds_its_token_limit(
        draft in any_settings(),
        calls in vec((option::of(0_u32..=1000), any::<bool>()), 0..400),
    ) {
        let settings = settings(draft);
        let total = u64::from(settings.max_total_output_tokens.number());
        let mut turns: Vec<Cursor> = Vec::new();
        let mut spent = 0_u64;
        for (share, stored) in calls {
            let mode = settings.judge_mode;
            let progress = RunProgress {
                last: turns.last().copied(),
                completed_rounds: debate_core::runner::completed_rounds(turns.clone(), mode),
                ran: Duration::ZERO,
                spent,
                nothing_new: 0,
            };
            let Plan::Call { cursor, allowed, .. } = plan(&settings, &progress) else { break };
            let most = match cursor.actor {
                Actor::DebaterA | Actor::DebaterB => settings.max_tokens_debater,
                Actor::Judge => settings.max_tokens_judge,
            };
            prop_assert!(allowed <= most);
            let used = share.map(|share| share * allowed.number() / 1000);
            let usage = Usage { completion_tokens: used, ..Usage::UNREPORTED };
            spent += u64::from(usage.charged_tokens(allowed.number()));
            prop_assert!(spent <= total, "{spent} of {total}");
            if stored {
                turns.push(cursor);
            }
        }
    }
}
