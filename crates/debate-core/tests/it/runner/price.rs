//! The price of tokens.

use std::collections::BTreeMap;

use debate_core::ModelName;
use debate_core::runner::{Currency, Price, Prices, TokenPrice};

fn rate(text: &str) -> TokenPrice {
    TokenPrice::new(text).unwrap_or_else(|err| panic!("{text}: {err}"))
}

fn price(input: &str, output: &str, currency: &str) -> Price {
    let currency = Currency::new(currency).expect("a currency");
    Price { input: rate(input), output: rate(output), currency }
}

#[test]
fn cost_is_proportional_to_the_price_per_million_and_rounded_once() {
    for (input, output, prompt, completion, amount) in [
        ("3", "15", 1_000_000, 1_000_000, "18.000000"),
        ("3", "15", 1000, 100, "0.004500"),
        ("0.15", "0.60", 1, 1, "0.000001"),
        ("0.15", "0.60", 0, 0, "0.000000"),
        ("0.1", "0", 4, 0, "0.000000"),
        ("0.1", "0", 5, 0, "0.000001"),
        ("0.000001", "1000000", 0, 2_000_000, "2000000.000000"),
    ] {
        let money = price(input, output, "USD").cost(prompt, completion);
        assert_eq!(money.to_string(), amount, "{input}/{output} {prompt}+{completion}");
    }
}

#[test]
fn small_amounts_add_up_exactly_per_currency() {
    let small = price("0.1", "0", "USD").cost(4, 0);
    let mut sum = small.clone();
    for _ in 1..1000 {
        sum = sum.checked_add(&small).expect("one currency");
    }
    assert_eq!(sum.to_string(), "0.000400", "though each alone is shown as nothing");
    assert_eq!(small.checked_add(&price("1", "1", "EUR").cost(1, 1)), None);
}

#[test]
fn larger_of_two_amounts_exists_within_a_currency_only() {
    let usd = |tokens| price("1", "0", "USD").cost(tokens, 0);
    assert_eq!(usd(2).max(&usd(3)), Some(usd(3)));
    assert_eq!(usd(3).max(&usd(2)), Some(usd(3)));
    let euro = price("1", "0", "EUR").cost(3, 0);
    assert_eq!((usd(2).max(&euro), euro.currency().code()), (None, "EUR"));
}

#[test]
fn invalid_rate_or_currency_is_refused() {
    for text in ["", ".", "1.", ".5", "-1", "1e3", "0.0000001", "1000000.1", "99999999", "x", "+1"]
    {
        assert!(TokenPrice::new(text).is_err(), "{text:?}");
    }
    for text in ["0", "1000000", "1000000.0", "0.000001", "0007"] {
        assert!(TokenPrice::new(text).is_ok(), "{text:?}");
    }
    for text in ["", "usd", "US", "DOLLAR", "U$D", "ÜS"] {
        assert!(Currency::new(text).is_err(), "{text:?}");
    }
}

#[test]
fn price_can_be_set_for_one_command() {
    let prices = BTreeMap::from([
        ("command:claude".to_owned(), price("0", "0", "USD")),
        ("openai".to_owned(), price("1", "2", "USD")),
    ]);
    let prices = Prices::new(prices);
    let of = |name| prices.find(&ModelName::new(name).expect("a model's name")).cloned();
    assert_eq!(of("command:claude"), Some(price("0", "0", "USD")));
    assert_eq!(of("command:codex"), None);
}

#[test]
fn model_has_the_price_of_its_provider() {
    let prices = Prices::new(BTreeMap::from([("openai".to_owned(), price("1", "2", "USD"))]));
    let of = |name| prices.find(&ModelName::new(name).expect("a model's name")).is_some();
    assert!(of("openai:gpt-4.1") && of("openai:x:y"));
    assert!(!of("openai2:gpt-4.1") && !of("demo:fast"));
}
