//! Clients that wait for claims which are made one at a time.
//!
//! A client can't see the commit itself. It lies between the instant a claim was sent and the
//! instant its answer arrived, so both are taken as the start: the first says what it took at most
//! (the request and the sync of the disk are in it), the second what it took beyond the answer.
//! Between them: since it was sent, less the time which the server says the commit took, and never
//! less than since the answer. The claim's own way to the server is still in that.

use std::time::Duration;

use crate::client::Client;
use crate::debates;
use crate::gauge::Gauge;
use crate::server::Server;
use crate::stats::{Latencies, Rounds, micros};
use crate::waiters::{Crowd, Stage, Transport};

/// How many wait on each debate.
const EACH: usize = 2;

/// So many clients waiting over one transport.
pub(crate) struct Scene {
    pub(crate) transport: Transport,
    pub(crate) parked: usize,
    /// What waking is held against.
    pub(crate) yardstick_micros: Rounds,
    pub(crate) sent: Wakes,
    pub(crate) commit: Wakes,
    pub(crate) answered: Wakes,
}

/// How long waking took, in microseconds, counted from one of the three starts.
#[derive(Default)]
pub(crate) struct Wakes {
    pub(crate) p50: Rounds,
    pub(crate) p99: Rounds,
}

impl Wakes {
    fn push(&mut self, spans: Vec<Duration>) {
        let latencies = Latencies::of(spans);
        self.p50.push(micros(latencies.percentile(50)));
        self.p99.push(micros(latencies.percentile(99)));
    }
}

impl Scene {
    pub(crate) fn new(transport: Transport, parked: usize) -> Self {
        Self {
            transport,
            parked,
            yardstick_micros: Rounds::default(),
            sent: Wakes::default(),
            commit: Wakes::default(),
            answered: Wakes::default(),
        }
    }

    /// The 99th percentile as a multiple of the yardstick.
    pub(crate) fn multiple(&self, wakes: &Wakes) -> Rounds {
        wakes.p99.ratio_to(&self.yardstick_micros)
    }
}

/// Debates to claim in, where the claims are made, and where clients wait for them: on one server,
/// or on two with one database.
pub(crate) struct Theatre {
    pub(crate) stages: Vec<Stage>,
    pub(crate) writer: Client,
    /// Of the server that commits.
    commits: Gauge,
    /// Of the server where clients wait.
    pub(crate) waiting: Gauge,
}

impl Theatre {
    /// With as many debates as `most` waiting clients need.
    pub(crate) async fn open(writes: &Server, waits: &Server, most: usize) -> anyhow::Result<Self> {
        let debates = debates::open(writes, most.div_ceil(EACH)).await?;
        Ok(Self {
            stages: debates.into_iter().map(Stage::fresh).collect(),
            writer: Client::connect(writes.address()).await?,
            commits: Gauge::of(writes).await?,
            waiting: Gauge::of(waits).await?,
        })
    }

    /// Writes one claim at a time to debates chosen at random, everyone waiting before each.
    pub(crate) async fn play(
        &mut self,
        scene: &mut Scene,
        writes: usize,
        yardstick: Duration,
    ) -> anyhow::Result<()> {
        let Self { stages, writer, commits, waiting } = self;
        let used = scene.parked.div_ceil(EACH);
        let audience = EACH.min(scene.parked);
        let mut crowd = Crowd::park(waiting, scene.transport, stages, scene.parked, EACH).await?;
        let mut chance = fastrand::Rng::with_seed(7);
        let (mut sent, mut commit, mut answered) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = commits.read().await?.commits()?;
        for _ in 0..writes {
            let Some(stage) = stages.get_mut(chance.usize(..used)) else { continue };
            let claimed = stage.claim(writer).await?;
            let woken = crowd.woken(audience).await?;
            crowd.settled(waiting).await?;
            let after = commits.until_committed(before).await?;
            let took = after.took.saturating_sub(before.took);
            for woken in woken {
                let since_sent = woken.saturating_duration_since(claimed.sent);
                let since_answered = woken.saturating_duration_since(claimed.answered);
                sent.push(since_sent);
                commit.push(since_sent.saturating_sub(took).max(since_answered));
                answered.push(since_answered);
            }
            before = after;
        }
        crowd.disperse(waiting).await?;
        scene.yardstick_micros.push(micros(yardstick));
        scene.sent.push(sent);
        scene.commit.push(commit);
        scene.answered.push(answered);
        Ok(())
    }
}
