//! Execution of a scenario: its name, its seed, its report, and the history that
//! is saved on failure.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::history::Transport;
use crate::scenario::Scenario;
use crate::shared_state::SharedState;

/// The length of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// For every run of the tests.
    Short,
    /// For `scripts/proof`, up to 45 minutes.
    Long,
}

/// The storage engine of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A file, with one server.
    Sqlite,
    /// A database that servers may share.
    Postgres,
}

impl Engine {
    /// The name of the engine on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The parameters of a scenario.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The path of the server's binary.
    pub aw: PathBuf,
    /// The storage engine of the server.
    pub engine: Engine,
    /// The length of the run.
    pub tier: Tier,
    /// The seed of all random choices. Threads and disks add their own variation, so a seed repeats
    /// the plan of a run, not its exact timing.
    pub seed: u64,
    /// The transports of the subscribers.
    pub transports: Vec<Transport>,
    /// The injected defect, for a server that is built with `proof/defects.patch`.
    pub defect: Option<String>,
}

impl Plan {
    /// Selects a value by tier.
    pub(crate) fn by_tier<T>(&self, short: T, long: T) -> T {
        match self.tier {
            Tier::Short => short,
            Tier::Long => long,
        }
    }

    pub(crate) fn rng(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.seed)
    }
}

/// The result of a scenario.
#[derive(Debug, Default)]
pub struct Report {
    /// Facts about the run, for a person.
    pub facts: Vec<String>,
    /// Violated expectations; empty if the run passed.
    pub violations: Vec<String>,
}

impl Report {
    pub(crate) fn fact(&mut self, fact: impl Into<String>) {
        self.facts.push(fact.into());
    }

    /// Adds a violation if `holds` is false.
    pub(crate) fn expect(&mut self, holds: bool, otherwise: impl Into<String>) {
        if !holds {
            self.violations.push(otherwise.into());
        }
    }

    /// A run that ended with an error has failed, whatever it found until then.
    pub(crate) fn record_error(&mut self, ran: anyhow::Result<()>) {
        if let Err(err) = ran {
            self.violations.push(format!("the run broke off: {err:#}"));
        }
    }

    /// Adds all counters, and checks the counter that must be zero in every scenario.
    pub(crate) fn add_counts(&mut self, shared: &SharedState) {
        let counts = shared.counts();
        for (what, times) in &counts {
            self.fact(format!("{times:>7} × {what}"));
            if what.starts_with("WRONG") || what.contains("INTERNAL_ERROR") {
                self.violations.push(format!("{times} × {what}"));
            }
        }
    }
}

/// A finished run and its result.
#[derive(Debug)]
pub struct Finished {
    /// The scenario that was run.
    pub scenario: Scenario,
    /// The storage engine of the run.
    pub engine: Engine,
    /// The seed of the run.
    pub seed: u64,
    /// The duration of the run.
    pub took: Duration,
    /// The result of the run.
    pub report: Report,
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.report.violations.is_empty() { "passed" } else { "FAILED" };
        let (name, engine) = (self.scenario.name(), self.engine.name());
        let (seed, seconds) = (self.seed, self.took.as_secs_f32());
        writeln!(f, "{name} on {engine} {verdict} in {seconds:.1} s (seed {seed})")?;
        for fact in &self.report.facts {
            writeln!(f, "    {fact}")?;
        }
        for violation in self.report.violations.iter().take(20) {
            writeln!(f, "  ! {violation}")?;
        }
        match self.report.violations.len().saturating_sub(20) {
            0 => Ok(()),
            more => writeln!(f, "  ! and {more} more"),
        }
    }
}

/// Runs one scenario. An error means that the server could not be used.
pub async fn run(scenario: Scenario, plan: &Plan) -> Finished {
    let (name, engine, seed) = (scenario.name(), plan.engine, plan.seed);
    println!("{name} on {}: {} (seed {seed})", engine.name(), scenario.about());
    let began = Instant::now();
    let mut report = Report::default();
    let ran = scenario.run(plan, &mut report).await;
    report.record_error(ran);
    Finished { scenario, engine, seed, took: began.elapsed(), report }
}

/// The number of histories that this process has saved.
static SAVED_HISTORIES: AtomicU32 = AtomicU32::new(0);

/// Saves the history of a failed run for analysis by a person.
pub(crate) fn save_history(shared: &SharedState, report: &mut Report, seed: u64) {
    if report.violations.is_empty() {
        return;
    }
    let (process, number) = (std::process::id(), SAVED_HISTORIES.fetch_add(1, Ordering::Relaxed));
    let name = format!("aw-proof-history-{seed}-{process}-{number}.jsonl");
    let path = std::env::temp_dir().join(name);
    match shared.history.write_to(&path) {
        Ok(()) => report.fact(format!("the history is in {}", path.display())),
        Err(err) => report.fact(format!("the history could not be kept: {err}")),
    }
}

/// The server's binary: the given one, or one that was built beside this program.
pub fn find_aw(requested: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = requested {
        return path.canonicalize().with_context(|| path.display().to_string());
    }
    if let Some(path) = std::env::var_os("AW_BIN") {
        let path = PathBuf::from(path);
        return path.canonicalize().with_context(|| format!("AW_BIN={}", path.display()));
    }
    // From target/debug/aw-proof, or from target/debug/deps/it-…: the one that was built with it.
    let own = std::env::current_exe()?;
    let mut beside = own.ancestors().skip(1).map(|folder| folder.join("aw"));
    let beside = beside.find(|path| path.is_file());
    beside.context("no aw was built beside this program: build it, or give --aw or AW_BIN")
}
