//! Events through the documented proxy compared with events directly from the server.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::client::{Client, Request};
use crate::debates;
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Binary, DatabaseLocation, Server};
use crate::stats::{Better, Latencies, Rounds, millis};
use crate::streams::Events;
use crate::waiters::WatchedDebate;

/// The configuration of the documentation.
const CONFIGURATION: &str = include_str!("../../docs/scale/haproxy.cfg");

/// A time limit that only a hang reaches.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The delays of a stream's events, in milliseconds.
#[derive(Default)]
struct Delays {
    p50_ms: Rounds,
    p99_ms: Rounds,
}

impl Delays {
    fn push(&mut self, spans: Vec<Duration>) {
        let latencies = Latencies::new(spans);
        self.p50_ms.push(millis(latencies.percentile(50)));
        self.p99_ms.push(millis(latencies.percentile(99)));
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let address = free_address()?;
    let hosts = address.to_string();
    let allowed = [("DEBATE_ALLOWED_HOSTS", hosts.as_str())];
    let server = plan.binary.start_in(DatabaseLocation::New, &[], &allowed)?;
    let proxy = HaProxy::start(&plan.binary, address, server.address()).await?;
    let (mut direct, mut proxied) = (Delays::default(), Delays::default());
    for _ in plan.crowd_rounds(Part::Proxy) {
        let (straight, through) = follow(&server, address, plan.scale.timed_writes).await?;
        direct.push(straight);
        proxied.push(through);
    }
    drop(proxy);
    server.stop()?;
    report.add(table(&direct, &proxied));
    let what = "SSE through the documented proxy : SSE from the server, median delay";
    report.bars.push(Bar::new(what, Bound::AtMost(5.0), &proxied.p50_ms.ratio_to(&direct.p50_ms)));
    Ok(())
}

/// Claims one at a time and measures the delay of the event on each of two streams.
async fn follow(
    server: &Server,
    proxy: SocketAddr,
    writes: usize,
) -> anyhow::Result<(Vec<Duration>, Vec<Duration>)> {
    let debate = debates::open(server, 1).await?.pop().context("one debate was opened")?;
    let mut watched = WatchedDebate::fresh(debate);
    let mut writer = Client::connect(server.address()).await?;
    let mut followers = JoinSet::new();
    let mut straight = follower(server.address(), &watched, &mut followers).await?;
    let mut through = follower(proxy, &watched, &mut followers).await?;
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    for _ in 0..writes {
        let claimed = watched.claim(&mut writer).await?;
        for (arrivals, spans) in [(&mut straight, &mut direct), (&mut through, &mut proxied)] {
            let arrived = timeout(TIMEOUT, arrivals.recv()).await.context("no event arrives")?;
            let arrived = arrived.context("a stream ended")?;
            spans.push(arrived.saturating_duration_since(claimed.sent));
        }
    }
    Ok((direct, proxied))
}

/// Follows a debate from its motion and sends the arrival time of each event.
async fn follower(
    address: SocketAddr,
    watched: &WatchedDebate,
    followers: &mut JoinSet<anyhow::Result<()>>,
) -> anyhow::Result<mpsc::UnboundedReceiver<Instant>> {
    let mut events = Events::connect(address, watched.events_path()).await?;
    let (arrivals, receiver) = mpsc::unbounded_channel();
    followers.spawn(async move {
        loop {
            events.next_named("argument").await?;
            if arrivals.send(Instant::now()).is_err() {
                return Ok(());
            }
        }
    });
    Ok(receiver)
}

fn table(direct: &Delays, proxied: &Delays) -> Section {
    let row = |name: &str, delays: &Delays| {
        vec![
            Cell::text(name),
            Cell::spread(&delays.p50_ms, Better::Lower),
            Cell::spread(&delays.p99_ms, Better::Lower),
            Cell::spread(&delays.p50_ms.ratio_to(&direct.p50_ms), Better::Lower),
        ]
    };
    Section {
        title: "Proxy",
        notes: vec![
            "One claim of 1 KB at a time, from its sending until the event has arrived over a \
             stream; HAProxy with docs/scale/haproxy.cfg."
                .to_owned(),
        ],
        columns: &["stream", "p50 ms", "p99 ms", "p50 × direct"],
        rows: vec![row("from the server", direct), row("through the proxy", proxied)],
    }
}

/// The documented proxy with one server in both positions; dropping it ends the process.
struct HaProxy {
    child: Child,
    _home: TempDir,
}

impl HaProxy {
    async fn start(
        binary: &Binary,
        address: SocketAddr,
        server: SocketAddr,
    ) -> anyhow::Result<Self> {
        let mut configuration = CONFIGURATION.to_owned();
        let (front, back) = (address.to_string(), server.to_string());
        for (documented, actual) in [
            ("127.0.0.1:8080", &front),
            ("localhost:8080", &front),
            ("127.0.0.1:3456", &back),
            ("127.0.0.1:3457", &back),
        ] {
            configuration = configuration.replace(documented, actual);
        }
        let home = binary.create_dir()?;
        let file = home.path().join("haproxy.cfg");
        std::fs::write(&file, configuration)?;
        let mut command = Command::new(program("haproxy")?);
        command.arg("-db").arg("-f").arg(&file).stdin(Stdio::null());
        let proxy = Self { child: command.spawn().context("cannot run haproxy")?, _home: home };
        let exchange_with = Instant::now();
        while !is_healthy(address).await {
            if exchange_with.elapsed() > TIMEOUT {
                bail!("the proxy does not answer");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(proxy)
    }
}

impl Drop for HaProxy {
    fn drop(&mut self) {
        // Fails only if the process has ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

async fn is_healthy(address: SocketAddr) -> bool {
    match Client::connect(address).await {
        Ok(mut client) => client.exchange(&Request::get("/health")).await.is_ok(),
        Err(_) => false,
    }
}

fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Searches PATH, then Debian's folder for administration programs, which is on root's PATH only.
fn program(name: &str) -> anyhow::Result<PathBuf> {
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&in_path).collect();
    folders.push(Path::new("/usr/sbin").to_owned());
    let mut found = folders.into_iter().map(|folder| folder.join(name)).filter(|it| it.exists());
    found.next().with_context(|| format!("there is no {name}: scripts/needs {name}={name}"))
}
