//! What clients send.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{DebateType, Side};

/// `POST /debates`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreateDebate {
    /// The new debate's id, a UUID. Without it the server generates one, so every request creates
    /// another debate.
    #[schema(format = Uuid, example = "01890a5d-ac96-774b-bcce-b302099a8057")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub debate_id: Option<String>,
    /// What it is called.
    #[schema(min_length = 1, max_length = 300)]
    pub title: String,
    /// What it is about.
    pub debate_type: DebateType,
    /// What is proposed.
    #[schema(min_length = 1)]
    pub motion_content: String,
    /// The idempotency key. A retry with the same `debate_id` and key returns the first answer;
    /// without a key the request is not idempotent.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
    /// Whether a resolution closes the debate by itself; the server's custom when absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub auto_ruling: Option<bool>,
}

/// `POST /debates/{id}/arguments`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitClaim {
    /// Who speaks.
    pub role: Side,
    /// The argument it answers.
    #[schema(min_length = 1)]
    pub target_id: String,
    /// What is said.
    #[schema(min_length = 1)]
    pub content: String,
    /// The client's name for this write; the same again is a retry.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    pub client_request_id: String,
}

/// `POST /debates/{id}/appeal`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitAppeal {
    /// The argument in dispute.
    #[schema(min_length = 1)]
    pub target_id: String,
    /// What the arbitrator is asked.
    #[schema(min_length = 1)]
    pub content: String,
    /// The client's name for this write; the same again is a retry.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    pub client_request_id: String,
}

/// `POST /debates/{id}/resolution`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitResolution {
    /// The last argument.
    #[schema(min_length = 1)]
    pub target_id: String,
    /// What was agreed.
    #[schema(min_length = 1)]
    pub content: String,
    /// The client's name for this write; the same again is a retry.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    pub client_request_id: String,
}

/// `POST /debates/{id}/intervention`
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct SubmitIntervention {
    /// Why the debate is stopped.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<String>,
    /// The client's name for this write; without one a retry is a new write.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
}

/// `POST /debates/{id}/ruling`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitRuling {
    /// What is decided.
    #[schema(min_length = 1)]
    pub content: String,
    /// Whether the debate is over.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(default = false)]
    pub close: Option<bool>,
    /// The client's name for this write; without one a retry is a new write.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
}
