//! The network that a request comes from, through trusted proxies.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use debate_core::Network;

use crate::app_state::Settings;
use crate::listener::PeerAddress;

/// The network of the client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientNetwork(pub(crate) Network);

impl ClientNetwork {
    pub(crate) fn find(settings: &Settings, extensions: &Extensions, headers: &HeaderMap) -> Self {
        // The listener gives every request its peer; requests without one would share a network.
        let peer =
            extensions.get::<PeerAddress>().map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.0);
        Self(Network::from_address(settings.trusted_proxies.client(peer, headers)))
    }
}

impl<S> FromRequestParts<S> for ClientNetwork
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let settings = Arc::<Settings>::from_ref(state);
        Ok(Self::find(&settings, &parts.extensions, &parts.headers))
    }
}
