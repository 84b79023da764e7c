//! F8: connections between two servers and PostgreSQL are cut, also in the middle of commits.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use aw_testbed::{Cut, Database, Proxy};

use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::SharedState;
use crate::subscribers::SubscriberSettings;
use crate::writers::WriterSettings;

/// The longest pause between two cuts.
const PAUSE_MS_MAX: u64 = 250;

/// Debates that are followed on a server while it receives no notifications.
const DISCONNECTED_DEBATES: usize = 24;

/// A server and the proxy between it and the database.
struct ProxiedServer {
    server: Server,
    wire: Proxy,
}

impl ProxiedServer {
    async fn new(plan: &Plan, database: &Database) -> anyhow::Result<Self> {
        let wire = Proxy::start(database.url())?;
        let server = Setup::on_database(plan, wire.url())?.start().await?;
        Ok(Self { server, wire })
    }
}

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    run_with(plan, plan.by_tier(60, 600), report).await
}

/// The same with `cuts` cuts.
pub(crate) async fn run_with(plan: &Plan, cuts: u32, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let database = Database::fresh()?;
    let here = ProxiedServer::new(plan, &database).await?;
    let there = ProxiedServer::new(plan, &database).await?;
    let shared = SharedState::both([&here.server, &there.server]).with_storage_outages();
    let subscriber_settings =
        SubscriberSettings { each: 10, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start_on(
        Arc::new(shared),
        plan,
        WriterSettings::ORDINARY,
        &subscriber_settings,
        &mut rng,
    )
    .await;
    for _ in 0..cuts {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=PAUSE_MS_MAX))).await;
        let wire = if rng.bool() { &here.wire } else { &there.wire };
        inject_cut(wire, &mut rng, &load.shared).await?;
    }
    load.finish(report).await?;
    check_catch_up(plan, [&here, &there], &mut rng, report).await?;
    for mut server in [here, there] {
        server.server.stop_and_inspect().await?;
    }
    Ok(())
}

/// Cuts one commit before or after it reaches the server, or all open connections.
async fn inject_cut(
    wire: &Proxy,
    rng: &mut fastrand::Rng,
    shared: &SharedState,
) -> anyhow::Result<()> {
    let cut = match rng.u8(..4) {
        0 => {
            wire.cut_all();
            shared.count("cut of every connection");
            return Ok(());
        }
        1 => Cut::BeforeCommit,
        2.. => Cut::AfterCommit,
    };
    wire.arm(cut);
    let fired = async {
        while wire.is_armed() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(HANG_TIMEOUT, fired).await.context("no commit arrived")?;
    shared.count(format!("cut {cut:?}"));
    Ok(())
}

/// Writes on one server while the other is disconnected must reach its
/// subscribers after the reconnect.
async fn check_catch_up(
    plan: &Plan,
    [here, there]: [&ProxiedServer; 2],
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let shared = SharedState::across(&there.server, &here.server).with_storage_outages();
    let writer_settings =
        WriterSettings { writers: 0, debates: DISCONNECTED_DEBATES, ..WriterSettings::ORDINARY };
    let subscriber_settings = SubscriberSettings {
        each: DISCONNECTED_DEBATES,
        kinds: plan.transports.clone(),
        life_ms_max: 1_000,
    };
    let load =
        Load::start_on(Arc::new(shared), plan, writer_settings, &subscriber_settings, rng).await;
    let mut parked = load.pause_writers(report).await?;
    here.wire.close();
    parked.write_to_all().await;
    here.wire.open();
    parked.leave().await?.check_history(report);
    Ok(())
}
