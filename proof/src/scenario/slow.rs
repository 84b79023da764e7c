//! F12: consumers that stop reading hold up nobody, cost little, and are shown the door.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::StreamExt;
use uuid::Uuid;

use crate::fold::{Event, Kind, Role};
use crate::ground::Ground;
use crate::history::{Outcome, Seq, Transport};
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG, Server, Setup};
use crate::storage::until_told;
use crate::subscribers::{Begins, Crowd, Stuck};
use crate::writers::{Manner, open_debates, say};

/// Stuck consumers, half of each kind.
const STUCK: usize = 200;

/// What each debate holds before anyone gets stuck: more than the system itself would take on for
/// a client that does not read, which is up to 4 MB where nothing bounds it.
const BACKLOG_BYTES: usize = 4_700_000;

/// What the system may hold for one of them: the server's send buffer, which the system takes
/// twice, and some air.
const QUEUED_BYTES_MAX: u64 = 512 * 1024;

/// The server gives up after 10 s without progress; the buffers in between fill up first.
const CUT_OFF_MAX: Duration = Duration::from_mins(1);

/// What the server may hold for all of them: 64 KB each, its database's own caches, and some air.
/// A queue of unsent arguments for each would be many times that.
const RISE_KB_MAX: u64 = 64 * 200 + 100 * 1024 + 16 * 1024;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let kinds: Vec<_> =
        plan.transports.iter().copied().filter(|kind| *kind != Transport::Wait).collect();
    if kinds.is_empty() {
        report.fact("SKIPPED: a wait can't get stuck");
        return Ok(());
    }
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.start().await?;
    let ground = Arc::new(Ground::new(server.api.clone()));
    fill_up(&ground, &mut rng).await?;
    let manner =
        Manner { writers: 6, debates: 2, content_max: 9_900, pause_ms_max: 150, may_close: false };
    let crowd = Crowd { each: 2, kinds: plan.transports.clone(), life_ms_max: 5_000 };
    let load = Load::start_on(ground, plan, manner, &crowd, &mut rng).await;
    let mut come_back_later = Vec::new();
    for _ in 0..plan.by_tier(1, 4) {
        let before_kb = server.status_kb("VmRSS")?;
        let debates = load.ground.all_open();
        let places = debates.iter().flat_map(|known| kinds.iter().map(move |kind| (known, kind)));
        let begins = [Begins::AfterMotion, Begins::WithSnapshot];
        let places = begins.iter().flat_map(|begins| places.clone().map(move |at| (*begins, at)));
        let stuck = places
            .cycle()
            .take(STUCK)
            .map(|(begins, (known, kind))| Stuck::begin(&load.ground, *kind, known.debate, begins));
        let stuck = futures_util::stream::iter(stuck).buffer_unordered(STUCK);
        let stuck: Vec<_> =
            stuck.collect::<Vec<_>>().await.into_iter().collect::<Result<_, _>>()?;
        let began = Instant::now();
        let queued = until_cut_off(&server, &stuck).await?;
        report.fact(format!("all {STUCK} were cut off within {:?}", began.elapsed()));
        report.fact(format!("meanwhile the system held up to {queued} bytes for one of them"));
        report.expect(queued > 0, "nobody got stuck");
        report.expect(
            queued <= QUEUED_BYTES_MAX,
            format!("the system held {queued} bytes for one that did not read"),
        );
        let peak_kb = server.status_kb("VmHWM")?;
        let rise = peak_kb.saturating_sub(before_kb);
        report.fact(format!("meanwhile memory rose from {before_kb} kB by {rise} kB"));
        report.expect(rise <= RISE_KB_MAX, format!("memory rose by {rise} kB"));
        // Writers and everyone else go on as if nothing had been.
        until_told(&load.ground, "201", 50).await?;
        come_back_later.extend(stuck.into_iter().take(plan.by_tier(4, STUCK)));
    }
    let failed = load.ground.counted("5") + load.ground.counted("no answer");
    report.expect(failed == 0, format!("{failed} writes failed because others did not read"));
    let settled = load.settle(report).await?;
    come_back(come_back_later, &settled.ends, report).await;
    settled.judge(report);
    server.stop_and_inspect().await?;
    Ok(())
}

/// Two debates with long contributions.
async fn fill_up(ground: &Arc<Ground>, rng: &mut fastrand::Rng) -> anyhow::Result<()> {
    let words = "x".repeat(10_000);
    let client = ground.number();
    for known in open_debates(ground, 2, rng).await {
        let sides = [Role::Opponent, Role::Proposer].into_iter().cycle();
        for role in sides.take(BACKLOG_BYTES / words.len()) {
            let mut draft = say(ground, &known, Event::new(Kind::Claim, role));
            draft.content.push_str(&words);
            let outcome = ground.attempt(client, &draft).await;
            anyhow::ensure!(matches!(outcome, Some(Outcome::Ok { .. })), "{outcome:?}");
        }
    }
    Ok(())
}

/// Waits until the server holds none of these connections any more; tells the most bytes that
/// waited in the system for one of them.
async fn until_cut_off(server: &Server, stuck: &[Stuck]) -> anyhow::Result<u64> {
    let look = async {
        let mut most = 0;
        loop {
            let held = held_by_the_server(server)?;
            let queued = stuck.iter().filter_map(|one| held.get(&one.port)).max();
            let Some(queued) = queued else { return anyhow::Ok(most) };
            most = most.max(*queued);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(CUT_OFF_MAX, look).await.context("stuck consumers are not cut off")?
}

/// The bytes that wait in each of the server's open connections, by their clients' ports. One that
/// it has closed may still have unsent bytes in the system, but belongs to no process any more.
fn held_by_the_server(server: &Server) -> anyhow::Result<HashMap<u16, u64>> {
    let port = |address: &str| {
        let (_, port) = address.split_once(':')?;
        u16::from_str_radix(port, 16).ok()
    };
    let own = server.api.address.rsplit(':').next().and_then(|port| port.parse::<u16>().ok());
    let table = std::fs::read_to_string("/proc/net/tcp")?;
    let held = table.lines().skip(1).filter_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (local, remote) = (fields.next()?, fields.next()?);
        let (queued, _) = fields.nth(1)?.split_once(':')?;
        let inode = fields.nth(4)?;
        let queued = u64::from_str_radix(queued, 16).ok()?;
        (port(local) == own && inode != "0").then(|| Some((port(remote)?, queued)))?
    });
    Ok(held.collect())
}

/// Each of them reads what came, comes back, and gets the rest.
async fn come_back(stuck: Vec<Stuck>, ends: &HashMap<Uuid, Seq>, report: &mut Report) {
    let all = stuck.into_iter().map(|one| {
        let end = ends.get(&one.debate()).copied().unwrap_or_default();
        one.catch_up(end, HANG)
    });
    let outcomes: Vec<_> = futures_util::stream::iter(all).buffer_unordered(16).collect().await;
    let failed = outcomes.into_iter().filter_map(Result::err);
    report.violations.extend(failed.map(|err| format!("a stuck consumer: {err:#}")));
}
