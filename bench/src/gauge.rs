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
        Ok(Metrics(String::from_utf8(page.into())?))
    }

    /// Returns when exactly `wanted` clients wait, with the page that says so.
    pub(crate) async fn until(&mut self, wanted: usize) -> anyhow::Result<Metrics> {
        let asked = Instant::now();
        loop {
            let metrics = self.read().await?;
            let waiting = metrics.value("aw_waiters")?;
            if (waiting - real(wanted)).abs() < 0.5 {
                return Ok(metrics);
            }
            if asked.elapsed() > PATIENCE {
                bail!("{wanted} clients should wait, the server says {waiting}");
            }
            tokio::time::sleep(GLANCE).await;
        }
    }
}

/// One page of metrics.
#[derive(Debug)]
pub(crate) struct Metrics(String);

impl Metrics {
    /// How long all commits so far took, from a batch's first statement to its last answer.
    pub(crate) fn commit_time(&self) -> anyhow::Result<Duration> {
        Ok(Duration::from_secs_f64(self.value("aw_write_commit_seconds_sum")?))
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
        let page = "aw_write_commit_seconds_sum 0.25\naw_write_batch_size_sum 640\n\
                    aw_write_batch_size_count 10\n";
        let metrics = Metrics(page.to_owned());
        assert_eq!(metrics.commit_time().unwrap(), Duration::from_millis(250));
        let (writes, commits) = metrics.writes_and_commits().unwrap();
        assert!((writes / commits - 64.0).abs() < 1e-9);
    }
}
