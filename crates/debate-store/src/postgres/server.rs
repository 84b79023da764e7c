//! The database server that a URL names, and connections to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{CancelToken, Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::ConnectError;
use super::hosts::{Hosts, Peer, ResolveError};
use super::limits::Limits;
use super::tls::TlsMode;

/// Time without traffic after which TCP sends a keep-alive probe, and time without an answer after
/// which it closes the connection.
const SILENCE: Duration = Duration::from_secs(15);

/// A database server with the options of its URL.
#[derive(Clone)]
pub(super) struct Server {
    hosts: Arc<Hosts>,
    tls: MakeRustlsConnect,
    limits: Arc<Limits>,
    user: String,
    database: String,
}

/// The part of a connection that transfers the messages. A task must poll it.
pub(super) type ConnectionDriver =
    Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// A connection that was just opened.
pub(super) struct NewConnection {
    pub(super) client: Client,
    pub(super) driver: ConnectionDriver,
    pub(super) peer: Peer,
}

impl Server {
    /// Parses a `postgres://` URL, with the `sslmode` and `sslrootcert` of libpq.
    pub(super) fn from_url(url: &str) -> Result<Self, ConnectError> {
        Self::new(config(url)?, Limits::default())
    }

    /// As `from_url`, for a server process: every answer has a deadline, and of several hosts only
    /// one that accepts writes is used.
    pub(super) fn for_process(url: &str, deadline: Duration) -> Result<Self, ConnectError> {
        let (mut config, tls_mode) = config(url)?;
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        Self::new((config, tls_mode), Limits::new(deadline))
    }

    fn new(
        (mut config, tls_mode): (Config, TlsMode),
        limits: Limits,
    ) -> Result<Self, ConnectError> {
        if tls_mode.requires_tls() {
            config.ssl_mode(SslMode::Require);
        }
        if config.get_application_name().is_none() {
            config.application_name("aweave");
        }
        config.keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        let database = config.get_dbname().or(config.get_user()).unwrap_or_default().to_owned();
        Ok(Self {
            hosts: Arc::new(Hosts::new(&config)?),
            tls: MakeRustlsConnect::new(tls_mode.client_config()?),
            limits: Arc::new(limits),
            user: config.get_user().unwrap_or_default().to_owned(),
            database,
        })
    }

    /// Connects to the first address that answers in time: TCP, TLS, authentication and the check
    /// of `target_session_attrs` together have one deadline for each address.
    pub(super) async fn connect(&self) -> Result<NewConnection, ConnectFailure> {
        let deadline = self.limits.deadline;
        let (candidates, unresolved) = self.hosts.resolve(deadline).await;
        let mut failures: Vec<_> = unresolved.into_iter().map(HostFailure::ResolveError).collect();
        for candidate in candidates {
            let address = candidate.address;
            // Boxed, because the future is large and most callers never connect.
            let connecting = Box::pin(candidate.config.connect(self.tls.clone()));
            match timeout(deadline, connecting).await {
                Ok(Ok((client, driver))) => {
                    return Ok(NewConnection { client, driver, peer: self.hosts.peer(address) });
                }
                Ok(Err(error)) => failures.push(HostFailure::Refused { address, error }),
                Err(_) => {
                    self.hosts.note_hang(&address);
                    failures.push(HostFailure::Hung { address, deadline });
                }
            }
        }
        Err(ConnectFailure(failures))
    }

    /// Requests that the server cancels the statement of a connection, within the deadline.
    pub(super) async fn cancel(&self, token: CancelToken) {
        let asked = timeout(self.limits.deadline, token.cancel_query(self.tls.clone())).await;
        if !matches!(asked, Ok(Ok(()))) {
            tracing::debug!("cancelling a statement failed");
        }
    }

    pub(super) fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    /// The hosts, ports and database of the URL, without user and password.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.hosts.names(), self.database)
    }

    pub(super) fn user(&self) -> &str {
        &self.user
    }
}

fn config(url: &str) -> Result<(Config, TlsMode), ConnectError> {
    let (url, tls_mode) = TlsMode::split_from_url(url)?;
    let config: Config =
        url.parse().map_err(|err: tokio_postgres::Error| ConnectError::Url(error_chain(&err)))?;
    Ok((config, tls_mode))
}

/// The failures of all hosts, none of which could be used.
#[derive(Debug)]
pub(super) struct ConnectFailure(Vec<HostFailure>);

#[derive(Debug)]
enum HostFailure {
    ResolveError(ResolveError),
    Refused { address: String, error: tokio_postgres::Error },
    Hung { address: String, deadline: Duration },
}

impl ConnectFailure {
    /// The error that a PostgreSQL server returned, if one did. It is the most exact reason.
    pub(super) fn answer(&self) -> Option<&tokio_postgres::Error> {
        self.0.iter().find_map(|failure| match failure {
            HostFailure::Refused { error, .. } => error.code().is_some().then_some(error),
            HostFailure::ResolveError(_) | HostFailure::Hung { .. } => None,
        })
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            // The message that contains this one names the host.
            [only] => f.write_str(&only.reason()),
            several => {
                let reasons = several.iter().map(|one| format!("{}: {}", one.host(), one.reason()));
                f.write_str(&reasons.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

impl std::error::Error for ConnectFailure {}

impl HostFailure {
    fn host(&self) -> &str {
        match self {
            Self::ResolveError(ResolveError { host, .. }) => host,
            Self::Refused { address, .. } | Self::Hung { address, .. } => address,
        }
    }

    fn reason(&self) -> String {
        match self {
            Self::ResolveError(ResolveError { error, .. }) => error_chain(error),
            Self::Refused { error, .. } => error_chain(error),
            Self::Hung { deadline, .. } => format!("no answer within {} ms", deadline.as_millis()),
        }
    }
}

/// An error with its causes in one line.
pub(super) fn error_chain(err: &dyn std::error::Error) -> String {
    let mut message = err.to_string();
    let mut behind = err.source();
    while let Some(err) = behind {
        let more = err.to_string();
        if !message.contains(&more) {
            message = format!("{message}: {more}");
        }
        behind = err.source();
    }
    message
}
