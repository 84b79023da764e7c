//! The rate limit of the forum's pages. They count in the same windows as the API; a visitor who is
//! signed in has the limits of its tier.

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_core::Admission;

use super::identity::CookieIdentity;
use crate::access::{end_on_revocation, is_read};
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;
use crate::forum::{ForumAccess, over_limit};
use crate::request_layer::with_limit;

/// Passes a request for a page on, or refuses it. The response describes the rate limit in either
/// case.
pub(crate) async fn count_page(
    State(access): State<ForumAccess>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_read = is_read(request.method());
    let (headers, extensions) = (request.headers(), request.extensions());
    let counted = identify_and_count(&access, headers, extensions, is_read).await;
    let (identity, admission) = match counted {
        Ok(counted) => counted,
        Err(err) => return ErrorResponse::from(err).into_response(),
    };
    let session = identity.session;
    request.extensions_mut().insert(identity);
    let response = match admission.filter(Admission::is_refused) {
        Some(admission) => over_limit(&request, &admission),
        None => next.run(request).await,
    };
    let response = end_on_revocation(response, &access.sessions, session);
    with_limit(response, admission.as_ref())
}

async fn identify_and_count(
    access: &ForumAccess,
    headers: &HeaderMap,
    extensions: &Extensions,
    is_read: bool,
) -> Result<(CookieIdentity, Option<Admission>), StoreError> {
    let ClientNetwork(network) = ClientNetwork::find(&access.settings, extensions, headers);
    let identity = CookieIdentity::find(access, headers, extensions).await?;
    let admission = access.forum.count(Some(&identity.visitor), network, is_read).await?;
    Ok((identity, admission))
}
