//! The daily budget and the charges of calls.

use std::collections::BTreeMap;

use debate_core::runner::{
    Actor, BeginCall, BeginCallError, Budget, Call, CallDraft, CallResult, CallStatus, Charge,
    Command, CommandError, CommandRequest, Currency, DailyLimits, Language, NanoUsd, OverBudget,
    Price, Prices, RunRecord, RunSettingsDraft, RunState, TokenPrice, UsdRates,
};
use debate_core::{CallId, CallTokens, Message, MessageRole, TokenCount, Usage};
use proptest::prelude::*;
use uuid::Uuid;

use super::support::{cursor_at, leased_run, model, run_with};
use crate::support::instant;

fn usd(text: &str) -> NanoUsd {
    NanoUsd::parse(text).expect("it is an amount")
}

fn rates(input: &str, output: &str) -> UsdRates {
    let rate = |text| TokenPrice::new(text).expect("it is a rate");
    UsdRates { input: rate(input), output: rate(output) }
}

fn price(input: &str, output: &str, currency: &str) -> Price {
    let UsdRates { input, output } = rates(input, output);
    Price { input, output, currency: Currency::new(currency).expect("a currency") }
}

fn begin(
    record: &RunRecord,
    name: &str,
    rates: Option<UsdRates>,
    limits: DailyLimits,
) -> BeginCall {
    let call = CallDraft {
        id: CallId::new(Uuid::from_u128(1)),
        cursor: cursor_at(1, Actor::DebaterA),
        model: model(name),
        allowed: CallTokens::constant::<600>(),
        prompt_bytes: 1400,
        rates,
        at: instant(1),
    };
    BeginCall { fencing_token: record.fencing_token, after: None, call, limits }
}

fn begun(begin: &BeginCall, today: Charge) -> Result<Call, BeginCallError> {
    leased_run().begin_call(begin, today, 0).map(|(_, call)| call)
}

#[test]
fn usage_is_clipped_to_what_the_call_allowed_and_marked() {
    let max_usage = TokenCount { prompt_tokens: 100, completion_tokens: 20 };
    let clipped = |prompt_tokens, completion_tokens| {
        let usage = Usage { prompt_tokens, completion_tokens, clipped: false }.clip(max_usage);
        (usage.prompt_tokens, usage.completion_tokens, usage.clipped)
    };
    assert_eq!(clipped(Some(100), Some(20)), (Some(100), Some(20), false));
    assert_eq!(clipped(Some(101), Some(20)), (Some(100), Some(20), true));
    assert_eq!(clipped(Some(100), Some(u32::MAX)), (Some(100), Some(20), true));
    assert_eq!(clipped(None, Some(21)), (None, Some(20), true));
    assert_eq!(clipped(None, None), (None, None, false));
    let once = Usage::reported(101, 7).clip(max_usage);
    assert_eq!(once.clip(max_usage), once, "the mark stays");
    assert_eq!(Usage::UNREPORTED.or_max(max_usage).total(), 120);
}

#[test]
fn bound_of_a_prompt_is_its_utf_8_bytes() {
    let message = |text: &str| Message { role: MessageRole::User, text: text.to_owned() };
    let prompt = vec![message("abc"), message("勝者 😀")];
    let max_usage = TokenCount::max_for(&prompt, CallTokens::constant::<20>());
    assert_eq!(
        (max_usage.prompt_tokens, max_usage.completion_tokens, max_usage.total()),
        (14, 20, 34)
    );
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
    let record = leased_run();
    let begin = begin(&record, "openai:x", Some(rates("3", "15")), limits);
    let call = begun(&begin, Charge::default()).expect("it fits");
    let cost = NanoUsd::new(1400 * 3000 + 600 * 15_000);
    assert_eq!(call.charge(), Charge { tokens: 2000, cost });
    let today = Charge { tokens: 3000, cost: NanoUsd::default() };
    begun(&begin, today).expect("it fits exactly");
    let over = begun(&begin, Charge { tokens: 3001, ..today });
    let tokens = OverBudget::Tokens { limit: 5000, left: 1999, needed: 2000 };
    assert_eq!(over, Err(BeginCallError::OverBudget(tokens)));
    let today = Charge { tokens: 0, cost: NanoUsd::new(20_000_000 - cost.nanos()) };
    begun(&begin, today).expect("it fits exactly");
    let over = begun(&begin, Charge { cost: NanoUsd::new(today.cost.nanos() + 1), ..today });
    let left = NanoUsd::new(cost.nanos() - 1);
    let too_little = OverBudget::Cost { limit: usd("0.02"), left, needed: cost };
    assert_eq!(over, Err(BeginCallError::OverBudget(too_little)));
}

#[test]
fn budget_is_limited_by_tokens_or_cost_or_both() {
    let (tokens, cost) = (Some(1999), Some(usd("5")));
    let record = leased_run();
    for (limits, is_set, refused) in [
        (DailyLimits { tokens: None, cost: None }, false, false),
        (DailyLimits { tokens, cost: None }, true, true),
        (DailyLimits { tokens: None, cost }, true, false),
        (DailyLimits { tokens, cost }, true, true),
    ] {
        assert_eq!(limits.is_set(), is_set, "{limits:?}");
        let begin = begin(&record, "openai:x", Some(rates("3", "15")), limits);
        assert_eq!(begun(&begin, Charge::default()).is_err(), refused, "{limits:?}");
    }
}

#[test]
fn limited_cost_refuses_a_model_without_price_and_exempts_the_demo() {
    let limits = DailyLimits { tokens: Some(1), cost: Some(usd("0")) };
    let record = leased_run();
    let unpriced = begin(&record, "openai:x", None, limits);
    assert_eq!(begun(&unpriced, Charge::default()), Err(BeginCallError::ModelWithoutPrice));
    let demo = begin(&record, "demo:fast", None, limits);
    let call = begun(&demo, Charge { tokens: u64::MAX, cost: usd("5") }).expect("it is exempt");
    assert_eq!(call.charge(), Charge::default());
    let only_cost = DailyLimits { tokens: None, ..limits };
    let free = begin(&record, "command:x", Some(rates("0", "0")), only_cost);
    begun(&free, Charge { tokens: 0, cost: usd("0") }).expect("0 is a price");
}

#[test]
fn unknown_outcome_keeps_its_reservation_and_a_known_one_is_corrected() {
    let record = leased_run();
    let begin = begin(&record, "openai:x", Some(rates("1", "2")), DailyLimits::default());
    let (record, call) = record.begin_call(&begin, Charge::default(), 0).expect("it is held");
    let ended = |called, usage| {
        let end = CallResult { call: call.id, status: called, usage };
        record.finish_call(&call, &end, instant(2)).expect("it was open").1
    };
    assert_eq!(ended(CallStatus::Unknown, Usage::UNREPORTED).charge(), call.charge());
    assert_eq!(ended(CallStatus::Error, Usage::UNREPORTED).charge(), call.charge());
    let known = ended(CallStatus::Ok, Usage::reported(100, 10)).charge();
    assert_eq!(known, Charge { tokens: 110, cost: NanoUsd::new(120_000) });
    let absurd = ended(CallStatus::Ok, Usage::reported(u32::MAX, u32::MAX));
    assert_eq!((absurd.charge(), absurd.usage.clipped), (call.charge(), true));
}

#[test]
fn run_starts_only_when_every_called_model_has_a_price_in_usd() {
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
        let draft = RunSettingsDraft {
            model_debater: name(debater),
            model_judge: name(judge),
            ..RunSettingsDraft::default()
        };
        let order = CommandRequest::from(Command::Start);
        run_with(draft).apply_request(&order, budget, instant(1)).map(|record| record.run.state)
    };
    for name in ["priced:x", "demo:fast", "command:free"] {
        assert_eq!(ordered(&budget, name, name), Ok(RunState::Running), "{name}");
    }
    for name in ["euro:x", "other:x", "command:other"] {
        let refused = ordered(&budget, "priced:x", name).expect_err("it has no price in USD");
        let CommandError::ModelWithoutPrice(unpriced) = &refused else { panic!("{refused:?}") };
        assert_eq!((unpriced.field, unpriced.model.to_string()), ("model_judge", name.to_owned()));
        assert!(refused.to_string().contains("RUNNER_DAILY_COST"), "{refused}");
        let refused = ordered(&budget, name, "priced:x").expect_err("it has no price in USD");
        assert!(refused.to_string().starts_with("`model_debater`: "), "{refused}");
        assert_eq!(ordered(&unlimited, name, name), Ok(RunState::Running), "{name}");
    }
    let overridden = RunSettingsDraft {
        model_debater: Some("euro:x".to_owned()),
        model_debater_a: Some("priced:x".to_owned()),
        model_debater_b: Some("priced:y".to_owned()),
        ..RunSettingsDraft::default()
    };
    let started = run_with(overridden).apply_request(&Command::Start.into(), &budget, instant(1));
    assert!(started.is_ok(), "no debater calls the model of both: {started:?}");
    let canceled = run_with(RunSettingsDraft::default()).apply_command(Command::Cancel, instant(1));
    let canceled = canceled.expect("it can be canceled");
    let refused = canceled.apply_request(&Command::Start.into(), &budget, instant(2));
    assert!(matches!(refused, Err(CommandError::Refused(_))), "{refused:?}");
}

#[test]
fn ui_language_sets_the_output_language_that_the_creation_left_out() {
    let order = |tag: &str| CommandRequest {
        command: Command::Start,
        ui_language: Some(Language::new(tag.to_owned()).expect("it is a tag")),
    };
    let budget = Budget::default();
    let left_out = run_with(RunSettingsDraft::default());
    let started = left_out.apply_request(&order("zh-TW"), &budget, instant(1)).expect("it starts");
    assert_eq!(started.run.settings.output_language.tag(), "zh-TW");
    let stopped = started.apply_command(Command::Stop, instant(2)).expect("it stops");
    let resumed = stopped.apply_request(&order("de"), &budget, instant(3)).expect("it goes on");
    assert_eq!(resumed.run.settings.output_language.tag(), "de", "each start applies it");
    let named =
        RunSettingsDraft { output_language: Some("en".to_owned()), ..RunSettingsDraft::default() };
    let started = run_with(named).apply_request(&order("zh-TW"), &budget, instant(1));
    assert_eq!(started.expect("it starts").run.settings.output_language.tag(), "en");
    let stop = CommandRequest { command: Command::Stop, ..order("de") };
    let stopped = resumed.apply_request(
        &CommandRequest { ui_language: None, ..stop.clone() },
        &budget,
        instant(4),
    );
    let same = resumed.apply_request(&stop, &budget, instant(4));
    assert_eq!(same, stopped, "a stop changes no language");
}

proptest! {
    /// Whatever providers report and however calls end, the charges of a day
    /// never exceed its limits.
    #[test]
    fn day_is_never_booked_beyond_its_limits(
        calls in prop::collection::vec(
            (0_u32..3000, 1_u32..2000, any::<Option<u32>>(), any::<Option<u32>>(), 0_u8..4), 0..60,
        ),
    ) {
        let limits = DailyLimits { tokens: Some(20_000), cost: Some(usd("0.05")) };
        let record = leased_run();
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
            let Ok((after, call)) = record.begin_call(&begin, sum(&booked), 0) else { continue };
            let usage = Usage { prompt_tokens, completion_tokens, clipped: false };
            let status = match fate {
                0 => CallStatus::Unknown,
                1 => CallStatus::Error,
                _ => CallStatus::Ok,
            };
            let usage = if fate == 0 { Usage::UNREPORTED } else { usage };
            let end = CallResult { call: call.id, status, usage };
            booked.push(call);
            let Charge { tokens, cost } = sum(&booked);
            prop_assert!(tokens <= 20_000 && cost <= usd("0.05"), "in flight: {tokens} {cost}");
            let call = booked.pop().expect("it was pushed");
            let (_, known) = after.finish_call(&call, &end, instant(2)).expect("it was open");
            booked.push(known);
            let Charge { tokens, cost } = sum(&booked);
            prop_assert!(tokens <= 20_000 && cost <= usd("0.05"), "ended: {tokens} {cost}");
        }
    }
}
