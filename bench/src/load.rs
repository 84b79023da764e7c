//! Closed-loop load: each connection sends a request, waits for the response,
//! checks it, and repeats.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Client, Request};
use crate::server::{Server, process_cpu};
use crate::stats::{Latencies, Rounds, micros, millis, to_f64};

/// The time limit of a load that ends when its scripts end.
pub(crate) const SCRIPT_TIME_MAX: Duration = Duration::from_mins(2);

/// The sequence of requests of one connection.
pub(crate) trait Script: Send + 'static {
    /// The next request; none at the end of the script.
    fn next(&mut self) -> Option<Request>;

    /// Receives the body of the response, whose status was as expected.
    fn answered(&mut self, _body: &[u8]) {}
}

/// A list of requests, each sent once.
impl Script for std::vec::IntoIter<Request> {
    fn next(&mut self) -> Option<Request> {
        Iterator::next(self)
    }
}

/// The same requests, repeated without end.
pub(crate) struct Repeat(std::iter::Cycle<std::vec::IntoIter<Request>>);

impl Repeat {
    pub(crate) fn new(requests: Vec<Request>) -> Self {
        Self(requests.into_iter().cycle())
    }

    /// The same request on each of `connections` connections.
    pub(crate) fn for_connections(connections: usize, request: &Request) -> Vec<Self> {
        (0..connections).map(|_| Self::new(vec![request.clone()])).collect()
    }
}

impl Script for Repeat {
    fn next(&mut self) -> Option<Request> {
        self.0.next()
    }
}

/// The result of a load.
#[derive(Debug)]
pub(crate) struct LoadResult {
    pub(crate) answers: usize,
    pub(crate) took: Duration,
    /// The server's CPU time during the load.
    pub(crate) cpu: Duration,
    /// This process's CPU time during the load, which the server could not use.
    pub(crate) client_cpu: Duration,
    pub(crate) latencies: Latencies,
}

impl LoadResult {
    pub(crate) fn per_second(&self) -> f64 {
        to_f64(self.answers) / self.took.as_secs_f64()
    }

    fn micros_each(&self, cpu: Duration) -> f64 {
        micros(cpu) / to_f64(self.answers)
    }
}

/// The same load, once per round.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) per_second: Rounds,
    pub(crate) p50_ms: Rounds,
    pub(crate) p99_ms: Rounds,
    pub(crate) cpu_micros: Rounds,
    pub(crate) client_cpu_micros: Rounds,
}

impl Series {
    pub(crate) fn push(&mut self, result: &LoadResult) {
        self.per_second.push(result.per_second());
        self.p50_ms.push(millis(result.latencies.percentile(50)));
        self.p99_ms.push(millis(result.latencies.percentile(99)));
        self.cpu_micros.push(result.micros_each(result.cpu));
        self.client_cpu_micros.push(result.micros_each(result.client_cpu));
    }
}

/// Runs each script on its own connection for `span`, or until the script ends. Returns the
/// scripts, since they hold the state of what they changed on the server.
pub(crate) async fn run<S: Script>(
    server: &Server,
    scripts: Vec<S>,
    span: Duration,
) -> anyhow::Result<(LoadResult, Vec<S>)> {
    let count = scripts.len();
    let mut clients = Vec::with_capacity(count);
    for _ in 0..count {
        clients.push(Client::connect(server.address()).await?);
    }
    let (cpu_before, client_before) = (server.cpu()?, process_cpu()?);
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for (client, script) in clients.into_iter().zip(scripts) {
        tasks.spawn(run_script(client, script, started + span));
    }
    let mut latencies = Vec::new();
    let mut scripts = Vec::with_capacity(count);
    while let Some(done) = tasks.join_next().await {
        let (script, took) = done??;
        latencies.extend(took);
        scripts.push(script);
    }
    let took = started.elapsed();
    let result = LoadResult {
        answers: latencies.len(),
        took,
        cpu: server.cpu()?.saturating_sub(cpu_before),
        client_cpu: process_cpu()?.saturating_sub(client_before),
        latencies: Latencies::new(latencies),
    };
    Ok((result, scripts))
}

async fn run_script<S: Script>(
    mut client: Client,
    mut script: S,
    until: Instant,
) -> anyhow::Result<(S, Vec<Duration>)> {
    let mut latencies = Vec::new();
    let mut now = Instant::now();
    while now < until {
        let Some(request) = script.next() else { break };
        let body = client.exchange(&request).await?;
        let answered = Instant::now();
        latencies.push(answered - now);
        script.answered(body);
        now = answered;
    }
    Ok((script, latencies))
}
