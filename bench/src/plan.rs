//! The parts of a run and the size of each.

use std::path::PathBuf;
use std::time::Duration;

use crate::server::Binary;

/// A part of a run that can be run alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Durable writes per second
    Claims,
    /// Durable writes per second at the default log level
    Logging,
    /// Durable writes per second in debates with seats
    Seats,
    /// Claims and CPU compared with the binary that --against names
    Against,
    /// Reads per second
    Reads,
    /// Time from a commit to the waiting clients
    Wake,
    /// Memory per waiting client
    Memory,
    /// A thousand debates compared with a million
    Growth,
    /// A page of a short debate compared with one of a long debate
    Pages,
    /// Two servers on one PostgreSQL
    Postgres,
    /// Events through the documented proxy
    Proxy,
    /// Steps of runs per second
    Runs,
    /// Posts and pages of the forum
    Forum,
    /// Errors of the guardrail rules
    Guardrail,
    /// Start time of the command line
    Start,
    /// Migration of the file of an earlier server
    CarryOver,
}

impl Part {
    pub(crate) const ALL: [Self; 16] = [
        Self::Claims,
        Self::Logging,
        Self::Seats,
        Self::Against,
        Self::Reads,
        Self::Wake,
        Self::Memory,
        Self::Growth,
        Self::Pages,
        Self::Postgres,
        Self::Proxy,
        Self::Runs,
        Self::Forum,
        Self::Guardrail,
        Self::Start,
        Self::CarryOver,
    ];
}

/// The amounts of all parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Rounds of each load: short and many, since the load of the machine changes slowly.
    pub(crate) load_rounds: usize,
    /// The duration of one load.
    pub(crate) span: Duration,
    /// Rounds with crowds of waiting clients, which take longer and vary less.
    pub(crate) crowd_rounds: usize,
    /// Claims in the single large transaction.
    pub(crate) giant_writes: usize,
    /// The numbers of waiting clients, in ascending order; two on each debate.
    pub(crate) waiting: [usize; 3],
    /// Timed writes for each number of waiting clients.
    pub(crate) timed_writes: usize,
    /// Clients that wait on one debate.
    pub(crate) fan_out: usize,
    /// Debates in the larger database.
    pub(crate) debates_many: u32,
    /// The number of concurrent runs.
    pub(crate) runs: usize,
}

impl Scale {
    pub(crate) const FULL: Self = Self {
        load_rounds: 5,
        span: Duration::from_secs(1),
        crowd_rounds: 3,
        giant_writes: 40_000,
        waiting: [1, 1000, 10_000],
        timed_writes: 300,
        fan_out: 1000,
        debates_many: 1_000_000,
        runs: 500,
    };

    /// Enough to see that everything works; its figures are not saved.
    pub(crate) const QUICK: Self = Self {
        load_rounds: 1,
        span: Duration::from_millis(400),
        crowd_rounds: 1,
        giant_writes: 10_000,
        waiting: [1, 100, 1000],
        timed_writes: 50,
        fan_out: 1000,
        debates_many: 50_000,
        runs: 60,
    };
}

/// The binaries to measure and the scale of the measurements.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) binary: Binary,
    /// The earlier binary that `binary` is compared with.
    pub(crate) against: Option<Binary>,
    /// The example program that reports the errors of the guardrail rules.
    pub(crate) rules: Option<PathBuf>,
    pub(crate) scale: Scale,
}

impl Plan {
    /// The rounds of a part that measures loads; each is announced on standard error.
    pub(crate) fn load_rounds(&self, part: Part) -> impl Iterator<Item = usize> + use<> {
        announce_rounds(part, self.scale.load_rounds)
    }

    /// The rounds of a part that gathers crowds; each is announced on standard error.
    pub(crate) fn crowd_rounds(&self, part: Part) -> impl Iterator<Item = usize> + use<> {
        announce_rounds(part, self.scale.crowd_rounds)
    }
}

/// Announces each round on standard error.
fn announce_rounds(part: Part, rounds: usize) -> impl Iterator<Item = usize> {
    (1..=rounds).inspect(move |round| eprintln!("{part:?}, round {round} of {rounds}"))
}
