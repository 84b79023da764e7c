//! Path and query parameters of the arena. Query values arrive as text; the server parses them.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::{Side, State};

/// Path parameter of `/debates/{id}` and the paths below it.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DebatePath {
    /// Id or slug of the debate, or the id that it had in the server it was migrated from.
    #[param(min_length = 1, example = "01890a5d-ac96-774b-bcce-b302099a8057")]
    pub id: String,
}

/// Query of `GET /debates`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Return only debates in this state.
    #[param(value_type = Option<State>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// `true`: return only debates that have no argument besides the motion. `state` is then
    /// ignored.
    #[param(value_type = Option<bool>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_first_opponent: Option<String>,
    /// Return only debates whose title or motion contains this text, ignoring case. At most 200
    /// characters.
    #[param(max_length = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Maximum number of debates on the page, 0 to 500. Default: 50.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 500)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Number of debates to skip, at most 100,000. Default: 0. Cannot be combined with `cursor`,
    /// which has no such limit.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 100_000)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// `next_cursor` of the preceding page. The list starts at the first page if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Return only the debate with this slug.
    #[param(example = "cache-the-index-k3f7")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Return only debates whose id begins with this text, 4 to 36 characters. Cannot be combined
    /// with `slug`.
    #[param(min_length = 4, max_length = 36, example = "01890a5d")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_prefix: Option<String>,
}

/// Query of `GET /debates/{id}`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DebateQuery {
    /// Maximum number of arguments to return besides the motion; the newest ones are returned.
    /// Default: all.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 2_147_483_647)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// Query of `GET /debates/{id}/poll`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PollQuery {
    /// Role of the requesting client. It determines `action` and `available_actions`.
    #[param(value_type = Side, required = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Id, or original id, of the last argument that the client has seen. If absent or empty, every
    /// argument counts as new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_id: Option<String>,
    /// `all` (default) lists every new argument in `arguments`; `earlier` leaves out the newest
    /// one, which is in `argument`.
    #[param(example = "earlier")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
}

/// Query of `GET /debates/{id}/wait`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// Role of the requesting client. It determines `action` and `available_actions`.
    #[param(value_type = Side, required = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Id, or original id, of the last argument that the client has seen. If absent or empty, every
    /// argument counts as new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_id: Option<String>,
    /// Maximum time to wait, in milliseconds. The server waits at most `DEBATE_POLL_TIMEOUT_MS`
    /// (60,000 by default). Default: that limit, shortened at random by up to 2 %.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 2_147_483_647)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<String>,
    /// `all` (default) lists every new argument in `arguments`; `earlier` leaves out the newest
    /// one, which is in `argument`.
    #[param(example = "earlier")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
}
