//! TLS towards PostgreSQL: the `sslmode` and `sslrootcert` of a URL, and what each mode verifies.
//!
//! The verifier is hand-written: rustls has none that checks the issuer without the host name
//! (`verify-ca`) or that only encrypts (`prefer`, `require`).

use std::sync::Arc;

use debate_net::{TlsError, client_config, config_builder, trusted_roots};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::ConnectError;

/// The requirements on the server's certificate. `roots` is a PEM file; without it the roots are
/// those of the system.
pub(super) enum TlsMode {
    /// None. The connection is encrypted if the server can, as with libpq's `prefer` and `require`.
    Unverified,
    /// A trusted root has issued it: libpq's `verify-ca`.
    VerifyCa { roots: Option<String> },
    /// A trusted root has issued it, and it names the host in the URL: libpq's `verify-full`.
    VerifyFull { roots: Option<String> },
}

impl TlsMode {
    /// Removes the parameters that the driver does not know from the URL and parses them.
    pub(super) fn split_from_url(url: &str) -> Result<(String, Self), ConnectError> {
        let Some((place, query)) = url.split_once('?') else {
            return Ok((url.to_owned(), Self::Unverified));
        };
        let (mut kept, mut mode, mut roots) = (Vec::new(), None, None);
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("sslmode", verifying @ ("verify-ca" | "verify-full"))) => {
                    mode = Some(verifying);
                }
                Some(("sslmode", "allow")) => {
                    let known =
                        "sslmode must be disable, prefer, require, verify-ca or verify-full";
                    return Err(ConnectError::Url(known.to_owned()));
                }
                Some(("sslrootcert", path)) => roots = Some(decode(path)?),
                Some(_) | None => kept.push(pair),
            }
        }
        let tls_mode = match (mode, roots) {
            (Some("verify-full"), roots) => Self::VerifyFull { roots },
            (Some(_), roots) => Self::VerifyCa { roots },
            (None, None) => Self::Unverified,
            // libpq would verify the certificate here too. An error is better than no check.
            (None, Some(_)) => {
                let alone = "sslrootcert requires sslmode=verify-ca or sslmode=verify-full";
                return Err(ConnectError::Url(alone.to_owned()));
            }
        };
        let rest = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
        Ok((format!("{place}{rest}"), tls_mode))
    }

    /// Whether a server without TLS is refused.
    pub(super) const fn requires_tls(&self) -> bool {
        match self {
            Self::Unverified => false,
            Self::VerifyCa { .. } | Self::VerifyFull { .. } => true,
        }
    }

    pub(super) fn client_config(self) -> Result<ClientConfig, ConnectError> {
        let roots = match self {
            Self::Unverified => None,
            Self::VerifyCa { roots } => Some(load_roots(roots.as_deref())?),
            Self::VerifyFull { roots } => {
                let config = client_config(load_roots(roots.as_deref())?);
                return config.map_err(|err| ConnectError::Tls(err.to_string()));
            }
        };
        let builder = config_builder().map_err(|err| ConnectError::Tls(err.to_string()))?;
        let algorithms = builder.crypto_provider().signature_verification_algorithms;
        let verifier = NamelessVerifier { roots, algorithms };
        let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
        Ok(builder.with_no_client_auth())
    }
}

fn decode(text: &str) -> Result<String, ConnectError> {
    percent_encoding::percent_decode_str(text)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| ConnectError::Url("sslrootcert is not percent-encoded UTF-8".to_owned()))
}

fn load_roots(file: Option<&str>) -> Result<RootCertStore, ConnectError> {
    trusted_roots(file).map_err(|err| match err {
        TlsError::Unreadable { .. } => ConnectError::Tls(format!("sslrootcert {err}")),
        TlsError::NoRoots(_) | TlsError::Provider(_) => ConnectError::Tls(err.to_string()),
    })
}

/// Verifies that the server owns its certificate and, with roots, that one of them issued it. The
/// name in the certificate is not compared with the host.
#[derive(Debug)]
struct NamelessVerifier {
    roots: Option<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for NamelessVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            verify_server_cert_signed_by_trust_anchor(
                &ParsedCertificate::try_from(end_entity)?,
                roots,
                intermediates,
                now,
                self.algorithms.all,
            )?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
