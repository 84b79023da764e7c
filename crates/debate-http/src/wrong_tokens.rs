//! Wrong tokens: counted for each network, refused when there are too many, logged once a minute.
//!
//! A right token is never counted and never waits, so a flood of wrong ones locks no one out.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use debate_app::RateLimiter;
use debate_core::{Charge, Network, Quota, RateKey, RateLimit};

use crate::error::ErrorResponse;

/// The minimum time between two log lines.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Counts wrong tokens by network, and logs them.
pub(crate) struct WrongTokens {
    rate_limiter: RateLimiter,
    quota: Quota,
    log: Mutex<LogThrottle>,
}

/// The time of the last log line, and the number of wrong tokens since.
#[derive(Debug, Default)]
struct LogThrottle {
    written: Option<Instant>,
    unwritten: u64,
}

impl LogThrottle {
    /// Counts a wrong token. Returns the number of uncounted tokens if a log line is due.
    fn count(&mut self, now: Instant) -> Option<u64> {
        self.unwritten += 1;
        let is_due = self.written.is_none_or(|at| now.duration_since(at) >= LOG_INTERVAL);
        if !is_due {
            return None;
        }
        self.written = Some(now);
        Some(std::mem::take(&mut self.unwritten))
    }
}

impl WrongTokens {
    pub(crate) fn new(rate_limiter: RateLimiter, per_minute: RateLimit) -> Self {
        Self { rate_limiter, quota: Quota::per_minute(per_minute), log: Mutex::default() }
    }

    /// Counts a wrong token from `network`; an error if the network has sent too many. If counting
    /// fails, the token is refused like any wrong token.
    pub(crate) async fn count(&self, network: Network) -> Result<(), ErrorResponse> {
        self.note(network);
        let charge = Charge::new(RateKey::WrongTokens(network), self.quota);
        match self.rate_limiter.admit(&[charge]).await {
            Ok(Some(admission)) if admission.is_refused() => {
                Err(ErrorResponse::too_many_wrong_tokens(&admission))
            }
            Ok(_) => Ok(()),
            Err(err) => {
                tracing::debug!(error = %err, "counting a wrong token failed");
                Ok(())
            }
        }
    }

    fn note(&self, network: Network) {
        metrics::counter!("aw_wrong_tokens_total").increment(1);
        let due = self.log.lock().unwrap_or_else(PoisonError::into_inner).count(Instant::now());
        if let Some(count) = due {
            tracing::warn!(client.network = %network, token.count = count, "wrong tokens received");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_minute_counts_all_wrong_tokens() {
        let mut log = LogThrottle::default();
        let start = Instant::now();
        assert_eq!(log.count(start), Some(1), "the first at once");
        for second in 1..60 {
            assert_eq!(log.count(start + Duration::from_secs(second)), None);
        }
        assert_eq!(log.count(start + Duration::from_mins(1)), Some(60));
        assert_eq!(log.count(start + Duration::from_mins(1)), None);
    }
}
