//! The short tier of the fault runs, against the binary that was built with these tests.
//!
//! Runs on SQLite, and in module `postgres` on PostgreSQL. `AW_BIN` names another
//! binary, `AW_PROOF_SEED` another seed.

use aw_proof::history::Transport;
use aw_proof::{Engine, Plan, Scenario, Tier, find_aw};

async fn prove(scenario: Scenario) {
    prove_on(Engine::Sqlite, scenario).await;
}

async fn prove_on(engine: Engine, scenario: Scenario) {
    let seed = std::env::var("AW_PROOF_SEED").map_or(Ok(1), |seed| seed.parse());
    let plan = Plan {
        aw: find_aw(None).expect("aw was built with the tests"),
        engine,
        tier: Tier::Short,
        seed: seed.expect("a seed is a number"),
        transports: Transport::ALL.to_vec(),
        defect: None,
    };
    let finished = aw_proof::run(scenario, &plan).await;
    println!("{finished}");
    assert!(finished.report.violations.is_empty(), "{finished}");
}

#[tokio::test(flavor = "multi_thread")]
async fn f1_no_argument_is_lost_or_repeated_over_kills_and_disconnects() {
    prove(Scenario::Kill).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f2_write_is_not_acknowledged_when_the_disk_fails() {
    prove(Scenario::DiskErrors).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f3_full_disk_refuses_only_writes_until_space_is_freed() {
    prove(Scenario::DiskFull).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f4_foreign_lock_is_reported_and_a_second_server_is_refused() {
    prove(Scenario::ForeignLock).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f6_clock_jump_changes_neither_order_nor_waits() {
    prove(Scenario::Clock).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f12_client_that_stops_reading_is_disconnected_and_delays_no_other() {
    prove(Scenario::Slow).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_thousand_waiters_are_woken_only_by_their_debate_and_leak_no_memory() {
    prove(Scenario::Churn).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f15_server_without_descriptors_stays_idle_and_serves_open_connections() {
    prove(Scenario::Descriptors).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f17_stop_completes_operations_under_way() {
    prove(Scenario::Stop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f27_server_starts_after_a_kill_during_its_first_start() {
    prove(Scenario::FirstStart).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f28_every_row_is_kept_after_a_kill_during_a_carry_over() {
    prove(Scenario::CarryOver).await;
}

mod postgres {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn f7_database_restart_loses_no_write() {
        prove_on(Engine::Postgres, Scenario::Restart).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f7b_database_outage_is_reported_and_work_resumes_after_it() {
        prove_on(Engine::Postgres, Scenario::Outage).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f7c_writes_resume_on_the_standby_after_the_primary_stopped() {
        prove_on(Engine::Postgres, Scenario::FailOver).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f7d_writes_resume_on_the_standby_while_the_primary_hangs() {
        prove_on(Engine::Postgres, Scenario::HungPrimary).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f8_cut_commit_is_written_at_most_once_and_subscribers_catch_up() {
        prove_on(Engine::Postgres, Scenario::Cuts).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f14_two_servers_share_one_log_and_take_over_from_each_other() {
        prove_on(Engine::Postgres, Scenario::Two).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f17_stop_completes_operations_under_way() {
        prove_on(Engine::Postgres, Scenario::Stop).await;
    }
}
