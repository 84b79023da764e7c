//! Clients that wait: many at once, over any transport, each telling the instant it was woken.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::http::StatusCode;
use uuid::Uuid;

use crate::client::{Ask, Client, data_of};
use crate::debates::Debate;
use crate::gauge::Gauge;
use crate::server::Server;
use crate::streams::{Events, Socket};

/// How long a crowd may take to be told.
const PATIENCE: Duration = Duration::from_mins(1);

/// How many come in at once.
const DOORS: usize = 64;

/// How a client waits.
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

    /// Whether the server has it; one that is still being built may not.
    pub(crate) async fn is_offered(self, server: &Server, stage: &Stage) -> anyhow::Result<bool> {
        match self {
            Self::Wait => Ok(true),
            Self::Events => {
                let client = Client::connect(server.address()).await?;
                let status = client.status(&Ask::get(stage.events_path())).await?;
                Ok(status != StatusCode::NOT_FOUND)
            }
            Self::Socket => {
                let socket = Socket::try_connect(server.address(), &stage.socket_path()).await?;
                Ok(socket.is_some())
            }
        }
    }

    /// Those that the server has, and a note on those that it hasn't.
    pub(crate) async fn offered(
        server: &Server,
        stage: &Stage,
    ) -> anyhow::Result<(Vec<Self>, Vec<String>)> {
        let (mut offered, mut notes) = (Vec::new(), Vec::new());
        for transport in Self::ALL {
            if transport.is_offered(server, stage).await? {
                offered.push(transport);
            } else {
                notes.push(format!("{} is not offered by this server.", transport.name()));
            }
        }
        Ok((offered, notes))
    }
}

/// A debate, and its newest argument: what a waiter has seen.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    debate: Debate,
    newest: Uuid,
    seq: usize,
}

impl Stage {
    /// A debate that has nothing but its motion.
    pub(crate) fn fresh(debate: Debate) -> Self {
        let newest = debate.motion;
        Self { debate, newest, seq: 1 }
    }

    /// Makes a claim; tells when it was sent and when it was answered.
    pub(crate) async fn claim(&mut self, writer: &mut Client) -> anyhow::Result<Claimed> {
        let ask = self.debate.claim();
        let sent = Instant::now();
        let body = writer.ask(&ask).await?;
        let answered = Instant::now();
        self.newest = argument_of(body)?;
        self.seq += 1;
        Ok(Claimed { sent, answered })
    }

    /// A poll that has everything but the newest argument still to hear.
    pub(crate) fn poll_after(&self, seen: Uuid) -> Ask {
        Ask::get(self.debate.path(&format!("/poll?role=opponent&argument_id={seen}")))
    }

    /// A poll that has heard everything.
    pub(crate) fn poll(&self) -> Ask {
        self.poll_after(self.newest)
    }

    pub(crate) const fn newest(&self) -> Uuid {
        self.newest
    }

    fn wait(&self, seen: Uuid) -> Ask {
        Ask::get(self.debate.path(&format!("/wait?role=opponent&argument_id={seen}")))
    }

    pub(crate) fn events_path(&self) -> String {
        self.debate.path(&format!("/events?after={}", self.seq))
    }

    fn socket_path(&self) -> String {
        format!("/ws?debate_id={}&after_seq={}", self.debate.id, self.seq)
    }
}

fn argument_of(body: &[u8]) -> anyhow::Result<Uuid> {
    let data = data_of(body)?;
    let id = data.pointer("/argument/id").and_then(|id| id.as_str());
    Ok(id.context("an answer without an argument")?.parse()?)
}

/// When a claim was on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimed {
    pub(crate) sent: Instant,
    pub(crate) answered: Instant,
}

/// Many waiting clients, each in a task of its own.
pub(crate) struct Crowd {
    /// They leave when this is dropped.
    _tasks: JoinSet<()>,
    told: mpsc::Receiver<anyhow::Result<Instant>>,
    size: usize,
}

impl Crowd {
    /// `each` clients on each stage, or fewer on the last ones when `size` is reached; they wait,
    /// and the server says so, when this returns.
    pub(crate) async fn park(
        gauge: &mut Gauge,
        transport: Transport,
        stages: &[Stage],
        size: usize,
        each: usize,
    ) -> anyhow::Result<Self> {
        let (teller, told) = mpsc::channel(size);
        let mut tasks = JoinSet::new();
        let seats = stages.iter().flat_map(|stage| std::iter::repeat_n(stage, each)).take(size);
        let arrivals = seats.map(|stage| Waiter::connect(gauge.address(), transport, stage));
        let mut arrivals = stream::iter(arrivals).buffer_unordered(DOORS);
        while let Some(waiter) = arrivals.try_next().await? {
            let teller = teller.clone();
            tasks.spawn(async move {
                let Err(trouble) = waiter.tell(&teller).await;
                // Nobody listens any more when the crowd is dispersing.
                let _ = teller.send(Err(trouble)).await;
            });
        }
        drop(arrivals);
        gauge.until_waiting(size).await?;
        Ok(Self { _tasks: tasks, told, size })
    }

    /// The instants at which the next `count` clients had all of what woke them.
    pub(crate) async fn woken(&mut self, count: usize) -> anyhow::Result<Vec<Instant>> {
        let mut instants = Vec::with_capacity(count);
        while instants.len() < count {
            let told = tokio::time::timeout(PATIENCE, self.told.recv()).await;
            let told = told.with_context(|| {
                format!("{} of {count} clients were woken, the others not", instants.len())
            })?;
            instants.push(told.context("every client is gone")??);
        }
        Ok(instants)
    }

    /// All of them wait again.
    pub(crate) async fn settled(&self, gauge: &mut Gauge) -> anyhow::Result<()> {
        gauge.until_waiting(self.size).await
    }

    /// Sends all of them away; nobody waits when this returns.
    pub(crate) async fn disperse(self, gauge: &mut Gauge) -> anyhow::Result<()> {
        drop(self);
        gauge.until_waiting(0).await
    }
}

enum Waiter {
    Wait(Client, Stage),
    Events(Events),
    Socket(Socket),
}

impl Waiter {
    async fn connect(
        address: SocketAddr,
        transport: Transport,
        stage: &Stage,
    ) -> anyhow::Result<Self> {
        Ok(match transport {
            Transport::Wait => Self::Wait(Client::connect(address).await?, stage.clone()),
            Transport::Events => Self::Events(Events::connect(address, stage.events_path()).await?),
            Transport::Socket => {
                Self::Socket(Socket::connect(address, &stage.socket_path()).await?)
            }
        })
    }

    /// Waits and tells, over and over; ends only in trouble.
    async fn tell(
        self,
        teller: &mpsc::Sender<anyhow::Result<Instant>>,
    ) -> anyhow::Result<std::convert::Infallible> {
        match self {
            Self::Wait(mut client, stage) => {
                let mut seen = stage.newest;
                loop {
                    let body = client.ask(&stage.wait(seen)).await?;
                    teller.send(Ok(Instant::now())).await?;
                    seen = argument_of(body)?;
                }
            }
            Self::Events(mut events) => loop {
                events.next_named("argument").await?;
                teller.send(Ok(Instant::now())).await?;
            },
            Self::Socket(mut socket) => loop {
                socket.next_named("new_argument").await?;
                teller.send(Ok(Instant::now())).await?;
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiter_begins_after_what_it_has_seen() {
        let debate = Debate::fresh(Uuid::from_u128(1), Uuid::from_u128(2));
        let stage = Stage::fresh(debate);
        assert!(stage.events_path().ends_with("/events?after=1"));
        assert!(stage.socket_path().ends_with("&after_seq=1"));
        assert_eq!(stage.newest(), Uuid::from_u128(2));
    }
}
