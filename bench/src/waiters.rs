//! Waiting clients: many at once, over any transport, each reporting the time at
//! which it was woken.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::http::StatusCode;
use uuid::Uuid;

use crate::client::{Client, Request, envelope_data};
use crate::debates::Debate;
use crate::metrics::MetricsClient;
use crate::server::Server;
use crate::streams::{Events, Socket};

/// The time limit until a crowd is woken.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The number of clients that connect at the same time.
const CONCURRENT_CONNECTS: usize = 64;

/// The way in which a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Wait,
    Events,
    Socket,
}

impl Transport {
    pub(crate) const ALL: [Self; 3] = [Self::Wait, Self::Events, Self::Socket];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Events => "SSE",
            Self::Socket => "WebSocket",
        }
    }

    /// Whether the server has this transport; an earlier version may lack it.
    pub(crate) async fn is_offered(
        self,
        server: &Server,
        watched: &WatchedDebate,
    ) -> anyhow::Result<bool> {
        match self {
            Self::Wait => Ok(true),
            Self::Events => {
                let client = Client::connect(server.address()).await?;
                let status = client.status(&Request::get(watched.events_path())).await?;
                Ok(status != StatusCode::NOT_FOUND)
            }
            Self::Socket => {
                let socket = Socket::try_connect(server.address(), &watched.socket_path()).await?;
                Ok(socket.is_some())
            }
        }
    }

    /// The transports that the server has, and a note on those that it lacks.
    pub(crate) async fn offered_transports(
        server: &Server,
        watched: &WatchedDebate,
    ) -> anyhow::Result<(Vec<Self>, Vec<String>)> {
        let (mut offered_transports, mut notes) = (Vec::new(), Vec::new());
        for transport in Self::ALL {
            if transport.is_offered(server, watched).await? {
                offered_transports.push(transport);
            } else {
                notes.push(format!("{} is not offered by this server.", transport.name()));
            }
        }
        Ok((offered_transports, notes))
    }
}

/// A debate and its newest argument, which a waiter has seen.
#[derive(Debug, Clone)]
pub(crate) struct WatchedDebate {
    debate: Debate,
    newest: Uuid,
    seq: usize,
}

impl WatchedDebate {
    /// A debate that contains only its motion.
    pub(crate) fn fresh(debate: Debate) -> Self {
        let newest = debate.motion;
        Self { debate, newest, seq: 1 }
    }

    /// Makes a claim and returns when it was sent and when it was answered.
    pub(crate) async fn claim(&mut self, writer: &mut Client) -> anyhow::Result<ClaimTimes> {
        let request = self.debate.claim();
        let sent = Instant::now();
        let body = writer.exchange(&request).await?;
        let answered = Instant::now();
        self.newest = parse_argument_id(body)?;
        self.seq += 1;
        Ok(ClaimTimes { sent, answered })
    }

    /// A poll by a client that has seen everything up to `seen`.
    pub(crate) fn poll_after(&self, seen: Uuid) -> Request {
        Request::get(self.debate.path(&format!("/poll?role=opponent&argument_id={seen}")))
    }

    /// A poll by a client that has seen everything.
    pub(crate) fn poll(&self) -> Request {
        self.poll_after(self.newest)
    }

    pub(crate) const fn newest(&self) -> Uuid {
        self.newest
    }

    fn wait(&self, seen: Uuid) -> Request {
        Request::get(self.debate.path(&format!("/wait?role=opponent&argument_id={seen}")))
    }

    pub(crate) fn events_path(&self) -> String {
        self.debate.path(&format!("/events?after={}", self.seq))
    }

    fn socket_path(&self) -> String {
        format!("/ws?debate_id={}&after_seq={}", self.debate.id, self.seq)
    }
}

fn parse_argument_id(body: &[u8]) -> anyhow::Result<Uuid> {
    let data = envelope_data(body)?;
    let id = data.pointer("/argument/id").and_then(|id| id.as_str());
    Ok(id.context("a response without an argument")?.parse()?)
}

/// The times at which a claim was sent and answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimTimes {
    pub(crate) sent: Instant,
    pub(crate) answered: Instant,
}

/// Many waiting clients, each in its own task.
pub(crate) struct Crowd {
    /// Dropping this aborts the clients.
    _tasks: JoinSet<()>,
    wakes: mpsc::Receiver<anyhow::Result<Instant>>,
    size: usize,
}

impl Crowd {
    /// Connects `each` clients per debate, up to `size` in total. On return all of them wait,
    /// confirmed by the server's metrics.
    pub(crate) async fn connect(
        metrics: &mut MetricsClient,
        transport: Transport,
        watched_debates: &[WatchedDebate],
        size: usize,
        each: usize,
    ) -> anyhow::Result<Self> {
        let (sender, wakes) = mpsc::channel(size);
        let mut tasks = JoinSet::new();
        let targets = watched_debates
            .iter()
            .flat_map(|watched| std::iter::repeat_n(watched, each))
            .take(size);
        let arrivals =
            targets.map(|watched| Waiter::connect(metrics.address(), transport, watched));
        let mut arrivals = stream::iter(arrivals).buffer_unordered(CONCURRENT_CONNECTS);
        while let Some(waiter) = arrivals.try_next().await? {
            let sender = sender.clone();
            tasks.spawn(async move {
                let Err(err) = waiter.report_wakes(&sender).await;
                // The receiver is gone when the crowd is dispersing.
                let _ = sender.send(Err(err)).await;
            });
        }
        drop(arrivals);
        metrics.wait_for_waiters(size).await?;
        Ok(Self { _tasks: tasks, wakes, size })
    }

    /// The times at which the next `count` clients had received the complete event.
    pub(crate) async fn next_wakes(&mut self, count: usize) -> anyhow::Result<Vec<Instant>> {
        let mut instants = Vec::with_capacity(count);
        while instants.len() < count {
            let wakes = tokio::time::timeout(TIMEOUT, self.wakes.recv()).await;
            let wakes = wakes.with_context(|| {
                format!("{} of {count} clients were woken, the others not", instants.len())
            })?;
            instants.push(wakes.context("every client is gone")??);
        }
        Ok(instants)
    }

    /// Returns when all of them wait again.
    pub(crate) async fn wait_until_all_wait(
        &self,
        metrics: &mut MetricsClient,
    ) -> anyhow::Result<()> {
        metrics.wait_for_waiters(self.size).await
    }

    /// Disconnects all clients; on return none waits.
    pub(crate) async fn disconnect(self, metrics: &mut MetricsClient) -> anyhow::Result<()> {
        drop(self);
        metrics.wait_for_waiters(0).await
    }
}

enum Waiter {
    Wait(Client, WatchedDebate),
    Events(Events),
    Socket(Socket),
}

impl Waiter {
    async fn connect(
        address: SocketAddr,
        transport: Transport,
        watched: &WatchedDebate,
    ) -> anyhow::Result<Self> {
        Ok(match transport {
            Transport::Wait => Self::Wait(Client::connect(address).await?, watched.clone()),
            Transport::Events => {
                Self::Events(Events::connect(address, watched.events_path()).await?)
            }
            Transport::Socket => {
                Self::Socket(Socket::connect(address, &watched.socket_path()).await?)
            }
        })
    }

    /// Waits and reports repeatedly; returns only an error.
    async fn report_wakes(
        self,
        sender: &mpsc::Sender<anyhow::Result<Instant>>,
    ) -> anyhow::Result<std::convert::Infallible> {
        match self {
            Self::Wait(mut client, watched) => {
                let mut seen = watched.newest;
                loop {
                    let body = client.exchange(&watched.wait(seen)).await?;
                    sender.send(Ok(Instant::now())).await?;
                    seen = parse_argument_id(body)?;
                }
            }
            Self::Events(mut events) => loop {
                events.next_named("argument").await?;
                sender.send(Ok(Instant::now())).await?;
            },
            Self::Socket(mut socket) => loop {
                socket.next_named("new_argument").await?;
                sender.send(Ok(Instant::now())).await?;
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiter_begins_after_the_last_seen_argument() {
        let debate = Debate::fresh(Uuid::from_u128(1), Uuid::from_u128(2));
        let watched = WatchedDebate::fresh(debate);
        assert!(watched.events_path().ends_with("/events?after=1"));
        assert!(watched.socket_path().ends_with("&after_seq=1"));
        assert_eq!(watched.newest(), Uuid::from_u128(2));
    }
}
