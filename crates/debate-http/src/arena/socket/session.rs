//! One open socket: what happens in the debate goes out, what the arbitrator says comes in.

use std::sync::Arc;
use std::time::Duration;

use debate_app::arena::{Arena, ArenaError, Heard, How, News, Place, Subscription};
use debate_core::Seq;
use debate_core::arena::{Debate, State};
use debate_wire::arena as wire;
use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::access::SocketAccess;
use super::close_watch::CloseWatch;
use super::frame::parse_frame;
use crate::audit::Actor;
use crate::edge::{Edge, Settings};
use crate::problem::{Invalid, Problem};

/// How often a peer is asked whether it lives, and after how long a silence it is taken not to.
const PING_EVERY: Duration = Duration::from_secs(20);
const SILENCE_MAX: Duration = Duration::from_mins(1);

/// How long a peer gets to say goodbye back.
const GOODBYE: Duration = Duration::from_secs(5);

const DELETED: &str = "the debate was deleted";

/// What a socket is sent first.
pub(super) enum Begin {
    /// Everything there is, as one message.
    Snapshot {
        /// After this place.
        from: Seq,
        /// Up to this one.
        through: Seq,
    },
    /// Nothing: it goes on where it was.
    Following,
}

/// Why a session is over.
enum Over {
    /// We end it, and say why.
    Close(CloseCode, &'static str),
    /// The peer does not keep to the protocol, and is told so.
    Broken(CloseCode, &'static str),
    /// The peer ended it, and is owed an answer.
    Goodbye,
    /// The peer is gone.
    Gone,
}

const SESSION_ENDED: Over = Over::Close(CloseCode::Policy, "the session has ended; sign in again");

/// One open socket's view of its debate.
pub(crate) struct Session {
    arena: Arena,
    settings: Arc<Settings>,
    actor: Actor,
    access: SocketAccess,
    debate: Debate,
    begin: Begin,
    /// Where the debate stood after the last argument sent, if that is known.
    state: Option<State>,
    subscription: Subscription,
}

impl Session {
    pub(super) fn new(
        edge: Edge,
        actor: Actor,
        access: SocketAccess,
        place: Place,
        begin: Begin,
        subscription: Subscription,
    ) -> Self {
        let Edge { arena, settings, .. } = edge;
        let state = match begin {
            Begin::Snapshot { .. } => Some(place.debate.state),
            Begin::Following => None,
        };
        let debate = place.debate;
        Self { arena, settings, actor, access, debate, begin, state, subscription }
    }

    /// As much as a request's body.
    pub(super) fn message_bytes_max(&self) -> usize {
        self.settings.body_bytes_max()
    }

    /// Until one of the two has had enough.
    pub(super) async fn run<S>(mut self, mut socket: WebSocketStream<CloseWatch<S>>)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let over = match self.greet(&mut socket).await {
            Ok(()) => self.converse(&mut socket).await,
            Err(over) => over,
        };
        let leaving = async {
            match over {
                Over::Close(code, reason) => {
                    if close(&mut socket, code, reason).await {
                        hear_out(&mut socket).await;
                    }
                }
                Over::Broken(code, reason) => {
                    if close(&mut socket, code, reason).await {
                        read_out(socket.get_mut()).await;
                    }
                }
                Over::Goodbye => hear_out(&mut socket).await,
                Over::Gone => {}
            }
        };
        // A peer that takes longer is let go without.
        let _ = timeout(GOODBYE, leaving).await;
    }

    async fn converse<S>(&mut self, socket: &mut WebSocketStream<S>) -> Over
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut pings = pings();
        let mut heard_at = Instant::now();
        let mut revoked = std::pin::pin!(self.access.wait_until_revoked());
        loop {
            let step = tokio::select! {
                heard = self.subscription.next() => self.tell(socket, heard).await,
                message = socket.next() => {
                    heard_at = Instant::now();
                    self.listen(socket, message).await
                }
                () = &mut revoked => Err(SESSION_ENDED),
                _ = pings.tick() => {
                    if heard_at.elapsed() > SILENCE_MAX {
                        Err(Over::Gone)
                    } else {
                        send(socket, Message::Ping(Bytes::new())).await
                    }
                }
            };
            if let Err(over) = step {
                return over;
            }
        }
    }

    /// The snapshot goes out as one message in many frames, a page each: a long debate is never
    /// whole in memory.
    async fn greet<S>(&mut self, socket: &mut WebSocketStream<S>) -> Result<(), Over>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Begin::Snapshot { from, through } = self.begin else { return Ok(()) };
        let debate = wire::Debate::from(self.debate.clone());
        let mut text = br#"{"event":"initial_state","data":{"debate":"#.to_vec();
        write(&mut text, &debate);
        text.extend_from_slice(br#","arguments":["#);
        let (mut after, mut opcode) = (from, OpCode::Data(Data::Text));
        while after < through {
            self.check_access().await?;
            let page = self
                .arena
                .page(self.debate.id, after, through)
                .await
                .map_err(|err| failed(&err))?;
            for argument in page {
                if argument.seq > from.next() {
                    text.push(b',');
                }
                after = argument.seq;
                write(&mut text, &wire::Argument::from(argument));
            }
            let is_final = after >= through;
            if is_final {
                text.extend_from_slice(b"]}}");
            }
            let frame = Frame::message(std::mem::take(&mut text), opcode, is_final);
            send(socket, Message::Frame(frame)).await?;
            opcode = OpCode::Data(Data::Continue);
        }
        Ok(())
    }

    /// What happened in the debate.
    async fn tell<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        heard: Result<Heard, ArenaError>,
    ) -> Result<(), Over>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.check_access().await?;
        match heard {
            Ok(Heard::News(news)) => self.tell_news(socket, news).await,
            Ok(Heard::Nothing(_)) => Ok(()),
            Ok(Heard::Closing(_)) => {
                Err(Over::Close(CloseCode::Away, "the server is shutting down"))
            }
            Err(ArenaError::NoSuchDebate(debate)) => {
                let debate_id = debate.to_string();
                let deleted = wire::DeletedDebate { debate_id };
                say(socket, &wire::ServerFrame::DebateDeleted(deleted)).await?;
                Err(Over::Close(CloseCode::Normal, DELETED))
            }
            Err(err) => Err(failed(&err)),
        }
    }

    async fn tell_news<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        news: News,
    ) -> Result<(), Over>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut before = self.state.or(news.before);
        for (debate, argument) in news.events() {
            let (debate_id, to) = (debate.id.to_string(), debate.state);
            let written = wire::Written { debate: debate.into(), argument: argument.into() };
            say(socket, &wire::ServerFrame::NewArgument(written)).await?;
            if let Some(from) = before.replace(to).filter(|from| *from != to) {
                let change = wire::StateChange { debate_id, from: from.into(), to: to.into() };
                say(socket, &wire::ServerFrame::StateChanged(change)).await?;
            }
        }
        self.state = before;
        Ok(())
    }

    /// What the peer said.
    async fn listen<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        message: Option<Result<Message, Error>>,
    ) -> Result<(), Over>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.check_access().await?;
        let refused = match message {
            Some(Ok(Message::Text(text))) => self.submit(&text).await.err(),
            Some(Ok(Message::Binary(_))) => Some(
                Invalid {
                    field: "frame".into(),
                    message: "binary frames are not supported; send text".into(),
                }
                .into(),
            ),
            // Answered by the protocol itself.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => None,
            Some(Ok(Message::Close(_))) => return Err(Over::Goodbye),
            None => return Err(Over::Gone),
            Some(Err(err)) => return Err(broken(&err)),
        };
        match refused {
            Some(problem) => say(socket, &wire::ServerFrame::Error(problem.into_error())).await,
            None => Ok(()),
        }
    }

    /// Every frame is checked, in either direction: a revocation may be known before
    /// `wait_until_revoked` has returned.
    async fn check_access(&self) -> Result<(), Over> {
        match self.access.is_revoked().await {
            Ok(false) => Ok(()),
            Ok(true) => Err(SESSION_ENDED),
            Err(err) => {
                tracing::warn!(error = %err, "session check failed; socket closed");
                Err(Over::Close(
                    CloseCode::Error,
                    "the session could not be checked; connect again",
                ))
            }
        }
    }

    /// The same checks, rules and transaction as over HTTP; the argument itself comes back as news.
    async fn submit(&self, text: &str) -> Result<(), Problem> {
        if !self.access.can_write() {
            return Err(Problem::session_only_reads());
        }
        let (event, draft) = parse_frame(text, self.debate.id, &self.arena, &self.settings).await?;
        let written = self.arena.submit(self.debate.id, draft).await?;
        if written.how == How::Fresh {
            self.actor.log_frame(event, self.debate.id);
        }
        Ok(())
    }
}

/// Whether our goodbye went out.
async fn close<S>(socket: &mut WebSocketStream<S>, code: CloseCode, reason: &'static str) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let goodbye = CloseFrame { code, reason: reason.into() };
    socket.close(Some(goodbye)).await.is_ok()
}

/// Reading on sends what is owed and hears what is said back.
async fn hear_out<S>(socket: &mut WebSocketStream<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(_)) = socket.next().await {}
}

/// Reads on up to the peer's Close frame, after which the protocol lets us close the connection.
/// Closing it earlier, on bytes that are still under way, would reset it and lose our Close frame.
async fn read_out(peer: &mut CloseWatch<impl AsyncRead + Unpin>) {
    let mut unheard = [0; 1024];
    while !peer.has_close() && matches!(peer.read(&mut unheard).await, Ok(1..)) {}
}

fn pings() -> Interval {
    let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

async fn say<S>(socket: &mut WebSocketStream<S>, frame: &wire::ServerFrame) -> Result<(), Over>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut text = Vec::new();
    write(&mut text, frame);
    let text = String::from_utf8(text).map_err(|_| Over::Gone)?;
    send(socket, Message::text(text)).await
}

async fn send<S>(socket: &mut WebSocketStream<S>, message: Message) -> Result<(), Over>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    socket.send(message).await.map_err(|_| Over::Gone)
}

fn write(text: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(text, value).expect("our own types are made of strings and lists");
}

fn failed(err: &ArenaError) -> Over {
    if matches!(err, ArenaError::NoSuchDebate(_)) {
        return Over::Close(CloseCode::Normal, DELETED);
    }
    tracing::error!(error = %err, "reading a debate for a websocket failed");
    Over::Close(CloseCode::Error, "the server failed to read the debate; reconnect")
}

/// What the protocol says to a peer that broke it.
fn broken(err: &Error) -> Over {
    match err {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            Over::Broken(CloseCode::Size, "the message exceeds the size limit")
        }
        Error::Protocol(_) => Over::Broken(CloseCode::Protocol, "WebSocket protocol error"),
        Error::Utf8(_) => Over::Broken(CloseCode::Invalid, "text frames must be UTF-8"),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::Capacity(CapacityError::TooManyHeaders)
        | Error::WriteBufferFull(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => Over::Gone,
    }
}
