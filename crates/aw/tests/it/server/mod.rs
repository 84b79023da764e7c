//! The server as a whole: start and shutdown, access, limits, and endpoints outside the contexts.

pub(crate) mod access;
mod arbitrator;
mod cross_origin;
mod legacy_paths;
mod limits;
mod malformed_requests;
mod shutdown;
mod start;
mod system_endpoints;
mod wrong_tokens;
