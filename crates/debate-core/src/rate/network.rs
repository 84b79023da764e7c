//! The part of an address that identifies a client.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network of a client: one IPv4 address, or the 64 leading bits of an IPv6 address, which a
/// customer of an Internet provider usually has. All loopback addresses are one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address. An IPv4 address written as IPv6 is the IPv4 address.
    #[must_use]
    pub fn from_address(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            loopback if loopback.is_loopback() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V4(v4) => v4.into(),
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
        })
    }

    /// Whether the client runs on the server's machine.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }
}

/// The IPv4 address, or the IPv6 network with its length, `2001:db8:1:2::/64`.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(v4) => v4.fmt(f),
            IpAddr::V6(v6) => write!(f, "{v6}/64"),
        }
    }
}
