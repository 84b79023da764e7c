//! Responses in gzip, for clients that accept it.
//!
//! A body of moderate size is compressed at once, since an encoder takes more memory than such a
//! body and would live as long as a slow client reads. A larger body, or one of unknown size, is
//! compressed in pieces while it is sent. Event streams are never compressed: an encoder would hold
//! events back.

use std::io::Write;

use axum::body::{Body, HttpBody};
use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use http_body_util::BodyExt;

/// The smallest body that is compressed, in bytes. A smaller one fits one packet with its headers.
const BODY_BYTES_MIN: u64 = 1024;

/// The largest body that is compressed at once.
const AT_ONCE_BYTES_MAX: u64 = 256 * 1024;

/// The size of the pieces in which a larger body is compressed.
const PIECE_BYTES: usize = 32 * 1024;

/// Level 3 of 9: higher levels make pages a few percent smaller and take twice the time.
const LEVEL: Compression = Compression::new(3);

/// Whether the client accepts the response to this request in gzip.
pub(crate) fn is_accepted(method: &Method, headers: &HeaderMap) -> bool {
    *method != Method::HEAD && accepts_gzip(headers)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let (mut gzip, mut any) = (None, None);
    for coding in values.flat_map(|value| value.split(',')) {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = parameters.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        let accepted = weight.is_ok_and(|weight| weight > 0.0);
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => gzip = Some(accepted),
            "*" => any = Some(accepted),
            _ => {}
        }
    }
    gzip.or(any).unwrap_or(false)
}

/// The response in gzip if the client accepts that and it is worth it. A response that depends on
/// the accepted encoding says so to caches in either case.
pub(crate) fn compress(mut response: Response, is_accepted: bool) -> Response {
    if !is_compressible(&response) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if !is_accepted {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    if let Some(tag) = parts.headers.get(ETAG).and_then(weaken) {
        parts.headers.insert(ETAG, tag);
    }
    Response::from_parts(parts, encode(body))
}

fn is_compressible(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    let is_text = kind.starts_with("text/") && kind != "text/event-stream";
    let is_large = response.body().size_hint().exact().is_none_or(|size| size > BODY_BYTES_MIN);
    (is_text || matches!(kind, "application/json" | "image/svg+xml"))
        && is_large
        && response.status() != StatusCode::NOT_MODIFIED
        && !headers.contains_key(CONTENT_ENCODING)
}

/// Makes the tag weak: strong tags promise bodies that are equal byte for byte.
fn weaken(tag: &HeaderValue) -> Option<HeaderValue> {
    let tag = tag.to_str().ok().filter(|tag| !tag.starts_with("W/"))?;
    HeaderValue::try_from(format!("W/{tag}")).ok()
}

fn encode(body: Body) -> Body {
    let is_moderate = body.size_hint().exact().is_some_and(|size| size <= AT_ONCE_BYTES_MAX);
    let source = Source { body, unread: Bytes::new(), encoder: Some(encoder()), is_moderate };
    Body::from_stream(stream::try_unfold(source, Source::next))
}

fn encoder() -> GzEncoder<Vec<u8>> {
    GzEncoder::new(Vec::new(), LEVEL)
}

/// A body that is being compressed.
struct Source {
    body: Body,
    /// The received bytes that are not compressed yet.
    unread: Bytes,
    /// None once the end has been written.
    encoder: Option<GzEncoder<Vec<u8>>>,
    /// Whether the whole body is compressed at once.
    is_moderate: bool,
}

impl Source {
    /// The next compressed bytes and the rest of the body; none after the last bytes.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, axum::Error> {
        let Some(mut encoder) = self.encoder.take() else { return Ok(None) };
        loop {
            if self.unread.is_empty() {
                let Some(frame) = self.body.frame().await else {
                    let end = encoder.finish().map_err(axum::Error::new)?;
                    return Ok(Some((end.into(), self)));
                };
                self.unread = frame?.into_data().unwrap_or_default();
            }
            let most = if self.is_moderate { usize::MAX } else { PIECE_BYTES };
            let piece = self.unread.split_to(self.unread.len().min(most));
            encoder.write_all(&piece).map_err(axum::Error::new)?;
            if !self.is_moderate && !encoder.get_ref().is_empty() {
                let ready = std::mem::take(encoder.get_mut());
                return Ok(Some((ready.into(), Self { encoder: Some(encoder), ..self })));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::response::IntoResponse;
    use flate2::read::GzDecoder;

    use super::*;

    fn accepting(value: &str) -> HeaderMap {
        let value = HeaderValue::try_from(value).expect("it is a header's value");
        HeaderMap::from_iter([(ACCEPT_ENCODING, value)])
    }

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it_and_to_no_others() {
        for accepted in ["gzip", "GZip", "br, gzip;q=0.5", "*", "identity;q=0, x-gzip", "*;q=0.1"] {
            assert!(accepts_gzip(&accepting(accepted)), "{accepted}");
        }
        for other in ["", "br", "gzip;q=0", "gzip;q=0, *", "*;q=0", "identity", "gzip;q=x"] {
            assert!(!accepts_gzip(&accepting(other)), "{other}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
        assert!(!is_accepted(&Method::HEAD, &accepting("gzip")));
    }

    #[tokio::test]
    async fn body_of_any_size_and_in_any_pieces_is_the_same_after_decompression() {
        for size in [1025, 40_000, 300_000, 2_000_000] {
            let text: String = (0..size)
                .map(|at| char::from(b'a' + u8::try_from(at * at % 23).unwrap_or(0)))
                .collect();
            let pieces =
                text.as_bytes().chunks(7001).map(Bytes::copy_from_slice).map(Ok::<_, axum::Error>);
            let pieces: Vec<_> = pieces.collect();
            for body in [Body::from(text.clone()), Body::from_stream(stream::iter(pieces))] {
                let response = ([(CONTENT_TYPE, "text/plain")], body).into_response();
                let response = compress(response, true);
                assert_eq!(
                    response.headers().get(CONTENT_ENCODING).map(HeaderValue::as_bytes),
                    Some(&b"gzip"[..])
                );
                let bytes = response.into_body().collect().await.expect("it ends").to_bytes();
                assert!(bytes.len() < size, "{size} became {}", bytes.len());
                let mut back = String::new();
                GzDecoder::new(&*bytes).read_to_string(&mut back).expect("it is gzip");
                assert!(back == text, "{size}");
            }
        }
    }

    #[test]
    fn small_responses_streams_and_pictures_stay_as_they_are() {
        let large = "x".repeat(5000);
        for (kind, text) in [
            ("text/html", "x".repeat(1024)),
            ("text/event-stream", large.clone()),
            ("image/png", large),
        ] {
            let response = ([(CONTENT_TYPE, kind)], text).into_response();
            assert!(!compress(response, true).headers().contains_key(CONTENT_ENCODING), "{kind}");
        }
    }
}
