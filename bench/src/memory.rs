//! The server's memory per waiting client, connection included.

use std::time::Duration;

use crate::client::{Client, Request};
use crate::debates;
use crate::load::{self, SCRIPT_TIME_MAX};
use crate::metrics::MetricsClient;
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{DatabaseLocation, Server};
use crate::stats::{Better, Rounds, to_f64};
use crate::waiters::{Crowd, Transport, WatchedDebate};

/// Waiting clients per debate.
const EACH: usize = 2;

/// After this time without a write the server has run its checkpoint.
const QUIET: Duration = Duration::from_millis(1300);

/// The server's read connections, each with its own cache.
const READERS: usize = 4;

/// The kind of client on a connection.
#[derive(Debug, Clone, Copy)]
enum ClientKind {
    /// The connection is open, one request was answered, and none is under way.
    Idle,
    Waiting(Transport),
}

impl ClientKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Idle => "an idle connection",
            Self::Waiting(transport) => transport.name(),
        }
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let count = plan.scale.waiting.iter().max().copied().unwrap_or_default();
    let (transports, mut notes) = offered_transports(plan).await?;
    let kinds =
        std::iter::once(ClientKind::Idle).chain(transports.into_iter().map(ClientKind::Waiting));
    let mut found: Vec<(ClientKind, Rounds)> =
        kinds.map(|kind| (kind, Rounds::default())).collect();
    for _ in plan.crowd_rounds(Part::Memory) {
        for (kind, bytes_each) in &mut found {
            bytes_each.push(bytes_per_client(plan, *kind, count).await?);
        }
    }
    notes.push(format!(
        "Growth of the server's resident memory from no connection to {count} of them, in \
         kilobytes of 1,024 bytes; two wait on each debate. What the kernel keeps for sockets is \
         not in it."
    ));
    report.bars.extend(found.iter().filter_map(|(kind, kib)| match kind {
        ClientKind::Idle => None,
        ClientKind::Waiting(transport) => {
            let what = format!("KB for each of {count} waiting over {}", transport.name());
            Some(Bar::new(what, Bound::AtMost(16.0), kib))
        }
    }));
    report.add(table(&found, notes));
    Ok(())
}

async fn offered_transports(plan: &Plan) -> anyhow::Result<(Vec<Transport>, Vec<String>)> {
    let server = plan.binary.start(DatabaseLocation::New, &[])?;
    let debate = debates::open(&server, 1).await?.pop();
    let offered_transports = match debate.map(WatchedDebate::fresh) {
        Some(watched) => Transport::offered_transports(&server, &watched).await?,
        None => (Vec::new(), Vec::new()),
    };
    server.stop()?;
    Ok(offered_transports)
}

/// Uses a new server each time, since memory that is freed by one crowd would hide the
/// need of the next.
async fn bytes_per_client(plan: &Plan, kind: ClientKind, count: usize) -> anyhow::Result<f64> {
    let server = plan.binary.start(DatabaseLocation::New, &[])?;
    let debates = debates::open(&server, count.div_ceil(EACH)).await?;
    let watched_debates: Vec<WatchedDebate> =
        debates.into_iter().map(WatchedDebate::fresh).collect();
    let mut metrics = MetricsClient::connect(&server).await?;
    warm_up(&server, &watched_debates).await?;
    tokio::time::sleep(QUIET).await;
    let before = server.resident()?;
    let after = match kind {
        ClientKind::Idle => {
            let mut clients = Vec::with_capacity(count);
            for _ in 0..count {
                let mut client = Client::connect(server.address()).await?;
                client.exchange(&Request::get("/health")).await?;
                clients.push(client);
            }
            server.resident()?
        }
        ClientKind::Waiting(transport) => {
            let crowd =
                Crowd::connect(&mut metrics, transport, &watched_debates, count, EACH).await?;
            let after = server.resident()?;
            crowd.disconnect(&mut metrics).await?;
            after
        }
    };
    server.stop()?;
    Ok(to_f64(after.saturating_sub(before)) / to_f64(count) / 1024.0)
}

/// Reads the data that waiters will read, so that the database caches are
/// full before the measurement.
async fn warm_up(server: &Server, watched_debates: &[WatchedDebate]) -> anyhow::Result<()> {
    let polls = watched_debates.iter().map(WatchedDebate::poll);
    let total_bytes: Vec<Request> = std::iter::repeat_n(polls, READERS).flatten().collect();
    let share = total_bytes.len().div_ceil(READERS).max(1);
    let scripts =
        total_bytes.chunks(share).map(|requests| Vec::from(requests).into_iter()).collect();
    load::run(server, scripts, SCRIPT_TIME_MAX).await?;
    Ok(())
}

fn table(found: &[(ClientKind, Rounds)], notes: Vec<String>) -> Section {
    let idle = found.first().map(|(_, kib)| kib.clone()).unwrap_or_default();
    let row = |(kind, kib): &(ClientKind, Rounds)| {
        vec![
            Cell::text(kind.name()),
            Cell::spread(kib, Better::Lower),
            Cell::median(&kib.ratio_to(&idle)),
        ]
    };
    Section {
        title: "Memory",
        notes,
        columns: &["", "KB each", "× an idle connection"],
        rows: found.iter().map(row).collect(),
    }
}
