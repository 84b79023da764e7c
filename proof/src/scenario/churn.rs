//! F13: waiters come and go by the thousand, and ten thousand are parked at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::StreamExt;
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::fold::{Event, Kind, Role};
use crate::ground::{Ground, Known};
use crate::history::{Outcome, Transport};
use crate::raw::Wire;
use crate::run::{Engine, Plan, Report};
use crate::server::{HANG, Server, Setup};
use crate::writers::{open_debates, say};

const DEBATES: usize = 2_000;

/// Parked at once: with the server's own, close to what one process may open here.
const PARKED: usize = 10_000;

/// Debates that are written to while everyone is parked.
const MOVED: usize = 20;

/// What an idle server has open, our own few connections included.
const IDLE_DESCRIPTORS_MAX: usize = 150;

/// What may come to stay over many crowds: pages of a database that grows.
const SLACK_KB: u64 = 32 * 1024;

/// The most that a server with everyone there may take.
const FULL_KB_MAX: u64 = 300 * 1024;

/// By how many percent a crowd may leave the server larger than the crowd before it did.
const RISE_PERCENT_MAX: u64 = 10;

/// How often the server's size is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A server that has given nothing back for so long gives nothing back any more.
const QUIET: Duration = Duration::from_secs(3);

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let mut rng = plan.rng();
    // Nobody's wait is over because of the time.
    let setup = Setup::new(plan)?
        .env("DEBATE_POLL_TIMEOUT_MS", "600000")
        .env("DEBATE_HTTP_TIMEOUT_MS", "700000");
    let mut server = setup.start().await?;
    let ground = Arc::new(Ground::new(server.api.clone()));
    let debates = open_debates(&ground, DEBATES, &mut rng).await;
    anyhow::ensure!(debates.len() == DEBATES, "only {} debates could be opened", debates.len());

    let mut when_empty = Vec::new();
    for _ in 0..crowds(plan) {
        come_and_go(&server, &debates, &plan.transports).await?;
        park_and_wake(&server, &ground, report).await?;
        when_empty.push(when_empty_kb(&server).await?);
    }
    report.fact(format!("kB with nobody there, after each crowd: {when_empty:?}"));
    let leaks = leak_kb(&when_empty);
    report.expect(leaks <= SLACK_KB, format!("memory grew by {leaks} kB, crowd after crowd"));
    leave_nothing(&server, &ground.all_open(), report).await?;
    crate::load::judge(&ground, &ground.transcripts().await?, report);
    server.stop_and_inspect().await?;
    Ok(())
}

/// Who waits does so in memory, the same on both engines; the writes in between take longer on one.
fn crowds(plan: &Plan) -> u32 {
    match plan.engine {
        Engine::Sqlite => plan.by_tier(2, 20),
        Engine::Postgres => plan.by_tier(2, 8),
    }
}

/// By how much what is held with nobody there grew from the first half of many crowds to the
/// second. What one crowd leaves behind is there for the next, more of it after some than after
/// others; only a leak adds up. Two crowds are too few to tell.
fn leak_kb(when_empty: &[u64]) -> u64 {
    let (first, second) = when_empty.split_at(when_empty.len() / 2);
    match (first.iter().max(), second.iter().min()) {
        (Some(most_before), Some(least_after)) if when_empty.len() > 4 => {
            least_after.saturating_sub(*most_before)
        }
        (Some(_) | None, _) => 0,
    }
}

/// Two crowds of the same size wait and go, and nothing is written: what the first leaves behind is
/// there for the second, so that the server ends as large as it was between them.
async fn leave_nothing(
    server: &Server,
    debates: &[Known],
    report: &mut Report,
) -> anyhow::Result<()> {
    drop(park(server, debates).await?);
    let between_kb = settled_kb(server).await?;
    drop(park(server, debates).await?);
    let most_kb = between_kb + between_kb * RISE_PERCENT_MAX / 100;
    let began = Instant::now();
    let mut after_kb = when_empty_kb(server).await?;
    while after_kb > most_kb && began.elapsed() < HANG {
        tokio::time::sleep(LOOK).await;
        after_kb = server.status_kb("VmRSS")?;
    }
    let story = format!("{between_kb} kB before {PARKED} came and went, {after_kb} kB afterwards");
    report.expect(after_kb <= most_kb, story.clone());
    report.fact(format!("{story}, within {:?}", began.elapsed()));
    Ok(())
}

/// Its size once it has given back all that it will.
async fn settled_kb(server: &Server) -> anyhow::Result<u64> {
    let mut least = when_empty_kb(server).await?;
    let began = Instant::now();
    let mut last_fall = began;
    while last_fall.elapsed() < QUIET && began.elapsed() < HANG {
        tokio::time::sleep(LOOK).await;
        let now = server.status_kb("VmRSS")?;
        if now < least {
            least = now;
            last_fall = Instant::now();
        }
    }
    Ok(least)
}

/// Its size once every connection is gone.
async fn when_empty_kb(server: &Server) -> anyhow::Result<u64> {
    let look = async {
        while server.descriptors()? > IDLE_DESCRIPTORS_MAX {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(HANG, look).await.context("connections are never closed")??;
    server.status_kb("VmRSS")
}

/// Every debate is waited on for a moment, in every way.
async fn come_and_go(
    server: &Server,
    debates: &[Known],
    transports: &[Transport],
) -> anyhow::Result<()> {
    let visits = debates.iter().flat_map(|known| transports.iter().map(move |kind| (known, kind)));
    let visits = visits.map(|(known, kind)| visit(server, known, *kind));
    let outcomes: Vec<_> = futures_util::stream::iter(visits).buffer_unordered(100).collect().await;
    outcomes.into_iter().collect::<anyhow::Result<()>>()?;
    until_waiters(server, 0).await?;
    let rooms = server.metric("aw_waited_on_debates").await?;
    anyhow::ensure!(rooms == 0, "{rooms} debates are waited on by nobody");
    Ok(())
}

async fn visit(server: &Server, known: &Known, kind: Transport) -> anyhow::Result<()> {
    let Known { debate, newest, seq, .. } = known;
    let mut wire = Wire::open(&server.api.address).await?;
    match kind {
        Transport::Wait => wire.get(&wait_path(known), "").await,
        Transport::Sse => {
            wire.get(&format!("/debates/{debate}/events?after={newest}"), "").await?;
            wire.head(HANG).await.map(drop)
        }
        Transport::Ws => {
            wire.upgrade(&format!("debate_id={debate}&after_seq={seq}")).await.map(drop)
        }
    }
}

fn wait_path(known: &Known) -> String {
    let Known { debate, newest, .. } = known;
    format!("/debates/{debate}/wait?role=opponent&argument_id={newest}")
}

/// Everyone waits; some debates move, and those who wait for them are told, and nobody else; then
/// all move, and everyone is told.
async fn park_and_wake(
    server: &Server,
    ground: &Arc<Ground>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let debates = ground.all_open();
    let empty_kb = server.status_kb("VmRSS")?;
    let parked = park(server, &debates).await?;
    let full_kb = server.status_kb("VmRSS")?;
    report.expect(full_kb <= FULL_KB_MAX, format!("{PARKED} parked waiters take {full_kb} kB"));
    let each = full_kb.saturating_sub(empty_kb) / u64::try_from(PARKED)?;
    report.fact(format!("{PARKED} parked: {empty_kb} kB became {full_kb} kB, {each} kB each"));

    let (moved, still) = debates.split_at(MOVED.min(debates.len()));
    let (concerned, others): (Vec<_>, Vec<_>) = parked
        .into_iter()
        .partition(|(known, _)| moved.iter().any(|moved| moved.debate == known.debate));
    let began = Instant::now();
    move_all(ground, moved).await?;
    let told = concerned.len();
    are_told(concerned).await?;
    report.fact(format!("{told} were told within {:?}", began.elapsed()));
    let left = server.metric("aw_waiters").await?;
    let others_count = u64::try_from(others.len())?;
    report.expect(left == others_count, format!("{left} of {others_count} others still wait"));
    let disturbed = others.iter().filter(|(_, wire)| wire.has_something()).count();
    report.expect(disturbed == 0, format!("{disturbed} were told of a debate that is not theirs"));

    let began = Instant::now();
    let everyone = tokio::join!(move_all(ground, still), are_told(others));
    everyone.0?;
    everyone.1?;
    report.fact(format!("{others_count} were told within {:?}, writes included", began.elapsed()));
    until_waiters(server, 0).await
}

/// As many as there is room for, all waiting when this returns.
async fn park<'a>(server: &Server, debates: &'a [Known]) -> anyhow::Result<Vec<(&'a Known, Wire)>> {
    let mut parked = Vec::with_capacity(PARKED);
    for known in debates.iter().cycle().take(PARKED) {
        let mut wire = Wire::open(&server.api.address).await?;
        wire.get(&wait_path(known), "").await?;
        parked.push((known, wire));
    }
    until_waiters(server, PARKED).await?;
    Ok(parked)
}

async fn are_told(waiters: Vec<(&Known, Wire)>) -> anyhow::Result<()> {
    for (known, mut wire) in waiters {
        let told = wire.reply(HANG).await.context("a parked waiter is not woken")?;
        let seq = told.body.pointer("/data/argument/seq").and_then(serde_json::Value::as_u64);
        let is_next = seq == Some(u64::from(known.seq) + 1);
        anyhow::ensure!(is_next, "a waiter after {} was told {}", known.seq, told.body);
    }
    Ok(())
}

/// One more argument in each of these: the arbitrator steps in, or rules.
async fn move_all(ground: &Arc<Ground>, debates: &[Known]) -> anyhow::Result<()> {
    let client = ground.number();
    let moves = debates.iter().map(|known| async move {
        let kind = match known.state {
            crate::fold::State::InterventionPending | crate::fold::State::AwaitingArbitrator => {
                Kind::Ruling
            }
            crate::fold::State::AwaitingOpponent
            | crate::fold::State::AwaitingProposer
            | crate::fold::State::Closed => Kind::Intervention,
        };
        let draft = say(ground, known, Event::new(kind, Role::Arbitrator));
        match ground.attempt(client, &draft).await {
            Some(Outcome::Ok { .. }) => Ok(()),
            other => anyhow::bail!("a write was answered {other:?}"),
        }
    });
    let outcomes: Vec<_> = futures_util::stream::iter(moves).buffer_unordered(64).collect().await;
    outcomes.into_iter().collect()
}

async fn until_waiters(server: &Server, count: usize) -> anyhow::Result<()> {
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
    let looked = tokio::time::timeout(HANG, look).await;
    looked.map_err(|_| anyhow::anyhow!("{seen} wait where {wanted} should"))?
}
