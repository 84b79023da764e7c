//! The edge: HTTP in, use cases called, HTTP out. The only crate that knows a status code.

mod admission;
mod arena;
mod audit;
mod body;
mod client;
mod compression;
mod cursor;
mod document;
mod edge;
mod events;
mod forum;
mod layers;
mod listener;
mod openapi;
mod parsed;
mod paths;
mod problem;
mod proxies;
mod rate_headers;
mod render_queue;
mod reply;
mod request_id;
mod reviewers;
mod router;
mod runner;
mod session_access;
mod socket;
mod system;
mod web;
mod wrong_tokens;

pub use admission::{AllowedHosts, AllowedOrigins, Token};
pub use edge::{Edge, Settings, Sockets};
pub(crate) use paths::BASE;

pub use listener::{ListenerLimits, serve};
pub use paths::{BasePath, NotABasePath};
pub use proxies::{NotAProxy, TrustedProxies};
pub use reviewers::Reviewers;
pub use router::{Routes, contract, router};
