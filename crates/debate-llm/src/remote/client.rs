//! The HTTP client: no redirects, no retries of its own, one TLS.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url, retry};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

use crate::config::ConfigError;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A base URL that can be used, if `text` is one.
pub(super) fn place(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = ["http", "https"].contains(&url.scheme())
        && url.host_str().is_some_and(|host| !host.is_empty())
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    plain.then_some(url)
}

/// A client for the provider of this name.
pub(super) fn client(name: &str, base: &Url) -> Result<Client, ConfigError> {
    let no_tls = |why: String| ConfigError::Tls(name.to_owned(), why);
    let mut builder = Client::builder()
        // A redirect would carry the key and the prompt wherever the answer says.
        .redirect(Policy::none())
        // Each call is recorded before it is made, so none may be made unseen.
        .retry(retry::never())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("aweave/", env!("CARGO_PKG_VERSION")))
        .tls_backend_preconfigured(tls(base).map_err(no_tls)?);
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|err| no_tls(err.to_string()))
}

fn tls(base: &Url) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    if base.scheme() == "https" {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err("the system has no root certificates".to_owned());
        }
    }
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|err| err.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn is_loopback(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, place};

    #[test]
    fn a_place_is_a_plain_http_url() {
        for fine in ["https://api.openai.com/v1", "http://127.0.0.1:11434/v1/", "http://[::1]:1"] {
            assert!(place(fine).is_some(), "{fine}");
        }
        for refused in [
            "",
            "api.openai.com",
            "ftp://host/",
            "file:///etc/passwd",
            "http://",
            "https://me:secret@host/v1",
            "https://me@host/v1",
            "https://host/v1?key=1",
            "https://host/v1#x",
        ] {
            assert!(place(refused).is_none(), "{refused}");
        }
    }

    #[test]
    fn what_is_on_this_machine_is_asked_without_a_proxy() {
        let on_this_machine = |text: &str| is_loopback(&place(text).expect("it is a place"));
        assert!(on_this_machine("http://127.0.0.1:1") && on_this_machine("http://[::1]:1"));
        assert!(on_this_machine("http://localhost:11434/v1"));
        assert!(!on_this_machine("https://api.openai.com/v1"));
    }
}
