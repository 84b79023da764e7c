//! What clients put into the path and behind the question mark. Behind it everything is text; the
//! edge makes sense of it.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use uuid::Uuid;

/// `/debates/{id}` and everything below it
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DebatePath {
    /// The debate's id.
    pub id: Uuid,
}

/// `GET /debates`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Only debates in this state.
    #[param(example = "AWAITING_PROPOSER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// `true`: only debates nobody has opposed yet, whatever `state` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_first_opponent: Option<String>,
    /// Only debates whose title or motion contains this, whatever the case.
    #[param(max_length = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// How many: 0 to 500, 50 when absent.
    #[param(example = "50")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Number of debates to skip, 0 to 100,000. Follow `next_cursor` for pages further on.
    #[param(example = "0")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// The `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// `GET /debates/{id}`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DebateQuery {
    /// How many of the newest arguments, beside the motion; all when absent.
    #[param(example = "20")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// `GET /debates/{id}/poll`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PollQuery {
    /// Who asks: `proposer` or `opponent`.
    #[param(required = true, example = "opponent")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The last argument seen; from the beginning when absent or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_id: Option<String>,
    /// `earlier` leaves the newest argument out of `arguments`, since `argument` has it; `all`
    /// (default) does not.
    #[param(example = "earlier")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
}

/// `GET /debates/{id}/wait`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// Who asks: `proposer` or `opponent`.
    #[param(required = true, example = "opponent")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The last argument seen; from the beginning when absent or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_id: Option<String>,
    /// How long to wait at most; never longer than the server's own limit.
    #[param(example = "45000")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<String>,
    /// `earlier` leaves the newest argument out of `arguments`, since `argument` has it; `all`
    /// (default) does not.
    #[param(example = "earlier")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
}
