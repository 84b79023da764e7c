//! Parameters of paths and queries. Query values arrive as text; the server parses them.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::{Side, State};

/// `/debates/{id}` and everything below it
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DebatePath {
    /// The debate's id, or the id it had in the server it was carried over from.
    #[param(min_length = 1, example = "01890a5d-ac96-774b-bcce-b302099a8057")]
    pub id: String,
}

/// `GET /debates`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Only debates in this state.
    #[param(value_type = Option<State>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// `true`: only debates without a claim yet; `state` is ignored.
    #[param(value_type = Option<bool>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_first_opponent: Option<String>,
    /// Only debates whose title or motion contains this text, ignoring case.
    #[param(max_length = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Number of debates on the page; 50 by default.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 500)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Number of debates to skip. It cannot be combined with `cursor`, which leads to pages
    /// further on.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 100_000)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// The `next_cursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// `GET /debates/{id}`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DebateQuery {
    /// Number of newest arguments to return beside the motion; all of them by default.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 2_147_483_647)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// `GET /debates/{id}/poll`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PollQuery {
    /// The side that asks.
    #[param(value_type = Side, required = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The id, or the original id, of the last argument seen. Absent or empty: from the beginning.
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
    /// The side that asks.
    #[param(value_type = Side, required = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The id, or the original id, of the last argument seen. Absent or empty: from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_id: Option<String>,
    /// The longest time to wait, in milliseconds. The server's own limit
    /// (`DEBATE_POLL_TIMEOUT_MS`) applies if it is shorter.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 2_147_483_647)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<String>,
    /// `earlier` leaves the newest argument out of `arguments`, since `argument` has it; `all`
    /// (default) does not.
    #[param(example = "earlier")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
}
