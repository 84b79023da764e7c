//! A wire between a store and its server, to be cut at the worst moment.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// When the wire is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The commit reaches the server, its answer does not reach the store.
    AfterCommit,
    /// The commit does not reach the server.
    BeforeCommit,
}

/// Hands on whatever comes, until it is told to cut the next commit.
pub(crate) struct Proxy {
    address: SocketAddr,
    armed: Arc<AtomicBool>,
}

impl Proxy {
    /// Between whoever connects and the server of `url`.
    pub(crate) async fn before(url: &str, cut: Cut) -> Self {
        let server: SocketAddr = host_of(url).parse().expect("the URL names an address");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let armed = Arc::new(AtomicBool::new(false));
        let arm = Arc::clone(&armed);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server, cut, Arc::clone(&arm)));
            }
        });
        Self { address, armed }
    }

    /// The next commit is cut, and only that one.
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// Whether the cut is still to come.
    pub(crate) fn is_armed(&self) -> bool {
        self.armed.load(Ordering::SeqCst)
    }

    /// The same URL, through this wire.
    pub(crate) fn url(&self, url: &str) -> String {
        url.replace(host_of(url), &self.address.to_string())
    }
}

fn host_of(url: &str) -> &str {
    let place = url.split('@').nth(1).expect("the URL names a user");
    place.split('/').next().expect("split gives at least one part")
}

async fn carry(mut client: TcpStream, server: SocketAddr, cut: Cut, armed: Arc<AtomicBool>) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(count @ 1..) = read else { return };
                let bytes = asked.get(..count).unwrap_or_default();
                let commits = bytes.windows(6).any(|six| six == b"commit");
                if commits && armed.swap(false, Ordering::SeqCst) {
                    if cut == Cut::AfterCommit && server.write_all(bytes).await.is_ok() {
                        // Its answer means that it happened; nobody else gets to see it.
                        wait_for_commit(&mut server).await;
                    }
                    return;
                }
                if server.write_all(bytes).await.is_err() { return }
            }
            read = server.read(&mut answered) => {
                let Ok(count @ 1..) = read else { return };
                let bytes = answered.get(..count).unwrap_or_default();
                if client.write_all(bytes).await.is_err() { return }
            }
        }
    }
}

async fn wait_for_commit(server: &mut TcpStream) {
    let (mut seen, mut buffer) = (Vec::new(), vec![0; 65_536]);
    while !seen.windows(7).any(|seven| seven == b"COMMIT\0") {
        let Ok(count @ 1..) = server.read(&mut buffer).await else { return };
        seen.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
}
