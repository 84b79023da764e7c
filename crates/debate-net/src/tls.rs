//! TLS as a client: the trusted roots, and rustls with the ring provider.
//!
//! The provider is passed explicitly everywhere. A default that is installed for the process would
//! be a hidden dependency of every test and tool in the workspace.

use std::io;
use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::NetError;

/// TLS cannot be set up on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The file with root certificates cannot be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The path as it was given.
        path: String,
        /// The parser's or the system's reason.
        reason: String,
    },
    /// The file, or the system, has no root certificate.
    #[error("{0} contains no root certificate")]
    NoRoots(String),
    /// The provider supports no protocol version.
    #[error("{0}")]
    Provider(String),
}

/// The root certificates in a PEM file, or else those that the system trusts. `SSL_CERT_FILE` and
/// `SSL_CERT_DIR` replace the system's.
pub fn trusted_roots(file: Option<&str>) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let found = match file {
        Some(path) => CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|err| TlsError::Unreadable {
                path: path.to_owned(),
                reason: err.to_string(),
            })?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    roots.add_parsable_certificates(found);
    if roots.is_empty() {
        return Err(TlsError::NoRoots(file.unwrap_or("the system").to_owned()));
    }
    Ok(roots)
}

/// A client configuration that still needs a verifier or roots, for callers with their own checks.
pub fn config_builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, TlsError> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| TlsError::Provider(err.to_string()))
}

/// A client configuration that verifies certificates against these roots.
pub fn client_config(roots: RootCertStore) -> Result<ClientConfig, TlsError> {
    let builder: ConfigBuilder<ClientConfig, WantsClientCert> =
        config_builder()?.with_root_certificates(roots);
    Ok(builder.with_no_client_auth())
}

/// Starts TLS on a connection and verifies that the certificate names `host`.
pub(crate) async fn start<S>(
    config: Arc<ClientConfig>,
    host: &str,
    stream: S,
) -> Result<TlsStream<S>, NetError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|err| NetError::Untrusted(err.to_string()))?;
    TlsConnector::from(config).connect(name, stream).await.map_err(|err| {
        // rustls reports what it does not accept as invalid data; other kinds are network errors.
        let is_refusal = err.kind() == io::ErrorKind::InvalidData;
        if is_refusal { NetError::Untrusted(err.to_string()) } else { NetError::Connect(err) }
    })
}
