//! The rate limit of the forum's pages: they count in the same windows as the API, a visitor who is
//! signed in by its own tier.

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_core::Admission;

use super::seat::Identity;
use crate::admission::is_read;
use crate::client::ClientNetwork;
use crate::forum::{Doorway, over_limit};
use crate::problem::Problem;
use crate::rate_headers::with_limit;
use crate::session_access::end_on_revocation;

/// Passes a request for a page on, or refuses it. Either answer describes the rate limit.
pub(crate) async fn count_page(
    State(doorway): State<Doorway>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_read = is_read(request.method());
    let (headers, extensions) = (request.headers(), request.extensions());
    let counted = identify_and_count(&doorway, headers, extensions, is_read).await;
    let (identity, admission) = match counted {
        Ok(counted) => counted,
        Err(err) => return Problem::from(err).into_response(),
    };
    let session = identity.session;
    request.extensions_mut().insert(identity);
    let response = match admission.filter(Admission::is_refused) {
        Some(admission) => over_limit(&request, &admission),
        None => next.run(request).await,
    };
    let response = end_on_revocation(response, &doorway.sessions, session);
    with_limit(response, admission.as_ref())
}

async fn identify_and_count(
    doorway: &Doorway,
    headers: &HeaderMap,
    extensions: &Extensions,
    is_read: bool,
) -> Result<(Identity, Option<Admission>), StoreError> {
    let ClientNetwork(network) = ClientNetwork::find(&doorway.settings, extensions, headers);
    let identity = Identity::find(doorway, headers, extensions).await?;
    let admission = doorway.forum.count(Some(&identity.who), network, is_read).await?;
    Ok((identity, admission))
}
