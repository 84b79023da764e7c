//! Requests whose ids are resolved before a handler sees them: clients may name carried-over
//! debates and arguments by their original ids. A UUID costs no lookup.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use debate_app::arena::Arena;
use debate_core::{DebateId, Reference};

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::{Parse, ParsedBody, ParsedQuery};

/// A parsed request that names debates or arguments.
pub(crate) trait Resolve {
    /// The request with ids in place of references.
    type Resolved;

    fn resolve(
        self,
        arena: &Arena,
    ) -> impl Future<Output = Result<Self::Resolved, ErrorResponse>> + Send;
}

/// A body, parsed, with its ids resolved.
pub(crate) struct ResolvedBody<W>(pub(crate) <W::Domain as Resolve>::Resolved)
where
    W: Parse,
    W::Domain: Resolve;

impl<S, W> FromRequest<S> for ResolvedBody<W>
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    Arena: FromRef<S>,
    W: Parse,
    W::Domain: Resolve + Send,
{
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, state: &S) -> Result<Self, ErrorResponse> {
        let ParsedBody(parsed) = ParsedBody::<W>::from_request(request, state).await?;
        Ok(Self(parsed.resolve(&Arena::from_ref(state)).await?))
    }
}

/// A query, parsed, with its ids resolved.
pub(crate) struct ResolvedQuery<W>(pub(crate) <W::Domain as Resolve>::Resolved)
where
    W: Parse,
    W::Domain: Resolve;

impl<S, W> FromRequestParts<S> for ResolvedQuery<W>
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    Arena: FromRef<S>,
    W: Parse,
    W::Domain: Resolve + Send,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let ParsedQuery(parsed) = ParsedQuery::<W>::from_request_parts(parts, state).await?;
        Ok(Self(parsed.resolve(&Arena::from_ref(state)).await?))
    }
}

/// The debate that the path names.
pub(crate) struct PathDebate(pub(crate) DebateId);

impl<S> FromRequestParts<S> for PathDebate
where
    S: Send + Sync,
    Arena: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("debate_id", "must be percent-encoded UTF-8"))?;
        let reference = text.parse().map_err(|err| Invalid::new("debate_id", err))?;
        Ok(Self(resolve_debate(&reference, &Arena::from_ref(state)).await?))
    }
}

pub(super) async fn resolve_debate(
    reference: &Reference<DebateId>,
    arena: &Arena,
) -> Result<DebateId, ErrorResponse> {
    let found = arena.find_debate(reference).await?;
    found.ok_or_else(|| ErrorResponse::unknown_debate(reference))
}
