//! What clients send.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SettingsDraft;

/// `POST /runner/debates`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerCreateDebate)]
pub struct CreateDebate {
    /// What to debate.
    #[schema(min_length = 1, max_length = 2000)]
    pub topic: String,
    /// How; what is absent or null is the server's choice.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub settings: Option<SettingsDraft>,
}
