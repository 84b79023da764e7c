//! F6: the wall clock jumps, forwards and backwards, under load.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::client::Answer;
use crate::load::Load;
use crate::raw::RawConnection;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::{KnownDebate, SharedState};
use crate::storage::wait_for_responses;
use crate::subscribers::SubscriberSettings;
use crate::writers::{WriterSettings, new_motion, open_debates, write_to_every_debate};

/// Debian's path of the library, by architecture.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/// The offsets of the server's clock in seconds, one after the other.
const JUMPS: [i32; 6] = [3_600, -3_600, 86_400, -86_400, 1, 0];

/// The requested time limit of a wait during a jump.
const HOLD: Duration = Duration::from_millis(1_500);

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let Some(library) = LIBRARIES.into_iter().find(|path| Path::new(path).exists()) else {
        report.fact("SKIPPED: libfaketime is not installed (Debian package faketime)");
        return Ok(());
    };
    let mut rng = plan.rng();
    let setup = Setup::new(plan)?;
    let clock = Clock(setup.home().join("clock"));
    clock.set(0)?;
    // Only the wall clock jumps: a monotonic clock cannot.
    let setup = setup
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", clock.0.display().to_string())
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let mut server = setup.start().await?;
    let settings =
        SubscriberSettings { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start(&server, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;
    let quiet = Arc::new(SharedState::new(server.api.clone()));
    open_debates(&quiet, 3, &mut rng).await;

    for round in 0..plan.by_tier(1, 10) {
        for offset in JUMPS {
            wait_for_responses(&load.shared, "201", 30).await?;
            let before = time_of_a_write(&server, &quiet, &mut rng).await?;
            check_waits_over_jump(&server, &quiet, (&clock, offset), &mut rng, report).await?;
            let after = time_of_a_write(&server, &quiet, &mut rng).await?;
            if round == 0 {
                report.fact(format!("{offset:+} s: a write at {before}, then one at {after}"));
            }
            let went_back = offset < 0 && after < before;
            report.expect(went_back || offset >= 0, format!("{offset} s moved nothing"));
        }
    }
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    Ok(())
}

/// The server's wall clock, as an offset from the real one.
struct Clock(PathBuf);

impl Clock {
    fn set(&self, seconds: i32) -> anyhow::Result<()> {
        // Renamed atomically: a half-written file could contain any time.
        let fresh = self.0.with_extension("new");
        std::fs::write(&fresh, format!("{seconds:+}\n"))?;
        Ok(std::fs::rename(fresh, &self.0)?)
    }
}

/// A clock jump must neither end a wait early nor prolong it, and a waiter must still
/// receive a new argument.
async fn check_waits_over_jump(
    server: &Server,
    quiet: &Arc<SharedState>,
    (clock, offset): (&Clock, i32),
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let debates = quiet.all_open();
    let [first, second, ..] = debates.as_slice() else { anyhow::bail!("no quiet debates") };
    let began = Instant::now();
    let mut held = wait(server, first, &format!("&timeout_ms={}", HOLD.as_millis())).await?;
    let mut parked = wait(server, second, "").await?;
    clock.set(offset)?;
    let told =
        held.reply(HANG_TIMEOUT).await.with_context(|| format!("held too long at {offset} s"))?;
    let took = began.elapsed();
    report.expect(took >= HOLD, format!("{offset} s: let go after {took:?}, too early"));
    let news = told.has_new_argument();
    report.expect(news == Some(false), format!("{offset} s: told {}", told.body));
    write_to_every_debate(quiet, rng).await;
    let told =
        parked.reply(HANG_TIMEOUT).await.with_context(|| format!("not woken at {offset} s"))?;
    let news = told.has_new_argument();
    report.expect(news == Some(true), format!("{offset} s: told {}", told.body));
    Ok(())
}

async fn wait(server: &Server, known: &KnownDebate, more: &str) -> anyhow::Result<RawConnection> {
    let KnownDebate { debate, newest, .. } = known;
    let mut wire = RawConnection::open(&server.api.address).await?;
    let path = format!("/debates/{debate}/wait?role=proposer&argument_id={newest}{more}");
    wire.get(&path, "").await?;
    Ok(wire)
}

/// The time of a write by the server's clock.
async fn time_of_a_write(
    server: &Server,
    quiet: &Arc<SharedState>,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<String> {
    let draft = new_motion(quiet, rng);
    let Answer::Answered(reply) = server.api.post(&draft.path(), &draft.body()).await else {
        anyhow::bail!("a write was not answered");
    };
    let time = reply.data().pointer("/argument/created_at").and_then(|time| time.as_str());
    Ok(time.context("a write without a time")?.to_owned())
}
