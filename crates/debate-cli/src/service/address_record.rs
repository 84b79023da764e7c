//! The record of a server's address, which `aw serve` keeps while it runs. Commands without
//! `--server` and `DEBATE_SERVER_URL` find the server by it.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use debate_net::BaseUrl;
use serde_json::{Value, json};

use super::process;
use super::run_dir::{RunDir, unix_seconds};
use crate::settings::ProcessEnvironment;

/// The time limit for a connection to the default address of this machine.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// The record of this process. Dropping it removes the file.
#[derive(Debug)]
pub struct AddressRecord {
    path: PathBuf,
}

impl AddressRecord {
    /// Records that this process listens at `address`. None if the file cannot be written, which
    /// must not keep a server from starting.
    #[must_use]
    pub fn write(environment: &ProcessEnvironment, address: SocketAddr) -> Option<Self> {
        let folder = RunDir::at(environment, address.port()).ok()?;
        let pid = std::process::id();
        let value = json!({
            "pid": pid, "birth": process::start_time(pid)?, "started": unix_seconds(),
            "url": format!("http://{address}"),
        });
        let path = folder.address_path();
        folder.write_private(&path, &value).ok()?;
        Some(Self { path })
    }
}

impl Drop for AddressRecord {
    fn drop(&mut self) {
        // Another server may have got the port in the meantime.
        let own = Some(u64::from(std::process::id()));
        if read(&self.path).and_then(|record| record.get("pid")?.as_u64()) == own {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A running server with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedServer {
    pub(crate) pid: u32,
    pub(crate) url: BaseUrl,
    /// Seconds since its start.
    pub(crate) age: Option<u64>,
}

/// The only recorded server of this user, if none uses the default address.
pub(crate) fn find_other(environment: &ProcessEnvironment, default: &BaseUrl) -> Option<BaseUrl> {
    let folder = RunDir::at(environment, default.port).ok()?;
    let entries = fs::read_dir(folder.path()).ok()?.flatten();
    let servers: Vec<_> = entries.filter_map(|entry| running(&entry.path())).collect();
    let [server] = servers.as_slice() else { return None };
    let is_usable = server.url.is_loopback() && server.url.port != default.port;
    let address = default.authority.parse().ok().filter(|_| is_usable)?;
    // A server of another user or version has no record here.
    let is_free = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_err();
    is_free.then(|| server.url.clone())
}

/// The recorded server on a port.
pub(crate) fn on_port(environment: &ProcessEnvironment, port: u16) -> Option<RecordedServer> {
    running(&RunDir::at(environment, port).ok()?.address_path())
}

/// The server of a record, if its process still runs.
fn running(path: &Path) -> Option<RecordedServer> {
    let name = path.file_name()?.to_str()?;
    if !name.starts_with("listening-") || path.extension()? != "json" {
        return None;
    }
    let record = read(path)?;
    let pid = u32::try_from(record.get("pid")?.as_u64()?).ok()?;
    let is_alive = process::start_time(pid)? == record.get("birth")?.as_str()?;
    let url = BaseUrl::parse(record.get("url")?.as_str()?).filter(|_| is_alive)?;
    let started = record.get("started").and_then(Value::as_u64);
    Some(RecordedServer { pid, url, age: started.map(|at| unix_seconds().saturating_sub(at)) })
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}
