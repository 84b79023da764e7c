//! A proxy between PostgreSQL and its clients that can cut connections around a commit.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context;

/// The number of bytes that are forwarded at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// A simple query `commit` as encoded in the protocol; the word also occurs in settings.
const COMMIT: &[u8] = b"Q\0\0\0\x0bcommit\0";

/// The server's responses to the end of a transaction.
const OVER: [&[u8]; 2] = [b"COMMIT\0", b"ROLLBACK\0"];

/// The point at which a commit is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The commit reaches the server; its response does not reach the client.
    AfterCommit,
    /// The commit does not reach the server.
    BeforeCommit,
}

/// Forwards all bytes until a cut is armed. Dropping it closes every connection through it.
pub struct Proxy {
    url: String,
    address: SocketAddr,
    connections: Arc<Connections>,
}

impl Proxy {
    /// Starts a proxy to the server of `url`, which names a user and an address.
    pub fn start(url: &str) -> anyhow::Result<Self> {
        let place = url.split('@').nth(1).and_then(|rest| rest.split('/').next());
        let place = place.with_context(|| format!("{url} names no user, or no server"))?;
        let server: SocketAddr = place.parse().with_context(|| format!("{place}: no address"))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let connections =
            Arc::new(Connections { server, state: Mutex::default(), thawed: Condvar::new() });
        let accepting = Arc::clone(&connections);
        thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.hold().is_over {
                    return;
                }
                // The client disconnected before it was accepted.
                let Ok(client) = client else { continue };
                accepting.connect(&client).ok();
            }
        });
        Ok(Self { url: url.replace(place, &address.to_string()), address, connections })
    }

    /// The server's URL, through this proxy.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts the next commit of a write, and only that one.
    pub fn arm(&self, cut: Cut) {
        self.connections.hold().armed = Some(cut);
    }

    /// Like `arm`, and closes the proxy to new connections at the cut.
    pub fn arm_and_close(&self, cut: Cut) {
        let mut state = self.connections.hold();
        (state.armed, state.closes) = (Some(cut), true);
    }

    /// Whether the cut has not happened yet.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.connections.hold().armed.is_some()
    }

    /// Cuts every open connection.
    pub fn cut_all(&self) {
        self.connections.hold().cut_all();
    }

    /// Cuts every connection and closes new ones immediately.
    pub fn close(&self) {
        let mut state = self.connections.hold();
        state.traffic = Traffic::Closed;
        state.cut_all();
    }

    /// Accepts connections again and forwards the bytes that were held back.
    pub fn open(&self) {
        self.connections.hold().traffic = Traffic::Open;
        self.connections.thawed.notify_all();
    }

    /// Accepts connections and bytes but forwards nothing, like a server whose
    /// processes are all stopped.
    pub fn freeze(&self) {
        self.connections.hold().traffic = Traffic::Frozen;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let mut state = self.connections.hold();
        (state.is_over, state.traffic) = (true, Traffic::Closed);
        state.cut_all();
        drop(state);
        self.connections.thawed.notify_all();
        // The accepting thread checks for the end only after a connection.
        TcpStream::connect(self.address).ok();
    }
}

/// All connections through one proxy.
struct Connections {
    server: SocketAddr,
    state: Mutex<State>,
    thawed: Condvar,
}

/// The treatment of connections and bytes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Traffic {
    /// Connections and bytes are forwarded.
    #[default]
    Open,
    /// New connections are closed.
    Closed,
    /// Connections and bytes are accepted and held back.
    Frozen,
}

#[derive(Default)]
struct State {
    armed: Option<Cut>,
    /// Whether the cut also closes the proxy to new connections.
    closes: bool,
    traffic: Traffic,
    is_over: bool,
    /// The two sockets of each connection, by number.
    ends: HashMap<u64, [TcpStream; 2]>,
    numbers: u64,
}

impl State {
    fn cut_all(&mut self) {
        self.ends.drain().for_each(|(_, ends)| shut(&ends));
    }
}

impl Connections {
    fn hold(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(self: &Arc<Self>, client: &TcpStream) -> std::io::Result<()> {
        let server = TcpStream::connect(self.server)?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let mut state = self.hold();
        if state.traffic == Traffic::Closed || state.is_over {
            return Ok(());
        }
        state.numbers += 1;
        let number = state.numbers;
        state.ends.insert(number, [client.try_clone()?, server.try_clone()?]);
        drop(state);
        let is_response_cut = Arc::new(AtomicBool::new(false));
        let up = Direction { from: client.try_clone()?, to: server.try_clone()? };
        let down = Direction { from: server, to: client.try_clone()? };
        for forwarding in [Forwarding::Up(up), Forwarding::Down(down)] {
            let (connections, is_response_cut) = (Arc::clone(self), Arc::clone(&is_response_cut));
            thread::spawn(move || {
                // Every end of one direction ends the whole connection.
                match forwarding {
                    Forwarding::Up(up) => up.forward_requests(&connections, &is_response_cut).ok(),
                    Forwarding::Down(down) => {
                        down.forward_responses(&connections, &is_response_cut).ok()
                    }
                };
                if let Some(ends) = connections.hold().ends.remove(&number) {
                    shut(&ends);
                }
            });
        }
        Ok(())
    }

    fn wait_while_frozen(&self) {
        let state = self.thawed.wait_while(self.hold(), |state| state.traffic == Traffic::Frozen);
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }

    fn take_cut(&self) -> Option<Cut> {
        let mut state = self.hold();
        let cut = state.armed.take()?;
        if std::mem::take(&mut state.closes) {
            state.traffic = Traffic::Closed;
        }
        Some(cut)
    }
}

fn shut(ends: &[TcpStream; 2]) {
    for end in ends {
        // Fails only if the other side has closed the socket.
        end.shutdown(Shutdown::Both).ok();
    }
}

enum Forwarding {
    Up(Direction),
    Down(Direction),
}

struct Direction {
    from: TcpStream,
    to: TcpStream,
}

impl Direction {
    fn forward_requests(
        mut self,
        connections: &Connections,
        is_response_cut: &AtomicBool,
    ) -> std::io::Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut only_reads = false;
        loop {
            let bytes = read(&mut self.from, &mut buffer)?;
            connections.wait_while_frozen();
            if contains(bytes, b"begin") {
                only_reads = contains(bytes, b"read only");
            }
            let commits = contains(bytes, COMMIT) && !only_reads;
            match commits.then(|| connections.take_cut()).flatten() {
                None => {}
                Some(Cut::BeforeCommit) => return Ok(()),
                // Set before the commit is forwarded, since its response must not get through.
                Some(Cut::AfterCommit) => is_response_cut.store(true, Ordering::SeqCst),
            }
            self.to.write_all(bytes)?;
        }
    }

    fn forward_responses(
        mut self,
        connections: &Connections,
        is_response_cut: &AtomicBool,
    ) -> std::io::Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut unsaid = Vec::new();
        while !OVER.iter().any(|word| contains(&unsaid, word)) {
            let bytes = read(&mut self.from, &mut buffer)?;
            connections.wait_while_frozen();
            if is_response_cut.load(Ordering::SeqCst) {
                unsaid.extend_from_slice(bytes);
            } else {
                self.to.write_all(bytes)?;
            }
        }
        Ok(())
    }
}

/// The bytes of one read; the end of the stream is an error.
fn read<'b>(from: &mut TcpStream, buffer: &'b mut [u8]) -> std::io::Result<&'b [u8]> {
    match from.read(buffer)? {
        0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
        count => Ok(buffer.get(..count).unwrap_or_default()),
    }
}

fn contains(bytes: &[u8], words: &[u8]) -> bool {
    bytes.windows(words.len()).any(|window| window == words)
}
