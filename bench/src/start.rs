//! The start time of the command line, which an agent pays at every turn.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::stats::{Better, Latencies, Rounds, millis};

/// Starts of each program per round, alternating.
const STARTS: usize = 40;

pub(crate) fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let (mut ours, mut theirs) = (Rounds::default(), Rounds::default());
    for _ in plan.load_rounds(Part::Start) {
        let (mut aw, mut node) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            aw.push(run_timed(Command::new(&plan.binary.path).args(["debate", "generate-id"]))?);
            node.push(run_timed(Command::new("node").args(["-e", ""]))?);
        }
        ours.push(millis(Latencies::new(aw).percentile(50)));
        theirs.push(millis(Latencies::new(node).percentile(50)));
    }
    let ratio = ours.ratio_to(&theirs);
    report.bars.push(Bar::new("aw debate generate-id : node -e ''", Bound::AtMost(0.1), &ratio));
    let row = |name: &str, rounds: &Rounds| {
        let of_node = rounds.ratio_to(&theirs);
        vec![
            Cell::text(name),
            Cell::spread(rounds, Better::Lower),
            Cell::spread(&of_node, Better::Lower),
        ]
    };
    report.add(Section {
        title: "Starting the command line",
        notes: vec![format!(
            "From the start of a process to its end; the median of {STARTS} starts a round, the \
             two programs in turns."
        )],
        columns: &["", "ms", "× node"],
        rows: vec![row("aw debate generate-id", &ours), row("node -e ''", &theirs)],
    });
    Ok(())
}

/// The duration of a program that must succeed.
pub(crate) fn run_timed(command: &mut Command) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let took = started.elapsed();
    let program = command.get_program().display();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("{program} ended with {status}");
    }
    Ok(took)
}
