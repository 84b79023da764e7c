//! Writers and subscribers together, and the end of every run: settle, drain, read back, check.

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

/// The time limit for subscribers to see everything on open connections. Only a lost
/// notification takes this long.
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

    /// Like `start`, on a run that has a history already.
    pub(crate) async fn start_on(
        ground: Arc<Ground>,
        plan: &Plan,
        manner: Manner,
        crowd: &Crowd,
        rng: &mut fastrand::Rng,
    ) -> Self {
        // The violations of a server with an injected defect are expected and not saved.
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

    /// Retries every request of unknown outcome and waits until every
    /// subscriber has seen everything.
    pub(crate) async fn settle(self, report: &mut Report) -> anyhow::Result<Settled> {
        let mut parked = self.park(report).await?;
        parked.ring().await;
        parked.leave().await
    }

    /// Stops the writers, retries every request of unknown outcome, and
    /// leaves the subscribers waiting.
    pub(crate) async fn park(self, report: &mut Report) -> anyhow::Result<Parked> {
        let Self { ground, writers, subscribers, rng, kept_as } = self;
        // A subscriber that started last may not have begun yet.
        report.expect(subscribers.all_follow(DRAIN_MAX).await, "some never follow anything");
        subscribers.stay();
        let unsettled = writers.stop().await;
        report.fact(format!("{} requests had to be settled at the end", unsettled.drafts.len()));
        unsettled.settle().await;
        let ends = ends_of(&ground.transcripts().await?);
        // A subscriber that is late already has failed the check; waiting longer adds nothing.
        let all_there = subscribers.caught_up(&ends, DRAIN_MAX).await;
        let patience = if all_there { DRAIN_MAX } else { Duration::from_secs(1) };
        Ok(Parked { ground, subscribers, rng, patience, kept_as })
    }
}

/// A run without writers whose subscribers have seen everything.
pub(crate) struct Parked {
    ground: Arc<Ground>,
    subscribers: Subscribers,
    rng: fastrand::Rng,
    /// The time limit for all subscribers to see one more write.
    patience: Duration,
    kept_as: Option<u64>,
}

impl Parked {
    /// Writes once to each debate; the writes must reach every subscriber on its open connection.
    pub(crate) async fn ring(&mut self) {
        ring_every_bell(&self.ground, &mut self.rng).await;
    }

    /// Ends the subscribers that have seen everything.
    pub(crate) async fn leave(self) -> anyhow::Result<Settled> {
        let Self { ground, subscribers, patience, kept_as, .. } = self;
        let transcripts = ground.transcripts().await?;
        let ends = ends_of(&transcripts);
        subscribers.leave(ends.clone(), patience).await;
        Ok(Settled { ground, transcripts, ends, kept_as })
    }
}

/// A run without writers and subscribers.
pub(crate) struct Settled {
    ground: Arc<Ground>,
    transcripts: Vec<Transcript>,
    /// The last sequence number of every debate.
    pub(crate) ends: HashMap<Uuid, Seq>,
    kept_as: Option<u64>,
}

impl Settled {
    /// Runs the checker, and saves the history if it reports violations.
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

/// Runs the checker and reports the amount of evidence.
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
