//! A wire between a client of PostgreSQL and its server, to be cut at the worst moment.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context;

/// As much as is handed on at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// A question of this word alone, as it is on the wire; the word itself is in many a setting.
const COMMIT: &[u8] = b"Q\0\0\0\x0bcommit\0";

/// What the server says when a transaction is over, well or not.
const OVER: [&[u8]; 2] = [b"COMMIT\0", b"ROLLBACK\0"];

/// When a commit is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It reaches the server, its answer does not reach the client.
    AfterCommit,
    /// It does not reach the server.
    BeforeCommit,
}

/// Hands on whatever comes, until it is told to cut. Ends with this value, and every connection
/// through it too.
pub struct Proxy {
    url: String,
    address: SocketAddr,
    wires: Arc<Wires>,
}

impl Proxy {
    /// Between whoever connects and the server of `url`, which names a user and an address.
    pub fn before(url: &str) -> anyhow::Result<Self> {
        let place = url.split('@').nth(1).and_then(|rest| rest.split('/').next());
        let place = place.with_context(|| format!("{url} names no user, or no server"))?;
        let server: SocketAddr = place.parse().with_context(|| format!("{place}: no address"))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let wires = Arc::new(Wires { server, state: Mutex::default(), thawed: Condvar::new() });
        let accepting = Arc::clone(&wires);
        thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.hold().is_over {
                    return;
                }
                // A client that is gone again needs no wire.
                let Ok(client) = client else { continue };
                accepting.connect(&client).ok();
            }
        });
        Ok(Self { url: url.replace(place, &address.to_string()), address, wires })
    }

    /// The server's URL, through this wire.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next commit of something written is cut, and only that one.
    pub fn arm(&self, cut: Cut) {
        self.wires.hold().armed = Some(cut);
    }

    /// As `arm`, and from then on nobody new comes through.
    pub fn arm_and_close(&self, cut: Cut) {
        let mut state = self.wires.hold();
        (state.armed, state.closes) = (Some(cut), true);
    }

    /// Whether the cut is still to come.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.wires.hold().armed.is_some()
    }

    /// Cuts every connection there is.
    pub fn cut_all(&self) {
        self.wires.hold().cut_all();
    }

    /// Cuts every connection, and whoever comes is sent away at once.
    pub fn close(&self) {
        let mut state = self.wires.hold();
        state.traffic = Traffic::Closed;
        state.cut_all();
    }

    /// Lets everyone through again, and passes on what was held back.
    pub fn open(&self) {
        self.wires.hold().traffic = Traffic::Open;
        self.wires.thawed.notify_all();
    }

    /// Accepts connections and bytes and passes none of them on, as a server does whose processes
    /// are all stopped.
    pub fn freeze(&self) {
        self.wires.hold().traffic = Traffic::Frozen;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let mut state = self.wires.hold();
        (state.is_over, state.traffic) = (true, Traffic::Closed);
        state.cut_all();
        drop(state);
        self.wires.thawed.notify_all();
        // Whoever accepts looks up only when somebody comes.
        TcpStream::connect(self.address).ok();
    }
}

/// All connections through one proxy.
struct Wires {
    server: SocketAddr,
    state: Mutex<State>,
    thawed: Condvar,
}

/// What becomes of connections and bytes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Traffic {
    /// They are passed on.
    #[default]
    Open,
    /// New connections are sent away.
    Closed,
    /// They are accepted and held back.
    Frozen,
}

#[derive(Default)]
struct State {
    armed: Option<Cut>,
    /// With that cut.
    closes: bool,
    traffic: Traffic,
    is_over: bool,
    /// The two ends of each, by number.
    ends: HashMap<u64, [TcpStream; 2]>,
    numbers: u64,
}

impl State {
    fn cut_all(&mut self) {
        self.ends.drain().for_each(|(_, ends)| shut(&ends));
    }
}

impl Wires {
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
        let is_mute = Arc::new(AtomicBool::new(false));
        let up = Direction { from: client.try_clone()?, to: server.try_clone()? };
        let down = Direction { from: server, to: client.try_clone()? };
        for carry in [Carry::Up(up), Carry::Down(down)] {
            let (wires, is_mute) = (Arc::clone(self), Arc::clone(&is_mute));
            thread::spawn(move || {
                // However it ends, the whole wire ends.
                match carry {
                    Carry::Up(up) => up.carry_questions(&wires, &is_mute).ok(),
                    Carry::Down(down) => down.carry_answers(&wires, &is_mute).ok(),
                };
                if let Some(ends) = wires.hold().ends.remove(&number) {
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
        // One that the other side has closed already is as good as shut.
        end.shutdown(Shutdown::Both).ok();
    }
}

enum Carry {
    Up(Direction),
    Down(Direction),
}

struct Direction {
    from: TcpStream,
    to: TcpStream,
}

impl Direction {
    fn carry_questions(mut self, wires: &Wires, is_mute: &AtomicBool) -> std::io::Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut only_reads = false;
        loop {
            let bytes = read(&mut self.from, &mut buffer)?;
            wires.wait_while_frozen();
            if contains(bytes, b"begin") {
                only_reads = contains(bytes, b"read only");
            }
            let commits = contains(bytes, COMMIT) && !only_reads;
            match commits.then(|| wires.take_cut()).flatten() {
                None => {}
                Some(Cut::BeforeCommit) => return Ok(()),
                // Before the commit is on its way: its answer must not get through.
                Some(Cut::AfterCommit) => is_mute.store(true, Ordering::SeqCst),
            }
            self.to.write_all(bytes)?;
        }
    }

    fn carry_answers(mut self, wires: &Wires, is_mute: &AtomicBool) -> std::io::Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut unsaid = Vec::new();
        while !OVER.iter().any(|word| contains(&unsaid, word)) {
            let bytes = read(&mut self.from, &mut buffer)?;
            wires.wait_while_frozen();
            if is_mute.load(Ordering::SeqCst) {
                unsaid.extend_from_slice(bytes);
            } else {
                self.to.write_all(bytes)?;
            }
        }
        Ok(())
    }
}

/// What came; the end is an error like any other.
fn read<'b>(from: &mut TcpStream, buffer: &'b mut [u8]) -> std::io::Result<&'b [u8]> {
    match from.read(buffer)? {
        0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
        count => Ok(buffer.get(..count).unwrap_or_default()),
    }
}

fn contains(bytes: &[u8], words: &[u8]) -> bool {
    bytes.windows(words.len()).any(|window| window == words)
}
