//! A PostgreSQL server with its own data folder and port.

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
use crate::template::{self, PASSWORD_SUPERUSER, SUPERUSER};

/// Ports outside the ephemeral range of every system: a client could take one of
/// those during a restart.
const PORTS: std::ops::Range<u16> = 15_000..32_000;

/// A time limit that only a hang reaches.
const STANDBY_MAX: Duration = Duration::from_mins(1);

/// The interval between two checks of a standby.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The number of ports that are tried.
const TRIES_MAX: usize = 20;

/// Small and fast, with PostgreSQL's full durability, which is under test.
const SETTINGS: [(&str, &str); 7] = [
    ("listen_addresses", "127.0.0.1"),
    ("unix_socket_directories", ""),
    ("max_connections", "200"),
    ("shared_buffers", "64MB"),
    // Avoids a checkpoint in the middle of a test run.
    ("max_wal_size", "2GB"),
    ("checkpoint_timeout", "1h"),
    ("autovacuum_naptime", "10min"),
];

/// Differences from a default cluster.
#[derive(Debug, Default)]
pub struct Options {
    /// Settings that override [`SETTINGS`]: `("fsync", "off")`.
    pub settings: Vec<(String, String)>,
    /// The parent of its folder, if not the system's folder for temporary files.
    pub scratch: Option<PathBuf>,
    /// The server's certificate; without one it does not use TLS.
    pub certificate: Option<Certificate>,
}

/// A certificate and its private key, as PEM.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate, followed by its intermediate certificates.
    pub chain: String,
    /// The certificate's private key.
    pub key: String,
}

/// The way in which a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Closes all connections and writes a checkpoint.
    Fast,
    /// Aborts as in a crash; the next start recovers.
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

/// A PostgreSQL server. It ends with this value, or with the process that holds it in whatever way
/// that ends; its folder is removed too.
pub struct Cluster {
    // Dropped before the folder in which it runs.
    process: Option<Process>,
    programs: Programs,
    port: u16,
    settings: Vec<(String, String)>,
    folder: TempDir,
}

impl Cluster {
    /// Starts a new, empty server.
    pub fn start() -> anyhow::Result<Self> {
        Self::start_with(Options::default())
    }

    /// Starts a new server with other settings or in another folder.
    pub fn start_with(options: Options) -> anyhow::Result<Self> {
        let programs = Programs::find()?;
        let scratch = options.scratch.unwrap_or_else(std::env::temp_dir);
        let folder = TempDir::with_prefix_in("aw-testbed-", scratch)?;
        account::change_owner(folder.path())?;
        template::copy_to(&folder.path().join("data"), &programs)?;
        let mut settings = options.settings;
        if let Some(certificate) = options.certificate {
            write_certificate(&certificate, &folder.path().join("data"))?;
            settings.push(("ssl".to_owned(), "on".to_owned()));
        }
        let mut cluster = Self { process: None, programs, port: 0, settings, folder };
        let mut tries = 0;
        loop {
            cluster.port = free_port()?;
            tries += 1;
            match cluster.start_again() {
                // Another process took the port first.
                Err(err) if tries < TRIES_MAX && format!("{err:#}").contains("could not bind") => {}
                started => return started.map(|()| cluster),
            }
        }
    }

    /// Starts a stopped server: the same port, the same data.
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

    /// Makes a stopped server the standby of another: replaces its data by a copy of the primary's,
    /// and follows the primary from then on. Its port stays.
    pub fn follow_primary(&mut self, primary: &Self) -> anyhow::Result<()> {
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

    /// Makes every commit wait for a standby from now on. Returns when a standby has
    /// everything that was written.
    pub fn commit_with_standby(&self) -> anyhow::Result<()> {
        let url = self.url("postgres");
        let demand = "alter system set synchronous_standby_names = '*'";
        sql::run(&url, &[demand, "select pg_reload_conf()"])?;
        let follows = "select count(*) from pg_stat_replication where sync_state = 'sync'";
        let until_one = |condition: &str| {
            let deadline = Instant::now() + STANDBY_MAX;
            while sql::run(&url, &[&format!("{follows}{condition}")])? == "0" {
                ensure!(Instant::now() < deadline, "no standby follows");
                thread::sleep(POLL_INTERVAL);
            }
            anyhow::Ok(())
        };
        until_one("")?;
        // The position of the last write before commits waited for a standby.
        let written = sql::run(&url, &["select pg_current_wal_lsn()"])?;
        until_one(&format!(" and flush_lsn >= '{written}'"))
    }

    /// Makes commits wait for no standby any more. Call it also on a standby before its promotion,
    /// since it has the settings of the server that it was copied from.
    pub fn commit_without_standby(&self) -> anyhow::Result<()> {
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

    /// Sends SIGSTOP to every process of the server: its sockets stay open, and nothing answers.
    pub fn hang(&self) -> anyhow::Result<()> {
        signal_all(self.pid().context("the server does not run")?, "STOP")
    }

    /// Continues a server that was stopped by [`Self::hang`].
    pub fn resume(&self) -> anyhow::Result<()> {
        signal_all(self.pid().context("the server does not run")?, "CONT")
    }

    /// Kills every process of the server, also of a hanging one; its data stay.
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

    /// The listening address: `127.0.0.1:PORT`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The server's version, such as `15.18`.
    #[must_use]
    pub fn version(&self) -> &str {
        self.programs.version()
    }

    /// The folder that contains its `data` and its `log`.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// The URL of a database for a superuser without a password. The
    /// database `postgres` always exists.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{SUPERUSER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The URL of a database for another superuser, who needs [`Self::password`].
    #[must_use]
    pub fn url_with_password(&self, database: &str, password: &str) -> String {
        let (name, _) = PASSWORD_SUPERUSER;
        format!("postgres://{name}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// The password of the superuser who needs one.
    #[must_use]
    pub const fn password() -> &'static str {
        PASSWORD_SUPERUSER.1
    }

    /// Creates a database for one test.
    pub fn create_database(&self) -> anyhow::Result<Database> {
        Database::create(&self.url("postgres"))
    }
}

/// Whether the server reports itself ready in its pid file. A file of an earlier
/// process may still exist.
fn serves(file: &Path, pid: u32) -> bool {
    let file = fs::read_to_string(file).unwrap_or_default();
    let is_its_own = file.lines().next().is_some_and(|line| line.trim() == pid.to_string());
    is_its_own && file.lines().nth(7).is_some_and(|line| line.trim() == "ready")
}

/// Writes the files under the names that the server expects, the key readable by its owner only.
fn write_certificate(certificate: &Certificate, data: &Path) -> anyhow::Result<()> {
    let key = data.join("server.key");
    fs::write(data.join("server.crt"), &certificate.chain)?;
    fs::write(&key, &certificate.key)?;
    fs::set_permissions(&key, Permissions::from_mode(0o600))?;
    account::change_owner(data)
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
