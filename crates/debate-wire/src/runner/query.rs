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
