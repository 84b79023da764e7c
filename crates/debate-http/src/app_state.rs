//! The state that all handlers share: settings, use cases and limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRef;
use debate_app::arena::Arena;
use debate_app::forum::Forum;
use debate_app::runner::Runner;
use debate_app::{Notifier, RateLimiter, Sessions, Storage};
use debate_core::RateLimit;
use debate_core::runner::Prices;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::access::{Token, WrongTokens};
use crate::client::TrustedProxies;
use crate::forum::ForumAccess;
use crate::origin::{AllowedHosts, AllowedOrigins};
use crate::paths::BasePath;
use crate::reviewers::Reviewers;
use crate::system::Documents;

/// Settings of the HTTP server, fixed at start.
#[derive(Debug)]
pub struct Settings {
    /// The maximum size of an argument's content, in bytes of UTF-8.
    pub content_bytes_max: usize,
    /// The maximum duration of a long poll.
    pub poll_timeout: Duration,
    /// The maximum duration of any other request.
    pub request_timeout: Duration,
    /// The token that clients must present; none if everyone may call.
    pub token: Option<Token>,
    /// The port that the server listens on.
    pub port: u16,
    /// The accepted values of the `Host` header.
    pub hosts: AllowedHosts,
    /// The origins of other web pages that may call the server.
    pub origins: AllowedOrigins,
    /// The path under which a proxy publishes the server.
    pub base_path: BasePath,
    /// The prices of the models' tokens.
    pub prices: Prices,
    /// The reviewers of flagged forum items.
    pub reviewers: Reviewers,
    /// The proxies whose `X-Forwarded-For` header is believed.
    pub trusted_proxies: TrustedProxies,
    /// The number of wrong tokens that one network may send per minute.
    pub wrong_tokens_per_minute: RateLimit,
    /// The token that proves arbitrator rights; none if the server has none, and then it creates no
    /// debates with seats.
    pub arbitrator: Option<Token>,
    /// Whether a debate has seats if its creation left `seats` out.
    pub seats: bool,
}

impl Settings {
    /// The maximum size of a request body: room for the largest content with every byte escaped,
    /// and for the other fields.
    pub(crate) const fn body_bytes_max(&self) -> usize {
        self.content_bytes_max.saturating_mul(8).saturating_add(16 * 1024)
    }

    /// The duration of a long poll without a requested duration: up to 2 % below the maximum, at
    /// random, so that clients that came together do not come back together.
    pub(crate) fn default_poll_duration(&self) -> Duration {
        let random = u32::from(Uuid::new_v4().as_fields().1);
        let spread = self.poll_timeout / 50 * random / u32::from(u16::MAX);
        self.poll_timeout.saturating_sub(spread)
    }
}

/// The limit on open WebSockets. The listener no longer counts an upgraded connection.
#[derive(Debug, Clone)]
pub struct SocketLimit {
    permits: Arc<Semaphore>,
    max: u32,
}

impl SocketLimit {
    /// A limit of `max` open sockets.
    #[must_use]
    pub fn new(max: u32) -> Self {
        let permits = usize::try_from(max).unwrap_or(usize::MAX);
        Self { permits: Arc::new(Semaphore::new(permits)), max }
    }

    /// A permit for one more socket; none if the limit is reached.
    pub(crate) fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    pub(crate) fn open_count(&self) -> usize {
        let max = usize::try_from(self.max).unwrap_or(usize::MAX);
        max.saturating_sub(self.permits.available_permits())
    }

    /// Returns when no socket is open.
    pub async fn wait_until_closed(&self) {
        // It fails only on a closed semaphore, and this one is never closed.
        let _ = self.permits.acquire_many(self.max).await;
    }
}

/// The parts of the application that the router serves.
#[derive(Clone)]
pub struct Services {
    /// Use cases of the arena.
    pub arena: Arena,
    /// Use cases of the runner.
    pub runner: Runner,
    /// Use cases of the forum.
    pub forum: Forum,
    /// The database, for its health and size.
    pub storage: Arc<dyn Storage>,
    /// The notifier, for the number of waiting clients.
    pub notifier: Arc<Notifier>,
    /// Counts requests against rate limits.
    pub rate_limiter: RateLimiter,
    /// The sessions that were revoked at logout.
    pub sessions: Sessions,
    /// The metrics that `/metrics` reports.
    pub metrics: PrometheusHandle,
    /// Settings of the HTTP server.
    pub settings: Arc<Settings>,
    /// The limit on open WebSockets.
    pub sockets: SocketLimit,
    /// The time at which the server started.
    pub started: Instant,
}

/// The state of the router. Axum clones it for every request, so it is one reference count.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Shared>);

struct Shared {
    services: Services,
    documents: Arc<Documents>,
    wrong_tokens: Arc<WrongTokens>,
}

impl AppState {
    pub(crate) fn new(
        services: Services,
        documents: Documents,
        wrong_tokens: Arc<WrongTokens>,
    ) -> Self {
        Self(Arc::new(Shared { services, documents: Arc::new(documents), wrong_tokens }))
    }
}

impl FromRef<AppState> for Services {
    fn from_ref(state: &AppState) -> Self {
        state.0.services.clone()
    }
}

impl FromRef<AppState> for Arc<Documents> {
    fn from_ref(state: &AppState) -> Self {
        Arc::clone(&state.0.documents)
    }
}

impl FromRef<AppState> for Arc<WrongTokens> {
    fn from_ref(state: &AppState) -> Self {
        Arc::clone(&state.0.wrong_tokens)
    }
}

impl FromRef<AppState> for Arena {
    fn from_ref(state: &AppState) -> Self {
        state.0.services.arena.clone()
    }
}

impl FromRef<AppState> for Runner {
    fn from_ref(state: &AppState) -> Self {
        state.0.services.runner.clone()
    }
}

impl FromRef<AppState> for Forum {
    fn from_ref(state: &AppState) -> Self {
        state.0.services.forum.clone()
    }
}

impl FromRef<AppState> for Sessions {
    fn from_ref(state: &AppState) -> Self {
        state.0.services.sessions.clone()
    }
}

impl FromRef<AppState> for ForumAccess {
    fn from_ref(state: &AppState) -> Self {
        Self::new(&state.0.services)
    }
}

impl FromRef<AppState> for Arc<Settings> {
    fn from_ref(state: &AppState) -> Self {
        Arc::clone(&state.0.services.settings)
    }
}
