//! One-time codes that give a browser arbitrator rights.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A code that gives a browser arbitrator rights once.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LoginCode {
    /// The code, which the login page accepts. The path `/login?code=CODE` shows a button that
    /// sends it.
    pub code: String,
    /// Number of seconds after which the code expires.
    pub expires_in: u32,
}
