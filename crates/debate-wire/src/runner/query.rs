//! Parameters of paths and queries. Query values arrive as text; the server parses them.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use uuid::Uuid;

use super::Status;

/// `/runner/debates/{id}` and everything below it
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DebatePath {
    /// The debate's id.
    pub id: Uuid,
}

/// `GET /runner/debates`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Only debates with this status.
    #[param(value_type = Option<Status>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Number of debates on the page; 50 by default.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `cursor` in the address that the previous page's `Link` header names as `next`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Headers of `start`, `resume` and `retry`.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CommandHeaders {
    /// The language of the client's user interface, a BCP-47 tag. It becomes the run's
    /// `output_language` if the creation left that out; an invalid value is ignored.
    #[serde(rename = "X-UI-Language")]
    #[param(example = "zh-TW")]
    pub x_ui_language: Option<String>,
}
