//! A PostgreSQL server with a data folder and a port of its own.

use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use tempfile::TempDir;

use crate::account;
use crate::database::Database;
use crate::process::{Process, signal_all};
use crate::programs::Programs;
use crate::sql;
use crate::template::{self, GUARDED, SUPERUSER};

/// Ports that no system hands to clients: one of those could be gone after a restart.
const PORTS: std::ops::Range<u16> = 15_000..32_000;

/// Long enough that only a hang reaches it.
const STANDBY_MAX: Duration = Duration::from_mins(1);

/// How often a standby is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How many ports are tried.
const TRIES_MAX: usize = 20;

/// Small and quick, but as durable as PostgreSQL is: that is what we test.
const SETTINGS: [(&str, &str); 7] = [
    ("listen_addresses", "127.0.0.1"),
    ("unix_socket_directories", ""),
    ("max_connections", "200"),
    ("shared_buffers", "64MB"),
    // Room for a run of tests without a checkpoint in its midst.
    ("max_wal_size", "2GB"),
    ("checkpoint_timeout", "1h"),
    ("autovacuum_naptime", "10min"),
];

/// How a cluster differs from others.
#[derive(Debug, Default)]
pub struct Options {
    /// Settings of the server, which win over ours: `("fsync", "off")`.
    pub settings: Vec<(String, String)>,
    /// Where its folder is made, if not in the system's folder for temporary files.
    pub scratch: Option<PathBuf>,
    /// What it proves itself with; without one it speaks no TLS.
    pub certificate: Option<Certificate>,
}

/// A certificate and its private key, as PEM.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate, and those that lead to a root.
    pub chain: String,
    /// Its private key.
    pub key: String,
}

/// How a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Sends everyone away and writes all down.
    Fast,
    /// Drops everything, as in a crash; the next start recovers.
    Immediate,
}

impl Mode {
    const fn signal(self) -> &'static str {
        match self {
            Self::Fast => "INT",
            Self::Immediate => "QUIT",
        }
    }
}

/// A server of one's own. It ends with this value or with the process that holds it, however that
/// ends, and its folder with it.
pub struct Cluster {
    // Dropped before the folder in which it runs.
    process: Option<Process>,
    programs: Programs,
    port: u16,
    settings: Vec<(String, String)>,
    folder: TempDir,
}

impl Cluster {
    /// A new server with nothing in it.
    pub fn start() -> anyhow::Result<Self> {
        Self::start_with(Options::default())
    }

    /// A new server with other settings or in another place.
    pub fn start_with(options: Options) -> anyhow::Result<Self> {
        let programs = Programs::find()?;
        let scratch = options.scratch.unwrap_or_else(std::env::temp_dir);
        let folder = TempDir::with_prefix_in("aw-testbed-", scratch)?;
        account::give(folder.path())?;
        template::copy_to(&folder.path().join("data"), &programs)?;
        let mut settings = options.settings;
        if let Some(certificate) = options.certificate {
            lay_down(&certificate, &folder.path().join("data"))?;
            settings.push(("ssl".to_owned(), "on".to_owned()));
        }
        let mut cluster = Self { process: None, programs, port: 0, settings, folder };
        let mut tries = 0;
        loop {
            cluster.port = free_port()?;
            tries += 1;
            match cluster.start_again() {
                // Another process was faster to take the port.
                Err(err) if tries < TRIES_MAX && format!("{err:#}").contains("could not bind") => {}
                started => return started.map(|()| cluster),
            }
        }
    }

    /// Starts a server that was stopped: the same port, the same data.
    pub fn start_again(&mut self) -> anyhow::Result<()> {
        if self.process.is_some() {
            bail!("the server has not been stopped");
        }
        let mut server = std::process::Command::new(self.programs.program("postgres"));
        server.arg("-D").arg(self.folder.path().join("data"));
        server.args(["-p", &self.port.to_string()]);
        let ours = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (name, value) in ours.iter().chain(&self.settings) {
            server.args(["-c", &format!("{name}={value}")]);
        }
        let file = self.folder.path().join("data/postmaster.pid");
        let (end, is_ready) = (Mode::Immediate.signal(), |pid| serves(&file, pid));
        self.process = Some(Process::start(self.folder.path(), &server, end, is_ready)?);
        Ok(())
    }

    /// Makes a stopped server the standby of another: its data are replaced by a copy of the
    /// other's, and it follows from then on. Its port stays.
    pub fn become_standby_of(&mut self, primary: &Self) -> anyhow::Result<()> {
        if self.process.is_some() {
            bail!("the server has not been stopped");
        }
        let data = self.folder.path().join("data");
        fs::remove_dir_all(&data)?;
        let mut backup = self.programs.command("pg_basebackup");
        backup.args(["--no-sync", "--checkpoint=fast", "--wal-method=stream"]);
        backup.arg("--write-recovery-conf").arg("--pgdata").arg(&data);
        backup.args(["--host=127.0.0.1", "--username", SUPERUSER]);
        account::run(backup.args(["--port", &primary.port.to_string()]))?;
        self.start_again()
    }

    /// Every commit waits for a standby from now on. Returns once one has all that was written.
    pub fn commit_with_standby(&self) -> anyhow::Result<()> {
        let url = self.url("postgres");
        let demand = "alter system set synchronous_standby_names = '*'";
        sql::run(&url, &[demand, "select pg_reload_conf()"])?;
        let follows = "select count(*) from pg_stat_replication where sync_state = 'sync'";
        let until_one = |condition: &str| {
            let deadline = Instant::now() + STANDBY_MAX;
            while sql::run(&url, &[&format!("{follows}{condition}")])? == "0" {
                ensure!(Instant::now() < deadline, "no standby follows");
                thread::sleep(LOOK_EVERY);
            }
            anyhow::Ok(())
        };
        until_one("")?;
        // What was written before commits waited for it.
        let written = sql::run(&url, &["select pg_current_wal_lsn()"])?;
        until_one(&format!(" and flush_lsn >= '{written}'"))
    }

    /// Commits wait for no standby any more; also to be said to a standby before it is promoted,
    /// since it has the settings of the server it was copied from.
    pub fn commit_alone(&self) -> anyhow::Result<()> {
        let reset = "alter system reset synchronous_standby_names";
        sql::run(&self.url("postgres"), &[reset, "select pg_reload_conf()"])?;
        Ok(())
    }

    /// Makes a standby a primary.
    pub fn promote(&self) -> anyhow::Result<()> {
        let promoted = sql::run(&self.url("postgres"), &["select pg_promote(true, 60)"])?;
        ensure!(promoted == "t", "the standby could not be promoted: {promoted}");
        Ok(())
    }

    /// Stops every process of the server where it is: its sockets stay open, and nothing answers.
    pub fn hang(&self) -> anyhow::Result<()> {
        signal_all(self.pid().context("the server does not run")?, "STOP")
    }

    /// Lets a server go on that was made to hang.
    pub fn go_on(&self) -> anyhow::Result<()> {
        signal_all(self.pid().context("the server does not run")?, "CONT")
    }

    /// Ends every process of the server at once, also of one that hangs; its data stay.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        let process = self.process.take().context("the server does not run")?;
        signal_all(process.pid(), "KILL")?;
        process.stop("KILL")
    }

    /// Stops the server and waits for its end; its data stay.
    pub fn stop(&mut self, mode: Mode) -> anyhow::Result<()> {
        let process = self.process.take().context("the server does not run")?;
        process.stop(mode.signal())
    }

    /// Stops the server and starts it again.
    pub fn restart(&mut self, mode: Mode) -> anyhow::Result<()> {
        self.stop(mode)?;
        self.start_again()
    }

    /// The id of its first process, while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::pid)
    }

    /// Where it listens: `127.0.0.1:PORT`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The server's version, such as `15.18`.
    #[must_use]
    pub fn version(&self) -> &str {
        self.programs.version()
    }

    /// Where its `data` and its `log` are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A database by a superuser who is let in without a password. `postgres` is always there.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{SUPERUSER}@127.0.0.1:{}/{database}", self.port)
    }

    /// A database by another superuser, who needs [`Self::password`].
    #[must_use]
    pub fn url_with_password(&self, database: &str, password: &str) -> String {
        let (name, _) = GUARDED;
        format!("postgres://{name}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// The password that is right.
    #[must_use]
    pub const fn password() -> &'static str {
        GUARDED.1
    }

    /// A database that nobody else uses.
    pub fn create_database(&self) -> anyhow::Result<Database> {
        Database::create(&self.url("postgres"))
    }
}

/// The server says so in its own file, of which one from an earlier life may still be there.
fn serves(file: &Path, pid: u32) -> bool {
    let file = fs::read_to_string(file).unwrap_or_default();
    let is_its_own = file.lines().next().is_some_and(|line| line.trim() == pid.to_string());
    is_its_own && file.lines().nth(7).is_some_and(|line| line.trim() == "ready")
}

/// Under the names that the server looks for, the key for its eyes only.
fn lay_down(certificate: &Certificate, data: &Path) -> anyhow::Result<()> {
    let key = data.join("server.key");
    fs::write(data.join("server.crt"), &certificate.chain)?;
    fs::write(&key, &certificate.key)?;
    fs::set_permissions(&key, Permissions::from_mode(0o600))?;
    account::give(data)
}

pub(crate) fn free_port() -> anyhow::Result<u16> {
    for _ in 0..TRIES_MAX {
        let port = fastrand::u16(PORTS);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("none of {TRIES_MAX} ports was free")
}
