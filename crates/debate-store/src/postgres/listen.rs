//! News of what other processes write.
//!
//! A notice is a hint and may be lost with the connection that would have brought it. So whoever
//! waits is told to look again whenever the connection was made anew, and now and then in any case.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use debate_app::sabotage::{self, Sabotage};
use debate_app::{Hub, Subject};
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

/// Tells what moved to every process, with the commit of the transaction it runs in.
pub(super) const NOTIFY: &str =
    "select pg_notify('aw_moved', notice) from unnest($1::text[]) as notice";

/// How long after a loss the connection is made anew; twice as long after each failure, up to the
/// most.
const RECONNECT_AFTER: Duration = Duration::from_millis(100);
const RECONNECT_AFTER_MAX: Duration = Duration::from_secs(1);

/// How often the connection is asked whether it is still there.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Everyone who waits is told to look again, one part at each heartbeat.
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
        hub: Arc<Hub>,
        health: Arc<WriteHealth>,
        probe: Arc<WriteProbe>,
    ) -> Self {
        let (heard, first) = oneshot::channel();
        let ear = Ear { server, process, hub, health, probe, heard: Some(heard) };
        let listener = Self { _task: AbortOnDrop(tokio::spawn(ear.work())) };
        // Either way there is no more to wait for.
        let _ = timeout(HEARTBEAT, first).await;
        listener
    }
}

struct Ear {
    server: Server,
    /// What this process calls itself: its own notices are no news to it.
    process: Arc<str>,
    hub: Arc<Hub>,
    health: Arc<WriteHealth>,
    probe: Arc<WriteProbe>,
    /// Told when it first listens.
    heard: Option<oneshot::Sender<()>>,
}

impl Ear {
    async fn work(mut self) {
        let mut pause = RECONNECT_AFTER;
        loop {
            let fault = match self.server.connect().await {
                Ok(connected) => {
                    pause = RECONNECT_AFTER;
                    self.listen(connected).await
                }
                Err(failure) => failure.into(),
            };
            tracing::warn!(error = ?fault.0, "notification connection lost; reconnecting");
            self.health.note_failure(&fault.0);
            sleep(pause).await;
            pause = (pause * 2).min(RECONNECT_AFTER_MAX);
        }
    }

    /// Listens until the connection is lost, and tells how.
    async fn listen(&mut self, connected: Connected) -> Fault {
        let Connected { client, wire, peer } = connected;
        let mut notices = AbortOnDrop(tokio::spawn(ring_for(
            wire,
            Arc::clone(&self.process),
            Arc::clone(&self.hub),
        )));
        if let Err(fault) = self.ask(&client, &peer, "listen aw_moved").await {
            return fault;
        }
        // That it can be listened to does not say that it can be written to.
        self.probe.run_once().await;
        // Whatever was written while nobody listened.
        if !sabotage::is(Sabotage::NoCatchUp) {
            self.hub.listened().into_iter().for_each(|subject| self.hub.ring(subject));
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

    /// Rings for one part of what somebody listens to.
    fn sweep(&self, part: u32) {
        let due =
            |subject: &Subject| subject.uuid().as_u128() % u128::from(SWEEP_PARTS) == part.into();
        self.hub.listened().into_iter().filter(due).for_each(|subject| self.hub.ring(subject));
    }
}

/// Drives the connection, and rings for every notice it brings.
async fn ring_for(mut wire: Wire, process: Arc<str>, hub: Arc<Hub>) {
    while let Some(Ok(message)) = poll_fn(|cx| wire.poll_message(cx)).await {
        if let AsyncMessage::Notification(notice) = message
            && !sabotage::is(Sabotage::DeafToOthers)
        {
            for subject in moved(&notice, &process) {
                hub.ring(subject);
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
