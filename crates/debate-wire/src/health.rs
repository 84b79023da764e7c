//! How the server is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The server is well.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`; a server that is not answers 503 instead.
    pub status: HealthStatus,
    /// The server's version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// The storage engine and its version.
    #[schema(example = "sqlite 3.54.1")]
    pub storage: String,
    /// For how long it has been running.
    pub uptime_seconds: u64,
    /// Number of debates that the server has found to have undecodable rows since it started. Each
    /// answers 503 to writes; other debates are not affected.
    #[serde(default)]
    pub damaged: u64,
}

/// The one way to be well.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    /// Writes go through.
    Ok,
}
