//! One open socket: sends the debate's events, and accepts the arbitrator's frames.

use std::sync::Arc;
use std::time::Duration;

use debate_app::arena::{
    Arena, ArenaError, DebateEvent, DebateFollower, DebatePosition, NewArguments, WriteOutcome,
};
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
use crate::app_state::{Services, Settings};
use crate::audit::RequestSource;
use crate::error::{ErrorResponse, Invalid};

/// The interval of pings, and the silence after which the peer counts as gone.
const PING_EVERY: Duration = Duration::from_secs(20);
const SILENCE_MAX: Duration = Duration::from_mins(1);

/// The time that a peer has to answer a Close frame.
const GOODBYE: Duration = Duration::from_secs(5);

const DELETED: &str = "the debate was deleted";

/// The first message of a socket.
pub(super) enum SessionStart {
    /// The whole debate, as one message.
    Snapshot {
        /// The position before the first argument.
        from: Seq,
        /// The position of the last argument.
        through: Seq,
    },
    /// None: the client continues from its position.
    Following,
}

/// The reason why a session ends.
enum SessionEnd {
    /// The server ends it with this code and reason.
    Close(CloseCode, &'static str),
    /// The peer violates the protocol and gets this code and reason.
    Broken(CloseCode, &'static str),
    /// The peer ended it and waits for the Close frame.
    Goodbye,
    /// The peer is gone.
    Gone,
}

const SESSION_REVOKED: SessionEnd =
    SessionEnd::Close(CloseCode::Policy, "the session has ended; sign in again");

/// The state of one open socket.
pub(crate) struct Session {
    arena: Arena,
    settings: Arc<Settings>,
    source: RequestSource,
    access: SocketAccess,
    debate: Debate,
    begin: SessionStart,
    /// The state of the debate after the last argument that was sent, if known.
    state: Option<State>,
    subscription: DebateFollower,
}

impl Session {
    pub(super) fn new(
        services: Services,
        source: RequestSource,
        access: SocketAccess,
        position: DebatePosition,
        begin: SessionStart,
        subscription: DebateFollower,
    ) -> Self {
        let Services { arena, settings, .. } = services;
        let state = match begin {
            SessionStart::Snapshot { .. } => Some(position.debate.state),
            SessionStart::Following => None,
        };
        let debate = position.debate;
        arena.note_presence(&access.credentials());
        Self { arena, settings, source, access, debate, begin, state, subscription }
    }

    /// The limit is that of request bodies.
    pub(super) fn message_bytes_max(&self) -> usize {
        self.settings.body_bytes_max()
    }

    /// Runs until the peer or the server ends the session.
    pub(super) async fn run<S>(mut self, mut socket: WebSocketStream<CloseWatch<S>>)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let over = match self.send_snapshot(&mut socket).await {
            Ok(()) => self.run_until_end(&mut socket).await,
            Err(over) => over,
        };
        let leaving = async {
            match over {
                SessionEnd::Close(code, reason) => {
                    if close(&mut socket, code, reason).await {
                        drain_messages(&mut socket).await;
                    }
                }
                SessionEnd::Broken(code, reason) => {
                    if close(&mut socket, code, reason).await {
                        drain_bytes(socket.get_mut()).await;
                    }
                }
                SessionEnd::Goodbye => drain_messages(&mut socket).await,
                SessionEnd::Gone => {}
            }
        };
        // The connection is closed after the time limit in any case.
        let _ = timeout(GOODBYE, leaving).await;
    }

    async fn run_until_end<S>(&mut self, socket: &mut WebSocketStream<S>) -> SessionEnd
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut pings = pings();
        let mut last_message_at = Instant::now();
        let mut revoked = std::pin::pin!(self.access.wait_until_revoked());
        loop {
            let step = tokio::select! {
                event = self.subscription.next() => self.send_event(socket, event).await,
                message = socket.next() => {
                    last_message_at = Instant::now();
                    self.receive(socket, message).await
                }
                () = &mut revoked => Err(SESSION_REVOKED),
                _ = pings.tick() => {
                    if last_message_at.elapsed() > SILENCE_MAX {
                        Err(SessionEnd::Gone)
                    } else {
                        self.arena.note_presence(&self.access.credentials());
                        send(socket, Message::Ping(Bytes::new())).await
                    }
                }
            };
            if let Err(over) = step {
                return over;
            }
        }
    }

    /// Sends the snapshot as one message of many frames, a page each, so that a long debate is
    /// never in memory as a whole.
    async fn send_snapshot<S>(&mut self, socket: &mut WebSocketStream<S>) -> Result<(), SessionEnd>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let SessionStart::Snapshot { from, through } = self.begin else { return Ok(()) };
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

    /// Sends an event of the debate.
    async fn send_event<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        event: Result<DebateEvent, ArenaError>,
    ) -> Result<(), SessionEnd>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.check_access().await?;
        match event {
            Ok(DebateEvent::Arguments(new)) => self.send_arguments(socket, new).await,
            Ok(DebateEvent::Seats(changed)) => {
                for (side, seat) in changed {
                    let change = wire::SeatChange::new(side, &seat);
                    send_frame(socket, &wire::ServerFrame::Seat(change)).await?;
                }
                Ok(())
            }
            Ok(DebateEvent::Closing) => {
                Err(SessionEnd::Close(CloseCode::Away, "the server is shutting down"))
            }
            Err(ArenaError::UnknownDebate(debate)) => {
                let debate_id = debate.to_string();
                let deleted = wire::DeletedDebate { debate_id };
                send_frame(socket, &wire::ServerFrame::DebateDeleted(deleted)).await?;
                Err(SessionEnd::Close(CloseCode::Normal, DELETED))
            }
            Err(err) => Err(failed(&err)),
        }
    }

    async fn send_arguments<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        new: NewArguments,
    ) -> Result<(), SessionEnd>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut before = self.state.or(new.before);
        for (debate, argument) in new.events() {
            let (debate_id, to) = (debate.id.to_string(), debate.state);
            let written =
                wire::WriteResult { debate: debate.into(), argument: argument.into(), seat: None };
            send_frame(socket, &wire::ServerFrame::NewArgument(Box::new(written))).await?;
            if let Some(from) = before.replace(to).filter(|from| *from != to) {
                let change = wire::StateChange { debate_id, from: from.into(), to: to.into() };
                send_frame(socket, &wire::ServerFrame::StateChanged(change)).await?;
            }
        }
        self.state = before;
        Ok(())
    }

    /// Handles a message of the peer.
    async fn receive<S>(
        &mut self,
        socket: &mut WebSocketStream<S>,
        message: Option<Result<Message, Error>>,
    ) -> Result<(), SessionEnd>
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
            // The protocol's library answers it.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => None,
            Some(Ok(Message::Close(_))) => return Err(SessionEnd::Goodbye),
            None => return Err(SessionEnd::Gone),
            Some(Err(err)) => return Err(broken(&err)),
        };
        match refused {
            Some(err) => send_frame(socket, &wire::ServerFrame::Error(err.into_error())).await,
            None => Ok(()),
        }
    }

    /// Every frame is checked, in either direction: a revocation may be known before
    /// `wait_until_revoked` has returned.
    async fn check_access(&self) -> Result<(), SessionEnd> {
        match self.access.is_revoked().await {
            Ok(false) => Ok(()),
            Ok(true) => Err(SESSION_REVOKED),
            Err(err) => {
                tracing::warn!(error = %err, "session check failed; socket closed");
                Err(SessionEnd::Close(
                    CloseCode::Error,
                    "the session could not be checked; connect again",
                ))
            }
        }
    }

    /// The same checks, rules and transaction as over HTTP; the argument arrives as an update.
    async fn submit(&self, text: &str) -> Result<(), ErrorResponse> {
        if !self.access.can_write() {
            return Err(ErrorResponse::session_only_reads());
        }
        let (event, draft) = parse_frame(text, self.debate.id, &self.arena, &self.settings).await?;
        let written = self.arena.submit(self.debate.id, draft, self.access.credentials()).await?;
        if written.outcome == WriteOutcome::Fresh {
            self.source.log_frame(event, self.debate.id);
        }
        Ok(())
    }
}

/// Sends a Close frame; whether that succeeded.
async fn close<S>(socket: &mut WebSocketStream<S>, code: CloseCode, reason: &'static str) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let goodbye = CloseFrame { code, reason: reason.into() };
    socket.close(Some(goodbye)).await.is_ok()
}

/// Reads until the end: reading also sends pending replies.
async fn drain_messages<S>(socket: &mut WebSocketStream<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(_)) = socket.next().await {}
}

/// Reads up to the peer's Close frame, after which the protocol allows the server to close the
/// connection. Closing it earlier, with bytes in flight, would reset it and lose the server's Close
/// frame.
async fn drain_bytes(peer: &mut CloseWatch<impl AsyncRead + Unpin>) {
    let mut unheard = [0; 1024];
    while !peer.has_close() && matches!(peer.read(&mut unheard).await, Ok(1..)) {}
}

fn pings() -> Interval {
    let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

async fn send_frame<S>(
    socket: &mut WebSocketStream<S>,
    frame: &wire::ServerFrame,
) -> Result<(), SessionEnd>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut text = Vec::new();
    write(&mut text, frame);
    let text = String::from_utf8(text).map_err(|_| SessionEnd::Gone)?;
    send(socket, Message::text(text)).await
}

async fn send<S>(socket: &mut WebSocketStream<S>, message: Message) -> Result<(), SessionEnd>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    socket.send(message).await.map_err(|_| SessionEnd::Gone)
}

fn write(text: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(text, value).expect("our own types are made of strings and lists");
}

fn failed(err: &ArenaError) -> SessionEnd {
    if matches!(err, ArenaError::UnknownDebate(_)) {
        return SessionEnd::Close(CloseCode::Normal, DELETED);
    }
    tracing::error!(error = %err, "reading a debate for a websocket failed");
    SessionEnd::Close(CloseCode::Error, "the server failed to read the debate; reconnect")
}

/// The Close code for a violation of the protocol.
fn broken(err: &Error) -> SessionEnd {
    match err {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            SessionEnd::Broken(CloseCode::Size, "the message exceeds the size limit")
        }
        Error::Protocol(_) => SessionEnd::Broken(CloseCode::Protocol, "WebSocket protocol error"),
        Error::Utf8(_) => SessionEnd::Broken(CloseCode::Invalid, "text frames must be UTF-8"),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::Capacity(CapacityError::TooManyHeaders)
        | Error::WriteBufferFull(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => SessionEnd::Gone,
    }
}
