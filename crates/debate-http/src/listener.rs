//! Connections: accepted within limits, served, and closed in order at shutdown.

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

use crate::app_state::SocketLimit;
use crate::paths::BasePath;
use crate::socket::{Phase, Socket, StallLimits};

/// The most bytes and headers a request's head has.
const HEAD_BYTES_MAX: usize = 16 * 1024;
const HEADERS_MAX: usize = 100;

/// The limits on slow clients.
const STALL_LIMITS: StallLimits =
    StallLimits { head: Duration::from_secs(10), stall: Duration::from_secs(10) };

/// The pause after a failed accept, for example without file descriptors. An immediate retry would
/// take CPU time from connections that are closing.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// The limits on connections.
#[derive(Debug, Clone, Copy)]
pub struct ListenerLimits {
    /// The maximum number of open connections.
    pub connections_max: usize,
    /// The maximum per network (an IPv4 address, or the 64 leading bits of an IPv6 address) that
    /// is not this machine's own.
    pub connections_per_address_max: usize,
    /// The maximum idle time between two requests.
    pub idle: Duration,
    /// The time that open requests have to finish when the server stops.
    pub grace: Duration,
}

/// Serves until `stop` is done, then lets open requests finish and `sockets` close. `release` ends
/// the waits of clients after every response closes its connection: a client with an open
/// connection would send its next request to a closed server.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    base_path: BasePath,
    limits: ListenerLimits,
    sockets: SocketLimit,
    stop: impl Future<Output = ()>,
    release: impl FnOnce(),
) {
    let acceptor = Acceptor::new(router, base_path, limits);
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            (stream, address, permit) = acceptor.next_client(&listener) => {
                acceptor.serve_client(stream, address, permit);
            }
        }
    }
    // The system refuses new clients at once, so that they can try another server.
    drop(listener);
    acceptor.closing.send_replace(());
    release();
    let done = async { tokio::join!(acceptor.closing.closed(), sockets.wait_until_closed()) };
    if tokio::time::timeout(limits.grace, done).await.is_err() {
        let grace = limits.grace.as_secs();
        tracing::warn!(grace.seconds = grace, "grace period ended; open connections closed");
    }
}

struct Acceptor {
    router: Router,
    base_path: BasePath,
    limits: ListenerLimits,
    permits: Arc<Semaphore>,
    /// Changes once, when the server closes. Every connection holds a receiver until it has ended.
    closing: watch::Sender<()>,
    counter: Arc<ConnectionCounter>,
}

impl Acceptor {
    fn new(router: Router, base_path: BasePath, limits: ListenerLimits) -> Self {
        let permits = Arc::new(Semaphore::new(limits.connections_max));
        let (closing, counter) = (watch::Sender::new(()), Arc::default());
        Self { router, base_path, limits, permits, closing, counter }
    }

    /// Waits for a free permit first; new clients wait in the system's queue meanwhile.
    async fn next_client(
        &self,
        listener: &TcpListener,
    ) -> (TcpStream, IpAddr, OwnedSemaphorePermit) {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.expect("the semaphore is never closed");
        loop {
            match listener.accept().await {
                Ok((stream, address)) => return (stream, address.ip(), permit),
                Err(err) => {
                    tracing::warn!(error = %err, "accepting a connection failed");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
    }

    fn serve_client(&self, stream: TcpStream, address: IpAddr, permit: OwnedSemaphorePermit) {
        let Some(counted) = self.counter.admit(address, self.limits.connections_per_address_max)
        else {
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
        // Shared with each request: one that becomes a socket keeps its permit until the socket
        // closes.
        let held = Arc::new(ConnectionPermit::new(permit, counted));
        let phase = Arc::new(Phase::new(self.closing.subscribe()));
        let io = TokioIo::new(Socket::new(stream, Arc::clone(&phase), STALL_LIMITS));
        let (router, base_path) = (self.router.clone(), self.base_path.clone());
        let shared = Arc::clone(&held);
        let service = service_fn(move |mut request: Request<Incoming>| {
            phase.begin();
            base_path.normalize(&mut request);
            request.extensions_mut().insert(Arc::clone(&shared));
            request.extensions_mut().insert(PeerAddress(address));
            let phase = Arc::clone(&phase);
            // Mapped, not awaited in a block: a block would keep the request's memory beside its
            // answer's for as long as a waiter waits.
            router.clone().oneshot(request).map(
                move |answer: Result<Response<Body>, Infallible>| {
                    answer.map(|answer| mark_last_response(answer, &phase))
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

/// Serves a connection to its end; after the server closes, to the end of the current response.
async fn finish<S>(
    mut connection: Pin<Box<UpgradeableConnection<TokioIo<Socket>, S>>>,
    mut closing: watch::Receiver<()>,
) -> hyper::Result<()>
where
    S: HttpService<Incoming, ResBody = Body>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    tokio::select! {
        // In this order: received bytes are read first, because a connection that shuts down
        // before its first read closes without a response.
        biased;
        outcome = &mut connection => return outcome,
        _ = closing.changed() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// Marks the last response of a connection. A client whose wait ends because the server closes may
/// have its response before its connection is notified.
fn mark_last_response(mut answer: Response<Body>, phase: &Phase) -> Response<Body> {
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

/// The address of a request's TCP peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) IpAddr);

/// The permits that an open connection holds.
pub(crate) struct ConnectionPermit {
    _permit: OwnedSemaphorePermit,
    _counted: CountedConnection,
}

/// The gauge of open connections; one that became a WebSocket stays among them.
const CONNECTIONS: &str = "aw_connections";

impl ConnectionPermit {
    fn new(permit: OwnedSemaphorePermit, counted: CountedConnection) -> Self {
        metrics::gauge!(CONNECTIONS).increment(1.0);
        Self { _permit: permit, _counted: counted }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        metrics::gauge!(CONNECTIONS).decrement(1.0);
    }
}

/// The number of open connections per network.
#[derive(Debug, Default)]
struct ConnectionCounter(Mutex<HashMap<Network, usize>>);

impl ConnectionCounter {
    /// Clients on this machine are not counted: they share one address and are trusted.
    fn admit(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<CountedConnection> {
        let network = Network::from_address(address);
        if network.is_loopback() {
            return Some(CountedConnection { counted: None });
        }
        let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counter.entry(network).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(CountedConnection { counted: Some((Arc::clone(self), network)) })
    }

    fn leave(&self, network: Network) {
        let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counter.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                counter.remove(&network);
            }
        }
    }
}

struct CountedConnection {
    counted: Option<(Arc<ConnectionCounter>, Network)>,
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        if let Some((counter, network)) = self.counted.take() {
            counter.leave(network);
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

    /// A client that has sent a request, and its listener.
    async fn connect_and_request() -> (TcpStream, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let mut client = TcpStream::connect(address).await.expect("it listens");
        client.write_all(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("there is room");
        (client, listener)
    }

    async fn assert_marked_as_last_response(mut client: TcpStream) {
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.expect("it answers and closes");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer:?}");
        let marks = answer.to_ascii_lowercase().matches("connection: close").count();
        assert_eq!(marks, 1, "{answer}");
    }

    /// The server closes while a waiter reads for the last time before it waits: its connection is
    /// not notified yet when the response exists.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn response_at_shutdown_closes_the_connection() {
        let begun = Arc::new(Notify::new());
        let (released, let_go) = mpsc::channel();
        let let_go = Arc::new(Mutex::new(let_go));
        let stop = Arc::clone(&begun);
        let waiter = move || async move {
            begun.notify_one();
            // Without an await, so that the connection makes no other step in between.
            tokio::task::block_in_place(|| {
                let let_go = let_go.lock().expect("one waits at a time");
                let_go.recv().expect("the server closes");
            });
        };
        let (client, listener) = connect_and_request().await;
        let serving = tokio::spawn(serve(
            listener,
            Router::new().route("/wait", get(waiter)),
            BasePath::default(),
            LIMITS,
            SocketLimit::new(1),
            async move { stop.notified().await },
            move || released.send(()).expect("someone waits"),
        ));
        assert_marked_as_last_response(client).await;
        serving.await.expect("it ends well");
    }

    #[tokio::test]
    async fn request_received_before_shutdown_is_answered() {
        let router = Router::new().route("/wait", get(|| async {}));
        let acceptor = Acceptor::new(router, BasePath::default(), LIMITS);
        let (client, listener) = connect_and_request().await;
        let (stream, address, permit) = acceptor.next_client(&listener).await;
        stream.readable().await.expect("it has asked");
        // Without an await, so that the connection sees both changes at the same time.
        acceptor.serve_client(stream, address, permit);
        acceptor.closing.send_replace(());
        assert_marked_as_last_response(client).await;
    }

    /// M4: a client has as many IPv6 addresses as it likes, and one network.
    #[test]
    fn addresses_of_one_network_share_its_connections() {
        let counter = Arc::new(ConnectionCounter::default());
        let address = |text: &str| text.parse::<IpAddr>().expect("it is an address");
        let first = counter.admit(address("2001:db8:1:2::1"), 2);
        let second = counter.admit(address("2001:db8:1:2:ffff::2"), 2);
        assert!(first.is_some() && second.is_some());
        assert!(counter.admit(address("2001:db8:1:2::3"), 2).is_none());
        assert!(counter.admit(address("2001:db8:1:3::1"), 2).is_some(), "another network");
        drop(first);
        assert!(counter.admit(address("2001:db8:1:2::3"), 2).is_some());
        for _ in 0..3 {
            assert!(counter.admit(address("::1"), 0).is_some(), "this machine is not counted");
        }
    }
}
