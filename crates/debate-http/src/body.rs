//! Reading a request's body: never more, and never longer, than is allowed.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderValue};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use crate::edge::Settings;
use crate::problem::{Invalid, Problem};

/// How long a whole body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How much longer, and how much more, is read of a body that was refused. A connection that is
/// closed while the client still sends is reset, and the answer with it.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The whole body, if it is no larger than the settings allow.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, Problem> {
    let most = settings.body_bytes_max();
    let too_large = || Problem::body_too_large(most, settings.content_bytes_max);
    read_at_most(headers, body, most, too_large).await
}

/// The whole body, if it has at most `most` bytes.
pub(crate) async fn read_at_most(
    headers: &HeaderMap,
    body: Body,
    most: usize,
    too_large: impl Fn() -> Problem + Send,
) -> Result<Bytes, Problem> {
    if is_encoded(headers) {
        linger(body);
        return Err(Problem::encoded_body());
    }
    if announced(headers).is_some_and(|length| length > most) {
        linger(body);
        return Err(too_large());
    }
    let whole = tokio::time::timeout(BODY_TIMEOUT, collect(body, most)).await;
    match whole.map_err(|_| Problem::body_too_slow())? {
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

/// Reads on beside the answer, keeping nothing. Ends by itself, or with its connection.
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
        // Running out of time is one of the ways to end.
        let _ = tokio::time::timeout(LINGER, drain).await;
    });
}
