//! Writers and subscribers together, and the end of every run: settle, drain, read back, check.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::checker::{self, Transcript};
use crate::history::{Outcome, Seq};
use crate::run::{Plan, Report, save_history};
use crate::server::Server;
use crate::shared_state::SharedState;
use crate::subscribers::{SubscriberSettings, Subscribers};
use crate::writers::{WriterSettings, Writers, write_to_every_debate};

/// The time limit for subscribers to see everything on open connections. Only a lost
/// notification takes this long.
const DRAIN_MAX: Duration = Duration::from_secs(12);

/// Writers and subscribers on running servers.
pub(crate) struct Load {
    pub(crate) shared: Arc<SharedState>,
    writers: Writers,
    subscribers: Subscribers,
    rng: fastrand::Rng,
    kept_as: Option<u64>,
}

impl Load {
    pub(crate) async fn start(
        server: &Server,
        plan: &Plan,
        writer_settings: WriterSettings,
        subscriber_settings: &SubscriberSettings,
        rng: &mut fastrand::Rng,
    ) -> Self {
        let shared = Arc::new(SharedState::new(server.api.clone()));
        Self::start_on(shared, plan, writer_settings, subscriber_settings, rng).await
    }

    /// Like `start`, on a run that has a history already.
    pub(crate) async fn start_on(
        shared: Arc<SharedState>,
        plan: &Plan,
        writer_settings: WriterSettings,
        subscriber_settings: &SubscriberSettings,
        rng: &mut fastrand::Rng,
    ) -> Self {
        // The violations of a server with an injected defect are expected and not saved.
        let kept_as = plan.defect.is_none().then_some(plan.seed);
        let writers = Writers::start(&shared, writer_settings, rng).await;
        let subscribers = Subscribers::start(&shared, subscriber_settings, rng);
        Self { shared, writers, subscribers, rng: rng.fork(), kept_as }
    }

    /// The end of every run. The nemesis has stopped and the server runs.
    pub(crate) async fn finish(self, report: &mut Report) -> anyhow::Result<()> {
        self.settle(report).await?.check_history(report);
        Ok(())
    }

    /// Retries every request of unknown outcome and waits until every
    /// subscriber has seen everything.
    pub(crate) async fn settle(self, report: &mut Report) -> anyhow::Result<Settled> {
        let mut parked = self.pause_writers(report).await?;
        parked.write_to_all().await;
        parked.leave().await
    }

    /// Stops the writers, retries every request of unknown outcome, and
    /// leaves the subscribers waiting.
    pub(crate) async fn pause_writers(self, report: &mut Report) -> anyhow::Result<PausedLoad> {
        let Self { shared, writers, subscribers, rng, kept_as } = self;
        // A subscriber that started last may not have begun yet.
        report.expect(
            subscribers.wait_until_all_follow(DRAIN_MAX).await,
            "some never follow anything",
        );
        subscribers.stay();
        let unsettled = writers.stop().await;
        report.fact(format!("{} requests had to be settled at the end", unsettled.drafts.len()));
        unsettled.settle().await;
        let ends = last_positions(&shared.transcripts().await?);
        // A subscriber that is late already has failed the check; waiting longer adds nothing.
        let all_there = subscribers.wait_until_caught_up(&ends, DRAIN_MAX).await;
        let timeout = if all_there { DRAIN_MAX } else { Duration::from_secs(1) };
        Ok(PausedLoad { shared, subscribers, rng, timeout, kept_as })
    }
}

/// A run without writers whose subscribers have seen everything.
pub(crate) struct PausedLoad {
    shared: Arc<SharedState>,
    subscribers: Subscribers,
    rng: fastrand::Rng,
    /// The time limit for all subscribers to see one more write.
    timeout: Duration,
    kept_as: Option<u64>,
}

impl PausedLoad {
    /// Writes once to each debate; the writes must reach every subscriber on its open connection.
    pub(crate) async fn write_to_all(&mut self) {
        write_to_every_debate(&self.shared, &mut self.rng).await;
    }

    /// Ends the subscribers that have seen everything.
    pub(crate) async fn leave(self) -> anyhow::Result<Settled> {
        let Self { shared, subscribers, timeout, kept_as, .. } = self;
        let transcripts = shared.transcripts().await?;
        let ends = last_positions(&transcripts);
        subscribers.leave(ends.clone(), timeout).await;
        Ok(Settled { shared, transcripts, ends, kept_as })
    }
}

/// A run without writers and subscribers.
pub(crate) struct Settled {
    shared: Arc<SharedState>,
    transcripts: Vec<Transcript>,
    /// The last sequence number of every debate.
    pub(crate) ends: HashMap<Uuid, Seq>,
    kept_as: Option<u64>,
}

impl Settled {
    /// Runs the checker, and saves the history if it reports violations.
    pub(crate) fn check_history(self, report: &mut Report) {
        check_history(&self.shared, &self.transcripts, report);
        if let Some(seed) = self.kept_as {
            save_history(&self.shared, report, seed);
        }
    }
}

fn last_positions(transcripts: &[Transcript]) -> HashMap<Uuid, Seq> {
    let end = |transcript: &Transcript| transcript.rows.last().map_or(0, |row| row.seq);
    transcripts.iter().map(|transcript| (transcript.debate, end(transcript))).collect()
}

/// Runs the checker and reports the amount of evidence.
pub(crate) fn check_history(shared: &SharedState, transcripts: &[Transcript], report: &mut Report) {
    let (steps, observations) = (shared.history.steps(), shared.history.observations());
    let rows: usize = transcripts.iter().map(|transcript| transcript.rows.len()).sum();
    let acknowledged =
        steps.iter().filter(|step| matches!(step.outcome, Outcome::Ok { .. })).count();
    let mut subscribers: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for observation in &observations {
        subscribers.entry(format!("{:?}", observation.kind)).or_default().push(observation.sub);
    }
    report.fact(format!(
        "{} requests, {acknowledged} acknowledged, {rows} arguments in {} debates",
        steps.len(),
        transcripts.len()
    ));
    for (kind, mut subs) in subscribers {
        let observations = subs.len();
        subs.sort_unstable();
        subs.dedup();
        report.fact(format!("{} {kind} subscribers noted {observations} things", subs.len()));
    }
    report.add_counts(shared);
    let violations = checker::check(&steps, &observations, transcripts);
    report.violations.extend(violations.iter().map(ToString::to_string));
}
