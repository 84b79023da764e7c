//! A subscriber that stops reading, later reads what arrived, and then catches up.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use uuid::Uuid;

use super::{Following, Parted, Place, sse, ws};
use crate::ground::Ground;
use crate::history::{Saw, Seq, Transport};
use crate::raw::Wire;

/// The smallest possible receive buffer of the system.
const BUFFER_BYTES: u32 = 4096;

/// An open connection that is not read.
pub(crate) struct Stuck {
    following: Following,
    line: Line,
    /// The client's port, by which the system identifies the connection.
    pub(crate) port: u16,
}

/// The start position of a subscriber that will stop reading.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Begins {
    /// Like a reconnect: every later argument in its own event.
    AfterMotion,
    /// From the start; a WebSocket receives everything in one frame.
    WithSnapshot,
}

enum Line {
    Sse(Wire),
    Ws(Box<WebSocketStream<TcpStream>>),
}

impl Stuck {
    /// Requests everything and reads nothing.
    pub(crate) async fn begin(
        ground: &Arc<Ground>,
        kind: Transport,
        debate: Uuid,
        begins: Begins,
    ) -> anyhow::Result<Self> {
        let mut wire = Wire::open_narrow(&ground.api().address, BUFFER_BYTES).await?;
        let port = wire.stream.local_addr()?.port();
        let line = match kind {
            Transport::Sse => {
                let after = match begins {
                    Begins::AfterMotion => "?after=1",
                    Begins::WithSnapshot => "",
                };
                wire.get_plain(&format!("/debates/{debate}/events{after}")).await?;
                Line::Sse(wire)
            }
            Transport::Ws => {
                let after = match begins {
                    Begins::AfterMotion => "&after_seq=1",
                    Begins::WithSnapshot => "",
                };
                Line::Ws(Box::new(wire.upgrade(&format!("debate_id={debate}{after}")).await?))
            }
            Transport::Wait => anyhow::bail!("a wait has nothing to get stuck in"),
        };
        let seq = match begins {
            Begins::AfterMotion => 1,
            Begins::WithSnapshot => 0,
        };
        let place = Place { seq, id: None };
        let following = Following::new(ground, kind, debate, place, Arc::default());
        Ok(Self { following, line, port })
    }

    pub(crate) fn debate(&self) -> Uuid {
        self.following.debate
    }

    /// Reads what arrived before the server closed the connection, then reconnects for the rest.
    pub(crate) async fn catch_up(self, end: Seq, patience: Duration) -> anyhow::Result<()> {
        let Self { mut following, line, .. } = self;
        // Recorded only now: a subscriber that never reads has observed nothing.
        following.note(Saw::Begin(Some(following.place.seq)));
        match line {
            Line::Sse(mut wire) => {
                let (text, _) = wire.rest(patience).await.context("it was never let go")?;
                let (_, events) = text.split_once("\r\n\r\n").context("not even a head came")?;
                sse::take_all(&mut following, events).await;
            }
            Line::Ws(socket) => {
                let rest = ws::take_all(&mut following, *socket);
                let parted = tokio::time::timeout(patience, rest).await;
                if let Parted::Gone(how) = parted.context("it was never let go")? {
                    following.ground.count(format!("a stuck Ws {how}"));
                }
            }
        }
        following.ground.count(format!("stuck {:?} cut off in the middle", following.kind));
        let progress = Arc::clone(&following.progress);
        let arrive = async {
            while progress.position.load(std::sync::atomic::Ordering::Relaxed) < end {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            parted = following.listen() => {
                if let Parted::Gone(how) = parted {
                    following.ground.count(format!("a stuck one that came back {how}"));
                }
            }
            () = arrive => {}
            () = tokio::time::sleep(patience) => {}
        }
        Ok(())
    }
}
