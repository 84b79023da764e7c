//! Clients that wait for claims that are made one at a time.
//!
//! A client cannot observe the commit. It happens between the sending of the claim and the arrival
//! of its response, so both are used as the start: the first gives an upper bound (it includes the
//! request and the disk sync), the second the time beyond the response. In between: the time since
//! sending minus the duration of the commit that the server reports, and at least the time since
//! the response. That still includes the claim's way to the server.

use std::time::Duration;

use crate::client::Client;
use crate::debates;
use crate::metrics::MetricsClient;
use crate::server::Server;
use crate::stats::{Latencies, Rounds, micros};
use crate::waiters::{Crowd, Transport, WatchedDebate};

/// Waiting clients per debate.
const EACH: usize = 2;

/// Measurements with one number of clients on one transport.
pub(crate) struct WakeMeasurement {
    pub(crate) transport: Transport,
    pub(crate) waiting: usize,
    /// The median of an empty request, the base of the comparison.
    pub(crate) base_micros: Rounds,
    pub(crate) sent: Wakes,
    pub(crate) commit: Wakes,
    pub(crate) answered: Wakes,
}

/// The wake-up time in microseconds, counted from one of the three starts.
#[derive(Default)]
pub(crate) struct Wakes {
    pub(crate) p50: Rounds,
    pub(crate) p99: Rounds,
}

impl Wakes {
    fn push(&mut self, spans: Vec<Duration>) {
        let latencies = Latencies::new(spans);
        self.p50.push(micros(latencies.percentile(50)));
        self.p99.push(micros(latencies.percentile(99)));
    }
}

impl WakeMeasurement {
    pub(crate) fn new(transport: Transport, waiting: usize) -> Self {
        Self {
            transport,
            waiting,
            base_micros: Rounds::default(),
            sent: Wakes::default(),
            commit: Wakes::default(),
            answered: Wakes::default(),
        }
    }

    /// The 99th percentile as a multiple of the base.
    pub(crate) fn multiple(&self, wakes: &Wakes) -> Rounds {
        wakes.p99.ratio_to(&self.base_micros)
    }
}

/// Debates to claim in, the server that takes the claims, and the server on which clients wait: the
/// same one, or another on the same database.
pub(crate) struct WakeSetup {
    pub(crate) watched_debates: Vec<WatchedDebate>,
    pub(crate) writer: Client,
    /// Metrics of the server that commits.
    commits: MetricsClient,
    /// Metrics of the server on which clients wait.
    pub(crate) waiting: MetricsClient,
}

impl WakeSetup {
    /// Opens as many debates as `most` waiting clients need.
    pub(crate) async fn open(writes: &Server, waits: &Server, most: usize) -> anyhow::Result<Self> {
        let debates = debates::open(writes, most.div_ceil(EACH)).await?;
        Ok(Self {
            watched_debates: debates.into_iter().map(WatchedDebate::fresh).collect(),
            writer: Client::connect(writes.address()).await?,
            commits: MetricsClient::connect(writes).await?,
            waiting: MetricsClient::connect(waits).await?,
        })
    }

    /// Writes one claim at a time to random debates; all clients wait before each.
    pub(crate) async fn measure(
        &mut self,
        measurement: &mut WakeMeasurement,
        writes: usize,
        base: Duration,
    ) -> anyhow::Result<()> {
        let Self { watched_debates, writer, commits, waiting } = self;
        let used = measurement.waiting.div_ceil(EACH);
        let audience = EACH.min(measurement.waiting);
        let mut crowd = Crowd::connect(
            waiting,
            measurement.transport,
            watched_debates,
            measurement.waiting,
            EACH,
        )
        .await?;
        let mut chance = fastrand::Rng::with_seed(7);
        let (mut sent, mut commit, mut answered) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = commits.read().await?.commits()?;
        for _ in 0..writes {
            let Some(watched) = watched_debates.get_mut(chance.usize(..used)) else { continue };
            let claimed = watched.claim(writer).await?;
            let next_wakes = crowd.next_wakes(audience).await?;
            crowd.wait_until_all_wait(waiting).await?;
            let after = commits.wait_for_commit(before).await?;
            let took = after.took.saturating_sub(before.took);
            for next_wakes in next_wakes {
                let since_sent = next_wakes.saturating_duration_since(claimed.sent);
                let since_answered = next_wakes.saturating_duration_since(claimed.answered);
                sent.push(since_sent);
                commit.push(since_sent.saturating_sub(took).max(since_answered));
                answered.push(since_answered);
            }
            before = after;
        }
        crowd.disconnect(waiting).await?;
        measurement.base_micros.push(micros(base));
        measurement.sent.push(sent);
        measurement.commit.push(commit);
        measurement.answered.push(answered);
        Ok(())
    }
}
