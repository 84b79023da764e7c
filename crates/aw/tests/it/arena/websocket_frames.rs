//! The WebSocket protocol (RFC 6455) byte by byte: sizes, pings, fragments, UTF-8, close frames,
//! and every protocol error.
//!
//! The tests build and parse the frames themselves, without a library. The server answers a message
//! that is not an event with one `error`, which shows that the message arrived once and complete.

use std::slice::from_ref;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{Debate, HANG, Server};

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// The first bits of a frame: FIN, and three reserved bits.
const LAST: u8 = 0x80;
const MORE: u8 = 0;
const CONTINUED: u8 = 0;

/// A frame from the server.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Frame {
    /// An `error` event: the text is not an event.
    NotAnEvent,
    /// An `error` event: the message is not text.
    NotText,
    Pong(Vec<u8>),
    /// A close frame with its code, if it has one.
    Close(Option<u16>),
}

const NORMAL: Frame = Frame::Close(Some(1000));
const PROTOCOL: Frame = Frame::Close(Some(1002));
const BAD_UTF8: Frame = Frame::Close(Some(1007));

/// A masked frame, as a client sends it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASKED: u8 = 0x80;
    const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];
    let length = payload.len();
    let mut bytes = vec![first];
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(length @ ..=125), _) => bytes.push(MASKED | length),
        (_, Ok(length)) => {
            bytes.push(MASKED | 0x7e);
            bytes.extend(length.to_be_bytes());
        }
        (_, Err(_)) => {
            bytes.push(MASKED | 0x7f);
            bytes.extend(u64::try_from(length).expect("it fits").to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

fn message(opcode: u8, payload: &[u8]) -> Vec<u8> {
    frame(LAST | opcode, payload)
}

/// A message in these fragments.
fn fragments(opcode: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let last = if place + 1 == parts.len() { LAST } else { MORE };
        bytes.extend(frame(last | if place == 0 { opcode } else { CONTINUED }, part));
    }
    bytes
}

fn close(code: u16, reason: &[u8]) -> Vec<u8> {
    [&code.to_be_bytes()[..], reason].concat()
}

/// An open WebSocket connection.
struct Peer {
    tcp: TcpStream,
}

impl Peer {
    /// Follows from the end, so that the server sends nothing on its own.
    async fn open(debate: &Debate<'_>) -> Self {
        let address = debate.server.address();
        let mut tcp = TcpStream::connect(address).await.expect("the server listens");
        tcp.set_nodelay(true).expect("a socket can do that");
        let request = format!(
            "GET /ws?debate_id={}&after_seq=1 HTTP/1.1\r\nHost: {address}\r\n\
             Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            debate.id
        );
        tcp.write_all(request.as_bytes()).await.expect("the server reads");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(tcp.read_u8().await.expect("the server answers"));
        }
        let head = String::from_utf8(head).expect("a head is text");
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        Self { tcp }
    }

    /// Sends the bytes in chunks of `chunk` bytes; returns the server's frames up to the close.
    async fn exchange(self, bytes: &[u8], chunk: usize) -> Vec<Frame> {
        let (mut from, mut to) = self.tcp.into_split();
        let sending = async {
            for some in bytes.chunks(chunk) {
                // After a protocol error the server may stop reading.
                if to.write_all(some).await.is_err() {
                    return;
                }
            }
        };
        let receiving = async {
            let mut frames = Vec::new();
            while !matches!(frames.last(), Some(Frame::Close(_))) {
                frames.push(read_frame(&mut from).await);
            }
            frames
        };
        let both = async { tokio::join!(sending, receiving).1 };
        timeout(HANG, both).await.expect("the server says goodbye")
    }
}

/// Reads the next frame from the server.
async fn read_frame(from: &mut (impl AsyncReadExt + Unpin)) -> Frame {
    const WHY: &str = "the server says goodbye before it leaves";
    let first = from.read_u8().await.expect(WHY);
    let length = match from.read_u8().await.expect(WHY) {
        length @ ..=125 => usize::from(length),
        126 => usize::from(from.read_u16().await.expect(WHY)),
        other => panic!("{other:#x} is masked or longer than anything said here"),
    };
    let mut payload = vec![0; length];
    from.read_exact(&mut payload).await.expect(WHY);
    match first ^ LAST {
        PONG => Frame::Pong(payload),
        CLOSE => Frame::Close(payload.first_chunk().map(|code| u16::from_be_bytes(*code))),
        TEXT => {
            let event: Value = serde_json::from_slice(&payload).expect("events are JSON");
            assert_eq!(
                (&event["event"], &event["data"]["field"]),
                (&"error".into(), &"frame".into())
            );
            match event["data"]["message"].as_str().expect("it has one") {
                "binary frames are not supported; send text" => Frame::NotText,
                _ => Frame::NotAnEvent,
            }
        }
        _ => panic!("{first:#x} begins no frame of ours"),
    }
}

/// The bytes that a client sends, and the frames that it expects.
struct Exchange {
    what: String,
    sent: Vec<u8>,
    answer: Vec<Frame>,
}

/// The client closes the connection after the expected answers.
fn accepts(what: impl Into<String>, frames: &[Vec<u8>], answer: &[Frame]) -> Exchange {
    let sent = [frames.concat(), message(CLOSE, &close(1000, b""))].concat();
    Exchange { what: what.into(), sent, answer: [answer, &[NORMAL]].concat() }
}

/// The server closes the connection, or answers a close frame.
fn closes(what: impl Into<String>, frames: &[Vec<u8>], answer: &[Frame]) -> Exchange {
    Exchange { what: what.into(), sent: frames.concat(), answer: answer.to_vec() }
}

/// Checks each exchange with several chunk sizes.
async fn assert_answered(exchanges: Vec<Exchange>) {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    for Exchange { what, sent, answer } in exchanges {
        let small = if sent.len() < 2000 { 1 } else { 997 };
        for chunk in [sent.len(), small] {
            let frames = Peer::open(&debate).await.exchange(&sent, chunk).await;
            assert_eq!(frames, answer, "{what}, {chunk} bytes at a time");
        }
    }
    assert_eq!(server.get("/health").await.status, 200);
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn message_of_any_size_arrives_once_and_complete() {
    let mut exchanges = Vec::new();
    for length in [0, 1, 125, 126, 127, 128, 65_535, 65_536, 98_304] {
        let payload = vec![b'*'; length];
        let what = format!("{length} bytes");
        exchanges.push(accepts(&what, &[message(TEXT, &payload)], &[Frame::NotAnEvent]));
        exchanges.push(accepts(&what, &[message(BINARY, &payload)], &[Frame::NotText]));
    }
    let one_more = message(TEXT, &vec![b'*'; 98_305]);
    exchanges.push(closes("one too many", &[one_more], &[Frame::Close(Some(1009))]));
    let many = vec![message(TEXT, b"*"); 20];
    exchanges.push(accepts("one after another", &many, &vec![Frame::NotAnEvent; 20]));
    assert_answered(exchanges).await;
}

#[tokio::test]
async fn pong_has_the_payload_of_its_ping() {
    let binary: Vec<u8> = (131..=255).collect();
    let mut exchanges: Vec<_> = [&b""[..], b"hello", &b"\x00\xff\xfe"[..], &binary]
        .into_iter()
        .map(|words| {
            accepts(format!("{words:?}"), &[message(PING, words)], &[Frame::Pong(words.to_vec())])
        })
        .collect();
    let words = |number: u8| vec![number; usize::from(number)];
    let pings: Vec<_> = (1..=10).map(|number| message(PING, &words(number))).collect();
    let pongs: Vec<_> = (1..=10).map(|number| Frame::Pong(words(number))).collect();
    exchanges.push(accepts("ten at once", &pings, &pongs));
    let unsolicited =
        [message(PONG, b""), message(PONG, b"unsolicited"), message(PING, b"but this")];
    let answer = [Frame::Pong(b"but this".to_vec())];
    exchanges.push(accepts("unsolicited pongs", &unsolicited, &answer));
    exchanges.push(closes("a long ping", &[message(PING, &[7; 126])], &[PROTOCOL]));
    exchanges.push(closes("a long pong", &[message(PONG, &[7; 126])], &[PROTOCOL]));
    assert_answered(exchanges).await;
}

#[tokio::test]
async fn reserved_bits_and_opcodes_are_protocol_errors() {
    let mut exchanges = Vec::new();
    for bits in 1..=7 {
        for opcode in [TEXT, BINARY, CLOSE, PING, PONG] {
            let strange = frame(LAST | (bits << 4) | opcode, b"");
            let what = format!("bits {bits:03b} of kind {opcode}");
            exchanges.push(closes(&what, from_ref(&strange), &[PROTOCOL]));
            let after = [message(TEXT, b"*"), strange, message(PING, b"")];
            exchanges.push(closes(format!("{what} later"), &after, &[Frame::NotAnEvent, PROTOCOL]));
        }
    }
    for opcode in (3..=7).chain(11..=15) {
        for payload in [&b""[..], b"something"] {
            let strange = message(opcode, payload);
            exchanges.push(closes(format!("kind {opcode}"), &[strange], &[PROTOCOL]));
        }
    }
    let bare = vec![LAST | TEXT, 1, b'*'];
    exchanges.push(closes("a frame without a mask", &[bare], &[PROTOCOL]));
    assert_answered(exchanges).await;
}

#[tokio::test]
async fn fragments_form_one_message_and_cannot_be_interleaved() {
    let (begun, last) = (frame(MORE | TEXT, b"{"), frame(LAST | CONTINUED, b"}"));
    let between = frame(MORE | CONTINUED, b"");
    let ping = message(PING, b"still there?");
    let pong = Frame::Pong(b"still there?".to_vec());
    let mixed = [begun.clone(), ping.clone(), between.clone(), ping.clone(), last.clone()];
    let sixty: Vec<&[u8]> = vec![b"*"; 60];
    assert_answered(vec![
        accepts("two parts", &[begun.clone(), last.clone()], &[Frame::NotAnEvent]),
        accepts("sixty parts", &[fragments(TEXT, &sixty)], &[Frame::NotAnEvent]),
        accepts("parts of nothing", &[fragments(TEXT, &[b"", b"", b""])], &[Frame::NotAnEvent]),
        accepts("binary parts", &[fragments(BINARY, &[b"\xff", b"\xfe"])], &[Frame::NotText]),
        accepts("pings between parts", &mixed, &[pong.clone(), pong, Frame::NotAnEvent]),
        closes("a part of a ping", &[frame(MORE | PING, b""), last.clone()], &[PROTOCOL]),
        closes("a part of a pong", &[frame(MORE | PONG, b""), last.clone()], &[PROTOCOL]),
        closes("a part of a goodbye", &[frame(MORE | CLOSE, b"")], &[PROTOCOL]),
        closes("an end without a beginning", from_ref(&last), &[PROTOCOL]),
        closes("a middle without a beginning", &[between, last.clone()], &[PROTOCOL]),
        closes("a message within a message", &[begun.clone(), message(TEXT, b"*")], &[PROTOCOL]),
        closes("a beginning after a beginning", &[begun.clone(), begun.clone(), last], &[PROTOCOL]),
        accepts("a goodbye in the middle", &[begun], &[]),
    ])
    .await;
}

#[tokio::test]
async fn text_is_validated_as_utf8_across_fragments() {
    let mut exchanges = Vec::new();
    let sound =
        "κόσμε \u{0}\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{fffd}\u{ffff}\u{10000}\u{10ffff}";
    exchanges.push(accepts("in one", &[message(TEXT, sound.as_bytes())], &[Frame::NotAnEvent]));
    for at in 0..=sound.len() {
        let (one, other) = sound.as_bytes().split_at(at);
        let cut = fragments(TEXT, &[one, other]);
        exchanges.push(accepts(format!("cut at {at}"), &[cut], &[Frame::NotAnEvent]));
    }
    for broken in [
        &b"\x80"[..],
        b"\xbf",
        b"\xc0\xaf",
        b"\xc1\xbf",
        b"\xc2",
        b"\xe0\x80\xaf",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xef\xbf",
        b"\xf0\x80\x80\xaf",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xfe",
        b"\xff",
    ] {
        let text = [b"well \xce\xba", broken].concat();
        let what = format!("{broken:x?}");
        exchanges.push(closes(&what, &[message(TEXT, &text)], &[BAD_UTF8]));
        let (one, other) = text.split_at(text.len() - 1);
        let cut = fragments(TEXT, &[one, other]);
        exchanges.push(closes(format!("{what} cut"), &[cut], &[BAD_UTF8]));
        let reason = message(CLOSE, &close(1000, &text));
        exchanges.push(closes(format!("{what} as a reason"), &[reason], &[BAD_UTF8]));
    }
    assert_answered(exchanges).await;
}

#[tokio::test]
async fn valid_close_frame_is_echoed_and_an_invalid_one_is_a_protocol_error() {
    let mut exchanges = vec![
        closes("without a code", &[message(CLOSE, b"")], &[Frame::Close(None)]),
        closes("half a code", &[message(CLOSE, b"\x03")], &[PROTOCOL]),
        closes("a long reason", &[message(CLOSE, &close(1000, &[b'*'; 123]))], &[NORMAL]),
        closes("too long a reason", &[message(CLOSE, &close(1000, &[b'*'; 124]))], &[PROTOCOL]),
    ];
    for code in (1000..=1003).chain(1007..=1013).chain([3000, 3999, 4000, 4999]) {
        let bye = message(CLOSE, &close(code, b"bye"));
        exchanges.push(closes(code.to_string(), &[bye], &[Frame::Close(Some(code))]));
    }
    let unsayable = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535];
    for code in unsayable {
        let bye = message(CLOSE, &close(code, b""));
        exchanges.push(closes(code.to_string(), &[bye], &[PROTOCOL]));
    }
    let bye = || message(CLOSE, &close(1000, b""));
    for (what, after) in
        [("text", message(TEXT, b"*")), ("a ping", message(PING, b"")), ("more", bye())]
    {
        exchanges.push(closes(format!("{what} after it"), &[bye(), after], &[NORMAL]));
    }
    assert_answered(exchanges).await;
}

/// Without a clock: a peer that broke the protocol earlier and sends nothing more is still
/// connected when the peer that answered the close frame is not.
#[tokio::test]
async fn connection_ends_with_the_peers_close_frame_after_an_error() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    for (broken, code) in [
        (frame(LAST | 0x40 | TEXT, b"reserved bit"), 1002),
        (message(TEXT, b"\xff"), 1007),
        (message(TEXT, &vec![b'*'; 200_000]), 1009),
    ] {
        let (mut silent, mut polite) =
            (Peer::open(&debate).await.tcp, Peer::open(&debate).await.tcp);
        for peer in [&mut silent, &mut polite] {
            peer.write_all(&broken).await.expect("the server reads");
            assert_eq!(
                timeout(HANG, read_frame(peer)).await.expect("no hang"),
                Frame::Close(Some(code))
            );
        }
        let answer = message(CLOSE, &close(code, b""));
        polite.write_all(&answer).await.expect("the server reads");
        let (mut one, mut other) = ([0], [0]);
        tokio::select! {
            biased;
            _ = silent.read(&mut one) => panic!("the silent peer is let go first, after {code}"),
            end = timeout(HANG, polite.read(&mut other)) => {
                assert_eq!(end.expect("no hang").expect("no reset"), 0, "{code}");
            }
        }
    }
}

#[tokio::test]
async fn protocol_error_during_large_messages_is_answered_with_a_close_frame() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let (much, too_much) = (vec![b'*'; 90_000], vec![b'*'; 1_000_000]);
    for (what, sent, answer) in [
        ("a bit that means nothing", frame(LAST | 0x40 | TEXT, &much), PROTOCOL),
        ("more than is taken", message(TEXT, &too_much), Frame::Close(Some(1009))),
    ] {
        let mut tcp = Peer::open(&debate).await.tcp;
        tcp.write_all(&sent).await.expect("it is read to its end");
        tcp.shutdown().await.expect("the connection is open");
        assert_eq!(timeout(HANG, read_frame(&mut tcp)).await.expect("no hang"), answer, "{what}");
        let rest = tcp.read(&mut [0]).await.expect("the server hangs up in order");
        assert_eq!(rest, 0, "{what}");
    }
}
