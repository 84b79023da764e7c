//! Reading a request's body within limits of size and time.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderValue};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};

/// The time limit for a whole body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The time and the number of bytes for which a refused body is still read. A connection that is
/// closed while the client still sends is reset, and the answer with it.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The whole body, within the size limit of the settings.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, ErrorResponse> {
    let most = settings.body_bytes_max();
    let too_large = || ErrorResponse::body_too_large(most, settings.content_bytes_max);
    read_at_most(headers, body, most, too_large).await
}

/// The whole body, if it has at most `most` bytes.
pub(crate) async fn read_at_most(
    headers: &HeaderMap,
    body: Body,
    most: usize,
    too_large: impl Fn() -> ErrorResponse + Send,
) -> Result<Bytes, ErrorResponse> {
    if is_encoded(headers) {
        linger(body);
        return Err(ErrorResponse::encoded_body());
    }
    if announced(headers).is_some_and(|length| length > most) {
        linger(body);
        return Err(too_large());
    }
    let whole = tokio::time::timeout(BODY_TIMEOUT, collect(body, most)).await;
    match whole.map_err(|_| ErrorResponse::body_too_slow())? {
        Collected::Whole(bytes) => Ok(bytes),
        Collected::TooLarge(rest) => {
            linger(rest);
            Err(too_large())
        }
        Collected::Broken => {
            let message = "the body is incomplete or its chunked encoding is invalid".to_owned();
            Err(Invalid { field: "body".to_owned(), message }.into())
        }
    }
}

enum Collected {
    Whole(Bytes),
    TooLarge(Body),
    Broken,
}

async fn collect(mut body: Body, most: usize) -> Collected {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Collected::Broken };
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > most {
            return Collected::TooLarge(body);
        }
        whole.extend_from_slice(&data);
    }
    Collected::Whole(whole.freeze())
}

/// Whether the body is sent in another form than its own, such as gzip.
fn is_encoded(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(CONTENT_ENCODING).iter();
    codings.map(HeaderValue::as_bytes).any(|coding| !coding.eq_ignore_ascii_case(b"identity"))
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads and discards the rest of the body in the background, within its limits.
fn linger(mut body: Body) {
    tokio::spawn(async move {
        let drain = async {
            let mut passed = 0;
            while let Some(Ok(frame)) = body.frame().await {
                passed += frame.data_ref().map_or(0, Bytes::len);
                if passed > LINGER_BYTES_MAX {
                    return;
                }
            }
        };
        // The time limit is one of the ways to end.
        let _ = tokio::time::timeout(LINGER, drain).await;
    });
}
