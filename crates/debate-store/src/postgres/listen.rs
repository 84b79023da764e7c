//! News of what other processes write.
//!
//! A notice is a hint and may be lost with the connection that would have brought it. So whoever
//! waits is told to look again whenever the connection was made anew, and now and then in any case.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use debate_app::sabotage::{self, Sabotage};
use debate_app::{Hub, StoreError, Subject};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, Notification};
use uuid::Uuid;

use super::fault::Fault;
use super::server::{Server, Wire};
use crate::trouble::Trouble;

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

pub(super) struct Listener(JoinHandle<()>);

impl Listener {
    /// Starts to listen, and waits until it does; a server that can't yet is known to be in trouble
    /// and tried again.
    pub(super) async fn start(
        server: Server,
        process: Arc<str>,
        hub: Arc<Hub>,
        trouble: Arc<Trouble>,
    ) -> Self {
        let (heard, first) = oneshot::channel();
        let ear = Ear { server, process, hub, trouble, heard: Some(heard) };
        let listener = Self(tokio::spawn(ear.work()));
        // Either way there is no more to wait for.
        let _ = timeout(HEARTBEAT, first).await;
        listener
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Ear {
    server: Server,
    /// What this process calls itself: its own notices are no news to it.
    process: Arc<str>,
    hub: Arc<Hub>,
    trouble: Arc<Trouble>,
    /// Told when it first listens.
    heard: Option<oneshot::Sender<()>>,
}

impl Ear {
    async fn work(mut self) {
        let mut pause = RECONNECT_AFTER;
        loop {
            let fault = match self.server.connect().await {
                Ok((client, wire)) => {
                    pause = RECONNECT_AFTER;
                    self.listen(client, wire).await
                }
                Err(err) => err.into(),
            };
            tracing::warn!(error = ?fault.0, "not hearing from PostgreSQL");
            self.trouble.note(Some(&fault.0));
            sleep(pause).await;
            pause = (pause * 2).min(RECONNECT_AFTER_MAX);
        }
    }

    /// Listens until the connection is lost, and tells how.
    async fn listen(&mut self, client: Client, wire: Wire) -> Fault {
        let mut notices = AbortOnDrop(tokio::spawn(ring_for(
            wire,
            Arc::clone(&self.process),
            Arc::clone(&self.hub),
        )));
        match timeout(HEARTBEAT, client.batch_execute("listen aw_moved")).await {
            Ok(Ok(())) => {}
            Ok(Err(err)) => return err.into(),
            Err(_) => return Fault::away("PostgreSQL did not answer in time"),
        }
        self.trouble.note(None);
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
                    if let Err(fault) = self.beat(&client).await {
                        return fault;
                    }
                    part = (part + 1) % SWEEP_PARTS;
                    self.sweep(part);
                }
            }
        }
    }

    /// Asks for a sign of life; after trouble, for a write that changes nothing anyone reads.
    async fn beat(&self, client: &Client) -> Result<(), Fault> {
        let in_trouble = self.trouble.now().is_some();
        let question = if in_trouble {
            "insert into schema_meta (key, value) values ('probe', gen_random_uuid()::text)
             on conflict (key) do update set value = excluded.value"
        } else {
            "select 1"
        };
        match timeout(HEARTBEAT, client.batch_execute(question)).await {
            Ok(Ok(())) if in_trouble => self.trouble.note(None),
            Ok(Ok(())) => {}
            // The connection is well, and writes are not.
            Ok(Err(err)) if err.as_db_error().is_some() => {
                let Fault(err): Fault = err.into();
                self.trouble.note(Some(&err));
                if matches!(err, StoreError::Unavailable(_)) {
                    return Err(Fault(err));
                }
            }
            Ok(Err(err)) => return Err(err.into()),
            Err(_) => return Err(Fault::away("PostgreSQL did not answer in time")),
        }
        Ok(())
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

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
