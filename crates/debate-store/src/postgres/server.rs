//! The server behind a URL, and how to reach it.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::ConnectError;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection over which nothing moves is asked after so long whether it is still there, and
/// given up when it does not answer for as long again.
const SILENCE: Duration = Duration::from_secs(15);

/// A server, and how to talk to it.
#[derive(Clone)]
pub(super) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
}

/// A connection, to be driven by whoever made it.
pub(super) type Wire = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

impl Server {
    /// Understands a `postgres://` URL, with the `sslmode` and `sslrootcert` of libpq.
    pub(super) fn of(url: &str) -> Result<Self, ConnectError> {
        let (url, trust) = Trust::taken_from(url)?;
        let mut config: Config =
            url.parse().map_err(|err: tokio_postgres::Error| ConnectError::Url(words(&err)))?;
        if config.get_hosts().is_empty() {
            return Err(ConnectError::Url("it names no host".to_owned()));
        }
        if matches!(trust, Trust::Verified { .. }) {
            config.ssl_mode(SslMode::Require);
        }
        if config.get_application_name().is_none() {
            config.application_name("aweave");
        }
        config.connect_timeout(CONNECT_TIMEOUT).keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        Ok(Self { config, tls: MakeRustlsConnect::new(trust.client_config()?) })
    }

    pub(super) async fn connect(&self) -> Result<(Client, Wire), tokio_postgres::Error> {
        self.config.connect(self.tls.clone()).await
    }

    /// For a pool of connections.
    pub(super) fn manager(&self) -> deadpool_postgres::Manager {
        deadpool_postgres::Manager::new(self.config.clone(), self.tls.clone())
    }

    /// Where it is, without a word of the password.
    pub(super) fn name(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("{host}:{port}/{database}")
    }

    pub(super) fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }
}

/// An error and what stands behind it, in one line.
pub(super) fn words(err: &dyn std::error::Error) -> String {
    let mut words = err.to_string();
    let mut behind = err.source();
    while let Some(err) = behind {
        let more = err.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        behind = err.source();
    }
    words
}

/// What a server's certificate must prove.
enum Trust {
    /// Nothing: the connection is encrypted if the server can, as with libpq's `prefer` and
    /// `require`.
    Encrypted,
    /// That it is the host in the URL, by a root in this file or by one the system trusts.
    Verified { roots: Option<String> },
}

impl Trust {
    /// Takes out of the URL what the driver does not know.
    fn taken_from(url: &str) -> Result<(String, Self), ConnectError> {
        let Some((place, query)) = url.split_once('?') else {
            return Ok((url.to_owned(), Self::Encrypted));
        };
        let (mut kept, mut verify, mut roots) = (Vec::new(), false, None);
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("sslmode", "verify-full")) => verify = true,
                Some(("sslmode", "verify-ca" | "allow")) => {
                    let known = "sslmode is one of disable, prefer, require, verify-full";
                    return Err(ConnectError::Url(known.to_owned()));
                }
                Some(("sslrootcert", path)) => roots = Some(decoded(path)?),
                Some(_) | None => kept.push(pair),
            }
        }
        if roots.is_some() && !verify {
            // With libpq it would mean a check that is not made here: better none than half of it.
            let alone = "sslrootcert goes with sslmode=verify-full";
            return Err(ConnectError::Url(alone.to_owned()));
        }
        let rest = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
        let trust = if verify { Self::Verified { roots } } else { Self::Encrypted };
        Ok((format!("{place}{rest}"), trust))
    }

    fn client_config(self) -> Result<ClientConfig, ConnectError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|err| ConnectError::Tls(err.to_string()))?;
        Ok(match self {
            Self::Encrypted => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
                .with_no_client_auth(),
            Self::Verified { roots } => {
                builder.with_root_certificates(trusted(roots.as_deref())?).with_no_client_auth()
            }
        })
    }
}

fn decoded(text: &str) -> Result<String, ConnectError> {
    percent_encoding::percent_decode_str(text)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| ConnectError::Url("sslrootcert is not percent-encoded UTF-8".to_owned()))
}

fn trusted(file: Option<&str>) -> Result<RootCertStore, ConnectError> {
    let mut roots = RootCertStore::empty();
    let found = match file {
        Some(path) => {
            let unreadable = |err| ConnectError::Tls(format!("sslrootcert {path}: {err}"));
            CertificateDer::pem_file_iter(path)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(unreadable)?
        }
        None => rustls_native_certs::load_native_certs().certs,
    };
    roots.add_parsable_certificates(found);
    if roots.is_empty() {
        let place = file.unwrap_or("the system");
        return Err(ConnectError::Tls(format!("{place} holds no root certificate")));
    }
    Ok(roots)
}

/// Takes any certificate, and still insists on the proof that the server owns it.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
