//! Outgoing connections: URLs, TLS roots, HTTP/1.1 over TCP, TLS and proxies, server-sent events.
//!
//! The command line, the model providers and the PostgreSQL driver use these, so that all of them
//! trust the same certificates and read streams in the same way. Connections are not pooled: a
//! command sends one or two requests, and a model call lasts seconds (decisions/0075).

mod endpoint;
mod sse;
mod tls;
mod url;

pub use endpoint::{Body, Connection, Endpoint, NetError};
pub use sse::{EventTooLong, SseDecoder, SseEvent};
pub use tls::{TlsError, client_config, config_builder, trusted_roots};
pub use url::BaseUrl;
