//! F17: repeated orderly stops under load.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use futures_util::StreamExt;
use rustix::process::Signal;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Answer, Reply};
use crate::draft::Draft;
use crate::history::{Micros, Transport};
use crate::load::Load;
use crate::raw::RawConnection;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::{KnownDebate, SharedState};
use crate::subscribers::SubscriberSettings;
use crate::writers::{WriterSettings, new_motion, open_debates};

/// Clients per kind that have an operation under way when the server receives SIGTERM.
const CLIENTS_PER_KIND: usize = 12;

/// The server's grace period is 10 s; with well-behaved clients it never needs it.
const STOP_MAX: Duration = Duration::from_secs(12);

/// The time limit of an immediate end on a busy machine.
const AT_ONCE_MAX: Duration = Duration::from_secs(3);

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let rounds = plan.by_tier(5, 40);
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.start().await?;
    let settings =
        SubscriberSettings { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start(&server, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;
    let quiet = Arc::new(SharedState::new(server.api.clone()));
    let debates = open_debates(&quiet, CLIENTS_PER_KIND, &mut rng).await;

    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        tokio::time::sleep(Duration::from_millis(rng.u64(200..900))).await;
        let guests =
            BusyClients::connect(&load.shared, &debates, &plan.transports, &mut rng).await?;
        server.signal(Signal::TERM)?;
        let begun = std::time::Instant::now();
        wait_until_closed(&server).await?;
        guests.check_stop(&load.shared, report).await?;
        let status = server.wait_for_exit(STOP_MAX).await?;
        report.expect(status.success(), format!("round {round}: it ended with {status}"));
        slowest = slowest.max(begun.elapsed());
        server.restart().await?;
    }
    report.fact(format!("{rounds} stops, the slowest took {slowest:?}"));
    load.finish(report).await?;
    check_second_signal(&mut server, &quiet, &mut rng, report).await?;
    server.restart().await?;
    server.stop_and_inspect().await?;
    Ok(())
}

/// Clients in the middle of operations that a correct server completes before its end.
struct BusyClients {
    waiting: Vec<RawConnection>,
    streams: Vec<RawConnection>,
    sockets: Vec<WebSocketStream<TcpStream>>,
    half_said: Vec<PartialRequest>,
}

/// A request whose body is incomplete, although the server has begun to read it.
struct PartialRequest {
    wire: RawConnection,
    draft: Draft,
    rest: String,
    t_start: Micros,
}

impl BusyClients {
    async fn connect(
        shared: &Arc<SharedState>,
        debates: &[KnownDebate],
        transports: &[Transport],
        rng: &mut fastrand::Rng,
    ) -> anyhow::Result<Self> {
        let address = &shared.api().address;
        let (mut waiting, mut streams, mut sockets) = (Vec::new(), Vec::new(), Vec::new());
        for KnownDebate { debate, newest, seq, .. } in debates {
            if transports.contains(&Transport::Wait) {
                let mut wire = RawConnection::open(address).await?;
                let path = format!("/debates/{debate}/wait?role=opponent&argument_id={newest}");
                wire.get(&path, "").await?;
                waiting.push(wire);
            }
            if transports.contains(&Transport::Sse) {
                let mut wire = RawConnection::open(address).await?;
                wire.get(&format!("/debates/{debate}/events?after={newest}"), "").await?;
                let head = wire.head(HANG_TIMEOUT).await?;
                ensure!(head.starts_with("HTTP/1.1 200 "), "a stream was refused: {head}");
                streams.push(wire);
            }
            if transports.contains(&Transport::Ws) {
                let wire = RawConnection::open(address).await?;
                sockets.push(wire.upgrade(&format!("debate_id={debate}&after_seq={seq}")).await?);
            }
        }
        let mut half_said = Vec::new();
        for _ in 0..CLIENTS_PER_KIND {
            half_said.push(PartialRequest::begin(shared, new_motion(shared, rng)).await?);
        }
        wait_for_waiters(shared, waiting.len()).await?;
        Ok(Self { waiting, streams, sockets, half_said })
    }

    async fn check_stop(self, shared: &SharedState, report: &mut Report) -> anyhow::Result<()> {
        let mut misled = 0;
        for mut wire in self.waiting {
            let told = wire.reply(HANG_TIMEOUT).await.context("a waiter was not answered")?;
            let nothing = told.has_new_argument();
            let is_right = (told.status, nothing) == (200, Some(false));
            report.expect(is_right, format!("a waiter was told: {} {}", told.status, told.body));
            let check_refusals = told.head.to_ascii_lowercase().contains("connection: close");
            misled += u32::from(!check_refusals);
        }
        report.expect(
            misled == 0,
            format!(
                "{misled} waiters were let go without a word that the connection closes, so that \
                 their next request is lost with it"
            ),
        );
        for mut wire in self.streams {
            let (rest, orderly) =
                wire.read_to_end(HANG_TIMEOUT).await.context("a stream was left open")?;
            let is_whole = orderly && rest.ends_with("0\r\n\r\n");
            report.expect(is_whole, format!("a stream was torn off: {rest:?}"));
        }
        for socket in self.sockets {
            let code = closing_code(socket).await?;
            report.expect(code == Some(1001), format!("a socket was closed with {code:?}"));
        }
        for half_said in self.half_said {
            let status = half_said.finish(shared).await?;
            report.expect(status == 201, format!("a request under way was answered {status}"));
        }
        Ok(())
    }
}

impl PartialRequest {
    async fn begin(shared: &SharedState, draft: Draft) -> anyhow::Result<Self> {
        let body = draft.body().to_string();
        let t_start = shared.history.now();
        let mut wire = RawConnection::open(&shared.api().address).await?;
        wire.post_head(&draft.path(), body.len()).await?;
        let told = wire.reply(HANG_TIMEOUT).await?;
        ensure!(told.status == 100, "a request was not taken up: {}", told.head);
        let (first, rest) = body.split_at(10);
        wire.send(first).await?;
        Ok(Self { wire, draft, rest: rest.to_owned(), t_start })
    }

    async fn finish(mut self, shared: &SharedState) -> anyhow::Result<u16> {
        self.wire.send(&self.rest).await?;
        let told =
            self.wire.reply(HANG_TIMEOUT).await.context("a request under way was cut off")?;
        let status = told.status;
        let replayed = told.head.to_ascii_lowercase().contains("idempotent-replayed: true");
        let reply =
            Reply { status: status.try_into()?, replayed, retry_after: None, body: told.body };
        let client = shared.number();
        shared.record(client, &self.draft, self.t_start, Answer::Answered(reply));
        Ok(status)
    }
}

async fn wait_for_waiters(shared: &SharedState, count: usize) -> anyhow::Result<()> {
    let wanted = u64::try_from(count)?;
    let look = async {
        loop {
            let text = shared.api().stream("/metrics").send().await?.text().await?;
            let figure = text.lines().find_map(|line| line.strip_prefix("aw_waiters "));
            if figure.and_then(|figure| figure.parse().ok()).is_some_and(|n: u64| n >= wanted) {
                return anyhow::Ok(());
            }
        }
    };
    tokio::time::timeout(HANG_TIMEOUT, look).await.context("the guests never wait")?
}

async fn wait_until_closed(server: &Server) -> anyhow::Result<()> {
    let look = async { while TcpStream::connect(&server.api.address).await.is_ok() {} };
    tokio::time::timeout(HANG_TIMEOUT, look).await.context("it goes on listening")
}

async fn closing_code(mut socket: WebSocketStream<TcpStream>) -> anyhow::Result<Option<u16>> {
    let read = async {
        while let Some(message) = socket.next().await {
            match message {
                Ok(Message::Close(frame)) => return frame.map(|frame| u16::from(frame.code)),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
        None
    };
    tokio::time::timeout(HANG_TIMEOUT, read).await.context("a socket was left open")
}

/// A second signal ends the server without waiting for clients.
async fn check_second_signal(
    server: &mut Server,
    shared: &Arc<SharedState>,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    // A client that an orderly stop would wait for.
    let _held = PartialRequest::begin(shared, new_motion(shared, rng)).await?;
    server.signal(Signal::TERM)?;
    wait_until_closed(server).await?;
    server.signal(Signal::TERM)?;
    let status = server.wait_for_exit(AT_ONCE_MAX).await.context("after the second signal")?;
    report.fact(format!("after a second signal it ended with {status}"));
    Ok(())
}
