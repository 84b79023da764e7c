//! Prices of tokens. Amounts are exact integers, so sums have no rounding errors.

use std::collections::BTreeMap;
use std::fmt;

use crate::ModelName;

/// The number of millionths in one unit.
const MILLION: u128 = 1_000_000;

/// A currency by its code: `USD`, `EUR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Currency(String);

/// The text is not a currency code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be three capital letters such as USD or EUR")]
pub struct NotACurrency;

impl Currency {
    /// Checks a currency code.
    pub fn new(code: &str) -> Result<Self, NotACurrency> {
        let fits = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        if fits { Ok(Self(code.to_owned())) } else { Err(NotACurrency) }
    }

    /// The code of three letters.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0
    }
}

/// The price of a million tokens, in millionths of a currency's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPrice(u64);

/// The text is not a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a number from 0 to 1000000, with at most six digits after the point")]
pub struct NotAPrice;

impl TokenPrice {
    /// Parses a price: `3`, `0.15`.
    pub fn new(text: &str) -> Result<Self, NotAPrice> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str, most: usize| {
            let fits = (1..=most).contains(&text.len());
            (fits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
        };
        let whole = digits(whole, 7).ok_or(NotAPrice)?;
        let part = digits(part, 6).ok_or(NotAPrice)?;
        let millionths: u64 = format!("{whole}{part:0<6}").parse().map_err(|_| NotAPrice)?;
        Self::from_millionths(millionths)
    }
}

impl TokenPrice {
    /// The price in millionths of the currency's unit, as the stores keep it.
    #[must_use]
    pub const fn millionths(self) -> u64 {
        self.0
    }

    /// The price that is stored as this number of millionths.
    pub fn from_millionths(millionths: u64) -> Result<Self, NotAPrice> {
        if u128::from(millionths) > MILLION * MILLION {
            Err(NotAPrice)
        } else {
            Ok(Self(millionths))
        }
    }
}

/// The prices of a model's tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The price of prompt tokens.
    pub input: TokenPrice,
    /// The price of completion tokens.
    pub output: TokenPrice,
    /// The currency of both prices.
    pub currency: Currency,
}

impl Price {
    /// The cost of these tokens.
    #[must_use]
    pub fn cost(&self, prompt_tokens: u64, completion_tokens: u64) -> Money {
        let cost = |rate: TokenPrice, tokens: u64| u128::from(rate.0).saturating_mul(tokens.into());
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
    /// The currency of the amount.
    #[must_use]
    pub const fn currency(&self) -> &Currency {
        &self.currency
    }

    /// The sum; none if the currencies differ.
    #[must_use]
    pub fn checked_add(self, other: &Self) -> Option<Self> {
        let trillionths = self.trillionths.saturating_add(other.trillionths);
        (self.currency == other.currency).then_some(Self { trillionths, ..self })
    }

    /// The larger of both; none if the currencies differ.
    #[must_use]
    pub fn max(self, other: &Self) -> Option<Self> {
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

/// The configured prices, by provider or by full name of a model.
#[derive(Debug, Clone, Default)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// Prices by the name of a provider or by the full name of a model (`command:claude`).
    #[must_use]
    pub const fn new(by_name: BTreeMap<String, Price>) -> Self {
        Self(by_name)
    }

    /// The price of a model's tokens, if one is configured.
    #[must_use]
    pub fn find(&self, model: &ModelName) -> Option<&Price> {
        self.0.get(&model.to_string()).or_else(|| self.0.get(model.provider()))
    }
}
