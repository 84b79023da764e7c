//! The rate limit of the forum's pages: they count in the same windows as the API, a visitor who is
//! signed in by its own tier.

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_core::Admission;

use super::seat::Identity;
use crate::client::ClientNetwork;
use crate::forum::{Doorway, is_read, over_limit};
use crate::problem::Problem;
use crate::rate_headers::with_limit;

/// Passes a request for a page on, or refuses it. Either answer describes the rate limit.
pub(crate) async fn count_page(
    State(doorway): State<Doorway>,
    mut request: Request,
    next: Next,
) -> Response {
    let network = ClientNetwork::find(&doorway.settings, request.extensions(), request.headers());
    let is_read = is_read(request.method());
    let counted = identify_and_count(&doorway, network, request.headers(), is_read).await;
    let (identity, admission) = match counted {
        Ok(counted) => counted,
        Err(problem) => return problem.into_response(),
    };
    request.extensions_mut().insert(identity);
    let response = match admission.filter(Admission::is_refused) {
        Some(admission) => over_limit(&request, &admission),
        None => next.run(request).await,
    };
    with_limit(response, admission.as_ref())
}

async fn identify_and_count(
    Doorway { forum, settings }: &Doorway,
    ClientNetwork(network): ClientNetwork,
    headers: &HeaderMap,
    is_read: bool,
) -> Result<(Identity, Option<Admission>), Problem> {
    let identity = Identity::find(forum, settings, headers).await?;
    let admission = forum.count(Some(&identity.who), network, is_read).await?;
    Ok((identity, admission))
}
