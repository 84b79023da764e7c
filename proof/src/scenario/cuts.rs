//! F8: connections between two servers and PostgreSQL are cut, also in the middle of commits.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use aw_testbed::{Cut, Database, Proxy};

use crate::ground::Ground;
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG, Server, Setup};
use crate::subscribers::Crowd;
use crate::writers::Manner;

/// The longest pause between two cuts.
const CALM_MS_MAX: u64 = 250;

/// Debates that are followed on one server while it can't hear of them.
const UNHEARD: usize = 24;

/// A server, and the wire between it and the database.
struct Place {
    server: Server,
    wire: Proxy,
}

impl Place {
    async fn new(plan: &Plan, database: &Database) -> anyhow::Result<Self> {
        let wire = Proxy::start(database.url())?;
        let server = Setup::at(plan, wire.url())?.start().await?;
        Ok(Self { server, wire })
    }
}

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    run_with(plan, plan.by_tier(60, 600), report).await
}

/// The same with so many cuts.
pub(crate) async fn run_with(plan: &Plan, cuts: u32, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let database = Database::fresh()?;
    let here = Place::new(plan, &database).await?;
    let there = Place::new(plan, &database).await?;
    let ground = Ground::both([&here.server, &there.server]).without_storage_at_times();
    let crowd = Crowd { each: 10, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start_on(Arc::new(ground), plan, Manner::ORDINARY, &crowd, &mut rng).await;
    for _ in 0..cuts {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=CALM_MS_MAX))).await;
        let wire = if rng.bool() { &here.wire } else { &there.wire };
        blow(wire, &mut rng, &load.ground).await?;
    }
    load.finish(report).await?;
    unheard(plan, [&here, &there], &mut rng, report).await?;
    for mut place in [here, there] {
        place.server.stop_and_inspect().await?;
    }
    Ok(())
}

/// One commit, on either side of the server, or everything that is open.
async fn blow(wire: &Proxy, rng: &mut fastrand::Rng, ground: &Ground) -> anyhow::Result<()> {
    let cut = match rng.u8(..4) {
        0 => {
            wire.cut_all();
            ground.count("cut of every connection");
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
    tokio::time::timeout(HANG, fired).await.context("nobody commits anything")?;
    ground.count(format!("cut {cut:?}"));
    Ok(())
}

/// What is written on one server while the other is cut off is heard there as soon as it is not.
async fn unheard(
    plan: &Plan,
    [here, there]: [&Place; 2],
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let ground = Ground::across(&there.server, &here.server).without_storage_at_times();
    let manner = Manner { writers: 0, debates: UNHEARD, ..Manner::ORDINARY };
    let crowd = Crowd { each: UNHEARD, kinds: plan.transports.clone(), life_ms_max: 1_000 };
    let load = Load::start_on(Arc::new(ground), plan, manner, &crowd, rng).await;
    let mut parked = load.park(report).await?;
    here.wire.close();
    parked.ring().await;
    here.wire.open();
    parked.leave().await?.judge(report);
    Ok(())
}
