//! What the handlers stand on.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRef;
use debate_app::arena::Arena;
use debate_app::forum::Forum;
use debate_app::runner::Runner;
use debate_app::{Hub, Limiter, Sessions, Storage};
use debate_core::RateLimit;
use debate_core::runner::Prices;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admission::{AllowedHosts, AllowedOrigins, Token};
use crate::forum::Doorway;
use crate::paths::BasePath;
use crate::proxies::TrustedProxies;
use crate::reviewers::Reviewers;
use crate::system::Documents;
use crate::wrong_tokens::WrongTokens;

/// Everything the edge is told at start.
#[derive(Debug)]
pub struct Settings {
    /// The most bytes an argument's content has.
    pub content_bytes_max: usize,
    /// How long a waiter is held at most.
    pub poll_timeout: Duration,
    /// How long a plain request takes at most.
    pub request_timeout: Duration,
    /// Who may call, if that is limited.
    pub token: Option<Token>,
    /// The port the server listens on.
    pub port: u16,
    /// By which names the server may be called.
    pub hosts: AllowedHosts,
    /// Which foreign web pages may call it.
    pub origins: AllowedOrigins,
    /// The path under which a proxy shows the server.
    pub base_path: BasePath,
    /// What models' tokens cost.
    pub prices: Prices,
    /// Who may review what the guardrails flag.
    pub reviewers: Reviewers,
    /// Whose word is taken for where a request comes from.
    pub trusted_proxies: TrustedProxies,
    /// How many wrong tokens a network may send in a minute.
    pub wrong_tokens_per_minute: RateLimit,
}

impl Settings {
    /// Room for any content, even if every byte of it is escaped, and for the fields beside it.
    pub(crate) const fn body_bytes_max(&self) -> usize {
        self.content_bytes_max.saturating_mul(8).saturating_add(16 * 1024)
    }

    /// How long a waiter is held who did not say: a little less than the limit, and not the same
    /// for all, so that ten thousand who came together don't come back together.
    pub(crate) fn own_patience(&self) -> Duration {
        let spread = u32::try_from(RandomState::new().hash_one(()) % 1000).unwrap_or_default();
        self.poll_timeout.saturating_sub(self.poll_timeout / 50 * spread / 1000)
    }
}

/// The places for open sockets: an upgraded connection is no longer the listener's to count.
#[derive(Debug, Clone)]
pub struct Sockets {
    seats: Arc<Semaphore>,
    most: u32,
}

impl Sockets {
    /// Room for so many.
    #[must_use]
    pub fn new(most: u32) -> Self {
        let seats = usize::try_from(most).unwrap_or(usize::MAX);
        Self { seats: Arc::new(Semaphore::new(seats)), most }
    }

    pub(crate) fn admit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.seats).try_acquire_owned().ok()
    }

    /// The number of sockets that are open.
    pub(crate) fn open(&self) -> usize {
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        most.saturating_sub(self.seats.available_permits())
    }

    /// Done when the last one is closed.
    pub async fn all_closed(&self) {
        // It fails only on a closed semaphore, and nobody closes this one.
        let _ = self.seats.acquire_many(self.most).await;
    }
}

/// What the handlers stand on; cheap to clone.
#[derive(Clone)]
pub struct Edge {
    /// The arena.
    pub arena: Arena,
    /// The runner.
    pub runner: Runner,
    /// The forum.
    pub forum: Forum,
    /// Where their debates are kept.
    pub storage: Arc<dyn Storage>,
    /// Who waits.
    pub hub: Arc<Hub>,
    /// Counts requests.
    pub limiter: Limiter,
    /// The sessions that were ended at logout.
    pub sessions: Sessions,
    /// What has been counted.
    pub metrics: PrometheusHandle,
    /// What was said at start.
    pub settings: Arc<Settings>,
    /// Who has a socket open.
    pub sockets: Sockets,
    /// When that was.
    pub started: Instant,
}

/// The edge and what it says of itself, once its routes are known. One count to keep however much
/// it holds: it is cloned for every request.
#[derive(Clone)]
pub(crate) struct Site(Arc<Grounds>);

struct Grounds {
    edge: Edge,
    documents: Arc<Documents>,
    wrong_tokens: Arc<WrongTokens>,
}

impl Site {
    pub(crate) fn new(edge: Edge, documents: Documents, wrong_tokens: Arc<WrongTokens>) -> Self {
        Self(Arc::new(Grounds { edge, documents: Arc::new(documents), wrong_tokens }))
    }
}

impl FromRef<Site> for Edge {
    fn from_ref(site: &Site) -> Self {
        site.0.edge.clone()
    }
}

impl FromRef<Site> for Arc<Documents> {
    fn from_ref(site: &Site) -> Self {
        Arc::clone(&site.0.documents)
    }
}

impl FromRef<Site> for Arc<WrongTokens> {
    fn from_ref(site: &Site) -> Self {
        Arc::clone(&site.0.wrong_tokens)
    }
}

impl FromRef<Site> for Arena {
    fn from_ref(site: &Site) -> Self {
        site.0.edge.arena.clone()
    }
}

impl FromRef<Site> for Runner {
    fn from_ref(site: &Site) -> Self {
        site.0.edge.runner.clone()
    }
}

impl FromRef<Site> for Forum {
    fn from_ref(site: &Site) -> Self {
        site.0.edge.forum.clone()
    }
}

impl FromRef<Site> for Sessions {
    fn from_ref(site: &Site) -> Self {
        site.0.edge.sessions.clone()
    }
}

impl FromRef<Site> for Doorway {
    fn from_ref(site: &Site) -> Self {
        Self::new(&site.0.edge)
    }
}

impl FromRef<Site> for Arc<Settings> {
    fn from_ref(site: &Site) -> Self {
        Arc::clone(&site.0.edge.settings)
    }
}
