//! A small commit at intervals, which shows whether commits succeed while no client writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::connection::AbortOnDrop;
use super::health::WriteHealth;
use super::writers::Writers;

/// The longest time without a commit: far below the deadline, after which `/health` fails.
const QUIET_MAX: Duration = Duration::from_secs(4);

/// The longest pause between two probes while writes fail.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(1);

/// Number of rows that the processes of a database share. Two processes on one row wait for the
/// commit of one another.
const ROWS: u128 = 64;

pub(super) struct WriteProbe {
    writers: Writers,
    health: Arc<WriteHealth>,
    /// The row of `schema_meta` that is written; no reader uses it.
    key: String,
    quiet: Duration,
}

impl WriteProbe {
    pub(super) fn new(
        writers: Writers,
        health: Arc<WriteHealth>,
        process: u128,
        deadline: Duration,
    ) -> Arc<Self> {
        let key = format!("probe-{}", process % ROWS);
        Arc::new(Self { writers, health, key, quiet: (deadline * 2 / 5).min(QUIET_MAX) })
    }

    /// Probes until the returned value is dropped.
    pub(super) fn start(self: &Arc<Self>) -> AbortOnDrop {
        let probe = Arc::clone(self);
        AbortOnDrop(tokio::spawn(async move {
            loop {
                sleep(probe.pause()).await;
                if probe.health.needs_probe(probe.quiet) {
                    probe.run_once().await;
                }
            }
        }))
    }

    fn pause(&self) -> Duration {
        if self.health.is_failing() { self.quiet.min(RETRY_AFTER_MAX) } else { self.quiet }
    }

    /// Commits one row and notes the outcome.
    pub(super) async fn run_once(&self) {
        if let Err(err) = self.writers.probe(&self.key).await {
            tracing::debug!(error = ?err, "write probe failed");
        }
    }
}
