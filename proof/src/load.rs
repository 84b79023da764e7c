//! Writers and subscribers together, and the end of every run: settled, drained, read back,
//! checked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::checker::{self, Transcript};
use crate::ground::Ground;
use crate::history::{Outcome, Seq};
use crate::run::{Plan, Report, keep};
use crate::server::Server;
use crate::subscribers::{Crowd, Subscribers};
use crate::writers::{Manner, Writers, ring_every_bell};

/// How long subscribers get to see what there is, on connections that are open. Only a lost
/// wake-up takes this long.
const DRAIN_MAX: Duration = Duration::from_secs(12);

/// Servers under load.
pub(crate) struct Load {
    pub(crate) ground: Arc<Ground>,
    writers: Writers,
    subscribers: Subscribers,
    rng: fastrand::Rng,
    kept_as: Option<u64>,
}

impl Load {
    pub(crate) async fn start(
        server: &Server,
        plan: &Plan,
        manner: Manner,
        crowd: &Crowd,
        rng: &mut fastrand::Rng,
    ) -> Self {
        let ground = Arc::new(Ground::new(server.api.clone()));
        Self::start_on(ground, plan, manner, crowd, rng).await
    }

    /// As `start`, where something has happened before.
    pub(crate) async fn start_on(
        ground: Arc<Ground>,
        plan: &Plan,
        manner: Manner,
        crowd: &Crowd,
        rng: &mut fastrand::Rng,
    ) -> Self {
        // What a server that is broken on purpose did wrong is no news.
        let kept_as = plan.sabotage.is_none().then_some(plan.seed);
        let writers = Writers::start(&ground, manner, rng).await;
        let subscribers = Subscribers::start(&ground, crowd, rng);
        Self { ground, writers, subscribers, rng: rng.fork(), kept_as }
    }

    /// The end of every run. The nemesis has stopped and the server runs.
    pub(crate) async fn finish(self, report: &mut Report) -> anyhow::Result<()> {
        self.settle(report).await?.judge(report);
        Ok(())
    }

    /// Everything is asked again that nobody knows the outcome of, and every subscriber sees what
    /// there is.
    pub(crate) async fn settle(self, report: &mut Report) -> anyhow::Result<Settled> {
        let mut parked = self.park(report).await?;
        parked.ring().await;
        parked.leave().await
    }

    /// Writers stop, everything is asked again that nobody knows the outcome of, and subscribers
    /// wait for more.
    pub(crate) async fn park(self, report: &mut Report) -> anyhow::Result<Parked> {
        let Self { ground, writers, subscribers, rng, kept_as } = self;
        // Who came last may not have begun yet.
        report.expect(subscribers.all_follow(DRAIN_MAX).await, "some never follow anything");
        subscribers.stay();
        let unsettled = writers.stop().await;
        report.fact(format!("{} requests had to be settled at the end", unsettled.drafts.len()));
        unsettled.settle().await;
        let ends = ends_of(&ground.transcripts().await?);
        // Who is late already has proven the point; more time would only be lost.
        let all_there = subscribers.caught_up(&ends, DRAIN_MAX).await;
        let patience = if all_there { DRAIN_MAX } else { Duration::from_secs(1) };
        Ok(Parked { ground, subscribers, rng, patience, kept_as })
    }
}

/// Nobody writes, and everyone has seen what there is.
pub(crate) struct Parked {
    ground: Arc<Ground>,
    subscribers: Subscribers,
    rng: fastrand::Rng,
    /// How long everyone gets to see one more write.
    patience: Duration,
    kept_as: Option<u64>,
}

impl Parked {
    /// One more write to each debate, which must reach everyone where they are.
    pub(crate) async fn ring(&mut self) {
        ring_every_bell(&self.ground, &mut self.rng).await;
    }

    /// Lets everyone go who has seen everything.
    pub(crate) async fn leave(self) -> anyhow::Result<Settled> {
        let Self { ground, subscribers, patience, kept_as, .. } = self;
        let transcripts = ground.transcripts().await?;
        let ends = ends_of(&transcripts);
        subscribers.leave(ends.clone(), patience).await;
        Ok(Settled { ground, transcripts, ends, kept_as })
    }
}

/// A run in which nothing moves any more.
pub(crate) struct Settled {
    ground: Arc<Ground>,
    transcripts: Vec<Transcript>,
    /// The last place of every debate.
    pub(crate) ends: HashMap<Uuid, Seq>,
    kept_as: Option<u64>,
}

impl Settled {
    /// Runs the checker, and keeps the history if it finds anything.
    pub(crate) fn judge(self, report: &mut Report) {
        judge(&self.ground, &self.transcripts, report);
        if let Some(seed) = self.kept_as {
            keep(&self.ground, report, seed);
        }
    }
}

fn ends_of(transcripts: &[Transcript]) -> HashMap<Uuid, Seq> {
    let end = |transcript: &Transcript| transcript.rows.last().map_or(0, |row| row.seq);
    transcripts.iter().map(|transcript| (transcript.debate, end(transcript))).collect()
}

/// Runs the checker and says what it went by.
pub(crate) fn judge(ground: &Ground, transcripts: &[Transcript], report: &mut Report) {
    let (steps, sightings) = (ground.history.steps(), ground.history.sightings());
    let rows: usize = transcripts.iter().map(|transcript| transcript.rows.len()).sum();
    let acknowledged =
        steps.iter().filter(|step| matches!(step.outcome, Outcome::Ok { .. })).count();
    let mut subscribers: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for sighting in &sightings {
        subscribers.entry(format!("{:?}", sighting.kind)).or_default().push(sighting.sub);
    }
    report.fact(format!(
        "{} requests, {acknowledged} acknowledged, {rows} arguments in {} debates",
        steps.len(),
        transcripts.len()
    ));
    for (kind, mut subs) in subscribers {
        let sightings = subs.len();
        subs.sort_unstable();
        subs.dedup();
        report.fact(format!("{} {kind} subscribers noted {sightings} things", subs.len()));
    }
    report.tally(ground);
    let violations = checker::check(&steps, &sightings, transcripts);
    report.violations.extend(violations.iter().map(ToString::to_string));
}
