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

/// A fault run: one kind of fault under load, and the expected behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// F1: the server is killed.
    Kill,
    /// F2: fsync and pwrite fail.
    DiskErrors,
    /// F3: the disk is full.
    DiskFull,
    /// F4: another process holds the write lock.
    ForeignLock,
    /// F6: the wall clock jumps.
    Clock,
    /// F7: PostgreSQL restarts under load.
    Restart,
    /// F7: PostgreSQL is down for a while.
    Outage,
    /// F7: the primary stops; its standby is promoted.
    FailOver,
    /// F7: the primary hangs; its standby is promoted.
    HungPrimary,
    /// F8: connections to PostgreSQL are cut.
    Cuts,
    /// F12: clients stop reading.
    Slow,
    /// F13: ten thousand clients wait, and thousands connect and disconnect.
    Churn,
    /// F14: two servers share one database.
    Two,
    /// F15: no descriptors are left.
    Descriptors,
    /// F17: the server stops in an orderly way.
    Stop,
    /// F27: the server is killed during its first start.
    FirstStart,
    /// F28: the server is killed during a migration.
    CarryOver,
}

impl Scenario {
    /// Every scenario in the order of execution.
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

    /// The scenario's row in the fault table.
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

    /// A short description of the fault.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Kill => "kill -9 at random, subscribers cut at random, under load",
            Self::DiskErrors => "fsync and pwrite fail under load",
            Self::DiskFull => "the disk fills up under load and is freed again",
            Self::ForeignLock => "another process holds the write lock; a second server starts",
            Self::Clock => "the wall clock jumps back and forth under load",
            Self::Restart => "PostgreSQL is restarted and crashed under two servers",
            Self::Outage => "PostgreSQL is down for a while",
            Self::FailOver => "the primary stops and its synchronous standby is promoted",
            Self::HungPrimary => "the primary hangs and its synchronous standby is promoted",
            Self::Cuts => "connections to PostgreSQL are cut, in the middle of commits too",
            Self::Slow => "200 clients stop reading",
            Self::Churn => "10,000 waiters, and thousands that connect and disconnect",
            Self::Two => "two servers on one database; kill -9 of one, then of the other",
            Self::Descriptors => "no file descriptors are left",
            Self::Stop => "SIGTERM under load: operations under way are completed first",
            Self::FirstStart => "kill -9 at random during first starts",
            Self::CarryOver => "kill -9 at random while files of old layouts are migrated",
        }
    }

    /// Whether the scenario applies to the engine.
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
