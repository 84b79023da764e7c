//! A client of the pages without JavaScript: links, forms and cookies over HTTP.

use std::collections::BTreeMap;
use std::sync::Mutex;

use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};

use crate::support::{HANG, Reply, Server, client};

/// A visitor with cookies, who does not follow redirects automatically.
pub(crate) struct Visitor<'s> {
    server: &'s Server,
    client: reqwest::Client,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl<'s> Visitor<'s> {
    pub(crate) fn at(server: &'s Server) -> Self {
        // Installs the crypto provider of this process.
        drop(client());
        let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build();
        let client = client.expect("a client needs nothing");
        Self { server, client, cookies: Mutex::default() }
    }

    /// A request with this visitor's cookies.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.server.url);
        self.client.request(method, url).timeout(HANG).header(COOKIE, self.cookies())
    }

    /// All cookies, as the value of a header.
    pub(crate) fn cookies(&self) -> String {
        let cookies = self.cookies.lock().expect("no thread panicked with the lock");
        let cookies = cookies.iter().map(|(name, value)| format!("{name}={value}"));
        cookies.collect::<Vec<_>>().join("; ")
    }

    /// A copy of this visitor's cookies for the same server, or for another one, with its
    /// port in their names.
    pub(crate) fn copy_to<'o>(&self, server: &'o Server) -> Visitor<'o> {
        let port = |server: &Server| server.address().rsplit(':').next().map(str::to_owned);
        let (from, to) = (port(self.server), port(server));
        let (from, to) = (from.expect("it has a port"), to.expect("it has a port"));
        let cookies = self.cookies.lock().expect("no thread panicked with the lock");
        let renamed = cookies.iter().map(|(name, value)| (name.replace(&from, &to), value.clone()));
        let copy = Visitor::at(server);
        *copy.cookies.lock().expect("no thread panicked with the lock") = renamed.collect();
        copy
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Reply {
        let reply = Reply::receive(request).await;
        let mut cookies = self.cookies.lock().expect("no thread panicked with the lock");
        for header in reply.headers.get_all(SET_COOKIE) {
            let header = header.to_str().expect("cookies are text");
            let pair = header.split(';').next().and_then(|pair| pair.split_once('='));
            let (name, value) = pair.expect("a cookie has a name and a value");
            cookies.insert(name.to_owned(), value.to_owned());
        }
        reply
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path)).await
    }

    /// The arguments after `after`, as a page loads them.
    pub(crate) async fn get_new_arguments(&self, debate: &str, after: &str) -> Reply {
        self.get(&format!("/arena/{debate}/entries?after={after}")).await
    }

    /// Sends a form as the page at this address would, with its token.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = self.cookie("aw_form");
        let fields: Vec<_> = fields.iter().copied().chain([("form_token", &*token)]).collect();
        self.post_bare(path, &fields).await
    }

    /// Sends a form with these fields only.
    pub(crate) async fn post_bare(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let body = encoded(fields);
        let request = self.request(Method::POST, path).header(ORIGIN, &self.server.url);
        let kind = "application/x-www-form-urlencoded";
        self.send(request.header("content-type", kind).body(body)).await
    }

    /// The value of the cookie whose name begins with `name`.
    pub(crate) fn cookie(&self, name: &str) -> String {
        let cookies = self.cookies.lock().expect("no thread panicked with the lock");
        let found = cookies.iter().find(|(known, _)| known.starts_with(name));
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    }

    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        let mut cookies = self.cookies.lock().expect("no thread panicked with the lock");
        let known = cookies.keys().find(|known| known.starts_with(name)).cloned();
        cookies.insert(known.expect("it was set before"), value.to_owned());
    }
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let encode = |text: &str| {
        let bytes = text.bytes().map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        });
        bytes.collect::<String>()
    };
    let pairs = fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The value of a page's hidden field.
pub(crate) fn hidden_field(page: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let rest = page.split(&start).nth(1).unwrap_or_else(|| panic!("no field {name} in {page}"));
    rest.split('"').next().expect("a split has a first part").to_owned()
}

/// The target of a redirect.
pub(crate) fn redirect_target(reply: &Reply) -> &str {
    assert_eq!(reply.status, 303, "{}", reply.text);
    reply.header("location").expect("it leads somewhere")
}
