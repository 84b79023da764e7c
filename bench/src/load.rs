//! Closed-loop load: each connection asks, waits for the answer, checks it, and asks again.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Ask, Client};
use crate::server::{Server, own_cpu};
use crate::stats::{Latencies, Rounds, micros, millis, real};

/// For a load that ends when everything is asked: no preparation takes so long.
pub(crate) const AGES: Duration = Duration::from_mins(2);

/// What one connection asks for.
pub(crate) trait Script: Send + 'static {
    /// The next request; none when there is nothing left to ask.
    fn next(&mut self) -> Option<Ask>;

    /// The answer to it, whose status was as expected.
    fn answered(&mut self, _body: &[u8]) {}
}

/// A list of questions, each asked once.
impl Script for std::vec::IntoIter<Ask> {
    fn next(&mut self) -> Option<Ask> {
        Iterator::next(self)
    }
}

/// The same questions, over and over.
pub(crate) struct Repeat(std::iter::Cycle<std::vec::IntoIter<Ask>>);

impl Repeat {
    pub(crate) fn of(asks: Vec<Ask>) -> Self {
        Self(asks.into_iter().cycle())
    }

    /// `connections` times the same question.
    pub(crate) fn on(connections: usize, ask: &Ask) -> Vec<Self> {
        (0..connections).map(|_| Self::of(vec![ask.clone()])).collect()
    }
}

impl Script for Repeat {
    fn next(&mut self) -> Option<Ask> {
        self.0.next()
    }
}

/// What came of a load.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) answers: usize,
    pub(crate) took: Duration,
    /// The server's processor time in it.
    pub(crate) cpu: Duration,
    /// Our own, which the server could not have.
    pub(crate) own_cpu: Duration,
    pub(crate) latencies: Latencies,
}

impl Tally {
    pub(crate) fn per_second(&self) -> f64 {
        real(self.answers) / self.took.as_secs_f64()
    }

    fn micros_each(&self, cpu: Duration) -> f64 {
        micros(cpu) / real(self.answers)
    }
}

/// The same load, once a round.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) per_second: Rounds,
    pub(crate) p50_ms: Rounds,
    pub(crate) p99_ms: Rounds,
    pub(crate) cpu_micros: Rounds,
    pub(crate) own_cpu_micros: Rounds,
}

impl Series {
    pub(crate) fn push(&mut self, tally: &Tally) {
        self.per_second.push(tally.per_second());
        self.p50_ms.push(millis(tally.latencies.percentile(50)));
        self.p99_ms.push(millis(tally.latencies.percentile(99)));
        self.cpu_micros.push(tally.micros_each(tally.cpu));
        self.own_cpu_micros.push(tally.micros_each(tally.own_cpu));
    }
}

/// Runs each script on a connection of its own for `span`, or until it has nothing left to ask.
/// The scripts come back, since they know what they have changed on the server.
pub(crate) async fn run<S: Script>(
    server: &Server,
    scripts: Vec<S>,
    span: Duration,
) -> anyhow::Result<(Tally, Vec<S>)> {
    let count = scripts.len();
    let mut clients = Vec::with_capacity(count);
    for _ in 0..count {
        clients.push(Client::connect(server.address()).await?);
    }
    let (cpu_before, own_before) = (server.cpu()?, own_cpu()?);
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for (client, script) in clients.into_iter().zip(scripts) {
        tasks.spawn(converse(client, script, started + span));
    }
    let mut latencies = Vec::new();
    let mut scripts = Vec::with_capacity(count);
    while let Some(done) = tasks.join_next().await {
        let (script, took) = done??;
        latencies.extend(took);
        scripts.push(script);
    }
    let took = started.elapsed();
    let tally = Tally {
        answers: latencies.len(),
        took,
        cpu: server.cpu()?.saturating_sub(cpu_before),
        own_cpu: own_cpu()?.saturating_sub(own_before),
        latencies: Latencies::of(latencies),
    };
    Ok((tally, scripts))
}

async fn converse<S: Script>(
    mut client: Client,
    mut script: S,
    until: Instant,
) -> anyhow::Result<(S, Vec<Duration>)> {
    let mut latencies = Vec::new();
    let mut now = Instant::now();
    while now < until {
        let Some(ask) = script.next() else { break };
        let body = client.ask(&ask).await?;
        let answered = Instant::now();
        latencies.push(answered - now);
        script.answered(body);
        now = answered;
    }
    Ok((script, latencies))
}
