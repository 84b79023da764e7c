//! TLS for servers behind `https://`, trusting what the system trusts. Nothing of it is touched by
//! a command that speaks to a plain server.

use std::io;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::Broken;

/// Makes sure of who is at the other end. `SSL_CERT_FILE` adds to what is trusted, as elsewhere.
pub(super) async fn secure(host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, Broken> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| Broken::Untrusted(err.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|err| Broken::Untrusted(err.to_string()))?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.map_err(|err| {
        // What rustls itself finds wrong, rather than the network.
        let is_distrust = err.kind() == io::ErrorKind::InvalidData;
        if is_distrust { Broken::Untrusted(err.to_string()) } else { Broken::NoConnection(err) }
    })
}
