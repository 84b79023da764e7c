//! What the server says of itself: its metrics, read as a client reads them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::client::{Ask, Client};
use crate::server::Server;
use crate::stats::real;

/// How long the number of waiters may take to become what it should be.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often the server is asked how many wait.
const GLANCE: Duration = Duration::from_millis(1);

/// A connection for nothing but metrics.
pub(crate) struct Gauge {
    address: SocketAddr,
    client: Client,
}

impl Gauge {
    pub(crate) async fn of(server: &Server) -> anyhow::Result<Self> {
        let address = server.address();
        Ok(Self { address, client: Client::connect(address).await? })
    }

    /// The server it watches.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) async fn read(&mut self) -> anyhow::Result<Metrics> {
        let page = self.client.ask(&Ask::get("/metrics")).await?;
        Ok(Metrics(str::from_utf8(page)?.to_owned()))
    }

    /// Returns when exactly `wanted` clients wait.
    pub(crate) async fn until_waiting(&mut self, wanted: usize) -> anyhow::Result<()> {
        let waiting = |metrics: &Metrics| metrics.value("aw_waiters");
        self.until("aw_waiters", waiting, |waiting| (waiting - real(wanted)).abs() < 0.5).await?;
        Ok(())
    }

    /// Returns when there was a commit after `before`: the server counts it when all is answered,
    /// which may be a little later than the first answer.
    pub(crate) async fn until_committed(&mut self, before: Commits) -> anyhow::Result<Commits> {
        let is_later = |commits: &Commits| commits.count > before.count + 0.5;
        self.until("the number of commits", Metrics::commits, is_later).await
    }

    async fn until<T: std::fmt::Debug>(
        &mut self,
        what: &str,
        read: impl Fn(&Metrics) -> anyhow::Result<T>,
        is_right: impl Fn(&T) -> bool,
    ) -> anyhow::Result<T> {
        let asked = Instant::now();
        loop {
            let seen = read(&self.read().await?)?;
            if is_right(&seen) {
                return Ok(seen);
            }
            if asked.elapsed() > PATIENCE {
                bail!("{what} stays at {seen:?}");
            }
            tokio::time::sleep(GLANCE).await;
        }
    }
}

/// All commits so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commits {
    count: f64,
    /// From each batch's first statement to its last answer.
    pub(crate) took: Duration,
}

/// One page of metrics.
#[derive(Debug)]
pub(crate) struct Metrics(String);

impl Metrics {
    pub(crate) fn commits(&self) -> anyhow::Result<Commits> {
        let took = Duration::from_secs_f64(self.value("aw_write_commit_seconds_sum")?);
        Ok(Commits { count: self.value("aw_write_commit_seconds_count")?, took })
    }

    /// How many writes there were and in how many commits.
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
    fn a_metric_is_found_by_its_whole_name() {
        let page = "# TYPE aw_waiters gauge\naw_waiters_peak 3\naw_waiters 10000\n";
        let metrics = Metrics(page.to_owned());
        assert!((metrics.value("aw_waiters").unwrap() - 10_000.0).abs() < 1e-9);
        assert!(metrics.value("aw_wait").is_err());
    }

    #[test]
    fn commits_are_read_off_the_histograms() {
        let page = "aw_write_commit_seconds_sum 0.25\naw_write_commit_seconds_count 10\n\
                    aw_write_batch_size_sum 640\naw_write_batch_size_count 10\n";
        let metrics = Metrics(page.to_owned());
        assert_eq!(metrics.commits().unwrap().took, Duration::from_millis(250));
        let (writes, commits) = metrics.writes_and_commits().unwrap();
        assert!((writes / commits - 64.0).abs() < 1e-9);
    }
}
