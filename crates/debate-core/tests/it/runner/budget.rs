//! What a day may be booked with, and what calls are booked with.

use std::collections::BTreeMap;

use debate_core::runner::{
    Actor, Begin, Budget, Call, CallDraft, CallEnd, Called, Charge, Command, Currency, DailyLimits,
    Language, NanoUsd, NotBegun, NotObeyed, OnUnknown, Opening, Order, OverBudget, Price, Prices,
    Rate, Record, SettingsDraft, Standing, Taken, UsdRates, created,
};
use debate_core::{CallId, CallTokens, Message, RunId, Speaker, TokenCount, Usage};
use jiff::SignedDuration;
use proptest::prelude::*;
use uuid::Uuid;

use super::support::{model, place, settings, topic};
use crate::support::instant;

fn usd(text: &str) -> NanoUsd {
    NanoUsd::parse(text).expect("it is an amount")
}

fn rates(input: &str, output: &str) -> UsdRates {
    let rate = |text| Rate::new(text).expect("it is a rate");
    UsdRates { input: rate(input), output: rate(output) }
}

fn price(input: &str, output: &str, currency: &str) -> Price {
    let UsdRates { input, output } = rates(input, output);
    Price { input, output, currency: Currency::new(currency).expect("a currency") }
}

fn run_with(draft: SettingsDraft) -> Record {
    let opening = Opening {
        run: RunId::new(Uuid::from_u128(7)),
        topic: topic("Tea"),
        settings: settings(draft),
    };
    created(&opening, instant(0))
}

/// A run that a worker holds.
fn held() -> Record {
    let running = run_with(SettingsDraft::default()).commanded(Command::Start, instant(0));
    let lease = SignedDuration::from_secs(15);
    match running.expect("it can start").taken(0, OnUnknown::Retry, instant(0), lease) {
        Taken::Step(record) => record,
        Taken::Tidied(_) => panic!("there is something to do"),
    }
}

fn begin(record: &Record, name: &str, rates: Option<UsdRates>, limits: DailyLimits) -> Begin {
    let call = CallDraft {
        id: CallId::new(Uuid::from_u128(1)),
        place: place(1, Actor::DebaterA),
        model: model(name),
        allowed: CallTokens::of::<600>(),
        prompt_bytes: 1400,
        rates,
        at: instant(1),
    };
    Begin { term: record.term, after: None, call, limits }
}

fn begun(begin: &Begin, today: Charge) -> Result<Call, NotBegun> {
    held().begun(begin, today, 0).map(|(_, call)| call)
}

#[test]
fn usage_is_clipped_to_what_the_call_allowed_and_marked() {
    let bound = TokenCount { prompt_tokens: 100, completion_tokens: 20 };
    let clipped = |prompt_tokens, completion_tokens| {
        let usage = Usage { prompt_tokens, completion_tokens, clipped: false }.clip(bound);
        (usage.prompt_tokens, usage.completion_tokens, usage.clipped)
    };
    assert_eq!(clipped(Some(100), Some(20)), (Some(100), Some(20), false));
    assert_eq!(clipped(Some(101), Some(20)), (Some(100), Some(20), true));
    assert_eq!(clipped(Some(100), Some(u32::MAX)), (Some(100), Some(20), true));
    assert_eq!(clipped(None, Some(21)), (None, Some(20), true));
    assert_eq!(clipped(None, None), (None, None, false));
    let once = Usage::reported(101, 7).clip(bound);
    assert_eq!(once.clip(bound), once, "the mark stays");
    assert_eq!(Usage::NOT_TOLD.or_bound(bound).total(), 120);
}

#[test]
fn bound_of_a_prompt_is_its_utf_8_bytes() {
    let message = |text: &str| Message { speaker: Speaker::User, text: text.to_owned() };
    let prompt = vec![message("abc"), message("勝者 😀")];
    let bound = TokenCount::bound(&prompt, CallTokens::of::<20>());
    assert_eq!((bound.prompt_tokens, bound.completion_tokens, bound.total()), (14, 20, 34));
}

#[test]
fn amounts_are_exact_and_costs_are_rounded_up() {
    assert_eq!(usd("0.000001").nanos(), 1000);
    assert_eq!(usd("1000000").nanos(), 1_000_000_000_000_000);
    assert_eq!(usd("2.50").to_string(), "2.500000 USD");
    assert_eq!(NanoUsd::new(1).to_string(), "0.000001 USD");
    for text in ["", "-1", "1000000.1", "1e3", "0.0000001", "5 USD", "NaN"] {
        assert!(NanoUsd::parse(text).is_err(), "{text}");
    }
    let tokens = |prompt_tokens, completion_tokens| TokenCount { prompt_tokens, completion_tokens };
    assert_eq!(rates("3", "15").cost(tokens(1000, 100)).nanos(), 4_500_000);
    assert_eq!(rates("0.000001", "0").cost(tokens(1, 0)).nanos(), 1);
    assert_eq!(rates("0", "0").cost(tokens(u32::MAX, u32::MAX)).nanos(), 0);
    let most = rates("1000000", "1000000").cost(tokens(u32::MAX, u32::MAX)).nanos();
    assert_eq!(most, 2 * u64::from(u32::MAX) * 1_000_000_000);
}

#[test]
fn call_reserves_prompt_bytes_and_max_tokens_and_their_cost() {
    let limits = DailyLimits { tokens: Some(5000), cost: Some(usd("0.02")) };
    let record = held();
    let begin = begin(&record, "openai:x", Some(rates("3", "15")), limits);
    let call = begun(&begin, Charge::default()).expect("it fits");
    let cost = NanoUsd::new(1400 * 3000 + 600 * 15_000);
    assert_eq!(call.charge(), Charge { tokens: 2000, cost });
    let today = Charge { tokens: 3000, cost: NanoUsd::default() };
    begun(&begin, today).expect("it fits exactly");
    let over = begun(&begin, Charge { tokens: 3001, ..today });
    let tokens = OverBudget::Tokens { limit: 5000, left: 1999, needed: 2000 };
    assert_eq!(over, Err(NotBegun::OverBudget(tokens)));
    let today = Charge { tokens: 0, cost: NanoUsd::new(20_000_000 - cost.nanos()) };
    begun(&begin, today).expect("it fits exactly");
    let over = begun(&begin, Charge { cost: NanoUsd::new(today.cost.nanos() + 1), ..today });
    let Err(NotBegun::OverBudget(OverBudget::Cost { needed, .. })) = over else {
        panic!("one billionth too much: {over:?}");
    };
    assert_eq!(needed, cost);
}

#[test]
fn limited_cost_refuses_a_model_without_price_and_exempts_the_demo() {
    let limits = DailyLimits { tokens: Some(1), cost: Some(usd("0")) };
    let record = held();
    let unpriced = begin(&record, "openai:x", None, limits);
    assert_eq!(begun(&unpriced, Charge::default()), Err(NotBegun::Unpriced));
    let demo = begin(&record, "demo:fast", None, limits);
    let call = begun(&demo, Charge { tokens: u64::MAX, cost: usd("5") }).expect("it is exempt");
    assert_eq!(call.charge(), Charge::default());
    let only_cost = DailyLimits { tokens: None, ..limits };
    let free = begin(&record, "command:x", Some(rates("0", "0")), only_cost);
    begun(&free, Charge { tokens: 0, cost: usd("0") }).expect("0 is a price");
}

#[test]
fn unknown_outcome_keeps_its_reservation_and_a_known_one_is_corrected() {
    let record = held();
    let begin = begin(&record, "openai:x", Some(rates("1", "2")), DailyLimits::default());
    let (record, call) = record.begun(&begin, Charge::default(), 0).expect("it is held");
    let ended = |called, usage| {
        let end = CallEnd { call: call.id, called, usage };
        record.call_ended(&call, &end, instant(2)).expect("it was open").1
    };
    assert_eq!(ended(Called::Unknown, Usage::NOT_TOLD).charge(), call.charge());
    assert_eq!(ended(Called::Error, Usage::NOT_TOLD).charge(), call.charge());
    let known = ended(Called::Ok, Usage::reported(100, 10)).charge();
    assert_eq!(known, Charge { tokens: 110, cost: NanoUsd::new(120_000) });
    let absurd = ended(Called::Ok, Usage::reported(u32::MAX, u32::MAX));
    assert_eq!((absurd.charge(), absurd.usage.clipped), (call.charge(), true));
}

#[test]
fn run_starts_only_when_every_asked_model_has_a_price_in_usd() {
    let prices = BTreeMap::from([
        ("priced".to_owned(), price("1", "2", "USD")),
        ("euro".to_owned(), price("1", "2", "EUR")),
        ("command:free".to_owned(), price("0", "0", "USD")),
    ]);
    let limits = DailyLimits { tokens: None, cost: Some(usd("1")) };
    let budget = Budget { limits, prices: Prices::new(prices) };
    let unlimited = Budget { limits: DailyLimits::default(), ..budget.clone() };
    let ordered = |budget: &Budget, debater: &str, judge: &str| {
        let name = |name: &str| Some(name.to_owned());
        let draft = SettingsDraft {
            model_debater: name(debater),
            model_judge: name(judge),
            ..SettingsDraft::default()
        };
        let order = Order::from(Command::Start);
        run_with(draft).ordered(&order, budget, instant(1)).map(|record| record.run.standing)
    };
    for name in ["priced:x", "demo:fast", "command:free"] {
        assert_eq!(ordered(&budget, name, name), Ok(Standing::Running), "{name}");
    }
    for name in ["euro:x", "other:x", "command:other"] {
        let refused = ordered(&budget, "priced:x", name).expect_err("it has no price in USD");
        let NotObeyed::Unpriced(unpriced) = &refused else { panic!("{refused:?}") };
        assert_eq!((unpriced.field, unpriced.model.to_string()), ("model_judge", name.to_owned()));
        assert!(refused.to_string().contains("RUNNER_DAILY_COST"), "{refused}");
        let refused = ordered(&budget, name, "priced:x").expect_err("it has no price in USD");
        assert!(refused.to_string().starts_with("`model_debater`: "), "{refused}");
        assert_eq!(ordered(&unlimited, name, name), Ok(Standing::Running), "{name}");
    }
    let canceled = run_with(SettingsDraft::default()).commanded(Command::Cancel, instant(1));
    let canceled = canceled.expect("it can be canceled");
    let refused = canceled.ordered(&Command::Start.into(), &budget, instant(2));
    assert!(matches!(refused, Err(NotObeyed::Refused(_))), "{refused:?}");
}

#[test]
fn ui_language_sets_the_output_language_that_the_creation_left_out() {
    let order = |tag: &str| Order {
        command: Command::Start,
        ui_language: Some(Language::new(tag.to_owned()).expect("it is a tag")),
    };
    let budget = Budget::default();
    let left_out = run_with(SettingsDraft::default());
    let started = left_out.ordered(&order("zh-TW"), &budget, instant(1)).expect("it starts");
    assert_eq!(started.run.settings.output_language.tag(), "zh-TW");
    let stopped = started.commanded(Command::Stop, instant(2)).expect("it stops");
    let resumed = stopped.ordered(&order("de"), &budget, instant(3)).expect("it goes on");
    assert_eq!(resumed.run.settings.output_language.tag(), "de", "each start applies it");
    let named =
        SettingsDraft { output_language: Some("en".to_owned()), ..SettingsDraft::default() };
    let started = run_with(named).ordered(&order("zh-TW"), &budget, instant(1));
    assert_eq!(started.expect("it starts").run.settings.output_language.tag(), "en");
    let stop = Order { command: Command::Stop, ..order("de") };
    let stopped =
        resumed.ordered(&Order { ui_language: None, ..stop.clone() }, &budget, instant(4));
    let same = resumed.ordered(&stop, &budget, instant(4));
    assert_eq!(same, stopped, "a stop changes no language");
}

proptest! {
    /// Whatever providers report, and whatever becomes of calls, the day is never booked with more
    /// than its limits.
    #[test]
    fn day_is_never_booked_beyond_its_limits(
        calls in prop::collection::vec(
            (0_u32..3000, 1_u32..2000, any::<Option<u32>>(), any::<Option<u32>>(), 0_u8..4), 0..60,
        ),
    ) {
        let limits = DailyLimits { tokens: Some(20_000), cost: Some(usd("0.05")) };
        let record = held();
        let mut booked: Vec<Call> = Vec::new();
        let sum = |booked: &[Call]| booked.iter().map(Call::charge).fold(
            Charge::default(),
            |sum, charge| Charge {
                tokens: sum.tokens + charge.tokens,
                cost: NanoUsd::new(sum.cost.nanos() + charge.cost.nanos()),
            },
        );
        for (bytes, allowed, prompt_tokens, completion_tokens, fate) in calls {
            let mut begin = begin(&record, "openai:x", Some(rates("3", "15")), limits);
            begin.call.prompt_bytes = bytes;
            begin.call.allowed = CallTokens::new(allowed).expect("it is in range");
            let Ok((after, call)) = record.begun(&begin, sum(&booked), 0) else { continue };
            let usage = Usage { prompt_tokens, completion_tokens, clipped: false };
            let called = match fate {
                0 => Called::Unknown,
                1 => Called::Error,
                _ => Called::Ok,
            };
            let usage = if fate == 0 { Usage::NOT_TOLD } else { usage };
            let end = CallEnd { call: call.id, called, usage };
            booked.push(call);
            let Charge { tokens, cost } = sum(&booked);
            prop_assert!(tokens <= 20_000 && cost <= usd("0.05"), "in flight: {tokens} {cost}");
            let call = booked.pop().expect("it was pushed");
            let (_, known) = after.call_ended(&call, &end, instant(2)).expect("it was open");
            booked.push(known);
            let Charge { tokens, cost } = sum(&booked);
            prop_assert!(tokens <= 20_000 && cost <= usd("0.05"), "ended: {tokens} {cost}");
        }
    }
}
