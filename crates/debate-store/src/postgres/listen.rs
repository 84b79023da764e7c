//! Notifications of what other processes write.
//!
//! A notification is a hint and may be lost with the connection. All subscribers are therefore
//! notified whenever the connection was re-established, and at intervals in any case.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use debate_app::sabotage::{self, Sabotage};
use debate_app::{Notifier, Subject};
use debate_core::Backoff;
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, Notification};
use uuid::Uuid;

use super::connection::AbortOnDrop;
use super::fault::Fault;
use super::health::WriteHealth;
use super::hosts::Peer;
use super::probe::WriteProbe;
use super::server::{Connected, Server, Wire};

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

/// How often the connection is asked whether it is still there.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The subjects are divided into this number of parts; each heartbeat notifies one part.
const SWEEP_PARTS: u32 = 6;

pub(super) struct Listener {
    _task: AbortOnDrop,
}

impl Listener {
    /// Starts to listen, and waits until it does; a server that can't yet is known to be in trouble
    /// and tried again.
    pub(super) async fn start(
        server: Server,
        process: Arc<str>,
        notifier: Arc<Notifier>,
        health: Arc<WriteHealth>,
        probe: Arc<WriteProbe>,
    ) -> Self {
        let (heard, first) = oneshot::channel();
        let task = ListenerTask { server, process, notifier, health, probe, heard: Some(heard) };
        let listener = Self { _task: AbortOnDrop(tokio::spawn(task.work())) };
        // Either way there is no more to wait for.
        let _ = timeout(HEARTBEAT, first).await;
        listener
    }
}

struct ListenerTask {
    server: Server,
    /// What this process calls itself: its own notices are no news to it.
    process: Arc<str>,
    notifier: Arc<Notifier>,
    health: Arc<WriteHealth>,
    probe: Arc<WriteProbe>,
    /// Notified when the connection first listens.
    heard: Option<oneshot::Sender<()>>,
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

    /// Listens until the connection is lost, and tells how.
    async fn listen(&mut self, connected: Connected) -> Fault {
        let Connected { client, wire, peer } = connected;
        let mut notices = AbortOnDrop(tokio::spawn(forward_notifications(
            wire,
            Arc::clone(&self.process),
            Arc::clone(&self.notifier),
        )));
        if let Err(fault) = self.ask(&client, &peer, "listen aw_moved").await {
            return fault;
        }
        // That it can be listened to does not say that it can be written to.
        self.probe.run_once().await;
        // Whatever was written while nobody listened.
        if !sabotage::is(Sabotage::NoCatchUp) {
            self.notifier.subjects().into_iter().for_each(|subject| self.notifier.notify(subject));
        }
        if let Some(heard) = self.heard.take() {
            // Whoever started this may have gone on without it.
            let _ = heard.send(());
        }
        let mut beats = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut part = 0;
        loop {
            tokio::select! {
                _ = &mut notices.0 => return Fault::away("the connection was closed"),
                _ = beats.tick() => {
                    if peer.is_suspect() {
                        return Fault::away("PostgreSQL does not answer other connections");
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

    /// Runs a statement, whose answer must come before the deadline.
    async fn ask(&self, client: &Client, peer: &Peer, statement: &str) -> Result<(), Fault> {
        let deadline = self.server.limits().deadline;
        let Ok(answered) = timeout(deadline, client.batch_execute(statement)).await else {
            peer.note_hang();
            return Err(Fault::away("PostgreSQL did not answer in time"));
        };
        Ok(answered?)
    }

    /// Notifications for one part of what somebody listens to.
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
async fn forward_notifications(mut wire: Wire, process: Arc<str>, notifier: Arc<Notifier>) {
    while let Some(Ok(message)) = poll_fn(|cx| wire.poll_message(cx)).await {
        if let AsyncMessage::Notification(notice) = message
            && !sabotage::is(Sabotage::DeafToOthers)
        {
            for subject in moved(&notice, &process) {
                notifier.notify(subject);
            }
        }
    }
}

/// What a notice of another process names.
fn moved<'n>(notice: &'n Notification, process: &str) -> impl Iterator<Item = Subject> + 'n {
    let named = notice.payload().split_once(':').filter(|(sender, _)| *sender != process);
    let ids = named.map_or("", |(_, ids)| ids).split(',');
    ids.filter_map(|id| Uuid::try_parse(id).ok()).map(Subject::new)
}
