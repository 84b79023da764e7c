//! `aw-bench`: measures the server and compares it with the limits of the machine.
//!
//! It starts the release binary as a child process and uses it as a client would, over the network,
//! so that the measurements include everything that a user experiences.

mod agents;
mod carry_over;
mod ceiling;
mod claims;
mod client;
mod dataset;
mod debates;
mod direct;
mod forum;
mod growth;
mod guardrail;
mod load;
mod logging;
mod machine;
mod memory;
mod metrics;
mod pages;
mod paired;
mod plan;
mod postgres;
mod proxy;
mod reads;
mod report;
mod runs;
mod seats;
mod server;
mod start;
mod stats;
mod streams;
mod waiters;
mod wake;
mod wake_setup;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Parser;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

use crate::machine::{Machine, Watch};
use crate::plan::{Part, Plan, Scale};
use crate::report::Report;
use crate::server::Binary;

/// Measure the server and compare it with the limits of the machine
#[derive(Debug, Parser)]
struct Cli {
    /// The release binary to measure
    #[arg(long, value_name = "PATH")]
    aw: PathBuf,
    /// An earlier release binary to compare with
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,
    /// The example program that reports the errors of the guardrail rules
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Folder for databases; on a disk, since in memory every sync would be free
    #[arg(long, value_name = "FOLDER", default_value_os_t = std::env::temp_dir())]
    scratch: PathBuf,
    /// Folder for latest.md and latest.json of a full run
    #[arg(long, value_name = "FOLDER", default_value = "bench/results")]
    out: PathBuf,
    /// Run only this part; print its figures without saving them
    #[arg(long, value_name = "NAME")]
    only: Option<Part>,
    /// Run a short version; print its figures without saving them
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    match start(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("aw-bench: {err:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(cli: Cli) -> anyhow::Result<()> {
    raise_descriptors()?;
    // As many threads as the server has: the clients' CPU cost is part of what a user experiences.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            outcome = run(cli) => outcome,
            // Returning here instead of dying by the signal stops the servers
            // and removes the databases.
            () = wait_for_stop_signal() => bail!("interrupted"),
        }
    })
}

async fn wait_for_stop_signal() {
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        // Without a handler the signal ends the process.
        Err(_) => std::future::pending().await,
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    if machine::is_in_memory(&cli.scratch)? {
        bail!("{} is in memory: choose a folder on a disk with --scratch", cli.scratch.display());
    }
    let watch = Watch::begin()?;
    let binary = |path: &Path| {
        let path = path.canonicalize().with_context(|| format!("no {}", path.display()))?;
        anyhow::Ok(Binary { path, scratch: cli.scratch.clone() })
    };
    let plan = Plan {
        binary: binary(&cli.aw)?,
        against: cli.against.as_deref().map(binary).transpose()?,
        rules: cli.rules,
        scale: if cli.quick { Scale::QUICK } else { Scale::FULL },
    };
    let mut report = Report::default();
    for part in Part::ALL {
        if cli.only.is_none_or(|only| only == part) {
            let started = Instant::now();
            measure(&plan, part, &mut report).await?;
            eprintln!("{part:?} took {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    let machine = Machine::read(&watch)?;
    let page = report.markdown(&machine);
    print!("{page}");
    if cli.only.is_none() && !cli.quick {
        save(&cli.out, &page, &report.json(&machine))?;
    }
    Ok(())
}

async fn measure(plan: &Plan, part: Part, report: &mut Report) -> anyhow::Result<()> {
    match part {
        Part::Claims => claims::measure(plan, report).await,
        Part::Logging => logging::measure(plan, report).await,
        Part::Seats => seats::measure(plan, report).await,
        Part::Against => match &plan.against {
            Some(base) => paired::measure_against(plan, base, report).await,
            None => Ok(()),
        },
        Part::Reads => reads::measure(plan, report).await,
        Part::Wake => wake::measure(plan, report).await,
        Part::Memory => memory::measure(plan, report).await,
        Part::Growth => growth::measure(plan, report).await,
        Part::Pages => pages::measure(plan, report).await,
        Part::Postgres => postgres::measure(plan, report).await,
        Part::Proxy => proxy::measure(plan, report).await,
        Part::Runs => runs::measure(plan, report).await,
        Part::Forum => forum::measure(plan, report).await,
        Part::Guardrail => guardrail::measure(plan, report),
        Part::Start => start::measure(plan, report),
        Part::CarryOver => carry_over::measure(plan, report),
    }
}

fn save(folder: &Path, page: &str, figures: &serde_json::Value) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("latest.md"), page)?;
    let figures = serde_json::to_string_pretty(figures)?;
    std::fs::write(folder.join("latest.json"), figures + "\n")?;
    Ok(())
}

/// Ten thousand clients need more than the usual limit of 1,024 open files.
fn raise_descriptors() -> anyhow::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("cannot raise the limit on open files")
}
