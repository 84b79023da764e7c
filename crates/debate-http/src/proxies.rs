//! The client's address behind trusted proxies.
//!
//! Every client can send X-Forwarded-For. A trusted proxy appends to it, so the header is
//! read from there, and only as far as one trusted proxy names the next.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The maximum number of proxies in a chain.
const STEPS_MAX: usize = 16;

/// The networks of proxies whose `X-Forwarded-For` header is trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Vec<Range>);

/// The text is neither an address nor a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address such as 10.0.0.7, or a network such as 10.0.0.0/8 or fd00::/8")]
pub struct NotAProxy;

#[derive(Debug, Clone, Copy)]
struct Range {
    address: IpAddr,
    bits: u32,
}

impl FromStr for Range {
    type Err = NotAProxy;

    fn from_str(text: &str) -> Result<Self, NotAProxy> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotAProxy)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| NotAProxy))?;
        if bits > most { Err(NotAProxy) } else { Ok(Self { address, bits }) }
    }
}

impl Range {
    fn holds(self, address: IpAddr) -> bool {
        let same = |ours: u128, theirs: u128, width: u32| {
            (ours ^ theirs).checked_shr(width - self.bits).unwrap_or_default() == 0
        };
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                same(ours.to_bits().into(), theirs.to_bits().into(), 32)
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => same(ours.to_bits(), theirs.to_bits(), 128),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl TrustedProxies {
    /// Parses addresses and networks in CIDR notation.
    pub fn new<'t>(networks: impl IntoIterator<Item = &'t str>) -> Result<Self, NotAProxy> {
        networks.into_iter().map(str::parse).collect::<Result<_, _>>().map(Self)
    }

    /// The address of the client: the last one in the chain that is not a trusted proxy.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let is_ours = |address: IpAddr| self.0.iter().any(|range| range.holds(address));
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
