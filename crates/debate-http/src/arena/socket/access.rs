//! The rights of a socket: one that was opened with a session cookie may only read, and ends with
//! its session. In a debate with seats the headers of the handshake prove arbitrator rights.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use debate_app::{Sessions, StoreError};
use debate_core::SessionDigest;
use debate_core::arena::Credentials;

use crate::access::WrongTokens;
use crate::app_state::Settings;
use crate::arena::RequestCredentials;
use crate::error::ErrorResponse;
use crate::pages::session::ActiveSession;

/// The rights of a socket, by the credential it was opened with.
pub(crate) struct SocketAccess {
    sessions: Sessions,
    /// The session that the socket depends on; none if it was opened with the token, or on a server
    /// without a token.
    session: Option<SessionDigest>,
    /// The credentials in the headers of the handshake.
    credentials: Credentials,
}

impl<S> FromRequestParts<S> for SocketAccess
where
    S: Send + Sync,
    Sessions: FromRef<S>,
    Arc<Settings>: FromRef<S>,
    Arc<WrongTokens>: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let RequestCredentials(credentials) =
            RequestCredentials::from_request_parts(parts, state).await?;
        let session = parts.extensions.get::<ActiveSession>();
        let session = session.filter(|session| session.is_only_credential);
        let session = session.map(|session| session.digest);
        Ok(Self { sessions: Sessions::from_ref(state), session, credentials })
    }
}

impl SocketAccess {
    pub(super) fn can_write(&self) -> bool {
        self.session.is_none()
    }

    pub(super) fn credentials(&self) -> Credentials {
        self.credentials
    }

    pub(super) async fn is_revoked(&self) -> Result<bool, StoreError> {
        match self.session {
            Some(session) => self.sessions.is_revoked(session).await,
            None => Ok(false),
        }
    }

    /// Returns when the session is revoked; never without a session. It borrows nothing, so
    /// that it can be awaited beside the socket's other work.
    pub(super) fn wait_until_revoked(&self) -> impl Future<Output = ()> + Send + use<> {
        let (sessions, session) = (self.sessions.clone(), self.session);
        async move {
            match session {
                Some(session) => sessions.wait_until_revoked(session).await,
                None => std::future::pending().await,
            }
        }
    }
}
