//! F12: clients that stop reading delay no other client, cost little memory, and are disconnected.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::StreamExt;
use uuid::Uuid;

use crate::history::{Outcome, Seq, Transport};
use crate::load::Load;
use crate::rules::{Event, Kind, Role};
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::SharedState;
use crate::storage::wait_for_responses;
use crate::subscribers::{StalledSubscriber, StartPosition, SubscriberSettings};
use crate::writers::{WriterSettings, compose_argument, open_debates};

/// Clients that stop reading, half per transport.
const STUCK: usize = 200;

/// The content of each debate before clients stop reading: more than the kernel buffers for a
/// client that does not read, which is up to 4 MB without a bound.
const BACKLOG_BYTES: usize = 4_700_000;

/// The maximum number of bytes that the kernel holds for one of them: twice the server's send
/// buffer, and some margin.
const QUEUED_BYTES_MAX: u64 = 512 * 1024;

/// The server disconnects after 10 s without progress; the buffers in between fill up first.
const CUT_OFF_MAX: Duration = Duration::from_mins(1);

/// The maximum memory that the server holds for all of them: 64 KB each, the database caches, and
/// some margin. A queue of unsent arguments for each would be many times that.
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
    let shared = Arc::new(SharedState::new(server.api.clone()));
    create_backlog(&shared, &mut rng).await?;
    let writer_settings = WriterSettings {
        writers: 6,
        debates: 2,
        content_max: 9_900,
        pause_ms_max: 150,
        may_close: false,
    };
    let subscriber_settings =
        SubscriberSettings { each: 2, kinds: plan.transports.clone(), life_ms_max: 5_000 };
    let load = Load::start_on(shared, plan, writer_settings, &subscriber_settings, &mut rng).await;
    let mut come_back_later = Vec::new();
    for _ in 0..plan.by_tier(1, 4) {
        let before_kb = server.status_kb("VmRSS")?;
        let debates = load.shared.all_open();
        let places = debates.iter().flat_map(|known| kinds.iter().map(move |kind| (known, kind)));
        let begins = [StartPosition::AfterMotion, StartPosition::WithSnapshot];
        let places = begins.iter().flat_map(|begins| places.clone().map(move |at| (*begins, at)));
        let stalled = places.cycle().take(STUCK).map(|(begins, (known, kind))| {
            StalledSubscriber::begin(&load.shared, *kind, known.debate, begins)
        });
        let stalled = futures_util::stream::iter(stalled).buffer_unordered(STUCK);
        let stalled: Vec<_> =
            stalled.collect::<Vec<_>>().await.into_iter().collect::<Result<_, _>>()?;
        let began = Instant::now();
        let queued = wait_until_disconnected(&server, &stalled).await?;
        report.fact(format!("all {STUCK} were cut off within {:?}", began.elapsed()));
        report.fact(format!("meanwhile the system held up to {queued} bytes for one of them"));
        report.expect(queued > 0, "no client was stalled");
        report.expect(
            queued <= QUEUED_BYTES_MAX,
            format!("the system held {queued} bytes for one that did not read"),
        );
        let peak_kb = server.status_kb("VmHWM")?;
        let rise = peak_kb.saturating_sub(before_kb);
        report.fact(format!("meanwhile memory rose from {before_kb} kB by {rise} kB"));
        report.expect(rise <= RISE_KB_MAX, format!("memory rose by {rise} kB"));
        // Writers and all other clients must continue as before.
        wait_for_responses(&load.shared, "201", 50).await?;
        come_back_later.extend(stalled.into_iter().take(plan.by_tier(4, STUCK)));
    }
    let failed = load.shared.count_with_prefix("5") + load.shared.count_with_prefix("no answer");
    report.expect(failed == 0, format!("{failed} writes failed because others did not read"));
    let settled = load.settle(report).await?;
    check_catch_up(come_back_later, &settled.ends, report).await;
    settled.check_history(report);
    server.stop_and_inspect().await?;
    Ok(())
}

/// Two debates with long arguments.
async fn create_backlog(shared: &Arc<SharedState>, rng: &mut fastrand::Rng) -> anyhow::Result<()> {
    let content = "x".repeat(10_000);
    let client = shared.number();
    for known in open_debates(shared, 2, rng).await {
        let sides = [Role::Opponent, Role::Proposer].into_iter().cycle();
        for role in sides.take(BACKLOG_BYTES / content.len()) {
            let mut draft = compose_argument(shared, &known, Event::new(Kind::Claim, role));
            draft.content.push_str(&content);
            let outcome = shared.attempt(client, &draft).await;
            anyhow::ensure!(matches!(outcome, Some(Outcome::Ok { .. })), "{outcome:?}");
        }
    }
    Ok(())
}

/// Waits until the server has closed these connections; returns the most bytes that waited in the
/// kernel for one of them.
async fn wait_until_disconnected(
    server: &Server,
    stalled: &[StalledSubscriber],
) -> anyhow::Result<u64> {
    let look = async {
        let mut most = 0;
        loop {
            let held = unsent_bytes_by_port(server)?;
            let queued = stalled.iter().filter_map(|one| held.get(&one.port)).max();
            let Some(queued) = queued else { return anyhow::Ok(most) };
            most = most.max(*queued);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(CUT_OFF_MAX, look).await.context("stuck consumers are not cut off")?
}

/// The unsent bytes of each open connection of the server, by the client's port. A connection that
/// the server closed may still have unsent bytes in the kernel, but belongs to no process any more.
fn unsent_bytes_by_port(server: &Server) -> anyhow::Result<HashMap<u16, u64>> {
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

/// Each client reads what arrived, reconnects, and receives the rest.
async fn check_catch_up(
    stalled: Vec<StalledSubscriber>,
    ends: &HashMap<Uuid, Seq>,
    report: &mut Report,
) {
    let all = stalled.into_iter().map(|one| {
        let end = ends.get(&one.debate()).copied().unwrap_or_default();
        one.catch_up(end, HANG_TIMEOUT)
    });
    let outcomes: Vec<_> = futures_util::stream::iter(all).buffer_unordered(16).collect().await;
    let failed = outcomes.into_iter().filter_map(Result::err);
    report.violations.extend(failed.map(|err| format!("a stuck consumer: {err:#}")));
}
