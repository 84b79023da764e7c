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
        sabotage: None,
    };
    let finished = aw_proof::run(scenario, &plan).await;
    println!("{finished}");
    assert!(finished.report.violations.is_empty(), "{finished}");
}

#[tokio::test(flavor = "multi_thread")]
async fn f1_nothing_is_lost_or_seen_twice_over_kills_and_cuts() {
    prove(Scenario::Kill).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f2_what_the_disk_does_not_take_is_never_acknowledged() {
    prove(Scenario::DiskErrors).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f3_a_full_disk_refuses_writes_and_nothing_else_until_there_is_room() {
    prove(Scenario::DiskFull).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f4_a_foreign_lock_is_named_and_outlived_and_a_second_server_refused() {
    prove(Scenario::ForeignLock).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f6_a_jumping_clock_changes_no_order_and_no_wait() {
    prove(Scenario::Clock).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f12_who_does_not_read_is_cut_off_and_holds_up_nobody() {
    prove(Scenario::Slow).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_ten_thousand_are_woken_by_their_own_debate_and_leave_nothing_behind() {
    prove(Scenario::Churn).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f15_without_descriptors_the_server_rests_and_serves_whom_it_has() {
    prove(Scenario::Descriptors).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn f17_a_stop_serves_everyone_in_the_house_first() {
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
    async fn f7_a_restart_of_the_database_costs_nothing_but_time() {
        prove_on(Engine::Postgres, Scenario::Restart).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f7b_while_the_database_is_away_it_is_said_and_then_all_goes_on() {
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
    async fn f8_a_commit_that_was_cut_is_written_once_or_not_at_all_and_news_are_caught_up() {
        prove_on(Engine::Postgres, Scenario::Cuts).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f14_two_servers_keep_one_log_and_one_takes_over_from_the_other() {
        prove_on(Engine::Postgres, Scenario::Two).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn f17_a_stop_serves_everyone_in_the_house_first() {
        prove_on(Engine::Postgres, Scenario::Stop).await;
    }
}
