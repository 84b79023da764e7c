//! The daily budget of all runs (tokens, and cost in USD, per UTC day) and the prices of tokens.
//! Amounts are exact integers, so sums have no rounding errors.

use std::collections::BTreeMap;
use std::fmt;

use super::settings::RunSettings;
use crate::{ModelName, TokenCount};

/// Trillionths of a USD in a billionth.
const TRILLIONTHS: u128 = 1000;

/// Billionths of a USD in a millionth.
const BILLIONTHS: u64 = 1000;

/// The currency in which a day's cost is counted.
const USD: &str = "USD";

/// An amount of USD in billionths, as budgets count it. It holds up to 18 billion USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NanoUsd(u64);

impl NanoUsd {
    /// An amount of this number of billionths.
    #[must_use]
    pub const fn new(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Parses an amount from 0 to 1,000,000 with at most six decimals: `5`, `0.50`.
    pub fn parse(text: &str) -> Result<Self, NotAPrice> {
        Ok(Self(TokenPrice::new(text)?.millionths().saturating_mul(BILLIONTHS)))
    }

    /// The number of billionths.
    #[must_use]
    pub const fn nanos(self) -> u64 {
        self.0
    }

    const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// The amount with its currency and six decimals, rounded up: `0.012346 USD`.
impl fmt::Display for NanoUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.div_ceil(BILLIONTHS);
        write!(f, "{}.{:06} USD", micros / 1_000_000, micros % 1_000_000)
    }
}

/// The price of a model in USD, as it was when a call began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsdRates {
    /// The price of prompt tokens.
    pub input: TokenPrice,
    /// The price of completion tokens.
    pub output: TokenPrice,
}

impl UsdRates {
    /// The cost of these tokens, rounded up to the next billionth.
    #[must_use]
    pub fn cost(self, tokens: TokenCount) -> NanoUsd {
        let part = |rate: TokenPrice, count: u32| u128::from(rate.millionths()) * u128::from(count);
        let input = part(self.input, tokens.prompt_tokens);
        let trillionths = input + part(self.output, tokens.completion_tokens);
        NanoUsd(u64::try_from(trillionths.div_ceil(TRILLIONTHS)).unwrap_or(u64::MAX))
    }
}

impl Price {
    /// The rates, if the currency is USD.
    #[must_use]
    pub fn usd_rates(&self) -> Option<UsdRates> {
        let (input, output) = (self.input, self.output);
        (self.currency.code() == USD).then_some(UsdRates { input, output })
    }
}

/// The charge of calls to the budget of the day on which they began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Charge {
    /// Prompt and completion tokens.
    pub tokens: u64,
    /// The cost, as far as prices in USD are configured.
    pub cost: NanoUsd,
}

/// The limits of a day's charges. A missing limit allows any charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DailyLimits {
    /// Prompt and completion tokens (`RUNNER_DAILY_TOKENS`).
    pub tokens: Option<u64>,
    /// The cost in USD (`RUNNER_DAILY_COST`).
    pub cost: Option<NanoUsd>,
}

/// A day's limit does not allow a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    /// Too few tokens are left.
    #[error(
        "this call reserves {needed} tokens (prompt bytes plus max_tokens), but only {left} of \
         the {limit} tokens per day (RUNNER_DAILY_TOKENS) are left; retry when other calls have \
         ended or after midnight UTC, or raise the limit"
    )]
    Tokens {
        /// The limit of the UTC day.
        limit: u64,
        /// The rest of the day's limit.
        left: u64,
        /// The reservation of the call.
        needed: u64,
    },
    /// Too little money is left.
    #[error(
        "this call reserves {needed}, but only {left} of the {limit} per day \
         (RUNNER_DAILY_COST) are left; retry when other calls have ended or after midnight UTC, \
         or raise the limit"
    )]
    Cost {
        /// The limit of the UTC day.
        limit: NanoUsd,
        /// The rest of the day's limit.
        left: NanoUsd,
        /// The reservation of the call.
        needed: NanoUsd,
    },
}

impl DailyLimits {
    /// Whether any limit is set.
    #[must_use]
    pub const fn is_set(self) -> bool {
        self.tokens.is_some() || self.cost.is_some()
    }

    /// Checks that `needed` fits into the limits of a day with the charges `today`.
    pub fn allow(self, today: Charge, needed: Charge) -> Result<(), OverBudget> {
        if let Some(limit) = self.tokens
            && today.tokens.saturating_add(needed.tokens) > limit
        {
            let left = limit.saturating_sub(today.tokens);
            return Err(OverBudget::Tokens { limit, left, needed: needed.tokens });
        }
        if let Some(limit) = self.cost
            && today.cost.saturating_add(needed.cost) > limit
        {
            let left = limit.saturating_sub(today.cost);
            return Err(OverBudget::Cost { limit, left, needed: needed.cost });
        }
        Ok(())
    }
}

/// A day's limits, and the prices by which its cost is counted.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// The limits of a day.
    pub limits: DailyLimits,
    /// The prices of all models.
    pub prices: Prices,
}

/// A run names a model without a price in USD.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{field}`: {model} has no price in USD, which RUNNER_DAILY_COST requires; set \
     price_input_per_million and price_output_per_million for it in the configuration file"
)]
pub struct ModelWithoutPrice {
    /// The setting that names the model.
    pub field: &'static str,
    /// The model without a price.
    pub model: ModelName,
}

impl Budget {
    /// The rates of a model, if it has a price in USD.
    #[must_use]
    pub fn usd_rates(&self, model: &ModelName) -> Option<UsdRates> {
        self.prices.find(model).and_then(Price::usd_rates)
    }

    /// Whether the cost of a model can be counted, where cost is limited. The demo costs nothing.
    /// `field` names the setting that an error mentions.
    pub fn check_price(
        &self,
        field: &'static str,
        model: &ModelName,
    ) -> Result<(), ModelWithoutPrice> {
        let is_counted = || model.is_demo() || self.usd_rates(model).is_some();
        if self.limits.cost.is_none() || is_counted() {
            Ok(())
        } else {
            Err(ModelWithoutPrice { field, model: model.clone() })
        }
    }

    /// Checks every model that a run calls.
    pub fn check_prices(&self, settings: &RunSettings) -> Result<(), ModelWithoutPrice> {
        let mut called =
            settings.models().into_iter().filter(|(_, model)| settings.uses_model(model));
        called.try_for_each(|(field, model)| self.check_price(field, model))
    }
}

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
