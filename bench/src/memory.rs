//! What a waiting client costs the server in memory, its connection included.

use std::time::Duration;

use crate::client::{Ask, Client};
use crate::debates;
use crate::gauge::Gauge;
use crate::load::{self, AGES};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Place, Server};
use crate::stats::{Better, Rounds, real};
use crate::waiters::{Crowd, Stage, Transport};

/// How many wait on each debate.
const EACH: usize = 2;

/// After so long without a write the server has put its log away.
const QUIET: Duration = Duration::from_millis(1300);

/// The server's readers, each with a cache of its own, take turns.
const READERS: usize = 4;

/// What is on the other end of a connection.
#[derive(Debug, Clone, Copy)]
enum Guest {
    /// Open, one request answered, nothing asked now.
    Idle,
    Waiting(Transport),
}

impl Guest {
    const fn name(self) -> &'static str {
        match self {
            Self::Idle => "an idle connection",
            Self::Waiting(transport) => transport.name(),
        }
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let count = plan.scale.parked.iter().max().copied().unwrap_or_default();
    let (transports, mut notes) = offered(plan).await?;
    let guests = std::iter::once(Guest::Idle).chain(transports.into_iter().map(Guest::Waiting));
    let mut found: Vec<(Guest, Rounds)> = guests.map(|guest| (guest, Rounds::default())).collect();
    for _ in plan.crowd_rounds(Part::Memory) {
        for (guest, bytes_each) in &mut found {
            bytes_each.push(bytes_of_one(plan, *guest, count).await?);
        }
    }
    notes.push(format!(
        "Growth of the server's resident memory from no connection to {count} of them, in \
         kilobytes of 1,024 bytes; two wait on each debate. What the kernel keeps for sockets is \
         not in it."
    ));
    report.bars.extend(found.iter().filter_map(|(guest, kib)| match guest {
        Guest::Idle => None,
        Guest::Waiting(transport) => {
            let what = format!("KB for each of {count} waiting over {}", transport.name());
            Some(Bar::new(what, Bound::AtMost(16.0), kib))
        }
    }));
    report.add(table(&found, notes));
    Ok(())
}

async fn offered(plan: &Plan) -> anyhow::Result<(Vec<Transport>, Vec<String>)> {
    let server = plan.binary.start(Place::New, &[])?;
    let debate = debates::open(&server, 1).await?.pop();
    let offered = match debate.map(Stage::fresh) {
        Some(stage) => Transport::offered(&server, &stage).await?,
        None => (Vec::new(), Vec::new()),
    };
    server.stop()?;
    Ok(offered)
}

/// On a new server each time: memory that one crowd gave back would hide what the next one takes.
async fn bytes_of_one(plan: &Plan, guest: Guest, count: usize) -> anyhow::Result<f64> {
    let server = plan.binary.start(Place::New, &[])?;
    let debates = debates::open(&server, count.div_ceil(EACH)).await?;
    let stages: Vec<Stage> = debates.into_iter().map(Stage::fresh).collect();
    let mut gauge = Gauge::of(&server).await?;
    warm_up(&server, &stages).await?;
    tokio::time::sleep(QUIET).await;
    let before = server.resident()?;
    let after = match guest {
        Guest::Idle => {
            let mut clients = Vec::with_capacity(count);
            for _ in 0..count {
                let mut client = Client::connect(server.address()).await?;
                client.ask(&Ask::get("/health")).await?;
                clients.push(client);
            }
            server.resident()?
        }
        Guest::Waiting(transport) => {
            let crowd = Crowd::park(&mut gauge, transport, &stages, count, EACH).await?;
            let after = server.resident()?;
            crowd.disperse(&mut gauge).await?;
            after
        }
    };
    server.stop()?;
    Ok(real(after.saturating_sub(before)) / real(count) / 1024.0)
}

/// Reads what waiters will read, so that the database's caches are full before the count begins.
async fn warm_up(server: &Server, stages: &[Stage]) -> anyhow::Result<()> {
    let polls = stages.iter().map(Stage::poll);
    let whole: Vec<Ask> = std::iter::repeat_n(polls, READERS).flatten().collect();
    let share = whole.len().div_ceil(READERS).max(1);
    let scripts = whole.chunks(share).map(|asks| Vec::from(asks).into_iter()).collect();
    load::run(server, scripts, AGES).await?;
    Ok(())
}

fn table(found: &[(Guest, Rounds)], notes: Vec<String>) -> Section {
    let idle = found.first().map(|(_, kib)| kib.clone()).unwrap_or_default();
    let row = |(guest, kib): &(Guest, Rounds)| {
        vec![
            Cell::text(guest.name()),
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
