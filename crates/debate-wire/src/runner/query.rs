//! What clients put into the path and behind the question mark. Behind it everything is text; the
//! edge makes sense of it.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use uuid::Uuid;

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
    /// Only debates of this status.
    #[param(example = "running")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How many: 1 to 200, 50 when absent.
    #[param(example = "50")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// From the address that the `Link` header of the page before names as `next`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
