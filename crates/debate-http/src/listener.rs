//! Connections: accepted within bounds, served, and let go in an orderly way.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

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
    /// At once from one address that is not this machine's own.
    pub connections_per_address_max: usize,
    /// How long a connection may be idle between two requests.
    pub idle: Duration,
    /// How long open requests get to finish when the server stops.
    pub grace: Duration,
}

/// Serves until `stop` is done, then lets open requests finish.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ListenerLimits,
    stop: impl Future<Output = ()>,
) {
    let door = Door {
        router,
        limits,
        places: Arc::new(Semaphore::new(limits.connections_max)),
        crowd: Arc::default(),
    };
    let connections = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            (stream, address, place) = door.next_client(&listener) => {
                door.let_in(stream, address, place, &connections);
            }
        }
    }
    // New clients are refused by the system, at once, and can go elsewhere.
    drop(listener);
    if tokio::time::timeout(limits.grace, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time and were cut off");
    }
}

struct Door {
    router: Router,
    limits: ListenerLimits,
    places: Arc<Semaphore>,
    crowd: Arc<Crowd>,
}

impl Door {
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
                    tracing::warn!(error = %err, "a connection could not be accepted");
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
    }

    fn let_in(
        &self,
        stream: TcpStream,
        address: IpAddr,
        place: OwnedSemaphorePermit,
        connections: &GracefulShutdown,
    ) {
        let Some(guest) = self.crowd.admit(address, self.limits.connections_per_address_max) else {
            tracing::warn!(client.address = %address, "too many connections from one address");
            return;
        };
        if let Err(err) = stream.set_nodelay(true) {
            tracing::debug!(error = %err, "a client was gone before it was served");
            return;
        }
        let phase = Arc::new(Phase::default());
        let io = TokioIo::new(Socket::new(stream, Arc::clone(&phase), PATIENCE));
        let router = self.router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let (router, phase) = (router.clone(), Arc::clone(&phase));
            phase.begin();
            async move {
                let answer: Result<Response<Body>, _> = router.oneshot(request).await;
                phase.end();
                answer
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            .max_headers(HEADERS_MAX)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(io, service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            let _held = (place, guest);
            if let Err(err) = connection.await {
                tracing::debug!(error = %err, "a connection ended early");
            }
        });
    }
}

/// Who is connected, by address.
#[derive(Debug, Default)]
struct Crowd(Mutex<HashMap<IpAddr, usize>>);

impl Crowd {
    /// This machine's own clients are not counted: they are all one address, and trusted to be
    /// many.
    fn admit(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Guest> {
        if address.is_loopback() {
            return Some(Guest { counted: None });
        }
        let mut crowd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = crowd.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Guest { counted: Some((Arc::clone(self), address)) })
    }

    fn leave(&self, address: IpAddr) {
        let mut crowd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = crowd.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                crowd.remove(&address);
            }
        }
    }
}

struct Guest {
    counted: Option<(Arc<Crowd>, IpAddr)>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some((crowd, address)) = self.counted.take() {
            crowd.leave(address);
        }
    }
}
