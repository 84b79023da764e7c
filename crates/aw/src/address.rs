//! The address of the server: whether it may listen there, and the socket.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::{Context, bail};
use debate_cli::ProcessEnvironment;
use tokio::net::{TcpListener, TcpSocket, lookup_host};

use crate::config::{Config, TOKEN_CHARS_MIN};

/// The length of the queue of connections to accept; the system may limit it.
const BACKLOG: u32 = 16_384;

/// The send buffer of a connection, which bounds the memory for a client that stops reading. The
/// system allocates twice as much; its own default grows to megabytes per connection. This size
/// fills a network of 1 Gbit/s with a round trip of 1 ms.
const SEND_BUFFER_BYTES: u32 = 128 * 1024;

/// The address to listen on. An address that other machines can reach requires a token.
pub(crate) async fn resolve(config: &Config) -> anyhow::Result<SocketAddr> {
    let (host, port) = (config.host.as_str(), config.port);
    let expected = || format!("DEBATE_SERVER_HOST={host}: expected an address of this machine");
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = lookup_host((bare, port)).await.with_context(expected)?.next();
    let address = address.with_context(expected)?;
    if !address.ip().is_loopback() && config.token.is_none() {
        bail!(
            "DEBATE_SERVER_HOST={host}: other machines can reach this address, so a token is \
             required: set DEBATE_AUTH_TOKEN, or listen on 127.0.0.1"
        );
    }
    check_token_lengths(config, address)?;
    Ok(address)
}

/// Refuses a short token if other machines can connect, and warns about it otherwise.
fn check_token_lengths(config: &Config, address: SocketAddr) -> anyhow::Result<()> {
    for variable in config.short_tokens() {
        if !address.ip().is_loopback() {
            bail!(
                "{variable}: expected tokens of at least {TOKEN_CHARS_MIN} characters, because \
                 other machines can reach {}; create one with openssl rand -hex 32",
                address.ip()
            );
        }
        tracing::warn!(
            variable.name = variable,
            token.characters_min = TOKEN_CHARS_MIN,
            "token is shorter than recommended"
        );
    }
    Ok(())
}

pub(crate) async fn listen(
    address: SocketAddr,
    environment: &ProcessEnvironment,
) -> anyhow::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit the size.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    match socket.bind(address).and_then(|()| socket.listen(BACKLOG)) {
        Ok(listener) => Ok(listener),
        Err(err) if err.kind() == ErrorKind::AddrInUse => {
            bail!(port_in_use(address, environment).await)
        }
        Err(err) => Err(err).with_context(|| format!("cannot listen on {address}")),
    }
}

/// The reason why the server cannot listen at an address that is in use.
async fn port_in_use(address: SocketAddr, environment: &ProcessEnvironment) -> String {
    let running = debate_cli::already_running(environment, reachable_address(address)).await;
    running.unwrap_or_else(|| {
        let port = address.port();
        format!("port {port} is in use; stop the program that uses it, or choose another --port")
    })
}

/// The address at which this machine reaches the server. The unspecified address
/// becomes the loopback address.
pub(crate) fn reachable_address(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, v6.port()).into(),
        SocketAddr::V4(_) | SocketAddr::V6(_) => address,
    }
}
