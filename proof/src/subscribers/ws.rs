//! The WebSocket: first a snapshot or everything after a seq, then each write.

use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{self, Message};
use uuid::Uuid;

use super::{ConnectionEnd, Following};
use crate::rules::State;
use crate::shared_state::{Argument, Debate, Entry};

#[derive(Deserialize)]
struct Frame {
    event: String,
    data: Value,
}

#[derive(Deserialize)]
struct Snapshot {
    debate: Debate,
    arguments: Vec<Argument>,
}

#[derive(Deserialize)]
struct Change {
    debate_id: Uuid,
    from: State,
    to: State,
}

/// A change of state that was not announced yet.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Due {
    from: State,
    to: State,
}

/// Reads one socket to its end.
pub(super) async fn listen(following: &mut Following) -> ConnectionEnd {
    let address = following.shared.api().address.clone();
    let Ok(stream) = TcpStream::connect(&address).await else {
        return ConnectionEnd::Broken("no server listens".to_owned());
    };
    // Position 0 is the beginning: requested without a position, so that snapshots are tested too.
    let resume = match following.position.seq {
        0 => String::new(),
        seq => format!("&after_seq={seq}"),
    };
    let url = format!("ws://{address}/ws?debate_id={}{resume}", following.debate);
    let socket = match tokio_tungstenite::client_async(url, stream).await {
        Ok((socket, _)) => socket,
        Err(tungstenite::Error::Http(response))
            if following.shared.is_storage_refusal(response.status().as_u16()) =>
        {
            return ConnectionEnd::Broken("was told that storage is away".to_owned());
        }
        Err(tungstenite::Error::Http(response)) => {
            return following.report_wrong(format!("was answered {}", response.status().as_u16()));
        }
        Err(_) => return ConnectionEnd::Broken("was cut off before its upgrade".to_owned()),
    };
    take_all(following, socket).await
}

/// Reads everything on an open socket to its end.
pub(super) async fn take_all(
    following: &mut Following,
    mut socket: WebSocketStream<TcpStream>,
) -> ConnectionEnd {
    let mut due = None;
    while let Some(message) = socket.next().await {
        let end = match message {
            Ok(Message::Text(text)) => take(following, &text, &mut due),
            Ok(Message::Close(frame)) => {
                let code = frame.map_or(1005, |frame| u16::from(frame.code));
                Some(ConnectionEnd::Broken(format!("was closed with {code}")))
            }
            Ok(Message::Ping(_) | Message::Pong(_)) => None,
            Ok(Message::Binary(_) | Message::Frame(_)) => {
                Some(following.report_wrong("was sent a frame that is not text"))
            }
            Err(_) => Some(ConnectionEnd::Broken("was cut off".to_owned())),
        };
        if let Some(end) = end {
            return end;
        }
    }
    ConnectionEnd::Broken("was cut off".to_owned())
}

fn take(following: &mut Following, text: &str, due: &mut Option<Due>) -> Option<ConnectionEnd> {
    let frame = match serde_json::from_str::<Frame>(text) {
        Ok(frame) => frame,
        Err(err) => return Some(following.report_wrong(format!("could not read a frame: {err}"))),
    };
    let unreadable = |err| Some(following.report_wrong(format!("could not read a frame: {err}")));
    match frame.event.as_str() {
        "initial_state" => match Snapshot::deserialize(frame.data) {
            Ok(snapshot) => take_snapshot(following, &snapshot),
            Err(err) => unreadable(err),
        },
        "new_argument" => match Entry::deserialize(frame.data) {
            Ok(entry) => take_argument(following, &entry, due),
            Err(err) => unreadable(err),
        },
        "state_changed" => match Change::deserialize(frame.data) {
            Ok(change) => take_change(following, &change, due),
            Err(err) => unreadable(err),
        },
        other => Some(following.report_wrong(format!("was sent an event called {other:?}"))),
    }
}

fn take_snapshot(following: &mut Following, snapshot: &Snapshot) -> Option<ConnectionEnd> {
    if following.position.seq > 0 {
        // A snapshot in response to a position means that the server does not know the position.
        following.reset();
    }
    let (newest, state) = (snapshot.arguments.last().map(|last| last.seq), snapshot.debate.state);
    for argument in &snapshot.arguments {
        following.receive(argument, (Some(argument.seq) == newest).then_some(state));
    }
    (state == State::Closed).then_some(ConnectionEnd::Complete)
}

fn take_argument(
    following: &mut Following,
    entry: &Entry,
    due: &mut Option<Due>,
) -> Option<ConnectionEnd> {
    if due.take().is_some() {
        return Some(
            following.report_wrong("was not told of a change of state before the next argument"),
        );
    }
    let (from, to) = (following.state, entry.debate.state);
    following.receive(&entry.argument, Some(to));
    *due = from.filter(|from| *from != to).map(|from| Due { from, to });
    // The last change of state is still to be announced, if one is expected.
    (to == State::Closed && due.is_none()).then_some(ConnectionEnd::Complete)
}

fn take_change(
    following: &mut Following,
    change: &Change,
    due: &mut Option<Due>,
) -> Option<ConnectionEnd> {
    let Change { debate_id, from, to } = *change;
    let fits = due.take().is_none_or(|due| due == Due { from, to });
    if !fits || debate_id != following.debate || following.state != Some(to) || from == to {
        return Some(
            following.report_wrong(format!("was told of a change from {from:?} to {to:?}")),
        );
    }
    (to == State::Closed).then_some(ConnectionEnd::Complete)
}
