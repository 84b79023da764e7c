//! What tokens cost in money, where someone says so. Exact: no sum of many small amounts drifts.

use std::collections::BTreeMap;
use std::fmt;

use crate::ModelName;

/// Millionths in one.
const MILLION: u128 = 1_000_000;

/// A currency by its three letters: `USD`, `EUR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Currency(String);

/// The text was no currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be three capital letters such as USD or EUR")]
pub struct NotACurrency;

impl Currency {
    /// A currency, if `code` can be one.
    pub fn new(code: &str) -> Result<Self, NotACurrency> {
        let fits = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        if fits { Ok(Self(code.to_owned())) } else { Err(NotACurrency) }
    }

    /// Its three letters.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0
    }
}

/// What a million tokens cost, in millionths of a currency's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(u64);

/// The number was no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a number from 0 to 1000000, with at most six digits after the point")]
pub struct NotARate;

impl Rate {
    /// A rate as it is written: `3`, `0.15`.
    pub fn new(text: &str) -> Result<Self, NotARate> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str, most: usize| {
            let fits = (1..=most).contains(&text.len());
            (fits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
        };
        let whole = digits(whole, 7).ok_or(NotARate)?;
        let part = digits(part, 6).ok_or(NotARate)?;
        let millionths: u64 = format!("{whole}{part:0<6}").parse().map_err(|_| NotARate)?;
        Self::from_millionths(millionths)
    }
}

impl Rate {
    /// Millionths of the currency's unit for a million tokens, as the stores keep them.
    #[must_use]
    pub const fn millionths(self) -> u64 {
        self.0
    }

    /// The rate that was kept as so many millionths.
    pub fn from_millionths(millionths: u64) -> Result<Self, NotARate> {
        if u128::from(millionths) > MILLION * MILLION {
            Err(NotARate)
        } else {
            Ok(Self(millionths))
        }
    }
}

/// What a provider's tokens cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// What it is asked.
    pub input: Rate,
    /// What it answers.
    pub output: Rate,
    /// Of what.
    pub currency: Currency,
}

impl Price {
    /// What so many tokens cost.
    #[must_use]
    pub fn of(&self, prompt_tokens: u64, completion_tokens: u64) -> Money {
        let cost = |rate: Rate, tokens: u64| u128::from(rate.0).saturating_mul(tokens.into());
        let input = cost(self.input, prompt_tokens);
        let trillionths = input.saturating_add(cost(self.output, completion_tokens));
        Money { trillionths, currency: self.currency.clone() }
    }
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Money {
    trillionths: u128,
    currency: Currency,
}

impl Money {
    /// Of what.
    #[must_use]
    pub const fn currency(&self) -> &Currency {
        &self.currency
    }

    /// The sum; none if the currencies differ.
    #[must_use]
    pub fn plus(self, other: &Self) -> Option<Self> {
        let trillionths = self.trillionths.saturating_add(other.trillionths);
        (self.currency == other.currency).then_some(Self { trillionths, ..self })
    }

    /// The larger of both; none if the currencies differ.
    #[must_use]
    pub fn dearer(self, other: &Self) -> Option<Self> {
        let most = self.trillionths.max(other.trillionths);
        (self.currency == other.currency).then_some(Self { trillionths: most, ..self })
    }
}

/// The amount alone, rounded to six digits after the point.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millionths = self.trillionths.saturating_add(MILLION / 2) / MILLION;
        write!(f, "{}.{:06}", millionths / MILLION, millionths % MILLION)
    }
}

/// The configured prices, by provider or by a model's whole name.
#[derive(Debug, Clone, Default)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// These, each under its provider's name, or under a model's whole name (`command:claude`).
    #[must_use]
    pub const fn new(by_name: BTreeMap<String, Price>) -> Self {
        Self(by_name)
    }

    /// The price of a model's tokens, if one is configured.
    #[must_use]
    pub fn of(&self, model: &ModelName) -> Option<&Price> {
        self.0.get(&model.to_string()).or_else(|| self.0.get(model.provider()))
    }
}
