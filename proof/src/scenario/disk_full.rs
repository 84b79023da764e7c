//! F3: the disk fills up under load, and space is freed again.
//!
//! The server gets a small file system in a mount namespace that ends with it.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;

use crate::load::Load;
use crate::raw::RawConnection;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup, inspect};
use crate::shared_state::{KnownDebate, SharedState};
use crate::storage::{FULL, wait_for_responses, wait_until_unavailable};
use crate::subscribers::SubscriberSettings;
use crate::writers::{WriterSettings, open_debates, write_to_every_debate};

/// Space for some thousand arguments and their log, round after round.
const SIZE: &str = "96m";

/// The maximum size of the write-ahead log before a checkpoint is forced.
const WAL_KB_MAX: u64 = 64 * 1024;

/// Mounts the small file system over the data folder, then executes the server.
const SCRIPT: &str =
    "mount -t tmpfs -o size=\"$1\" tmpfs \"$HOME/.aweave\" && shift && exec \"$@\"";

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let Some(unshare) = namespace_command() else {
        report.fact("SKIPPED: this user may not mount anything; F2 fills the disk by preloading");
        return Ok(());
    };
    let mut rng = plan.rng();
    // The run fills the disk completely, so the server must not refuse writes before that.
    let setup = Setup::new(plan)?.env("DEBATE_MIN_FREE_MB", "0");
    let setup = setup.with_prefix(&["unshare", unshare, "sh", "-c", SCRIPT, "sh", SIZE]);
    std::fs::create_dir(setup.home().join(".aweave"))?;
    let mut server = setup.start().await?;
    let subscriber_settings =
        SubscriberSettings { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let writer_settings = WriterSettings { content_max: 4_000, ..WriterSettings::ORDINARY };
    let load = Load::start(&server, plan, writer_settings, &subscriber_settings, &mut rng).await;
    let scratch = Arc::new(SharedState::new(server.api.clone()));
    let quiet = Arc::new(SharedState::new(server.api.clone()));
    let debates = open_debates(&quiet, 5, &mut rng).await;

    for round in 0..plan.by_tier(2, 10) {
        wait_for_responses(&load.shared, "201", 50).await?;
        let parked = connect_waiters(&server, &quiet.all_open()).await?;
        let filler = Filler::fill(&server)?;
        let wal = server.database_in_its_namespace()?.with_file_name("debate.db-wal");
        let wal_kb = wal.metadata().map_or(0, |metadata| metadata.len() / 1024);
        report.expect(wal_kb <= WAL_KB_MAX, format!("round {round}: a log of {wal_kb} kB"));
        wait_for_responses(&load.shared, "507 STORAGE_FULL", 20).await?;
        wait_until_unavailable(&server, &scratch, FULL, &mut rng).await?;
        filler.remove()?;
        let took = server.wait_until_healthy().await?;
        report.fact(format!("round {round}: well {took:?} after there was room again"));
        wait_for_responses(&load.shared, "201", 20).await?;
        write_to_every_debate(&quiet, &mut rng).await;
        check_woken(parked, report).await?;
    }
    report.expect(!debates.is_empty(), "there were no quiet debates");
    load.finish(report).await?;
    let folder = DataDir::open(&server)?;
    server.signal(rustix::process::Signal::TERM)?;
    let status = server.wait_for_exit(HANG_TIMEOUT).await?;
    report.expect(status.success(), format!("the server ended with {status}"));
    folder.inspect()?;
    Ok(())
}

/// The server's data folder. An open handle keeps its file system alive after the server's end.
struct DataDir(File);

impl DataDir {
    fn open(server: &Server) -> anyhow::Result<Self> {
        let database = server.database_in_its_namespace()?;
        Ok(Self(File::open(database.parent().context("a file is in a folder")?)?))
    }

    /// SQLite would open the file by its name, so it is given a copy.
    fn inspect(self) -> anyhow::Result<()> {
        let folder = PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()));
        let copy = tempfile::tempdir()?;
        for entry in std::fs::read_dir(&folder)? {
            let name = entry?.file_name();
            std::fs::copy(folder.join(&name), copy.path().join(&name))?;
        }
        inspect(&copy.path().join("debate.db"))
    }
}

/// The program that gives this user a mount namespace, if there is one.
fn namespace_command() -> Option<&'static str> {
    let may = |flags: &str| {
        let tried =
            Command::new("unshare").args([flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    ["-m", "-rm"].into_iter().find(|flags| may(flags))
}

/// Waiters on debates without writers; a full disk must not affect them.
async fn connect_waiters(
    server: &Server,
    debates: &[KnownDebate],
) -> anyhow::Result<Vec<RawConnection>> {
    let mut parked = Vec::new();
    for KnownDebate { debate, newest, .. } in debates {
        let mut wire = RawConnection::open(&server.api.address).await?;
        wire.get(&format!("/debates/{debate}/wait?role=opponent&argument_id={newest}"), "").await?;
        parked.push(wire);
    }
    Ok(parked)
}

async fn check_woken(parked: Vec<RawConnection>, report: &mut Report) -> anyhow::Result<()> {
    for mut wire in parked {
        let told =
            wire.reply(HANG_TIMEOUT).await.context("a waiter did not live through a full disk")?;
        let news = told.has_new_argument();
        let is_right = (told.status, news) == (200, Some(true));
        report.expect(is_right, format!("a waiter was told {} {}", told.status, told.body));
    }
    Ok(())
}

/// A file that takes all free space.
struct Filler(PathBuf);

impl Filler {
    fn fill(server: &Server) -> anyhow::Result<Self> {
        let path = server.database_in_its_namespace()?.with_file_name("filler");
        let mut file = File::create(&path)?;
        for chunk in [vec![0; 64 * 1024], vec![0; 4096]] {
            while file.write_all(&chunk).is_ok() {}
        }
        Ok(Self(path))
    }

    fn remove(self) -> anyhow::Result<()> {
        Ok(std::fs::remove_file(self.0)?)
    }
}
