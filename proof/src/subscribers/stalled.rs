//! A subscriber that stops reading, later reads what arrived, and then catches up.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use uuid::Uuid;

use super::{ConnectionEnd, Following, Position, sse, ws};
use crate::history::{ObservedEvent, Seq, Transport};
use crate::raw::RawConnection;
use crate::shared_state::SharedState;

/// The smallest possible receive buffer of the system.
const BUFFER_BYTES: u32 = 4096;

/// An open connection that is not read.
pub(crate) struct StalledSubscriber {
    following: Following,
    line: StalledConnection,
    /// The client's port, by which the system identifies the connection.
    pub(crate) port: u16,
}

/// The start position of a subscriber that will stop reading.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StartPosition {
    /// Like a reconnect: every later argument in its own event.
    AfterMotion,
    /// From the start; a WebSocket receives everything in one frame.
    WithSnapshot,
}

enum StalledConnection {
    Sse(RawConnection),
    Ws(Box<WebSocketStream<TcpStream>>),
}

impl StalledSubscriber {
    /// Requests everything and reads nothing.
    pub(crate) async fn begin(
        shared: &Arc<SharedState>,
        kind: Transport,
        debate: Uuid,
        begins: StartPosition,
    ) -> anyhow::Result<Self> {
        let mut wire = RawConnection::open_narrow(&shared.api().address, BUFFER_BYTES).await?;
        let port = wire.stream.local_addr()?.port();
        let line = match kind {
            Transport::Sse => {
                let after = match begins {
                    StartPosition::AfterMotion => "?after=1",
                    StartPosition::WithSnapshot => "",
                };
                wire.get_plain(&format!("/debates/{debate}/events{after}")).await?;
                StalledConnection::Sse(wire)
            }
            Transport::Ws => {
                let after = match begins {
                    StartPosition::AfterMotion => "&after_seq=1",
                    StartPosition::WithSnapshot => "",
                };
                StalledConnection::Ws(Box::new(
                    wire.upgrade(&format!("debate_id={debate}{after}")).await?,
                ))
            }
            Transport::Wait => anyhow::bail!("a wait has nothing to get stuck in"),
        };
        let seq = match begins {
            StartPosition::AfterMotion => 1,
            StartPosition::WithSnapshot => 0,
        };
        let position = Position { seq, id: None };
        let following = Following::new(shared, kind, debate, position, Arc::default());
        Ok(Self { following, line, port })
    }

    pub(crate) fn debate(&self) -> Uuid {
        self.following.debate
    }

    /// Reads what arrived before the server closed the connection, then reconnects for the rest.
    pub(crate) async fn catch_up(self, end: Seq, timeout: Duration) -> anyhow::Result<()> {
        let Self { mut following, line, .. } = self;
        // Recorded only now: a subscriber that never reads has observed nothing.
        following.record(ObservedEvent::Begin(Some(following.position.seq)));
        match line {
            StalledConnection::Sse(mut wire) => {
                let (text, _) = wire.read_to_end(timeout).await.context("it was never let go")?;
                let (_, events) = text.split_once("\r\n\r\n").context("not even a head came")?;
                sse::take_all(&mut following, events).await;
            }
            StalledConnection::Ws(socket) => {
                let rest = ws::take_all(&mut following, *socket);
                let end = tokio::time::timeout(timeout, rest).await;
                if let ConnectionEnd::Broken(how) = end.context("it was never let go")? {
                    following.shared.count(format!("a stuck Ws {how}"));
                }
            }
        }
        following.shared.count(format!("stuck {:?} cut off in the middle", following.kind));
        let progress = Arc::clone(&following.progress);
        let connect = async {
            while progress.position.load(std::sync::atomic::Ordering::Relaxed) < end {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            end = following.listen() => {
                if let ConnectionEnd::Broken(how) = end {
                    following.shared.count(format!("a stuck one that came back {how}"));
                }
            }
            () = connect => {}
            () = tokio::time::sleep(timeout) => {}
        }
        Ok(())
    }
}
