//! Notifications of the commits of other processes.
//!
//! A notification is a hint and may be lost with the connection. All subscribers are therefore
//! notified whenever the connection was re-established, and at intervals in any case.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use debate_app::{Notifier, Subject};
use debate_core::Backoff;
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, Notification};
use uuid::Uuid;

use super::connection::AbortOnDrop;
use super::health::WriteHealth;
use super::hosts::Peer;
use super::probe::WriteProbe;
use super::server::{ConnectionDriver, NewConnection, Server};
use crate::engine::EngineError;

/// Notifies every process of the changed subjects, with the commit of its transaction.
pub(super) const NOTIFY: &str =
    "select pg_notify('aw_moved', notice) from unnest($1::text[]) as notice";

/// The pauses before a lost connection is opened again.
const RECONNECT: Backoff = Backoff {
    first: Duration::from_millis(100),
    factor: 2,
    longest: Duration::from_secs(1),
    percent: (100, 100),
};

/// Interval of the statement that checks the connection.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The subjects are divided into this number of parts; each heartbeat notifies one part.
const SWEEP_PARTS: u32 = 6;

pub(super) struct Listener {
    _task: AbortOnDrop,
}

impl Listener {
    /// Starts to listen, and waits until it does, at most [`HEARTBEAT`]. If the server cannot be
    /// reached, the task notes the failure and retries.
    pub(super) async fn start(
        server: Server,
        process: Arc<str>,
        notifier: Arc<Notifier>,
        health: Arc<WriteHealth>,
        probe: Arc<WriteProbe>,
    ) -> Self {
        let (listening, first) = oneshot::channel();
        let task =
            ListenerTask { server, process, notifier, health, probe, listening: Some(listening) };
        let listener = Self { _task: AbortOnDrop(tokio::spawn(task.work())) };
        // After a timeout the task continues to connect in the background.
        let _ = timeout(HEARTBEAT, first).await;
        listener
    }
}

struct ListenerTask {
    server: Server,
    /// The name of this process, whose own notices are ignored.
    process: Arc<str>,
    notifier: Arc<Notifier>,
    health: Arc<WriteHealth>,
    probe: Arc<WriteProbe>,
    /// Notified when the connection first listens.
    listening: Option<oneshot::Sender<()>>,
}

impl ListenerTask {
    async fn work(mut self) {
        let mut failures = 0_u32;
        loop {
            let fault = match self.server.connect().await {
                Ok(connected) => {
                    failures = 0;
                    self.listen(connected).await
                }
                Err(failure) => failure.into(),
            };
            tracing::warn!(error = ?fault.0, "notification connection lost; reconnecting");
            self.health.note_failure(&fault.0);
            sleep(RECONNECT.pause(failures, 0)).await;
            failures = failures.saturating_add(1);
        }
    }

    /// Listens until the connection is lost. Returns the error.
    async fn listen(&mut self, connected: NewConnection) -> EngineError {
        let NewConnection { client, driver, peer } = connected;
        let mut notices = AbortOnDrop(tokio::spawn(forward_notifications(
            driver,
            Arc::clone(&self.process),
            Arc::clone(&self.notifier),
        )));
        if let Err(fault) = self.ask(&client, &peer, "listen aw_moved").await {
            return fault;
        }
        // A server that accepts LISTEN may still refuse writes, as a standby does.
        self.probe.run_once().await;
        // Commits since the connection was lost were not notified.
        self.notifier.subjects().into_iter().for_each(|subject| self.notifier.notify(subject));
        if let Some(listening) = self.listening.take() {
            // The receiver is gone if `start` timed out.
            let _ = listening.send(());
        }
        let mut beats = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut part = 0;
        loop {
            tokio::select! {
                _ = &mut notices.0 => return EngineError::unavailable("the connection was closed"),
                _ = beats.tick() => {
                    if peer.is_suspect() {
                        let message = "PostgreSQL does not answer other connections";
                        return EngineError::unavailable(message);
                    }
                    if let Err(fault) = self.ask(&client, &peer, "select 1").await {
                        return fault;
                    }
                    part = (part + 1) % SWEEP_PARTS;
                    self.sweep(part);
                }
            }
        }
    }

    /// Executes a statement. A missing answer at the deadline is an error.
    async fn ask(&self, client: &Client, peer: &Peer, statement: &str) -> Result<(), EngineError> {
        let deadline = self.server.limits().deadline;
        let Ok(answered) = timeout(deadline, client.batch_execute(statement)).await else {
            peer.note_hang();
            return Err(EngineError::unavailable("PostgreSQL did not answer in time"));
        };
        Ok(answered?)
    }

    /// Notifies the subscribers of one part of all subjects, in case a notification was lost.
    fn sweep(&self, part: u32) {
        let due =
            |subject: &Subject| subject.uuid().as_u128() % u128::from(SWEEP_PARTS) == part.into();
        self.notifier
            .subjects()
            .into_iter()
            .filter(due)
            .for_each(|subject| self.notifier.notify(subject));
    }
}

/// Drives the connection, and notifies subscribers for every notification that it receives.
async fn forward_notifications(
    mut driver: ConnectionDriver,
    process: Arc<str>,
    notifier: Arc<Notifier>,
) {
    while let Some(Ok(message)) = poll_fn(|cx| driver.poll_message(cx)).await {
        if let AsyncMessage::Notification(notice) = message {
            for subject in changed_subjects(&notice, &process) {
                notifier.notify(subject);
            }
        }
    }
}

/// The subjects in a notice of another process.
fn changed_subjects<'n>(
    notice: &'n Notification,
    process: &str,
) -> impl Iterator<Item = Subject> + 'n {
    let named = notice.payload().split_once(':').filter(|(sender, _)| *sender != process);
    let ids = named.map_or("", |(_, ids)| ids).split(',');
    ids.filter_map(|id| Uuid::try_parse(id).ok()).map(Subject::new)
}
