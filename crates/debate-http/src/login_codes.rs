//! One-time codes that give a browser arbitrator rights.

use std::time::Duration;

use axum::extract::State;
use debate_app::{Sessions, StoreError, random_bytes};
use debate_core::SessionDigest;
use debate_core::arena::check_arbitrator;
use debate_wire::{Failure, LoginCode, Success, arena as wire, hex};
use sha2::{Digest, Sha256};

use crate::arena::RequestCredentials;
use crate::error::ErrorResponse;
use crate::reply::Reply;

/// The time after which an unused code expires.
const LIFETIME: Duration = Duration::from_mins(5);

/// The random bytes of a code.
const CODE_BYTES: usize = 16;

/// Make a one-time login code (arbitrator)
///
/// The login page accepts the code once, within five minutes, and starts a session with arbitrator
/// rights. The request proves arbitrator rights with the arbitrator token.
#[utoipa::path(
    post, path = "/session/codes", tag = "system", params(wire::ArbitratorHeader),
    responses(
        (status = 201, description = "The new code", body = Success<LoginCode>),
        (status = 401, description = "The arbitrator token is missing (`SEAT_REQUIRED`), or the \
            server's token is missing or wrong", body = Failure),
        (status = 403, description = "The arbitrator token is wrong (`SEAT_INVALID`)",
            body = Failure),
    )
)]
pub(crate) async fn login_code(
    State(sessions): State<Sessions>,
    RequestCredentials(credentials): RequestCredentials,
) -> Result<Reply<LoginCode>, ErrorResponse> {
    check_arbitrator(&credentials).map_err(|refusal| ErrorResponse::seat_refused(&refusal))?;
    Ok(Reply::created(new_login_code(&sessions).await?))
}

/// Stores a new code, and returns it.
pub async fn new_login_code(sessions: &Sessions) -> Result<LoginCode, StoreError> {
    let random = random_bytes();
    let code = hex(random.get(..CODE_BYTES).unwrap_or(&random));
    sessions.add_login_code(digest_login_code(&code), LIFETIME).await?;
    Ok(LoginCode { code, expires_in: u32::try_from(LIFETIME.as_secs()).unwrap_or(u32::MAX) })
}

/// The digest under which a code is stored.
pub(crate) fn digest_login_code(code: &str) -> SessionDigest {
    SessionDigest::new(Sha256::digest(code).into())
}
