//! `aw-proof`: the fault runs as a command.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use aw_proof::history::Transport;
use aw_proof::{Engine, Plan, Scenario, Tier, find_aw};
use clap::{Parser, Subcommand, ValueEnum};

/// Checks that `aw` keeps its guarantees while its environment fails
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the fault scenarios
    Run {
        /// Run the long tier: up to 45 minutes
        #[arg(long)]
        long: bool,
        /// Run only the scenarios with these names
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Run only on these engines
        #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
        engines: Vec<On>,
        #[command(flatten)]
        common: Common,
    },
    /// Check the checker: it must find every injected defect of a server
    Mutants {
        /// Run only the defects with these names
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(clap::Args)]
struct Common {
    /// The server's binary [default: `AW_BIN`, or one built beside this program]
    #[arg(long)]
    aw: Option<PathBuf>,
    /// Repeat the plan of an earlier run
    #[arg(long)]
    seed: Option<u64>,
    /// Transports of the subscribers
    #[arg(long, value_delimiter = ',', default_value = "wait,sse,ws")]
    transports: Vec<Follow>,
}

#[derive(Clone, Copy, ValueEnum)]
enum On {
    Sqlite,
    Postgres,
}

#[derive(Clone, Copy, ValueEnum)]
enum Follow {
    Wait,
    Sse,
    Ws,
}

impl Common {
    fn plan(&self, tier: Tier) -> anyhow::Result<Plan> {
        let transports = self.transports.iter().map(|follow| match follow {
            Follow::Wait => Transport::Wait,
            Follow::Sse => Transport::Sse,
            Follow::Ws => Transport::Ws,
        });
        Ok(Plan {
            aw: find_aw(self.aw.as_deref())?,
            engine: Engine::Sqlite,
            tier,
            seed: self.seed.map_or_else(seed_from_clock, Ok)?,
            transports: transports.collect(),
            defect: None,
        })
    }
}

fn seed_from_clock() -> anyhow::Result<u64> {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is odd")?;
    Ok(u64::from(nanos.subsec_nanos()))
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let all_is_well = match Arguments::parse().command {
        Command::Run { long, only, engines, common } => {
            check(&only)?;
            let plan = common.plan(if long { Tier::Long } else { Tier::Short })?;
            let mut failed = Vec::new();
            for on in engines {
                let engine = match on {
                    On::Sqlite => Engine::Sqlite,
                    On::Postgres => Engine::Postgres,
                };
                failed.extend(run(&Plan { engine, ..plan.clone() }, &only).await);
            }
            if !failed.is_empty() {
                println!("failed: {}", failed.join(", "));
            }
            failed.is_empty()
        }
        Command::Mutants { only, common } => {
            aw_proof::catch_all(&common.plan(Tier::Short)?, &only).await
        }
    };
    Ok(if all_is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check(only: &[String]) -> anyhow::Result<()> {
    let unknown = |name: &&String| !Scenario::ALL.iter().any(|one| one.name() == name.as_str());
    if let Some(unknown) = only.iter().find(unknown) {
        let names = Scenario::ALL.map(Scenario::name).join(", ");
        anyhow::bail!("there is no scenario {unknown}; there are {names}");
    }
    Ok(())
}

/// Runs every scenario for the plan's engine; returns the names of those that failed.
async fn run(plan: &Plan, only: &[String]) -> Vec<String> {
    let mut failed = Vec::new();
    for scenario in Scenario::ALL.into_iter().filter(|one| one.is_for(plan.engine)) {
        if !only.is_empty() && !only.iter().any(|name| name == scenario.name()) {
            continue;
        }
        let finished = aw_proof::run(scenario, plan).await;
        println!("{finished}");
        if !finished.report.violations.is_empty() {
            failed.push(format!("{} on {}", scenario.name(), plan.engine.name()));
        }
    }
    failed
}
