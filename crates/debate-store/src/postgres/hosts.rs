//! The hosts of a URL: their addresses, the order in which they are tried, and the hosts that do
//! not answer any more.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::net::lookup_host;
use tokio::time::{Instant, timeout};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};
use uuid::Uuid;

use super::ConnectError;

/// PostgreSQL's port where the URL gives none.
const DEFAULT_PORT: u16 = 5432;

/// The hosts of a URL, in its order.
pub(super) struct Hosts {
    singles: Vec<SingleHost>,
    /// Whether the URL asks for a random order: `load_balance_hosts=random`.
    is_random: bool,
    hangs: Arc<UnresponsiveHosts>,
}

/// One host, and a configuration that names it alone.
struct SingleHost {
    config: Config,
    host: Host,
    port: u16,
}

/// One address of a host, which is tried with a deadline of its own.
pub(super) struct Candidate {
    pub(super) config: Config,
    pub(super) address: String,
}

/// The reason why a host name has no address.
#[derive(Debug)]
pub(super) struct ResolveError {
    pub(super) host: String,
    pub(super) error: io::Error,
}

/// Addresses that did not answer within the deadline, with the time of the last failure.
#[derive(Default)]
pub(super) struct UnresponsiveHosts(Mutex<HashMap<String, Instant>>);

/// The address of a connection, and the time at which the connection was opened.
#[derive(Clone)]
pub(super) struct Peer {
    address: String,
    connected_at: Instant,
    hangs: Arc<UnresponsiveHosts>,
}

impl Hosts {
    pub(super) fn new(config: &Config) -> Result<Self, ConnectError> {
        let (names, addresses) = (config.get_hosts(), config.get_hostaddrs());
        let count = names.len().max(addresses.len());
        if count == 0 {
            return Err(ConnectError::Url("it has no host".to_owned()));
        }
        let is_even = |len: usize| len == 0 || len == count;
        let ports = config.get_ports();
        if !is_even(names.len()) || !is_even(addresses.len()) || ports.len() > count.max(1) {
            let uneven = "the numbers of hosts, host addresses and ports do not match";
            return Err(ConnectError::Url(uneven.to_owned()));
        }
        let single = |number: usize| {
            let mut single = without_hosts(config);
            let port = ports.get(number).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
            single.port(port);
            let (name, address) = (names.get(number).cloned(), addresses.get(number).copied());
            match &name {
                Some(Host::Tcp(name)) => single.host(name),
                #[cfg(unix)]
                Some(Host::Unix(path)) => single.host_path(path),
                None => &mut single,
            };
            if let Some(address) = address {
                single.hostaddr(address);
            }
            let host = name.or_else(|| address.map(|address| Host::Tcp(address.to_string())));
            Some(SingleHost { config: single, host: host?, port })
        };
        let singles = (0..count).filter_map(single).collect();
        let is_random = config.get_load_balance_hosts() == LoadBalanceHosts::Random;
        Ok(Self { singles, is_random, hangs: Arc::default() })
    }

    /// Every address of every host. Addresses that did not answer are last, so that they
    /// rarely cost another deadline.
    pub(super) async fn resolve(&self, deadline: Duration) -> (Vec<Candidate>, Vec<ResolveError>) {
        let resolved = join_all(self.singles.iter().map(|host| host.resolve(deadline))).await;
        let (mut candidates, mut unresolved) = (Vec::new(), Vec::new());
        for addresses in resolved {
            match addresses {
                Ok(addresses) => candidates.extend(addresses),
                Err(error) => unresolved.push(error),
            }
        }
        if self.is_random {
            candidates.sort_by_cached_key(|_| Uuid::new_v4());
        }
        let hangs = self.hangs.lock();
        candidates.sort_by_key(|candidate| hangs.get(&candidate.address).copied());
        (candidates, unresolved)
    }

    pub(super) fn note_hang(&self, address: &str) {
        self.hangs.note(address);
    }

    /// The peer of a connection to this address that was just opened.
    pub(super) fn peer(&self, address: String) -> Peer {
        self.hangs.lock().remove(&address);
        Peer { address, connected_at: Instant::now(), hangs: Arc::clone(&self.hangs) }
    }

    /// `host:port` of each, separated by commas.
    pub(super) fn names(&self) -> String {
        self.singles.iter().map(SingleHost::name).collect::<Vec<_>>().join(",")
    }
}

impl SingleHost {
    fn name(&self) -> String {
        match &self.host {
            Host::Tcp(host) => format!("{host}:{}", self.port),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}:{}", path.display(), self.port),
        }
    }

    async fn resolve(&self, deadline: Duration) -> Result<Vec<Candidate>, ResolveError> {
        let name = match &self.host {
            Host::Tcp(name) if self.config.get_hostaddrs().is_empty() => name.as_str(),
            #[cfg(unix)]
            Host::Unix(_) => return Ok(self.single_candidate()),
            Host::Tcp(_) => return Ok(self.single_candidate()),
        };
        let unresolved = |error| ResolveError { host: self.name(), error };
        let found = timeout(deadline, lookup_host((name, self.port))).await;
        let found = found.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let candidate = |address: SocketAddr| {
            let mut config = self.config.clone();
            config.hostaddr(address.ip());
            Candidate { config, address: address.to_string() }
        };
        let found: Vec<_> = found.map_err(unresolved)?.map(candidate).collect();
        if found.is_empty() {
            return Err(unresolved(io::Error::other("the name has no address")));
        }
        Ok(found)
    }

    fn single_candidate(&self) -> Vec<Candidate> {
        vec![Candidate { config: self.config.clone(), address: self.name() }]
    }
}

impl UnresponsiveHosts {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, address: &str) {
        let is_new = self.lock().insert(address.to_owned(), Instant::now()).is_none();
        if is_new {
            tracing::warn!(host.address = address, "database host timed out; trying others first");
        }
    }
}

impl Peer {
    /// Records that the server at this address did not answer within the deadline.
    pub(super) fn note_hang(&self) {
        self.hangs.note(&self.address);
    }

    /// Whether the address stopped answering after this connection was opened. The connection is
    /// then closed without waiting for another deadline.
    pub(super) fn is_suspect(&self) -> bool {
        self.hangs.lock().get(&self.address).is_some_and(|hang| *hang >= self.connected_at)
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

/// A configuration without hosts and ports; the driver can add them but not remove them.
fn without_hosts(config: &Config) -> Config {
    let mut rest = Config::new();
    if let Some(user) = config.get_user() {
        rest.user(user);
    }
    if let Some(password) = config.get_password() {
        rest.password(password);
    }
    if let Some(database) = config.get_dbname() {
        rest.dbname(database);
    }
    if let Some(options) = config.get_options() {
        rest.options(options);
    }
    if let Some(name) = config.get_application_name() {
        rest.application_name(name);
    }
    if let Some(span) = config.get_connect_timeout() {
        rest.connect_timeout(*span);
    }
    if let Some(span) = config.get_tcp_user_timeout() {
        rest.tcp_user_timeout(*span);
    }
    if let Some(span) = config.get_keepalives_interval() {
        rest.keepalives_interval(span);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        rest.keepalives_retries(retries);
    }
    rest.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding());
    rest
}
