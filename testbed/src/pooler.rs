//! `PgBouncer` between clients and a server, from the system's binary.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use tempfile::TempDir;

use crate::account;
use crate::cluster::free_port;
use crate::process::Process;

/// The time for which a client has one connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolMode {
    /// The whole session of the client.
    Session,
    /// One transaction at a time.
    Transaction,
}

impl PoolMode {
    const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Transaction => "transaction",
        }
    }
}

/// A running pooler. It ends with this value or with the process that holds it.
pub struct Pooler {
    // Dropped before the folder in which it runs.
    _process: Process,
    url: String,
    _folder: TempDir,
}

impl Pooler {
    /// Starts a pooler between clients and the server of `url`, which names a user and an
    /// address. It does not reset a connection before it gives it to another client, which sees
    /// the state that is left.
    pub fn start(url: &str, mode: PoolMode) -> anyhow::Result<Self> {
        let place = url.split('@').nth(1).and_then(|rest| rest.split('/').next());
        let place = place.with_context(|| format!("{url} names no user, or no server"))?;
        let (host, server_port) = place.split_once(':').context("the server has no port")?;
        let user = url.split("://").nth(1).and_then(|rest| rest.split([':', '@']).next());
        let user = user.context("the URL names no user")?;
        let folder = TempDir::with_prefix("aw-testbed-")?;
        let users = folder.path().join("users.txt");
        fs::write(&users, format!("\"{user}\" \"\"\n"))?;
        let port = free_port()?;
        let configuration = format!(
            "[databases]
             * = host={host} port={server_port}
             [pgbouncer]
             listen_addr = 127.0.0.1
             listen_port = {port}
             unix_socket_dir =
             auth_type = trust
             auth_file = {}
             pool_mode = {}
             default_pool_size = 40
             server_reset_query =
            ",
            users.display(),
            mode.name()
        );
        let file = folder.path().join("pgbouncer.ini");
        // An indented line would continue the one before.
        let lines: Vec<&str> = configuration.lines().map(str::trim).collect();
        fs::write(&file, lines.join("\n"))?;
        account::change_owner(folder.path())?;
        let mut pgbouncer = Command::new(find()?);
        pgbouncer.arg(&file);
        let answers = |_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        let process = Process::start(folder.path(), &pgbouncer, "TERM", answers)?;
        let url = url.replacen(place, &format!("127.0.0.1:{port}"), 1);
        Ok(Self { _process: process, url, _folder: folder })
    }

    /// The server's URL, through this pooler.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Searches PATH, then Debian's folder for administration programs, which is on root's PATH only.
fn find() -> anyhow::Result<PathBuf> {
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&in_path).collect();
    folders.push(Path::new("/usr/sbin").to_owned());
    let found = folders.into_iter().map(|folder| folder.join("pgbouncer"));
    let mut found = found.filter(|program| program.exists());
    found.next().context("there is no PgBouncer here: run `scripts/needs pgbouncer=pgbouncer`")
}
