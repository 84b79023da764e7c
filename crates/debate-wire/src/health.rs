//! The server's status.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Status of a server that accepts writes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`. A server that cannot write answers 503 instead.
    pub status: HealthStatus,
    /// Version of the server, as `aw --version` prints it.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// Storage engine and its version.
    #[schema(example = "sqlite 3.54.1")]
    pub storage: String,
    /// Seconds since the server started.
    pub uptime_seconds: u64,
    /// Number of debates in which the server has found undecodable rows since it started. Such a
    /// debate answers 503 to writes; other debates are not affected.
    #[serde(default)]
    pub damaged: u64,
}

/// Status of the server: `ok` means that it accepts writes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    /// The server accepts writes.
    Ok,
}
