//! Server-sent events, decoded from bytes as they arrive.
//!
//! Hand-written, because a decoder must not scan a long line again with every chunk, must bound the
//! size of an event, and must accept a chunk that ends anywhere: within CR LF or within a letter.

use std::mem;
use std::time::Duration;

/// An event that is larger than the decoder accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event has more than {0} bytes")]
pub struct EventTooLong(pub usize);

/// One event. Its fields are bytes: only the reader of a stream knows what invalid UTF-8 means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// `event`; empty if the event has none.
    pub name: Vec<u8>,
    /// `id` of this event, not of an earlier one.
    pub id: Option<Vec<u8>>,
    /// All `data` lines, joined with line feeds.
    pub data: Vec<u8>,
}

/// Turns bytes into events.
#[derive(Debug)]
pub struct SseDecoder {
    bytes_max: usize,
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    retry: Option<Duration>,
    is_after_cr: bool,
    has_begun: bool,
}

impl SseDecoder {
    /// A decoder that accepts events of at most this many bytes.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            retry: None,
            is_after_cr: false,
            has_begun: false,
        }
    }

    /// The last `retry` of the stream, the pause before a client reconnects.
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The events that `chunk` completes. An event that is incomplete at the end of
    /// the stream is dropped.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<SseEvent>, EventTooLong> {
        let mut events = Vec::new();
        for &byte in chunk {
            let is_rest_of_cr_lf = byte == b'\n' && self.is_after_cr;
            self.is_after_cr = byte == b'\r';
            if is_rest_of_cr_lf {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                events.extend(self.end_line());
                continue;
            }
            self.line.push(byte);
            if self.line.len() + self.event.data.len() > self.bytes_max {
                return Err(EventTooLong(self.bytes_max));
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let mut line = mem::take(&mut self.line);
        if !mem::replace(&mut self.has_begun, true) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if line.is_empty() {
            let event = mem::take(&mut self.event);
            return mem::take(&mut self.has_data).then_some(event);
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = value.to_vec(),
            b"id" => self.event.id = Some(value.to_vec()),
            b"retry" => {
                let milliseconds = str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = milliseconds.map(Duration::from_millis).or(self.retry);
            }
            // A comment, or a field that the format does not know.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const MAX: usize = 1024;

    fn decode(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut decoder = SseDecoder::new(MAX);
        chunks.iter().flat_map(|chunk| decoder.feed(chunk).expect("it is short")).collect()
    }

    fn decode_data(chunks: &[&[u8]]) -> Vec<String> {
        let events = decode(chunks).into_iter();
        events.map(|event| String::from_utf8_lossy(&event.data).into_owned()).collect()
    }

    #[test]
    fn lines_end_with_lf_cr_or_both_also_when_a_chunk_ends_between() {
        for (stream, cut) in [
            ("data: a\n\ndata: b\n\n", 9),
            ("data: a\r\rdata: b\r\r", 8),
            ("data: a\r\n\r\ndata: b\r\n\r\n", 8),
            ("data: a\r\n\r\ndata: b\r\n\r\n", 10),
        ] {
            let (head, tail) = stream.as_bytes().split_at(cut);
            assert_eq!(decode_data(&[head, tail]), ["a", "b"], "{stream:?} at {cut}");
        }
    }

    #[test]
    fn data_lines_are_joined_and_other_fields_are_kept() {
        let stream = "\u{feff}: hello\nevent: x\nid: 1\ndatum: no\ndata\ndata:b\ndata:  c\n\n\n\n";
        let event =
            SseEvent { name: b"x".to_vec(), id: Some(b"1".to_vec()), data: b"\nb\n c".to_vec() };
        assert_eq!(decode(&[stream.as_bytes()]), [event]);
        assert_eq!(decode(&[b"event: ping\n\ndata: cut off"]), []);
    }

    #[test]
    fn retry_is_kept_unless_it_is_no_number() {
        let mut decoder = SseDecoder::new(MAX);
        assert_eq!(
            decoder.feed(b"retry: 45000\n: rate limit reached\n\nretry: soon\n\n"),
            Ok(vec![])
        );
        assert_eq!(decoder.retry(), Some(Duration::from_secs(45)));
    }

    #[test]
    fn event_without_end_is_refused() {
        assert_eq!(SseDecoder::new(MAX).feed(&[b'x'; MAX + 1]), Err(EventTooLong(MAX)));
        let mut decoder = SseDecoder::new(MAX);
        let line = [b"data: ".as_slice(), &[b'x'; MAX / 2], b"\n"].concat();
        assert_eq!(decoder.feed(&line), Ok(Vec::new()));
        assert_eq!(decoder.feed(&line), Err(EventTooLong(MAX)));
    }

    proptest! {
        #[test]
        fn chunk_boundaries_change_nothing(
            pieces in vec(prop_oneof![
                Just("\r\n"), Just("\n"), Just("\r"), Just("data: é"), Just("data:"), Just(":x"),
                Just("event: e"), Just("data"), Just("\u{feff}"), Just("😀"), Just("id: 7"),
            ], 0..40),
            cuts in vec(0_usize..200, 0..8),
        ) {
            let stream = pieces.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> =
                cuts.windows(2).map(|ends| &stream[ends[0]..ends[1]]).collect();
            prop_assert_eq!(decode(&chunks), decode(&[&stream]));
        }
    }
}
