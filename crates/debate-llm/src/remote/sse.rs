//! Server-sent events, decoded from bytes as they come.
//!
//! Our own sixty lines, because a decoder must neither look at a long line again with every chunk
//! nor take one without end, and must not care where a chunk is cut: within CR LF, within a letter.

/// The most bytes one event has. An answer comes in many.
pub(super) const EVENT_BYTES_MOST: usize = 1024 * 1024;

/// An event that never ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// Bytes in, the data of events out.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_cr: bool,
    begun: bool,
}

impl Decoder {
    /// The data of every event that `chunk` completes. What is not complete at the end of the
    /// stream is no event.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for &byte in chunk {
            let ends_cr_lf = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            if ends_cr_lf {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                events.extend(self.end_line());
                continue;
            }
            self.line.push(byte);
            if self.line.len() + self.data.as_ref().map_or(0, Vec::len) > EVENT_BYTES_MOST {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if line.is_empty() {
            return self.data.take();
        }
        let value = match line.strip_prefix(b"data") {
            Some([]) => &[],
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            // A comment, the event's name, its id: our providers say in the data what it is.
            Some(_) | None => return None,
        };
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{Decoder, EVENT_BYTES_MOST, TooLong};

    fn decoded(chunks: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::default();
        let events = chunks.iter().flat_map(|chunk| decoder.feed(chunk).expect("it is short"));
        events.map(|data| String::from_utf8_lossy(&data).into_owned()).collect()
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
            assert_eq!(decoded(&[head, tail]), ["a", "b"], "{stream:?} at {cut}");
        }
    }

    #[test]
    fn only_data_counts_and_several_lines_of_it_are_one() {
        let stream = "\u{feff}: hello\nevent: x\nid: 1\ndatum: no\ndata\ndata:b\ndata:  c\n\n\n\n";
        assert_eq!(decoded(&[stream.as_bytes()]), ["\nb\n c"]);
        assert_eq!(decoded(&[b"event: ping\n\ndata: cut off"]), Vec::<String>::new());
    }

    #[test]
    fn an_event_without_end_is_given_up() {
        let long = vec![b'x'; EVENT_BYTES_MOST + 1];
        assert_eq!(Decoder::default().feed(&long), Err(TooLong));
        let mut decoder = Decoder::default();
        let line = [b"data: ".as_slice(), &vec![b'x'; EVENT_BYTES_MOST / 2], b"\n"].concat();
        assert_eq!(decoder.feed(&line), Ok(Vec::new()));
        assert_eq!(decoder.feed(&line), Err(TooLong));
    }

    proptest! {
        #[test]
        fn where_the_chunks_are_cut_changes_nothing(
            pieces in vec(prop_oneof![
                Just("\r\n"), Just("\n"), Just("\r"), Just("data: é"), Just("data:"), Just(":x"),
                Just("event: e"), Just("data"), Just("\u{feff}"), Just("😀"),
            ], 0..40),
            cuts in vec(0_usize..200, 0..8),
        ) {
            let stream = pieces.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> =
                cuts.windows(2).map(|ends| &stream[ends[0]..ends[1]]).collect();
            prop_assert_eq!(decoded(&chunks), decoded(&[&stream]));
        }
    }
}
