//! Credentials in the headers of a request: seat token, invite and arbitrator token.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use debate_app::random_bytes;
use debate_core::arena::{ArbitratorRights, Credentials, SecretDigest, SecretKind};
use debate_wire::arena::{ARBITRATOR_HEADER, INVITE_HEADER, SEAT_HEADER};

use crate::access::WrongTokens;
use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::{ErrorResponse, Invalid};
use crate::origin::single_header;

const SEAT: HeaderName = HeaderName::from_static(SEAT_HEADER);
const INVITE: HeaderName = HeaderName::from_static(INVITE_HEADER);
const ARBITRATOR: HeaderName = HeaderName::from_static(ARBITRATOR_HEADER);

/// The credentials of a request. A header that is malformed or given twice counts as wrong. A wrong
/// arbitrator token is counted for the network of its client.
pub(crate) struct RequestCredentials(pub(crate) Credentials);

impl<S> FromRequestParts<S> for RequestCredentials
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    Arc<WrongTokens>: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let settings = Arc::<Settings>::from_ref(state);
        let headers = &parts.headers;
        let arbitrator = find_rights(headers, &settings);
        if arbitrator == ArbitratorRights::Wrong && settings.arbitrator.is_some() {
            let ClientNetwork(network) = ClientNetwork::find(&settings, &parts.extensions, headers);
            let wrong_tokens = Arc::<WrongTokens>::from_ref(state);
            // Boxed, so that the rare case adds nothing to the size of waiting requests.
            Box::pin(async move { wrong_tokens.count(network).await }).await?;
        }
        let (seat, invite) = (find_digest(headers, &SEAT), find_digest(headers, &INVITE));
        Ok(Self(Credentials { seat, invite, arbitrator }))
    }
}

fn find_rights(headers: &HeaderMap, settings: &Settings) -> ArbitratorRights {
    if !headers.contains_key(&ARBITRATOR) {
        return ArbitratorRights::Missing;
    }
    match (&settings.arbitrator, single_header(headers, &ARBITRATOR)) {
        (Some(token), Some(presented)) if token.is(presented) => ArbitratorRights::Token,
        (Some(_) | None, _) => ArbitratorRights::Wrong,
    }
}

/// The digest of a header, if it is present. No seat has the digest of the empty text, which stands
/// for a header that is given twice or is not text.
fn find_digest(headers: &HeaderMap, name: &HeaderName) -> Option<SecretDigest> {
    headers
        .contains_key(name)
        .then(|| SecretDigest::from_secret(single_header(headers, name).unwrap_or_default()))
}

/// The digest of a header that must have the form of its kind, if it is present.
fn parse_secret(
    headers: &HeaderMap,
    name: &HeaderName,
    field: &str,
    kind: SecretKind,
) -> Result<Option<SecretDigest>, Invalid> {
    if !headers.contains_key(name) {
        return Ok(None);
    }
    let secret = single_header(headers, name).filter(|text| kind.matches(text));
    let (prefix, count) = (kind.prefix(), SecretKind::CHARACTERS);
    let form = format!("must be `{prefix}` and {count} characters of base64url, given once");
    let secret = secret.ok_or_else(|| Invalid::new(field, form))?;
    Ok(Some(SecretDigest::from_secret(secret)))
}

/// The secrets that the creator of a debate made.
pub(crate) struct CreatorSecrets {
    pub(super) token: Option<SecretDigest>,
    pub(super) invite: Option<SecretDigest>,
}

impl<S: Sync> FromRequestParts<S> for CreatorSecrets {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let headers = &parts.headers;
        Ok(Self {
            token: parse_secret(headers, &SEAT, "Debate-Seat", SecretKind::Seat)?,
            invite: parse_secret(headers, &INVITE, "Debate-Invite", SecretKind::Invite)?,
        })
    }
}

/// The token of a new seat. It has no `Debug`: it may hold the token itself.
pub(crate) struct NewSeatToken {
    pub(super) digest: SecretDigest,
    /// The token, if the client sent none and the server made it.
    pub(super) made: Option<String>,
}

impl NewSeatToken {
    /// The token that the client sent, or a new one.
    pub(super) fn from_client(token: Option<SecretDigest>) -> Self {
        if let Some(digest) = token {
            return Self { digest, made: None };
        }
        let token = SecretKind::Seat.render(random_bytes());
        Self { digest: SecretDigest::from_secret(&token), made: Some(token) }
    }
}

impl<S: Sync> FromRequestParts<S> for NewSeatToken {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let sent = parse_secret(&parts.headers, &SEAT, "Debate-Seat", SecretKind::Seat)?;
        Ok(Self::from_client(sent))
    }
}
