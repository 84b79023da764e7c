//! F3: the disk fills up under load, and is freed again.
//!
//! The server gets a small file system of its own, in a mount namespace that dies with it.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;

use crate::ground::{Ground, Known};
use crate::load::Load;
use crate::raw::Wire;
use crate::run::{Plan, Report};
use crate::server::{HANG, Server, Setup, inspect};
use crate::storage::{FULL, gets_troubled, until_told};
use crate::subscribers::Crowd;
use crate::writers::{Manner, open_debates, ring_every_bell};

/// Room for some thousand arguments and their log, round after round.
const SIZE: &str = "96m";

/// The most the log may grow to before it is folded in, whoever waits.
const WAL_KB_MAX: u64 = 64 * 1024;

/// Mounts the small file system over the data folder, then becomes the server.
const SCRIPT: &str =
    "mount -t tmpfs -o size=\"$1\" tmpfs \"$HOME/.aweave\" && shift && exec \"$@\"";

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let Some(unshare) = own_namespace() else {
        report.fact("SKIPPED: this user may not mount anything; F2 fills the disk by preloading");
        return Ok(());
    };
    let mut rng = plan.rng();
    // The run fills the disk to the last byte, so the server must not stop writing before that.
    let setup = Setup::new(plan)?.env("DEBATE_MIN_FREE_MB", "0");
    let setup = setup.through(&["unshare", unshare, "sh", "-c", SCRIPT, "sh", SIZE]);
    std::fs::create_dir(setup.home().join(".aweave"))?;
    let mut server = setup.start().await?;
    let crowd = Crowd { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let manner = Manner { content_max: 4_000, ..Manner::ORDINARY };
    let load = Load::start(&server, plan, manner, &crowd, &mut rng).await;
    let scratch = Arc::new(Ground::new(server.api.clone()));
    let quiet = Arc::new(Ground::new(server.api.clone()));
    let debates = open_debates(&quiet, 5, &mut rng).await;

    for round in 0..plan.by_tier(2, 10) {
        until_told(&load.ground, "201", 50).await?;
        let parked = park(&server, &quiet.all_open()).await?;
        let filler = Filler::fill(&server)?;
        let wal = server.database_as_seen_by_it()?.with_file_name("debate.db-wal");
        let wal_kb = wal.metadata().map_or(0, |metadata| metadata.len() / 1024);
        report.expect(wal_kb <= WAL_KB_MAX, format!("round {round}: a log of {wal_kb} kB"));
        until_told(&load.ground, "507 STORAGE_FULL", 20).await?;
        gets_troubled(&server, &scratch, FULL, &mut rng).await?;
        filler.remove()?;
        let took = server.gets_well().await?;
        report.fact(format!("round {round}: well {took:?} after there was room again"));
        until_told(&load.ground, "201", 20).await?;
        ring_every_bell(&quiet, &mut rng).await;
        are_told(parked, report).await?;
    }
    report.expect(!debates.is_empty(), "there were no quiet debates");
    load.finish(report).await?;
    let folder = Held::folder_of(&server)?;
    server.signal(rustix::process::Signal::TERM)?;
    let status = server.ended(HANG).await?;
    report.expect(status.success(), format!("the server ended with {status}"));
    folder.inspect()?;
    Ok(())
}

/// The server's data folder. As long as it is held open, its file system outlives the server.
struct Held(File);

impl Held {
    fn folder_of(server: &Server) -> anyhow::Result<Self> {
        let database = server.database_as_seen_by_it()?;
        Ok(Self(File::open(database.parent().context("a file is in a folder")?)?))
    }

    /// SQLite would look for the file under its own name, so it is given a copy.
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

/// How this user gets a mount namespace, if at all.
fn own_namespace() -> Option<&'static str> {
    let may = |flags: &str| {
        let tried =
            Command::new("unshare").args([flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    ["-m", "-rm"].into_iter().find(|flags| may(flags))
}

/// Waiters on debates that nobody plays; a full disk is not their business.
async fn park(server: &Server, debates: &[Known]) -> anyhow::Result<Vec<Wire>> {
    let mut parked = Vec::new();
    for Known { debate, newest, .. } in debates {
        let mut wire = Wire::open(&server.api.address).await?;
        wire.get(&format!("/debates/{debate}/wait?role=opponent&argument_id={newest}"), "").await?;
        parked.push(wire);
    }
    Ok(parked)
}

async fn are_told(parked: Vec<Wire>, report: &mut Report) -> anyhow::Result<()> {
    for mut wire in parked {
        let told = wire.reply(HANG).await.context("a waiter did not live through a full disk")?;
        let news = told.has_news();
        let is_right = (told.status, news) == (200, Some(true));
        report.expect(is_right, format!("a waiter was told {} {}", told.status, told.body));
    }
    Ok(())
}

/// A file that takes all the room there is.
struct Filler(PathBuf);

impl Filler {
    fn fill(server: &Server) -> anyhow::Result<Self> {
        let path = server.database_as_seen_by_it()?.with_file_name("filler");
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
