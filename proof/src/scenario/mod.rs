//! The fault runs, named after the rows of the fault table (promises-threats-faults.md, 3.2).

mod carry_over;
mod churn;
mod clock;
pub(crate) mod cuts;
mod descriptors;
mod disk_errors;
mod disk_full;
mod failover;
mod first_start;
mod foreign_lock;
pub(crate) mod kill;
mod outage;
mod restart;
mod slow;
mod start_kill;
mod stop;
mod two;

use crate::run::{Engine, Plan, Report};

/// A fault run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// F1
    Kill,
    /// F2
    DiskErrors,
    /// F3
    DiskFull,
    /// F4
    ForeignLock,
    /// F6
    Clock,
    /// F7
    Restart,
    /// F7, its second half
    Outage,
    /// F7, with a standby
    FailOver,
    /// F7, with a standby and a primary that hangs
    HungPrimary,
    /// F8
    Cuts,
    /// F12
    Slow,
    /// F13
    Churn,
    /// F14
    Two,
    /// F15
    Descriptors,
    /// F17
    Stop,
    /// F27
    FirstStart,
    /// F28
    CarryOver,
}

impl Scenario {
    /// All of them, in the order they are run.
    pub const ALL: [Self; 17] = [
        Self::Kill,
        Self::DiskErrors,
        Self::DiskFull,
        Self::ForeignLock,
        Self::Clock,
        Self::Restart,
        Self::Outage,
        Self::FailOver,
        Self::HungPrimary,
        Self::Cuts,
        Self::Slow,
        Self::Churn,
        Self::Two,
        Self::Descriptors,
        Self::Stop,
        Self::FirstStart,
        Self::CarryOver,
    ];

    /// Its row in the fault table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kill => "F1",
            Self::DiskErrors => "F2",
            Self::DiskFull => "F3",
            Self::ForeignLock => "F4",
            Self::Clock => "F6",
            Self::Restart => "F7",
            Self::Outage => "F7b",
            Self::FailOver => "F7c",
            Self::HungPrimary => "F7d",
            Self::Cuts => "F8",
            Self::Slow => "F12",
            Self::Churn => "F13",
            Self::Two => "F14",
            Self::Descriptors => "F15",
            Self::Stop => "F17",
            Self::FirstStart => "F27",
            Self::CarryOver => "F28",
        }
    }

    /// What it does.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Kill => "kill -9 at random, subscribers cut at random, under load",
            Self::DiskErrors => "fsync and pwrite fail under load",
            Self::DiskFull => "the disk fills up under load and is freed again",
            Self::ForeignLock => "another process holds the write lock; a second server starts",
            Self::Clock => "the wall clock jumps back and forth under load",
            Self::Restart => "PostgreSQL is restarted and crashed under two servers",
            Self::Outage => "PostgreSQL is away for a while",
            Self::FailOver => "the primary stops and its synchronous standby is promoted",
            Self::HungPrimary => "the primary hangs and its synchronous standby is promoted",
            Self::Cuts => "connections to PostgreSQL are cut, in the middle of commits too",
            Self::Slow => "200 consumers stop reading",
            Self::Churn => "10,000 parked waiters, and thousands who come and go",
            Self::Two => "two servers on one database; kill -9 of one, then of the other",
            Self::Descriptors => "no file descriptors are left",
            Self::Stop => "SIGTERM under load: everyone in the house is served first",
            Self::FirstStart => "kill -9 at random during first starts",
            Self::CarryOver => "kill -9 at random while files of old layouts are carried over",
        }
    }

    /// Whether it means anything there.
    #[must_use]
    pub const fn is_for(self, engine: Engine) -> bool {
        match self {
            Self::Kill
            | Self::Clock
            | Self::Slow
            | Self::Churn
            | Self::Descriptors
            | Self::Stop => true,
            Self::DiskErrors
            | Self::DiskFull
            | Self::ForeignLock
            | Self::FirstStart
            | Self::CarryOver => match engine {
                Engine::Sqlite => true,
                Engine::Postgres => false,
            },
            Self::Restart
            | Self::Outage
            | Self::FailOver
            | Self::HungPrimary
            | Self::Cuts
            | Self::Two => match engine {
                Engine::Sqlite => false,
                Engine::Postgres => true,
            },
        }
    }

    pub(crate) async fn run(self, plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
        match self {
            Self::Kill => kill::run(plan, report).await,
            Self::DiskErrors => disk_errors::run(plan, report).await,
            Self::DiskFull => disk_full::run(plan, report).await,
            Self::ForeignLock => foreign_lock::run(plan, report).await,
            Self::Clock => clock::run(plan, report).await,
            Self::Restart => restart::run(plan, report).await,
            Self::Outage => outage::run(plan, report).await,
            Self::FailOver => failover::run_stopped(plan, report).await,
            Self::HungPrimary => failover::run_hung(plan, report).await,
            Self::Cuts => cuts::run(plan, report).await,
            Self::Slow => slow::run(plan, report).await,
            Self::Churn => churn::run(plan, report).await,
            Self::Two => two::run(plan, report).await,
            Self::Descriptors => descriptors::run(plan, report).await,
            Self::Stop => stop::run(plan, report).await,
            Self::FirstStart => first_start::run(plan, report).await,
            Self::CarryOver => carry_over::run(plan, report).await,
        }
    }
}
