//! What a run measures, and how thoroughly.

use std::path::PathBuf;
use std::time::Duration;

use crate::server::Binary;

/// A part of a run that can be run alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Durable writes a second
    Claims,
    /// Durable writes a second at the default log level
    Logging,
    /// Claims and CPU compared with the binary that --against names
    Against,
    /// Reads a second
    Reads,
    /// From a commit to those who wait for it
    Wake,
    /// What a waiting client costs
    Memory,
    /// A thousand debates against a million
    Growth,
    /// A page of a short debate against one of a long debate
    Pages,
    /// Two servers on one PostgreSQL
    Postgres,
    /// Events through the documented proxy
    Proxy,
    /// Debates that run themselves
    Runs,
    /// Posts and pages of the forum
    Forum,
    /// What the guardrails' rules find
    Guardrail,
    /// Starting the command line
    Start,
    /// Carrying over the file of an earlier server
    CarryOver,
}

impl Part {
    pub(crate) const ALL: [Self; 15] = [
        Self::Claims,
        Self::Logging,
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

/// How much of everything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// How often each load is measured: short and often, since the machine's moods are long.
    pub(crate) load_rounds: usize,
    /// How long one load lasts.
    pub(crate) span: Duration,
    /// How often crowds of waiting clients are gathered; that takes longer and varies less.
    pub(crate) crowd_rounds: usize,
    /// How many claims the giant transaction has.
    pub(crate) giant_writes: usize,
    /// How many clients wait, from the fewest to the most; two on each debate.
    pub(crate) parked: [usize; 3],
    /// How many writes are timed with each of these.
    pub(crate) timed_writes: usize,
    /// How many wait on one debate.
    pub(crate) fan_out: usize,
    /// How many debates the larger database has.
    pub(crate) debates_many: u32,
    /// How many debates run themselves at once.
    pub(crate) runs: usize,
}

impl Scale {
    pub(crate) const FULL: Self = Self {
        load_rounds: 5,
        span: Duration::from_secs(1),
        crowd_rounds: 3,
        giant_writes: 40_000,
        parked: [1, 1000, 10_000],
        timed_writes: 300,
        fan_out: 1000,
        debates_many: 1_000_000,
        runs: 500,
    };

    /// Enough to see that everything works; its figures are not worth keeping.
    pub(crate) const QUICK: Self = Self {
        load_rounds: 1,
        span: Duration::from_millis(400),
        crowd_rounds: 1,
        giant_writes: 10_000,
        parked: [1, 100, 1000],
        timed_writes: 50,
        fan_out: 1000,
        debates_many: 50_000,
        runs: 60,
    };
}

/// What is measured, and how much of it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) binary: Binary,
    /// The earlier binary that `binary` is compared with.
    pub(crate) against: Option<Binary>,
    /// What tells of the guardrails' rules.
    pub(crate) rules: Option<PathBuf>,
    pub(crate) scale: Scale,
}

impl Plan {
    /// The rounds of a part that measures loads.
    pub(crate) fn load_rounds(&self, part: Part) -> impl Iterator<Item = usize> + use<> {
        announced(part, self.scale.load_rounds)
    }

    /// The rounds of a part that gathers crowds.
    pub(crate) fn crowd_rounds(&self, part: Part) -> impl Iterator<Item = usize> + use<> {
        announced(part, self.scale.crowd_rounds)
    }
}

/// Tells the impatient how far it is.
fn announced(part: Part, rounds: usize) -> impl Iterator<Item = usize> {
    (1..=rounds).inspect(move |round| eprintln!("{part:?}, round {round} of {rounds}"))
}
