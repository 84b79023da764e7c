//! The HTTP server: routes, access, parsing, responses, and the pages over HTTP. The only crate
//! that names a status code.

mod access;
mod app_state;
mod arena;
mod audit;
mod client;
mod compression;
mod cursor;
mod document;
mod error;
mod events;
mod extract;
mod forum;
mod listener;
mod login_codes;
mod openapi;
mod origin;
mod pages;
mod paths;
mod render_queue;
mod reply;
mod request_layer;
mod reviewers;
mod router;
mod runner;
mod socket;
mod system;

pub use access::Token;
pub use app_state::{Services, Settings, SocketLimit};
pub use client::{NotAProxy, TrustedProxies};
pub use listener::{ListenerLimits, serve};
pub use login_codes::new_login_code;
pub use origin::{AllowedHosts, AllowedOrigins};
pub use paths::{BasePath, NotABasePath};
pub use reviewers::Reviewers;
pub use router::{Routes, contract, router};
