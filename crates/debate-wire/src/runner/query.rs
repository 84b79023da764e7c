//! Path and query parameters of the runner. Query values arrive as text; the server parses them.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use uuid::Uuid;

use super::Status;

/// Path parameter of `/runner/debates/{id}` and the paths below it.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DebatePath {
    /// UUID of the run.
    pub id: Uuid,
}

/// Query of `GET /runner/debates`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Return only runs with this status.
    #[param(value_type = Option<Status>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Maximum number of runs on the page, 1 to 200. Default: 50.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `cursor` parameter of the `next` address in the `Link` header of the preceding page. The
    /// list starts at the first page if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Headers of `start`, `resume` and `retry`.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CommandHeaders {
    /// Language of the client's user interface as a BCP 47 tag. It becomes the run's
    /// `output_language` if the run was created without one. Invalid values are ignored.
    #[serde(rename = "X-UI-Language")]
    #[param(example = "zh-TW")]
    pub x_ui_language: Option<String>,
}
