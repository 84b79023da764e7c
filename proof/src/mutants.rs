//! The checker on trial: servers that are broken on purpose must be caught, each of them, and the
//! sound one must not be.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::run::{Plan, Report};
use crate::scenario::kill;

/// What a server built with the feature `sabotage` does wrong, by the value of `AW_SABOTAGE`.
const MUTANTS: [&str; 7] = [
    "ack-before-commit",
    "skip-fingerprint",
    "notify-before-commit",
    "drop-on-reconnect",
    "double-on-reconnect",
    "gap-in-seq",
    "state-outside-transaction",
];

/// How quickly each must be caught.
const CAUGHT_WITHIN: Duration = Duration::from_mins(1);

/// Kills in one run: enough to hit a commit under load, few enough to be quick.
const KILLS: u64 = 16;

/// Runs the sound server and every broken one; true when the checker told them apart.
pub async fn catch_all(plan: &Plan, only: &[String]) -> bool {
    let mut all_is_well = true;
    if only.is_empty() {
        let sound = Plan { sabotage: None, ..plan.clone() };
        let (report, took) = run(&sound).await;
        let is_clean = report.violations.is_empty();
        all_is_well &= is_clean;
        println!("the sound server {} ({took:.1?})", if is_clean { "passes" } else { "FAILS" });
        print(&report.violations, 10);
    }
    for mutant in MUTANTS {
        if !only.is_empty() && !only.iter().any(|name| name == mutant) {
            continue;
        }
        let broken = Plan { sabotage: Some(mutant.to_owned()), ..plan.clone() };
        let (report, took) = run(&broken).await;
        // A run that merely broke off has not been understood.
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
    let ran = kill::run_with(plan, KILLS, &mut report).await;
    report.note_break(ran);
    (report, began.elapsed())
}

fn print(violations: &[String], most: usize) {
    for violation in violations.iter().take(most) {
        println!("    {violation}");
    }
}
