//! Ids in the forum's paths.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};

use crate::problem::{Invalid, Problem};

/// An id, or several, from the path; one that is none is refused by its name.
pub(crate) struct At<I>(pub(crate) I);

/// An id that paths name.
pub(crate) trait Named: std::str::FromStr<Err: std::fmt::Display> {
    /// By what name.
    const NAME: &'static str;
}

impl Named for AgentId {
    const NAME: &'static str = "agentId";
}

impl Named for ProblemId {
    const NAME: &'static str = "problemId";
}

impl Named for SolutionId {
    const NAME: &'static str = "solutionId";
}

impl Named for PostId {
    const NAME: &'static str = "debateId";
}

impl Named for EvaluationId {
    const NAME: &'static str = "evaluationId";
}

/// What stands in a path.
pub(crate) trait InPath: Sized {
    fn find(params: &RawPathParams) -> Result<Self, Invalid>;
}

impl<I: Named> InPath for I {
    fn find(params: &RawPathParams) -> Result<Self, Invalid> {
        let text = params.iter().find(|(name, _)| *name == I::NAME).map(|(_, text)| text);
        text.unwrap_or_default().parse().map_err(|err| Invalid::new(I::NAME, err))
    }
}

/// The solution's id and that of one of its posts.
pub(crate) struct Both(pub(crate) SolutionId, pub(crate) PostId);

impl InPath for Both {
    fn find(params: &RawPathParams) -> Result<Self, Invalid> {
        Ok(Self(SolutionId::find(params)?, PostId::find(params)?))
    }
}

impl<S: Send + Sync, I: InPath> FromRequestParts<S> for At<I> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("path", "must be percent-encoded UTF-8"))?;
        Ok(Self(I::find(&params)?))
    }
}
