//! F13: thousands of waiters connect and disconnect, and in a long run ten thousand wait at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::StreamExt;
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::history::{Outcome, Transport};
use crate::raw::RawConnection;
use crate::rules::{Event, Kind, Role};
use crate::run::{Engine, Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::{KnownDebate, SharedState};
use crate::writers::{compose_argument, open_debates};

/// The size of a run.
struct Size {
    debates: usize,
    /// Concurrent waiters.
    waiters: usize,
    /// The maximum memory of a server with all waiters.
    full_kb_max: u64,
}

const SHORT: Size = Size { debates: 200, waiters: 1_000, full_kb_max: 90 * 1024 };

/// The waiters are, together with the server's sockets, close to the descriptor limit of this
/// process.
const LONG: Size = Size { debates: 2_000, waiters: 10_000, full_kb_max: 300 * 1024 };

/// Debates that are written to while all clients wait.
const MOVED: usize = 20;

/// The maximum number of descriptors of an idle server, our own few connections included.
const IDLE_DESCRIPTORS_MAX: usize = 150;

/// The allowed growth over many crowds: pages of a growing database.
const SLACK_KB: u64 = 32 * 1024;

/// The maximum memory that one waiter costs the server, including its connection.
const KB_PER_WAITER_MAX: u64 = 30;

/// The maximum growth of an empty server from one crowd to the next, in percent.
const RISE_PERCENT_MAX: u64 = 10;

/// The interval between two reads of the server's memory.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A server that has released no memory for this long releases none any more.
const QUIET: Duration = Duration::from_secs(3);

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let mut rng = plan.rng();
    // No wait may end by its time limit.
    let setup = Setup::new(plan)?
        .env("DEBATE_POLL_TIMEOUT_MS", "600000")
        .env("DEBATE_HTTP_TIMEOUT_MS", "700000");
    let mut server = setup.start().await?;
    let shared = Arc::new(SharedState::new(server.api.clone()));
    let size = plan.by_tier(SHORT, LONG);
    let debates = open_debates(&shared, size.debates, &mut rng).await;
    let opened = debates.len();
    anyhow::ensure!(opened == size.debates, "only {opened} debates could be opened");

    let mut when_empty = Vec::new();
    for _ in 0..crowds(plan) {
        visit_all(&server, &debates, &plan.transports).await?;
        check_wakes(&server, &shared, &size, report).await?;
        when_empty.push(when_empty_kb(&server).await?);
    }
    report.fact(format!("kB without clients, after each group: {when_empty:?}"));
    let leaks = leak_kb(&when_empty);
    report.expect(leaks <= SLACK_KB, format!("memory grew by {leaks} kB, crowd after crowd"));
    check_no_leak(&server, &shared.all_open(), size.waiters, report).await?;
    crate::load::check_history(&shared, &shared.transcripts().await?, report);
    server.stop_and_inspect().await?;
    Ok(())
}

/// Waiting happens in memory on both engines; the writes in between take longer on one.
fn crowds(plan: &Plan) -> u32 {
    match plan.engine {
        Engine::Sqlite => plan.by_tier(2, 20),
        Engine::Postgres => plan.by_tier(2, 8),
    }
}

/// The growth of the empty server's memory from the first half of the crowds to the second. Memory
/// that one crowd leaves is reused by the next, and the amount varies; only a leak accumulates. Two
/// crowds are too few to tell.
fn leak_kb(when_empty: &[u64]) -> u64 {
    let (first, second) = when_empty.split_at(when_empty.len() / 2);
    match (first.iter().max(), second.iter().min()) {
        (Some(most_before), Some(least_after)) if when_empty.len() > 4 => {
            least_after.saturating_sub(*most_before)
        }
        (Some(_) | None, _) => 0,
    }
}

/// Two crowds of the same size wait and leave without writes. The second reuses the memory that the
/// first left, so the server ends as large as it was between them.
async fn check_no_leak(
    server: &Server,
    debates: &[KnownDebate],
    waiters: usize,
    report: &mut Report,
) -> anyhow::Result<()> {
    drop(connect_waiters(server, debates, waiters).await?);
    let between_kb = settled_kb(server).await?;
    drop(connect_waiters(server, debates, waiters).await?);
    let most_kb = between_kb + between_kb * RISE_PERCENT_MAX / 100;
    let began = Instant::now();
    let mut after_kb = when_empty_kb(server).await?;
    while after_kb > most_kb && began.elapsed() < HANG_TIMEOUT {
        tokio::time::sleep(POLL_INTERVAL).await;
        after_kb = server.status_kb("VmRSS")?;
    }
    let story = format!("{between_kb} kB before {waiters} came and went, {after_kb} kB afterwards");
    report.expect(after_kb <= most_kb, story.clone());
    report.fact(format!("{story}, within {:?}", began.elapsed()));
    Ok(())
}

/// The server's memory after it has released all that it will.
async fn settled_kb(server: &Server) -> anyhow::Result<u64> {
    let mut least = when_empty_kb(server).await?;
    let began = Instant::now();
    let mut last_fall = began;
    while last_fall.elapsed() < QUIET && began.elapsed() < HANG_TIMEOUT {
        tokio::time::sleep(POLL_INTERVAL).await;
        let now = server.status_kb("VmRSS")?;
        if now < least {
            least = now;
            last_fall = Instant::now();
        }
    }
    Ok(least)
}

/// The server's memory after every connection has closed.
async fn when_empty_kb(server: &Server) -> anyhow::Result<u64> {
    let look = async {
        while server.descriptors()? > IDLE_DESCRIPTORS_MAX {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(HANG_TIMEOUT, look).await.context("connections are never closed")??;
    server.status_kb("VmRSS")
}

/// Waits on every debate for a moment, over every transport.
async fn visit_all(
    server: &Server,
    debates: &[KnownDebate],
    transports: &[Transport],
) -> anyhow::Result<()> {
    let visits = debates.iter().flat_map(|known| transports.iter().map(move |kind| (known, kind)));
    let visits = visits.map(|(known, kind)| visit(server, known, *kind));
    let outcomes: Vec<_> = futures_util::stream::iter(visits).buffer_unordered(100).collect().await;
    outcomes.into_iter().collect::<anyhow::Result<()>>()?;
    wait_for_waiters(server, 0).await?;
    let rooms = server.metric("aw_waited_on_debates").await?;
    anyhow::ensure!(rooms == 0, "{rooms} debates still have subscriptions");
    Ok(())
}

async fn visit(server: &Server, known: &KnownDebate, kind: Transport) -> anyhow::Result<()> {
    let KnownDebate { debate, newest, seq, .. } = known;
    let mut wire = RawConnection::open(&server.api.address).await?;
    match kind {
        Transport::Wait => wire.get(&wait_path(known), "").await,
        Transport::Sse => {
            wire.get(&format!("/debates/{debate}/events?after={newest}"), "").await?;
            wire.head(HANG_TIMEOUT).await.map(drop)
        }
        Transport::Ws => {
            wire.upgrade(&format!("debate_id={debate}&after_seq={seq}")).await.map(drop)
        }
    }
}

fn wait_path(known: &KnownDebate) -> String {
    let KnownDebate { debate, newest, .. } = known;
    format!("/debates/{debate}/wait?role=opponent&argument_id={newest}")
}

/// All clients wait. Writes to some debates must wake their waiters and no others; then writes to
/// all debates must wake all.
async fn check_wakes(
    server: &Server,
    shared: &Arc<SharedState>,
    size: &Size,
    report: &mut Report,
) -> anyhow::Result<()> {
    let debates = shared.all_open();
    let waiters = size.waiters;
    let empty_kb = server.status_kb("VmRSS")?;
    let parked = connect_waiters(server, &debates, waiters).await?;
    let full_kb = server.status_kb("VmRSS")?;
    let is_small = full_kb <= size.full_kb_max;
    report.expect(is_small, format!("{waiters} parked waiters take {full_kb} kB"));
    let each = full_kb.saturating_sub(empty_kb) / u64::try_from(waiters)?;
    report.expect(each <= KB_PER_WAITER_MAX, format!("a parked waiter takes {each} kB"));
    report.fact(format!("{waiters} parked: {empty_kb} kB became {full_kb} kB, {each} kB each"));

    let (moved, still) = debates.split_at(MOVED.min(debates.len()));
    let (concerned, others): (Vec<_>, Vec<_>) = parked
        .into_iter()
        .partition(|(known, _)| moved.iter().any(|moved| moved.debate == known.debate));
    let began = Instant::now();
    write_to_each(shared, moved).await?;
    let told = concerned.len();
    check_woken(concerned).await?;
    report.fact(format!("{told} were told within {:?}", began.elapsed()));
    let left = server.metric("aw_waiters").await?;
    let others_count = u64::try_from(others.len())?;
    report.expect(left == others_count, format!("{left} of {others_count} others still wait"));
    let disturbed = others.iter().filter(|(_, wire)| wire.has_unread()).count();
    report.expect(disturbed == 0, format!("{disturbed} were told of a debate that is not theirs"));

    let began = Instant::now();
    let everyone = tokio::join!(write_to_each(shared, still), check_woken(others));
    everyone.0?;
    everyone.1?;
    report.fact(format!("{others_count} were told within {:?}, writes included", began.elapsed()));
    wait_for_waiters(server, 0).await
}

/// Connects as many waiters as possible; on return all of them wait.
async fn connect_waiters<'a>(
    server: &Server,
    debates: &'a [KnownDebate],
    waiters: usize,
) -> anyhow::Result<Vec<(&'a KnownDebate, RawConnection)>> {
    let mut parked = Vec::with_capacity(waiters);
    for known in debates.iter().cycle().take(waiters) {
        let mut wire = RawConnection::open(&server.api.address).await?;
        wire.get(&wait_path(known), "").await?;
        parked.push((known, wire));
    }
    wait_for_waiters(server, waiters).await?;
    Ok(parked)
}

async fn check_woken(waiters: Vec<(&KnownDebate, RawConnection)>) -> anyhow::Result<()> {
    for (known, mut wire) in waiters {
        let told = wire.reply(HANG_TIMEOUT).await.context("a parked waiter is not woken")?;
        let seq = told.body.pointer("/data/argument/seq").and_then(serde_json::Value::as_u64);
        let is_next = seq == Some(u64::from(known.seq) + 1);
        anyhow::ensure!(is_next, "a waiter after {} was told {}", known.seq, told.body);
    }
    Ok(())
}

/// Adds one argument to each debate: an intervention or a ruling.
async fn write_to_each(shared: &Arc<SharedState>, debates: &[KnownDebate]) -> anyhow::Result<()> {
    let client = shared.number();
    let moves = debates.iter().map(|known| async move {
        let kind = match known.state {
            crate::rules::State::InterventionPending | crate::rules::State::AwaitingArbitrator => {
                Kind::Ruling
            }
            crate::rules::State::AwaitingOpponent
            | crate::rules::State::AwaitingProposer
            | crate::rules::State::Closed => Kind::Intervention,
        };
        let draft = compose_argument(shared, known, Event::new(kind, Role::Arbitrator));
        match shared.attempt(client, &draft).await {
            Some(Outcome::Ok { .. }) => Ok(()),
            other => anyhow::bail!("a write was answered {other:?}"),
        }
    });
    let outcomes: Vec<_> = futures_util::stream::iter(moves).buffer_unordered(64).collect().await;
    outcomes.into_iter().collect()
}

async fn wait_for_waiters(server: &Server, count: usize) -> anyhow::Result<()> {
    let wanted = u64::try_from(count)?;
    let mut seen = 0;
    let look = async {
        loop {
            seen = server.metric("aw_waiters").await?;
            if seen == wanted {
                return anyhow::Ok(());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let looked = tokio::time::timeout(HANG_TIMEOUT, look).await;
    looked.map_err(|_| anyhow::anyhow!("{seen} wait where {wanted} should"))?
}
