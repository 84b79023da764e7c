//! A subscriber that stops reading, looks later at what came, and then catches up.

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

/// What its system takes in on its own, as small as it can be.
const BUFFER_BYTES: u32 = 4096;

/// An open line that nobody listens to.
pub(crate) struct Stuck {
    following: Following,
    line: Line,
    /// The port it calls from: what the system knows it by.
    pub(crate) port: u16,
}

/// Where a subscriber that is to get stuck begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Begins {
    /// As one that comes back: every later argument by itself.
    AfterMotion,
    /// From the start; a socket gets all there is in one frame.
    WithSnapshot,
}

enum Line {
    Sse(Wire),
    Ws(Box<WebSocketStream<TcpStream>>),
}

impl Stuck {
    /// Asks for everything, and then takes nothing of it.
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

    /// Looks at last at what came before the server gave up, then comes back for the rest.
    pub(crate) async fn catch_up(self, end: Seq, patience: Duration) -> anyhow::Result<()> {
        let Self { mut following, line, .. } = self;
        // Only now: who never looks has nothing to testify.
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
