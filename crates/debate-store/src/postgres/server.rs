//! The server behind a URL, and how to reach it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{CancelToken, Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::ConnectError;
use super::hosts::{Hosts, Peer, Unresolved};
use super::limits::Limits;
use super::tls::TlsMode;

/// A connection over which nothing moves is asked after so long whether it is still there, and
/// given up when it does not answer for as long again.
const SILENCE: Duration = Duration::from_secs(15);

/// A server, and how to talk to it.
#[derive(Clone)]
pub(super) struct Server {
    hosts: Arc<Hosts>,
    tls: MakeRustlsConnect,
    limits: Arc<Limits>,
    user: String,
    database: String,
}

/// A connection, to be driven by whoever made it.
pub(super) type Wire = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// A new connection.
pub(super) struct Connected {
    pub(super) client: Client,
    pub(super) wire: Wire,
    pub(super) peer: Peer,
}

impl Server {
    /// Understands a `postgres://` URL, with the `sslmode` and `sslrootcert` of libpq.
    pub(super) fn of(url: &str) -> Result<Self, ConnectError> {
        Self::new(config(url)?, Limits::default())
    }

    /// As `of`, for a process that serves: every wait for an answer is limited, and of several
    /// hosts only one that takes writes will do.
    pub(super) fn serving(url: &str, deadline: Duration) -> Result<Self, ConnectError> {
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
    pub(super) async fn connect(&self) -> Result<Connected, ConnectFailure> {
        let deadline = self.limits.deadline;
        let (candidates, unresolved) = self.hosts.resolve(deadline).await;
        let mut failures: Vec<_> = unresolved.into_iter().map(HostFailure::Unresolved).collect();
        for candidate in candidates {
            let address = candidate.address;
            // Boxed: it is large, and few of those who may have to connect ever do.
            let connecting = Box::pin(candidate.config.connect(self.tls.clone()));
            match timeout(deadline, connecting).await {
                Ok(Ok((client, wire))) => {
                    return Ok(Connected { client, wire, peer: self.hosts.peer(address) });
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

    /// Asks the server, within the deadline, to cancel what runs on a connection.
    pub(super) async fn cancel(&self, token: CancelToken) {
        let asked = timeout(self.limits.deadline, token.cancel_query(self.tls.clone())).await;
        if !matches!(asked, Ok(Ok(()))) {
            tracing::debug!("cancelling a statement failed");
        }
    }

    pub(super) fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    /// Where it is, without a word of the password.
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
        url.parse().map_err(|err: tokio_postgres::Error| ConnectError::Url(words(&err)))?;
    Ok((config, tls_mode))
}

/// Why no address of any host could be used.
#[derive(Debug)]
pub(super) struct ConnectFailure(Vec<HostFailure>);

#[derive(Debug)]
enum HostFailure {
    Unresolved(Unresolved),
    Refused { address: String, error: tokio_postgres::Error },
    Hung { address: String, deadline: Duration },
}

impl ConnectFailure {
    /// What a PostgreSQL server itself answered, if one did: the most exact reason of all.
    pub(super) fn answer(&self) -> Option<&tokio_postgres::Error> {
        self.0.iter().find_map(|failure| match failure {
            HostFailure::Refused { error, .. } => error.code().is_some().then_some(error),
            HostFailure::Unresolved(_) | HostFailure::Hung { .. } => None,
        })
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            // The place is named beside it.
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
            Self::Unresolved(Unresolved { host, .. }) => host,
            Self::Refused { address, .. } | Self::Hung { address, .. } => address,
        }
    }

    fn reason(&self) -> String {
        match self {
            Self::Unresolved(Unresolved { error, .. }) => words(error),
            Self::Refused { error, .. } => words(error),
            Self::Hung { deadline, .. } => format!("no answer within {} ms", deadline.as_millis()),
        }
    }
}

/// An error and what stands behind it, in one line.
pub(super) fn words(err: &dyn std::error::Error) -> String {
    let mut words = err.to_string();
    let mut behind = err.source();
    while let Some(err) = behind {
        let more = err.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        behind = err.source();
    }
    words
}
