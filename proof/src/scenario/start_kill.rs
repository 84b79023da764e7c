//! Kills of a starting server, at random moments of its work.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use tempfile::TempDir;

use crate::old_layout::read_version;
use crate::server::{HANG_TIMEOUT, Server};

/// The interval between two checks of the file system.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// The path of a file next to a database.
pub(super) type Trace = fn(&Path) -> PathBuf;

/// The moment of a kill, derived from the file that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// The work on the file had not begun.
    Before,
    /// The work had begun, and the file had its old layout.
    Inside,
    /// The file had its new layout.
    After,
}

/// Kills of starting servers on identical files.
#[derive(Debug)]
pub(super) struct StartKills {
    /// A file that the server creates when it begins its work on the database.
    trace: Trace,
    /// The time from the launch of an undisturbed process to the creation of the trace.
    began: Duration,
    /// The time from the launch of an undisturbed process to its greeting.
    listened: Duration,
    /// The maximum delay of an aimed kill after the trace. Adjusted so that about half of these
    /// kills happen before the new layout.
    aimed_delay: Duration,
    /// Whether the last kill was aimed.
    aimed: bool,
    before: u32,
    inside: u32,
    after: u32,
}

impl StartKills {
    /// Starts a server without a kill, to measure the duration of each part.
    pub(super) async fn measure(server: &mut Server, trace: Trace) -> anyhow::Result<Self> {
        let path = trace(&server.setup.database());
        let launched = Instant::now();
        server.launch()?;
        let seen = wait_for(&path, launched + HANG_TIMEOUT);
        let seen = seen.with_context(|| format!("the server does not make {}", path.display()))?;
        let began = seen - launched;
        server.wait_until_listening().await?;
        let listened = launched.elapsed();
        let aimed_delay = listened.saturating_sub(began);
        let (aimed, before, inside, after) = (false, 0, 0, 0);
        Ok(Self { trace, began, listened, aimed_delay, aimed, before, inside, after })
    }

    /// Launches a server and kills it: half of the time at any moment of the start, half of the
    /// time soon after the work on the file began.
    pub(super) async fn kill(
        &mut self,
        server: &mut Server,
        rng: &mut fastrand::Rng,
    ) -> anyhow::Result<()> {
        let path = (self.trace)(&server.setup.database());
        let launched = Instant::now();
        server.launch()?;
        self.aimed = rng.bool();
        let at = if self.aimed {
            let seen = wait_for(&path, launched + 2 * self.listened).unwrap_or_else(Instant::now);
            seen + self.aimed_delay.mul_f64(rng.f64())
        } else {
            launched + self.listened.mul_f64(rng.f64())
        };
        tokio::task::block_in_place(|| {
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
        });
        server.kill().await
    }

    /// Counts the last kill.
    pub(super) fn count(&mut self, moment: Moment) {
        let (count, change) = match moment {
            Moment::Before => (&mut self.before, 1.1),
            Moment::Inside => (&mut self.inside, 1.1),
            Moment::After => (&mut self.after, 0.9),
        };
        *count += 1;
        if self.aimed {
            self.aimed_delay = self.aimed_delay.mul_f64(change);
        }
    }

    pub(super) const fn inside(&self) -> u32 {
        self.inside
    }

    pub(super) const fn total(&self) -> u32 {
        self.before + self.inside + self.after
    }
}

impl std::fmt::Display for StartKills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (total, Self { began, listened, before, inside, after, .. }) = (self.total(), self);
        write!(f, "undisturbed: begun after {began:.0?}, listening after {listened:.0?}; ")?;
        write!(f, "{total} kills: {before} before, {inside} inside, {after} after")
    }
}

/// The time at which the file appeared, if it did before the deadline.
fn wait_for(trace: &Path, deadline: Instant) -> Option<Instant> {
    tokio::task::block_in_place(|| {
        while !trace.exists() {
            if Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Some(Instant::now())
    })
}

/// The layout version that a killed server left, read from a copy, so that
/// the file stays unchanged.
pub(super) fn version_left(database: &Path) -> anyhow::Result<Option<String>> {
    let folder = TempDir::new()?;
    let copy = folder.path().join("debate.db");
    for ending in ["", "-wal", "-journal"] {
        let mut from = database.as_os_str().to_owned();
        from.push(ending);
        if Path::new(&from).exists() {
            std::fs::copy(&from, folder.path().join(format!("debate.db{ending}")))?;
        }
    }
    read_version(&copy).context("the file that was left cannot be read")
}
