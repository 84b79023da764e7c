//! Statistics: percentiles of one run, best and median of several rounds.

use std::time::Duration;

/// A count as `f64`.
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "counts stay far below 2^53, up to which a float is exact"
)]
pub(crate) fn to_f64(count: usize) -> f64 {
    count as f64
}

pub(crate) fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

pub(crate) fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

/// The durations of many operations, sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latencies {
    sorted: Vec<Duration>,
}

impl Latencies {
    pub(crate) fn new(mut spans: Vec<Duration>) -> Self {
        spans.sort_unstable();
        Self { sorted: spans }
    }

    /// The shortest duration that `percent` of all do not exceed; zero if there are none.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.sorted.len() * percent).div_ceil(100);
        self.sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }
}

/// Whether a higher or a lower figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    Higher,
    Lower,
}

/// One figure, measured once per round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rounds(Vec<f64>);

impl Rounds {
    pub(crate) fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    /// Ratio per round, so that a disturbance of a whole round cancels out.
    pub(crate) fn ratio_to(&self, base: &Self) -> Self {
        Self(self.0.iter().zip(&base.0).map(|(figure, base)| figure / base).collect())
    }

    /// The median; of an even number of rounds the mean of the middle two, without rounds NaN.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
        f64::midpoint(middle(sorted.len().saturating_sub(1) / 2), middle(sorted.len() / 2))
    }

    pub(crate) fn best(&self, better: Better) -> f64 {
        let best = match better {
            Better::Higher => self.0.iter().copied().reduce(f64::max),
            Better::Lower => self.0.iter().copied().reduce(f64::min),
        };
        best.unwrap_or(f64::NAN)
    }
}

impl FromIterator<f64> for Rounds {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Self {
        Self(figures.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latencies(micros: impl IntoIterator<Item = u64>) -> Latencies {
        Latencies::new(micros.into_iter().map(Duration::from_micros).collect())
    }

    #[test]
    fn percentile_is_one_of_the_spans_in_any_order() {
        let hundred = latencies((1..=100).rev());
        assert_eq!(hundred.percentile(50), Duration::from_micros(50));
        assert_eq!(hundred.percentile(99), Duration::from_micros(99));
        assert_eq!(hundred.percentile(100), Duration::from_micros(100));
    }

    #[test]
    fn p99_of_few_spans_is_the_longest() {
        assert_eq!(latencies([7, 3]).percentile(99), Duration::from_micros(7));
        assert_eq!(latencies([7]).percentile(50), Duration::from_micros(7));
    }

    #[test]
    fn percentile_of_no_spans_is_zero() {
        assert_eq!(latencies([]).percentile(99), Duration::ZERO);
    }

    #[test]
    fn median_is_the_middle_round_or_the_mean_of_two() {
        let median = |figures: &[f64]| figures.iter().copied().collect::<Rounds>().median();
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn best_round_depends_on_the_direction() {
        let rounds: Rounds = [2.0, 5.0, 3.0].into_iter().collect();
        assert!((rounds.best(Better::Higher) - 5.0).abs() < 1e-9);
        assert!((rounds.best(Better::Lower) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn ratio_is_computed_per_round() {
        let figure: Rounds = [10.0, 100.0].into_iter().collect();
        let base: Rounds = [1.0, 10.0].into_iter().collect();
        let ratios = figure.ratio_to(&base);
        assert!((ratios.best(Better::Lower) - 10.0).abs() < 1e-9);
        assert!((ratios.best(Better::Higher) - 10.0).abs() < 1e-9);
    }
}
