//! The address and the network of the client, also behind trusted proxies.
//!
//! Every client can send X-Forwarded-For. A trusted proxy appends to it, so the header is
//! read from there, and only as far as one trusted proxy names the next.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName};
use debate_core::Network;
use ipnet::IpNet;

use crate::app_state::Settings;
use crate::listener::PeerAddress;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The maximum number of proxies in a chain.
const STEPS_MAX: usize = 16;

/// The networks of proxies whose `X-Forwarded-For` header is trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Vec<IpNet>);

/// The text is neither an address nor a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address such as 10.0.0.7, or a network such as 10.0.0.0/8 or fd00::/8")]
pub struct NotAProxy;

impl TrustedProxies {
    /// Parses addresses and networks in CIDR notation.
    pub fn new<'t>(networks: impl IntoIterator<Item = &'t str>) -> Result<Self, NotAProxy> {
        let parse = |text: &str| match text.parse::<IpAddr>() {
            Ok(address) => Ok(IpNet::from(address)),
            Err(_) => text.parse().map_err(|_| NotAProxy),
        };
        networks.into_iter().map(parse).collect::<Result<_, _>>().map(Self)
    }

    /// The address of the client: the last one in the chain that is not a trusted proxy.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let is_ours = |address: IpAddr| {
            let address = address.to_canonical();
            self.0.iter().any(|network| network.contains(&address))
        };
        if !is_ours(peer) {
            return peer;
        }
        let named = headers.get_all(X_FORWARDED_FOR).iter();
        let named: Vec<&str> = named
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        let mut client = peer;
        for name in named.into_iter().rev().take(STEPS_MAX) {
            let Ok(address) = name.trim().parse() else { break };
            client = address;
            if !is_ours(address) {
                break;
            }
        }
        client
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let proxies = TrustedProxies::new(trusted.iter().copied()).expect("they are networks");
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, value.parse().expect("it is a header"));
        }
        proxies.client(peer.parse().expect("it is an address"), &headers).to_string()
    }

    #[test]
    fn forwarded_address_is_believed_from_trusted_proxies_only() {
        let table: [(&[&str], &str, &[&str], &str); 10] = [
            (&[], "9.9.9.9", &["1.2.3.4"], "9.9.9.9"),
            (&["10.0.0.0/8"], "9.9.9.9", &["1.2.3.4"], "9.9.9.9"),
            (&["10.0.0.0/8"], "10.1.2.3", &[], "10.1.2.3"),
            (&["10.0.0.0/8"], "10.1.2.3", &["1.2.3.4"], "1.2.3.4"),
            (&["10.0.0.0/8"], "10.1.2.3", &["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
            (&["10.0.0.0/8"], "10.1.2.3", &["6.6.6.6, 1.2.3.4, 10.0.0.9"], "1.2.3.4"),
            (&["10.0.0.0/8"], "10.1.2.3", &["6.6.6.6", "1.2.3.4"], "1.2.3.4"),
            (&["10.0.0.0/8"], "10.1.2.3", &["1.2.3.4, nonsense"], "10.1.2.3"),
            (&["::1", "127.0.0.1"], "::ffff:127.0.0.1", &["2001:db8::1"], "2001:db8::1"),
            (&["0.0.0.0/0"], "9.9.9.9", &["1.2.3.4"], "1.2.3.4"),
        ];
        for (trusted, peer, forwarded, expected) in table {
            assert_eq!(client(trusted, peer, forwarded), expected, "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn invalid_network_is_refused() {
        for text in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "proxy.example.org", "10.0.0.1/x"] {
            assert_eq!(TrustedProxies::new([text]).err(), Some(NotAProxy), "{text}");
        }
    }
}
