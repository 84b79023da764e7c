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

/// The time and the number of bytes for which the server still reads a refused body. A connection
/// that is closed while the client sends is reset, and the response is lost.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The whole body, within the size limit of the settings.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, ErrorResponse> {
    let bytes_max = settings.body_bytes_max();
    let too_large = || ErrorResponse::body_too_large(bytes_max, settings.content_bytes_max);
    read_at_most(headers, body, bytes_max, too_large).await
}

/// The whole body, if it has at most `bytes_max` bytes.
pub(crate) async fn read_at_most(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    too_large: impl Fn() -> ErrorResponse + Send,
) -> Result<Bytes, ErrorResponse> {
    if is_encoded(headers) {
        linger(body);
        return Err(ErrorResponse::encoded_body());
    }
    if announced(headers).is_some_and(|length| length > bytes_max) {
        linger(body);
        return Err(too_large());
    }
    let whole = tokio::time::timeout(BODY_TIMEOUT, collect(body, bytes_max)).await;
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

async fn collect(mut body: Body, bytes_max: usize) -> Collected {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Collected::Broken };
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > bytes_max {
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
        // The task ends at the time limit at the latest.
        let _ = tokio::time::timeout(LINGER, drain).await;
    });
}
