//! Request bodies of the arena.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{DebateType, Side};

/// Body of `POST /debates`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreateDebate {
    /// UUID of the new debate; each id can be used once. Without it the server generates an id, so
    /// every request creates another debate.
    #[schema(format = Uuid, example = "01890a5d-ac96-774b-bcce-b302099a8057")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub debate_id: Option<String>,
    /// Title, 1 to 300 characters. Must not be blank.
    #[schema(min_length = 1, max_length = 300)]
    pub title: String,
    /// Kind of subject: a plan for a code change, or any other subject.
    pub debate_type: DebateType,
    /// Text of the motion in Markdown. At most `DEBATE_MAX_CONTENT_LENGTH` bytes of UTF-8 (10,240
    /// by default). Must not be blank.
    #[schema(min_length = 1)]
    pub motion_content: String,
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same
    /// `debate_id`, key and content returns the first result; with other content it fails with
    /// 422. Without a key the request is not idempotent.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
    /// Whether a resolution closes the debate automatically. If absent, the server's setting
    /// applies (`DEBATE_AUTO_RULING`, true by default).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub auto_ruling: Option<bool>,
    /// Whether the debate has seats. If absent, the server's setting applies (`DEBATE_SEATS`, false
    /// by default). The creator holds the proposer's seat; its token is in the header
    /// `Debate-Seat`, or the server makes one and returns it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seats: Option<bool>,
    /// Name of the creator in a debate with seats, 1 to 80 printable characters. Default:
    /// `proposer`. The names `web`, `server`, `arbitrator` and names that begin with `model ` are
    /// reserved.
    #[schema(min_length = 1, max_length = 80, example = "claude-code")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holder: Option<String>,
    /// Whether a seat can be taken only with the invite, which the client makes and sends in the
    /// header `Debate-Invite`. Needs `seats`. Default: false.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub invite_only: Option<bool>,
}

/// Body of `POST /debates/{id}/arguments`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitClaim {
    /// Role that submits the claim. It must have the turn.
    pub role: Side,
    /// UUID of the argument that the claim answers. It must belong to the same debate.
    #[schema(min_length = 1)]
    pub target_id: String,
    /// Text of the claim in Markdown. At most `DEBATE_MAX_CONTENT_LENGTH` bytes of UTF-8 (10,240 by
    /// default). Must not be blank.
    #[schema(min_length = 1)]
    pub content: String,
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same key and
    /// content returns the first result; with other content it fails with 422.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    pub client_request_id: String,
}

/// Body of `POST /debates/{id}/appeal`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitAppeal {
    /// UUID of the disputed argument. It must belong to the same debate.
    #[schema(min_length = 1)]
    pub target_id: String,
    /// Question to the arbitrator in Markdown. At most `DEBATE_MAX_CONTENT_LENGTH` bytes of UTF-8
    /// (10,240 by default). Must not be blank.
    #[schema(min_length = 1)]
    pub content: String,
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same key and
    /// content returns the first result; with other content it fails with 422.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    pub client_request_id: String,
}

/// Body of `POST /debates/{id}/resolution`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitResolution {
    /// UUID of the argument that the resolution answers. It must belong to the same debate.
    #[schema(min_length = 1)]
    pub target_id: String,
    /// Summary of the agreement in Markdown. At most `DEBATE_MAX_CONTENT_LENGTH` bytes of UTF-8
    /// (10,240 by default). Must not be blank.
    #[schema(min_length = 1)]
    pub content: String,
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same key and
    /// content returns the first result; with other content it fails with 422.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    pub client_request_id: String,
}

/// Body of `POST /debates/{id}/intervention`. An absent body counts as `{}`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct SubmitIntervention {
    /// Reason for the intervention in Markdown. At most `DEBATE_MAX_CONTENT_LENGTH` bytes of UTF-8
    /// (10,240 by default). Default: empty.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<String>,
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same key and
    /// content returns the first result; with other content it fails with 422. Without a key, a
    /// repeated request is a new intervention.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
}

/// Body of `POST /debates/{id}/ruling`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SubmitRuling {
    /// Decision of the arbitrator in Markdown. At most `DEBATE_MAX_CONTENT_LENGTH` bytes of UTF-8
    /// (10,240 by default). Must not be blank.
    #[schema(min_length = 1)]
    pub content: String,
    /// `true` closes the debate. `false` (default) gives the turn to the proposer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(default = false)]
    pub close: Option<bool>,
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same key and
    /// content returns the first result; with other content it fails with 422. Without a key, a
    /// repeated request is a new ruling.
    #[schema(min_length = 1, max_length = 200, pattern = "^[^\\x00-\\x1F\\x7F-\\x9F]+$")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
}
