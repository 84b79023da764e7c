//! Connections: accepted within bounds, served, and let go in an orderly way.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use debate_core::Network;
use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1::{self, UpgradeableConnection};
use hyper::service::{HttpService, service_fn};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

use crate::edge::Sockets;
use crate::paths::BasePath;
use crate::socket::{Patience, Phase, Socket};

/// The most bytes and headers a request's head has.
const HEAD_BYTES_MAX: usize = 16 * 1024;
const HEADERS_MAX: usize = 100;

/// What a client may drag out, and for how long.
const PATIENCE: Patience =
    Patience { head: Duration::from_secs(10), stall: Duration::from_secs(10) };

/// How long accepting rests when the system is out of file descriptors: trying at once would only
/// burn the processor that could be closing some.
const BREATHER: Duration = Duration::from_millis(100);

/// The bounds on connections.
#[derive(Debug, Clone, Copy)]
pub struct ListenerLimits {
    /// At once.
    pub connections_max: usize,
    /// At once from one network (an IPv4 address, or the 64 leading bits of an IPv6 address) that
    /// is not this machine's own.
    pub connections_per_address_max: usize,
    /// How long a connection may be idle between two requests.
    pub idle: Duration,
    /// How long open requests get to finish when the server stops.
    pub grace: Duration,
}

/// Serves until `stop` is done, then lets open requests finish, and `sockets` close. `release` lets
/// go of those who wait, once every answer says that it is the last: a client that was told to stay
/// would send its next request into a closed door.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    base_path: BasePath,
    limits: ListenerLimits,
    sockets: Sockets,
    stop: impl Future<Output = ()>,
    release: impl FnOnce(),
) {
    let door = Door::new(router, base_path, limits);
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            (stream, address, place) = door.next_client(&listener) => {
                door.let_in(stream, address, place);
            }
        }
    }
    // New clients are refused by the system, at once, and can go elsewhere.
    drop(listener);
    door.closing.send_replace(());
    release();
    let done = async { tokio::join!(door.closing.closed(), sockets.all_closed()) };
    if tokio::time::timeout(limits.grace, done).await.is_err() {
        let grace = limits.grace.as_secs();
        tracing::warn!(grace.seconds = grace, "grace period ended; open connections closed");
    }
}

struct Door {
    router: Router,
    base_path: BasePath,
    limits: ListenerLimits,
    places: Arc<Semaphore>,
    /// Rung once, when the server closes; every connection holds an end of it until it is done.
    closing: watch::Sender<()>,
    crowd: Arc<Crowd>,
}

impl Door {
    fn new(router: Router, base_path: BasePath, limits: ListenerLimits) -> Self {
        let places = Arc::new(Semaphore::new(limits.connections_max));
        let (closing, crowd) = (watch::Sender::new(()), Arc::default());
        Self { router, base_path, limits, places, closing, crowd }
    }

    /// Waits for a free place first: who comes meanwhile waits in the system's queue.
    async fn next_client(
        &self,
        listener: &TcpListener,
    ) -> (TcpStream, IpAddr, OwnedSemaphorePermit) {
        let place =
            Arc::clone(&self.places).acquire_owned().await.expect("nobody closes this semaphore");
        loop {
            match listener.accept().await {
                Ok((stream, address)) => return (stream, address.ip(), place),
                Err(err) => {
                    tracing::warn!(error = %err, "accepting a connection failed");
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
    }

    fn let_in(&self, stream: TcpStream, address: IpAddr, place: OwnedSemaphorePermit) {
        let Some(guest) = self.crowd.admit(address, self.limits.connections_per_address_max) else {
            tracing::warn!(
                client.address = %address,
                "too many connections from one network; refused"
            );
            return;
        };
        if let Err(err) = stream.set_nodelay(true) {
            tracing::debug!(error = %err, "client disconnected before its first request");
            return;
        }
        // Shared with each request: one that becomes a socket keeps its place to the socket's end.
        let held = Arc::new(Held::new(place, guest));
        let phase = Arc::new(Phase::new(self.closing.subscribe()));
        let io = TokioIo::new(Socket::new(stream, Arc::clone(&phase), PATIENCE));
        let (router, base_path) = (self.router.clone(), self.base_path.clone());
        let shared = Arc::clone(&held);
        let service = service_fn(move |mut request: Request<Incoming>| {
            phase.begin();
            base_path.normalize(&mut request);
            request.extensions_mut().insert(Arc::clone(&shared));
            request.extensions_mut().insert(Peer(address));
            let phase = Arc::clone(&phase);
            // Mapped, not awaited in a block: a block would keep the request's room beside its
            // answer's for as long as a waiter waits.
            router.clone().oneshot(request).map(
                move |answer: Result<Response<Body>, Infallible>| {
                    answer.map(|answer| begun(answer, &phase))
                },
            )
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            .max_headers(HEADERS_MAX)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(io, service)
            .with_upgrades();
        let closing = self.closing.subscribe();
        // Boxed, so that it exists once: moved into an async block it would be there twice.
        let connection = Box::pin(connection);
        tokio::spawn(async move {
            let _held = held;
            if let Err(err) = finish(connection, closing).await {
                tracing::debug!(error = %err, "connection closed early");
            }
        });
    }
}

/// Serves a connection to its end; once the server closes, to the end of what is being answered.
async fn finish<S>(
    mut connection: Pin<Box<UpgradeableConnection<TokioIo<Socket>, S>>>,
    mut closing: watch::Receiver<()>,
) -> hyper::Result<()>
where
    S: HttpService<Incoming, ResBody = Body>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    tokio::select! {
        // In this order: what has come is read, since a connection that is told before it has read
        // anything closes without an answer.
        biased;
        outcome = &mut connection => return outcome,
        _ = closing.changed() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// An answer is there. It is marked here if it is the last: who is let go because the server closes
/// may have its answer before its connection hears of it.
fn begun(mut answer: Response<Body>, phase: &Phase) -> Response<Body> {
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        phase.upgrade();
        return answer;
    }
    phase.end();
    if phase.is_last() {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

/// Who is at the other end of a request's connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// A connection's place in the house, and at its address.
pub(crate) struct Held {
    _place: OwnedSemaphorePermit,
    _guest: Guest,
}

/// The gauge of open connections; one that became a WebSocket stays among them.
const CONNECTIONS: &str = "aw_connections";

impl Held {
    fn new(place: OwnedSemaphorePermit, guest: Guest) -> Self {
        metrics::gauge!(CONNECTIONS).increment(1.0);
        Self { _place: place, _guest: guest }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        metrics::gauge!(CONNECTIONS).decrement(1.0);
    }
}

/// Who is connected, by network.
#[derive(Debug, Default)]
struct Crowd(Mutex<HashMap<Network, usize>>);

impl Crowd {
    /// This machine's own clients are not counted: they are all one address, and trusted to be
    /// many.
    fn admit(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Guest> {
        let network = Network::of(address);
        if network.is_loopback() {
            return Some(Guest { counted: None });
        }
        let mut crowd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = crowd.entry(network).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Guest { counted: Some((Arc::clone(self), network)) })
    }

    fn leave(&self, network: Network) {
        let mut crowd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = crowd.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                crowd.remove(&network);
            }
        }
    }
}

struct Guest {
    counted: Option<(Arc<Crowd>, Network)>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some((crowd, network)) = self.counted.take() {
            crowd.leave(network);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;

    use super::*;

    const LIMITS: ListenerLimits = ListenerLimits {
        connections_max: 1,
        connections_per_address_max: 1,
        idle: Duration::from_mins(1),
        grace: Duration::from_mins(1),
    };

    /// A client that has asked, and the listener that it asked at.
    async fn asked() -> (TcpStream, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let mut client = TcpStream::connect(address).await.expect("it listens");
        client.write_all(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("there is room");
        (client, listener)
    }

    async fn assert_told_that_it_is_the_last(mut client: TcpStream) {
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.expect("it answers and closes");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer:?}");
        let marks = answer.to_ascii_lowercase().matches("connection: close").count();
        assert_eq!(marks, 1, "{answer}");
    }

    /// The server closes while a waiter looks around for the last time before it would wait: its
    /// connection has not heard of it when the answer is there.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn whoever_is_let_go_is_told_that_it_is_the_last_answer() {
        let begun = Arc::new(Notify::new());
        let (released, let_go) = mpsc::channel();
        let let_go = Arc::new(Mutex::new(let_go));
        let stop = Arc::clone(&begun);
        let waiter = move || async move {
            begun.notify_one();
            // In one go, so that nothing else of its connection happens in between.
            tokio::task::block_in_place(|| {
                let let_go = let_go.lock().expect("one waits at a time");
                let_go.recv().expect("the server closes");
            });
        };
        let (client, listener) = asked().await;
        let serving = tokio::spawn(serve(
            listener,
            Router::new().route("/wait", get(waiter)),
            BasePath::default(),
            LIMITS,
            Sockets::new(1),
            async move { stop.notified().await },
            move || released.send(()).expect("someone waits"),
        ));
        assert_told_that_it_is_the_last(client).await;
        serving.await.expect("it ends well");
    }

    #[tokio::test]
    async fn what_came_before_the_server_closed_is_answered() {
        let router = Router::new().route("/wait", get(|| async {}));
        let door = Door::new(router, BasePath::default(), LIMITS);
        let (client, listener) = asked().await;
        let (stream, address, place) = door.next_client(&listener).await;
        stream.readable().await.expect("it has asked");
        // In one go, so that the connection hears of both at the same time.
        door.let_in(stream, address, place);
        door.closing.send_replace(());
        assert_told_that_it_is_the_last(client).await;
    }

    /// M4: a client has as many IPv6 addresses as it likes, and one network.
    #[test]
    fn addresses_of_one_network_share_its_connections() {
        let crowd = Arc::new(Crowd::default());
        let address = |text: &str| text.parse::<IpAddr>().expect("it is an address");
        let first = crowd.admit(address("2001:db8:1:2::1"), 2);
        let second = crowd.admit(address("2001:db8:1:2:ffff::2"), 2);
        assert!(first.is_some() && second.is_some());
        assert!(crowd.admit(address("2001:db8:1:2::3"), 2).is_none());
        assert!(crowd.admit(address("2001:db8:1:3::1"), 2).is_some(), "another network");
        drop(first);
        assert!(crowd.admit(address("2001:db8:1:2::3"), 2).is_some());
        for _ in 0..3 {
            assert!(crowd.admit(address("::1"), 0).is_some(), "this machine is not counted");
        }
    }
}
