//! Requests whose ids are resolved before a handler sees them: clients may name carried-over
//! debates and arguments by their original ids. A UUID costs no lookup.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use debate_app::arena::Arena;
use debate_core::{ArgumentId, DebateId, Reference};

use crate::app_state::Settings;
use crate::extract::{Parse, ParsedBody, ParsedQuery};
use crate::problem::{Invalid, Problem};

/// A parsed request that names debates or arguments.
pub(crate) trait Resolve {
    /// The same with ids.
    type Resolved;

    fn resolve<S>(self, state: &S) -> impl Future<Output = Result<Self::Resolved, Problem>> + Send
    where
        S: Send + Sync,
        Arena: FromRef<S>;
}

/// A body, parsed, with its ids resolved.
pub(crate) struct Resolved<W>(pub(crate) <W::Domain as Resolve>::Resolved)
where
    W: Parse,
    W::Domain: Resolve;

impl<S, W> FromRequest<S> for Resolved<W>
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    Arena: FromRef<S>,
    W: Parse,
    W::Domain: Resolve + Send,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let ParsedBody(parsed) = ParsedBody::<W>::from_request(request, state).await?;
        Ok(Self(parsed.resolve(state).await?))
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
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let ParsedQuery(parsed) = ParsedQuery::<W>::from_request_parts(parts, state).await?;
        Ok(Self(parsed.resolve(state).await?))
    }
}

/// The debate that the path names.
pub(crate) struct PathDebate(pub(crate) DebateId);

impl<S> FromRequestParts<S> for PathDebate
where
    S: Send + Sync,
    Arena: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("debate_id", "must be percent-encoded UTF-8"))?;
        let reference = text.parse().map_err(|err| Invalid::new("debate_id", err))?;
        Ok(Self(resolve_debate(&reference, state).await?))
    }
}

pub(super) async fn resolve_debate<S>(
    reference: &Reference<DebateId>,
    state: &S,
) -> Result<DebateId, Problem>
where
    S: Sync,
    Arena: FromRef<S>,
{
    // Ahead of the rest, so that a UUID does not even cost a clone of the arena.
    if let Reference::Id(id) = reference {
        return Ok(*id);
    }
    let found = Arena::from_ref(state).find_debate(reference).await?;
    found.ok_or_else(|| Problem::unknown_debate(reference))
}

pub(super) async fn resolve_argument<S>(
    reference: &Reference<ArgumentId>,
    state: &S,
) -> Result<Option<ArgumentId>, Problem>
where
    S: Sync,
    Arena: FromRef<S>,
{
    match reference {
        Reference::Id(id) => Ok(Some(*id)),
        Reference::Original(_) => Ok(Arena::from_ref(state).find_argument(reference).await?),
    }
}
