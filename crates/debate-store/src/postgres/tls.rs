//! TLS towards PostgreSQL: the `sslmode` and `sslrootcert` of a URL, and what each mode verifies.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::ConnectError;

/// What a server's certificate must prove.
pub(super) enum Trust {
    /// Nothing: the connection is encrypted if the server can, as with libpq's `prefer` and
    /// `require`.
    Encrypted,
    /// That a root in this file, or one the system trusts, has issued it: libpq's `verify-ca`.
    Issued { roots: Option<String> },
    /// That, and that it names the host in the URL: libpq's `verify-full`.
    Verified { roots: Option<String> },
}

impl Trust {
    /// Takes out of the URL what the driver does not know.
    pub(super) fn taken_from(url: &str) -> Result<(String, Self), ConnectError> {
        let Some((place, query)) = url.split_once('?') else {
            return Ok((url.to_owned(), Self::Encrypted));
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
                Some(("sslrootcert", path)) => roots = Some(decoded(path)?),
                Some(_) | None => kept.push(pair),
            }
        }
        let trust = match (mode, roots) {
            (Some("verify-full"), roots) => Self::Verified { roots },
            (Some(_), roots) => Self::Issued { roots },
            (None, None) => Self::Encrypted,
            // With libpq it would mean a check that is not made here: better none than half of it.
            (None, Some(_)) => {
                let alone = "sslrootcert requires sslmode=verify-ca or sslmode=verify-full";
                return Err(ConnectError::Url(alone.to_owned()));
            }
        };
        let rest = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
        Ok((format!("{place}{rest}"), trust))
    }

    /// Whether a server without TLS must be refused.
    pub(super) const fn needs_tls(&self) -> bool {
        match self {
            Self::Encrypted => false,
            Self::Issued { .. } | Self::Verified { .. } => true,
        }
    }

    pub(super) fn client_config(self) -> Result<ClientConfig, ConnectError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|err| ConnectError::Tls(err.to_string()))?;
        let roots = match self {
            Self::Encrypted => None,
            Self::Issued { roots } => Some(trusted(roots.as_deref())?),
            Self::Verified { roots } => {
                let roots = trusted(roots.as_deref())?;
                return Ok(builder.with_root_certificates(roots).with_no_client_auth());
            }
        };
        let verifier = NamelessVerifier { roots, provider };
        let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
        Ok(builder.with_no_client_auth())
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
        return Err(ConnectError::Tls(format!("{place} contains no root certificate")));
    }
    Ok(roots)
}

/// Verifies that the server owns its certificate and, with roots, that one of them leads to it.
/// The name in the certificate is not compared with the host.
#[derive(Debug)]
struct NamelessVerifier {
    roots: Option<RootCertStore>,
    provider: Arc<CryptoProvider>,
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
                self.provider.signature_verification_algorithms.all,
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
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
