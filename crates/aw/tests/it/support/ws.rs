//! A WebSocket client.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::{HANG, Server, contract};

pub(crate) struct Ws {
    pub(crate) stream: WebSocketStream<TcpStream>,
}

impl Ws {
    /// Connects; returns the error if the handshake is refused.
    pub(crate) async fn try_open(server: &Server, query: &str) -> Result<Self, Error> {
        Self::try_open_with(server, query, &[]).await
    }

    /// Connects with further headers.
    pub(crate) async fn try_open_with(
        server: &Server,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Error> {
        let tcp = TcpStream::connect(server.address()).await.expect("the server listens");
        let url = format!("ws://{}/ws{query}", server.address());
        let mut request = url.into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header's value"));
        }
        let (stream, _) = client_async(request, tcp).await?;
        Ok(Self { stream })
    }

    pub(crate) async fn open(server: &Server, query: &str) -> Self {
        Self::try_open(server, query).await.expect("the handshake succeeds")
    }

    /// The status with which a handshake is refused.
    pub(crate) async fn refusal(server: &Server, query: &str) -> u16 {
        Self::refusal_with(server, query, &[]).await
    }

    /// The status of a refused handshake with further headers.
    pub(crate) async fn refusal_with(
        server: &Server,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> u16 {
        match Self::try_open_with(server, query, headers).await {
            Err(Error::Http(response)) => response.status().as_u16(),
            Err(err) => panic!("not refused but broken: {err}"),
            Ok(_) => 101,
        }
    }

    /// The next frame that carries an event.
    pub(crate) async fn next(&mut self) -> Value {
        match self.message().await {
            Some(Ok(Message::Text(text))) => {
                let frame = serde_json::from_str(&text).expect("frames are JSON");
                contract::check_frame(&frame);
                frame
            }
            other => panic!("no event but {other:?}"),
        }
    }

    pub(crate) async fn send(&mut self, event: &str, data: Value) {
        self.send_text(&json!({ "event": event, "data": data }).to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.stream.send(Message::text(text)).await.expect("the server reads");
    }

    pub(crate) async fn message(&mut self) -> Option<Result<Message, Error>> {
        loop {
            let next = tokio::time::timeout(HANG, self.stream.next()).await.expect("no hang");
            if !matches!(next, Some(Ok(Message::Ping(_) | Message::Pong(_)))) {
                return next;
            }
        }
    }

    pub(crate) async fn stream_send(&mut self, message: Message) {
        self.stream.send(message).await.expect("the server reads");
    }

    /// The next message of any kind; None when the connection is closed.
    pub(crate) async fn raw_message(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(HANG, self.stream.next()).await.expect("no hang");
        next.and_then(Result::ok)
    }

    /// The code of the server's close frame.
    pub(crate) async fn close_code(&mut self) -> u16 {
        loop {
            match self.message().await {
                Some(Ok(Message::Close(Some(CloseFrame { code, .. })))) => return code.into(),
                Some(Ok(Message::Text(_))) => {}
                other => panic!("no goodbye but {other:?}"),
            }
        }
    }
}
