//! The server's metrics, read over HTTP.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::client::{Client, Request};
use crate::server::Server;
use crate::stats::to_f64;

/// The time limit until a metric reaches the expected value.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The interval between two reads of the metrics.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A connection that only reads metrics.
pub(crate) struct MetricsClient {
    address: SocketAddr,
    client: Client,
}

impl MetricsClient {
    pub(crate) async fn connect(server: &Server) -> anyhow::Result<Self> {
        let address = server.address();
        Ok(Self { address, client: Client::connect(address).await? })
    }

    /// The address of the server whose metrics are read.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) async fn read(&mut self) -> anyhow::Result<Metrics> {
        let page = self.client.exchange(&Request::get("/metrics")).await?;
        Ok(Metrics(str::from_utf8(page)?.to_owned()))
    }

    /// Returns when exactly `count` clients wait.
    pub(crate) async fn wait_for_waiters(&mut self, count: usize) -> anyhow::Result<()> {
        let waiting = |metrics: &Metrics| metrics.value("aw_waiters");
        self.poll_until("aw_waiters", waiting, |waiting| (waiting - to_f64(count)).abs() < 0.5)
            .await?;
        Ok(())
    }

    /// Returns when there was a commit after `before`. The server counts a commit after it sent all
    /// responses, which may be shortly after the first response.
    pub(crate) async fn wait_for_commit(&mut self, before: Commits) -> anyhow::Result<Commits> {
        let is_later = |commits: &Commits| commits.count > before.count + 0.5;
        self.poll_until("the number of commits", Metrics::commits, is_later).await
    }

    async fn poll_until<T: std::fmt::Debug>(
        &mut self,
        what: &str,
        read: impl Fn(&Metrics) -> anyhow::Result<T>,
        is_right: impl Fn(&T) -> bool,
    ) -> anyhow::Result<T> {
        let exchange_with = Instant::now();
        loop {
            let seen = read(&self.read().await?)?;
            if is_right(&seen) {
                return Ok(seen);
            }
            if exchange_with.elapsed() > TIMEOUT {
                bail!("{what} stays at {seen:?}");
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// All commits so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commits {
    count: f64,
    /// The total duration of the batches, each from its first statement to its last response.
    pub(crate) took: Duration,
}

/// The text of one metrics response.
#[derive(Debug)]
pub(crate) struct Metrics(String);

impl Metrics {
    pub(crate) fn commits(&self) -> anyhow::Result<Commits> {
        let took = Duration::from_secs_f64(self.value("aw_write_commit_seconds_sum")?);
        Ok(Commits { count: self.value("aw_write_commit_seconds_count")?, took })
    }

    /// The number of writes and the number of commits.
    pub(crate) fn writes_and_commits(&self) -> anyhow::Result<(f64, f64)> {
        Ok((self.value("aw_write_batch_size_sum")?, self.value("aw_write_batch_size_count")?))
    }

    fn value(&self, name: &str) -> anyhow::Result<f64> {
        let after = |line: &'_ str| -> Option<f64> {
            line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok()
        };
        self.0.lines().find_map(after).with_context(|| format!("the server has no metric {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metric_is_found_by_its_full_name() {
        let page = "# TYPE aw_waiters gauge\naw_waiters_peak 3\naw_waiters 10000\n";
        let metrics = Metrics(page.to_owned());
        assert!((metrics.value("aw_waiters").unwrap() - 10_000.0).abs() < 1e-9);
        assert!(metrics.value("aw_wait").is_err());
    }

    #[test]
    fn commits_are_read_from_the_histograms() {
        let page = "aw_write_commit_seconds_sum 0.25\naw_write_commit_seconds_count 10\n\
                    aw_write_batch_size_sum 640\naw_write_batch_size_count 10\n";
        let metrics = Metrics(page.to_owned());
        assert_eq!(metrics.commits().unwrap().took, Duration::from_millis(250));
        let (writes, commits) = metrics.writes_and_commits().unwrap();
        assert!((writes / commits - 64.0).abs() < 1e-9);
    }
}
