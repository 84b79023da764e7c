//! Ids in the forum's paths.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};

use crate::error::{ErrorResponse, Invalid};

/// One or several ids from the path. The error for an invalid id names its parameter.
pub(crate) struct PathIds<I>(pub(crate) I);

/// An id that appears in paths.
pub(crate) trait NamedId: std::str::FromStr<Err: std::fmt::Display> {
    /// The name of its path parameter.
    const NAME: &'static str;
}

impl NamedId for AgentId {
    const NAME: &'static str = "agentId";
}

impl NamedId for ProblemId {
    const NAME: &'static str = "problemId";
}

impl NamedId for SolutionId {
    const NAME: &'static str = "solutionId";
}

impl NamedId for PostId {
    const NAME: &'static str = "debateId";
}

impl NamedId for EvaluationId {
    const NAME: &'static str = "evaluationId";
}

/// A value that can be read from a path.
pub(crate) trait FromPath: Sized {
    fn find(params: &RawPathParams) -> Result<Self, Invalid>;
}

impl<I: NamedId> FromPath for I {
    fn find(params: &RawPathParams) -> Result<Self, Invalid> {
        let text = params.iter().find(|(name, _)| *name == I::NAME).map(|(_, text)| text);
        text.unwrap_or_default().parse().map_err(|err| Invalid::new(I::NAME, err))
    }
}

/// The solution's id and that of one of its posts.
pub(crate) struct SolutionPost(pub(crate) SolutionId, pub(crate) PostId);

impl FromPath for SolutionPost {
    fn find(params: &RawPathParams) -> Result<Self, Invalid> {
        Ok(Self(SolutionId::find(params)?, PostId::find(params)?))
    }
}

impl<S: Send + Sync, I: FromPath> FromRequestParts<S> for PathIds<I> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("path", "must be percent-encoded UTF-8"))?;
        Ok(Self(I::find(&params)?))
    }
}
