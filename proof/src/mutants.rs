//! The test of the checker: it must find every injected defect, and report none
//! for a correct server.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::run::{Engine, Plan, Report};
use crate::scenario::{cuts, kill};

/// The defects that `proof/defects.patch` adds to the server, by the value of `AW_DEFECT`, and the
/// engine of each: the last three need servers that share a database.
const MUTANTS: [(&str, Engine); 10] = [
    ("ack-before-commit", Engine::Sqlite),
    ("skip-fingerprint", Engine::Sqlite),
    ("notify-before-commit", Engine::Sqlite),
    ("drop-on-reconnect", Engine::Sqlite),
    ("double-on-reconnect", Engine::Sqlite),
    ("gap-in-seq", Engine::Sqlite),
    ("state-outside-transaction", Engine::Sqlite),
    ("deaf-to-others", Engine::Postgres),
    ("no-catch-up", Engine::Postgres),
    ("ack-in-doubt", Engine::Postgres),
];

/// The time limit for the detection of each defect.
const CAUGHT_WITHIN: Duration = Duration::from_mins(1);

/// Kills per run: enough to hit a commit under load, few enough to be fast.
const KILLS: u64 = 16;

/// Cuts per run, for the same reasons.
const CUTS: u32 = 40;

/// Runs the correct server and every defective one; true if the checker distinguished them.
pub async fn catch_all(plan: &Plan, only: &[String]) -> bool {
    let mut all_is_well = true;
    for engine in [Engine::Sqlite, Engine::Postgres].into_iter().filter(|_| only.is_empty()) {
        let sound = Plan { defect: None, engine, ..plan.clone() };
        let (report, took) = run(&sound).await;
        let is_clean = report.violations.is_empty();
        all_is_well &= is_clean;
        let verdict = if is_clean { "passes" } else { "FAILS" };
        println!("the sound server {verdict} on {} ({took:.1?})", engine.name());
        print(&report.violations, 10);
    }
    for (mutant, engine) in MUTANTS {
        if !only.is_empty() && !only.iter().any(|name| name == mutant) {
            continue;
        }
        let broken = Plan { defect: Some(mutant.to_owned()), engine, ..plan.clone() };
        let (report, took) = run(&broken).await;
        // A run that ended with an error counts as undetected.
        let broken_rules: BTreeSet<_> = report
            .violations
            .iter()
            .filter_map(|what| what.split_once(": "))
            .map(|r| r.0)
            .collect();
        let by_rule = broken_rules.iter().any(|rule| rule.starts_with("rule "));
        let in_time = took <= CAUGHT_WITHIN;
        all_is_well &= by_rule && in_time;
        let verdict = match (by_rule, in_time) {
            (true, true) => "is caught",
            (true, false) => "is caught TOO LATE",
            (false, _) => "is NOT CAUGHT",
        };
        println!("{mutant} {verdict} by {broken_rules:?} ({took:.1?}, seed {})", plan.seed);
        print(&report.violations, 3);
    }
    all_is_well
}

async fn run(plan: &Plan) -> (Report, Duration) {
    let began = Instant::now();
    let mut report = Report::default();
    let ran = match plan.engine {
        Engine::Sqlite => kill::run_with(plan, KILLS, &mut report).await,
        Engine::Postgres => cuts::run_with(plan, CUTS, &mut report).await,
    };
    report.record_error(ran);
    (report, began.elapsed())
}

fn print(violations: &[String], most: usize) {
    for violation in violations.iter().take(most) {
        println!("    {violation}");
    }
}
