//! Access control of every route. The list of routes is read from the router's OpenAPI document, so
//! a new route without a case here fails the build.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Connection, Debate, Server, Setup, create_body, new_id};

const TOKEN: &str = "a-token-nobody-would-guess-0123456789";

const PROOF: &str = "/proof?of=server\
    &nonce=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Every route: its template, a path that fits it, and whether it needs the token.
pub(crate) const ROUTES: [(&str, &str, &str, bool); 34] = [
    ("get", "/debates", "/debates", true),
    ("post", "/debates", "/debates", true),
    ("get", "/debates/{id}", "/debates/ID", true),
    ("delete", "/debates/{id}", "/debates/ID", true),
    ("post", "/debates/{id}/arguments", "/debates/ID/arguments", true),
    ("post", "/debates/{id}/appeal", "/debates/ID/appeal", true),
    ("post", "/debates/{id}/resolution", "/debates/ID/resolution", true),
    ("post", "/debates/{id}/intervention", "/debates/ID/intervention", true),
    ("post", "/debates/{id}/ruling", "/debates/ID/ruling", true),
    ("get", "/debates/{id}/seats", "/debates/ID/seats", true),
    ("post", "/debates/{id}/seats/{role}", "/debates/ID/seats/opponent", true),
    ("delete", "/debates/{id}/seats/{role}", "/debates/ID/seats/opponent", true),
    ("get", "/debates/{id}/poll", "/debates/ID/poll?role=opponent", true),
    ("get", "/debates/{id}/wait", "/debates/ID/wait?role=opponent", true),
    ("get", "/debates/{id}/events", "/debates/ID/events", true),
    ("get", "/ws", "/ws?debate_id=ID", true),
    ("get", "/runner/debates", "/runner/debates", true),
    ("post", "/runner/debates", "/runner/debates", true),
    ("get", "/runner/debates/{id}", "/runner/debates/ID", true),
    ("delete", "/runner/debates/{id}", "/runner/debates/ID", true),
    ("post", "/runner/debates/{id}/start", "/runner/debates/ID/start", true),
    ("post", "/runner/debates/{id}/resume", "/runner/debates/ID/resume", true),
    ("post", "/runner/debates/{id}/retry", "/runner/debates/ID/retry", true),
    ("post", "/runner/debates/{id}/stop", "/runner/debates/ID/stop", true),
    ("post", "/runner/debates/{id}/cancel", "/runner/debates/ID/cancel", true),
    ("get", "/runner/debates/{id}/attempts", "/runner/debates/ID/attempts", true),
    ("get", "/runner/debates/{id}/events", "/runner/debates/ID/events", true),
    ("get", "/health", "/health", false),
    ("get", "/proof", PROOF, false),
    ("post", "/session/codes", "/session/codes", true),
    ("get", "/metrics", "/metrics", true),
    ("get", "/openapi.json", "/openapi.json", true),
    ("get", "/docs", "/docs", true),
    ("get", "/docs/style.css", "/docs/style.css", true),
];

async fn start_with_token() -> Server {
    Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN).start().await.with_token(TOKEN)
}

async fn send_raw(server: &Server, method: &str, path: &str, headers: &str) -> (u16, String) {
    let method = method.to_uppercase();
    let request = format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: 0\r\n\r\n");
    let reply = Connection::exchange(server, request.as_bytes()).await;
    let code = match reply.status {
        200..400 => String::new(),
        _ => reply.code(),
    };
    (reply.status, code)
}

#[tokio::test]
async fn every_route_has_an_access_case() {
    let server = Server::start().await;
    let contract = server.get("/openapi.json").await.json();
    let paths = contract["paths"].as_object().expect("a contract has paths");
    let listed: BTreeSet<(String, String)> = paths
        .iter()
        // The forum has its own access rules, tested in `forum/access.rs`.
        .filter(|(path, _)| !path.starts_with("/api/v1/"))
        .flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flat_map(|item| item.keys());
            methods.map(|method| (method.clone(), path.clone()))
        })
        .collect();
    let cases = ROUTES.map(|(method, path, _, _)| (method.to_owned(), path.to_owned()));
    assert_eq!(listed, BTreeSet::from(cases));
}

#[tokio::test]
async fn only_health_answers_without_the_token() {
    let server = start_with_token().await;
    let debate = Debate::open(&server).await;
    let host = format!("Host: {}\r\n", server.address());
    for (method, _, path, needs_token) in ROUTES {
        let path = path.replace("ID", &debate.id);
        for credentials in [
            "",
            "Authorization: Bearer wrong\r\n",
            "Authorization: Bearer \r\n",
            "Authorization: Basic YTpi\r\n",
            &format!("Authorization: {TOKEN}\r\n"),
            &format!("Authorization: Bearer {TOKEN}x\r\n"),
            &format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}\r\n"),
        ] {
            let answer = send_raw(&server, method, &path, &format!("{host}{credentials}")).await;
            let expected =
                if needs_token { (401, "AUTH_FAILED".to_owned()) } else { (200, String::new()) };
            assert_eq!(answer, expected, "{method} {path} with {credentials:?}");
        }
    }
    let unknown = send_raw(&server, "GET", "/nothing", &host).await;
    assert_eq!(unknown.0, 401, "unknown paths also require the token");
    assert_eq!(server.get(&debate.path("")).await.status, 200, "nothing was deleted meanwhile");
}

#[tokio::test]
async fn every_route_refuses_an_unknown_host_header() {
    let server = start_with_token().await;
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let credentials = format!("Authorization: Bearer {TOKEN}\r\n");
    for (method, _, path, _) in ROUTES.iter().chain([&("get", "", "/nothing", true)]) {
        let path = path.replace("ID", &new_id());
        for host in [
            format!("Host: evil.test:{port}\r\n"),
            "Host: evil.test\r\n".to_owned(),
            format!("Host: 127.0.0.1.evil.test:{port}\r\n"),
            format!("Host: localhost.:{port}\r\n"),
            "Host: localhost:port\r\n".to_owned(),
            "Host: localhost:+80\r\n".to_owned(),
            "Host: localhost:99999\r\n".to_owned(),
        ] {
            let answer = send_raw(&server, method, &path, &format!("{host}{credentials}")).await;
            assert_eq!(answer, (403, "FORBIDDEN".to_owned()), "{method} {path} with {host:?}");
        }
    }
    let absolute = format!("http://evil.test:{port}/health");
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(send_raw(&server, "GET", &absolute, &host).await.0, 403);
}

#[tokio::test]
async fn loopback_hosts_are_accepted_with_any_port_and_without_one() {
    let server = Server::start().await;
    for name in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"] {
        for port in [":8080", ":1", ":65535", ""] {
            let host = format!("Host: {name}{port}\r\n");
            assert_eq!(send_raw(&server, "GET", "/health", &host).await.0, 200, "{host}");
        }
    }
    // The Host header that a browser sends through `ssh -L 8080:localhost:PORT`, and the Origin of
    // a page on another port.
    let host = "Host: localhost:8080\r\n";
    for (page, status) in [
        ("http://localhost:8080", 200),
        ("http://localhost:9999", 403),
        ("http://localhost", 403),
        ("http://127.0.0.1:8080", 403),
    ] {
        let headers = format!("{host}Origin: {page}\r\n");
        assert_eq!(send_raw(&server, "GET", "/debates", &headers).await.0, status, "{page}");
    }
}

#[tokio::test]
async fn request_without_one_host_header_is_answered_400_on_every_route() {
    let server = Server::start().await;
    for (method, _, path, _) in ROUTES.iter().chain([&("get", "", "/nothing", true)]) {
        let path = path.replace("ID", &new_id());
        let twice = format!("Host: {0}\r\nHost: {0}\r\n", server.address());
        for host in ["Host:\r\n", "", &twice] {
            let answer = send_raw(&server, method, &path, host).await;
            assert_eq!(answer, (400, "INVALID_INPUT".to_owned()), "{method} {path} with {host:?}");
        }
    }
}

#[tokio::test]
async fn requests_of_a_foreign_origin_are_refused() {
    let server = Server::start().await;
    let host = format!("Host: {}\r\n", server.address());
    let refused = (403, "FORBIDDEN".to_owned());
    for (method, _, path, _) in ROUTES {
        let path = path.replace("ID", &new_id());
        for page in [
            "Origin: http://evil.test\r\n",
            "Origin: null\r\n",
            "Origin: http://127.0.0.1:1\r\n",
            "Origin: http://localhost\r\n",
            "Origin: file://\r\n",
            "Origin:\r\n",
            "Sec-Fetch-Site: cross-site\r\n",
            "Sec-Fetch-Site: same-site\r\n",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
        ] {
            let answer = send_raw(&server, method, &path, &format!("{host}{page}")).await;
            assert_eq!(answer, refused, "{method} {path} with {page:?}");
        }
    }
    let link =
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    let followed = send_raw(&server, "GET", "/docs", &format!("{host}{link}")).await;
    assert_eq!(followed.0, 200, "a link may be followed");
    let form = send_raw(&server, "POST", "/debates", &format!("{host}{link}")).await;
    assert_eq!(form, refused, "a form may not be posted");
    let own = format!("{host}Origin: {}\r\nSec-Fetch-Site: same-origin\r\n", server.url);
    assert_eq!(send_raw(&server, "GET", "/debates", &own).await.0, 200, "our own page may ask");
}

#[tokio::test]
async fn hosts_and_origins_in_the_settings_are_accepted() {
    let server = Setup::new()
        .env("DEBATE_ALLOWED_HOSTS", "debates.lan, proxy.example:8443")
        .env("DEBATE_ALLOWED_ORIGINS", "https://board.example")
        .start()
        .await;
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    for (host, status) in [
        ("debates.lan".to_owned(), 200),
        (format!("debates.lan:{port}"), 200),
        ("debates.lan:1".to_owned(), 200),
        ("proxy.example:8443".to_owned(), 200),
        ("proxy.example".to_owned(), 403),
    ] {
        let answer = send_raw(&server, "GET", "/health", &format!("Host: {host}\r\n")).await;
        assert_eq!(answer.0, status, "{host}");
    }
    let request = server.request(reqwest::Method::GET, "/debates");
    let page =
        request.header("origin", "https://board.example").header("sec-fetch-site", "cross-site");
    let reply = crate::support::Reply::receive(page).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("access-control-allow-origin"), Some("https://board.example"));
    let preflight = server
        .request(reqwest::Method::OPTIONS, "/debates")
        .header("origin", "https://board.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type, x-ui-language");
    let reply = crate::support::Reply::receive(preflight).await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("https://board.example"));
    assert!(reply.header("access-control-allow-methods").is_some_and(|list| list.contains("POST")));
    let sendable = reply.header("access-control-allow-headers").unwrap_or_default();
    assert!(sendable.contains("x-ui-language"), "{sendable}");
}

#[tokio::test]
async fn no_response_allows_a_foreign_origin_to_read_it() {
    let server = Server::start().await;
    for path in ["/health", "/debates", "/nothing", "/metrics"] {
        let reply = server.get(path).await;
        let header = |name| reply.header(name);
        assert_eq!(header("access-control-allow-origin"), None, "{path}");
        assert_eq!(header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
        assert_eq!(header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(header("cache-control"), Some("no-store"), "{path}");
        assert!(header("content-security-policy").is_some_and(|policy| {
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'")
        }));
    }
}

#[tokio::test]
async fn request_id_is_echoed_or_generated() {
    let server = Server::start().await;
    let ask = |id: &'static str| {
        let request = server.request(reqwest::Method::GET, "/health").header("x-request-id", id);
        crate::support::Reply::receive(request)
    };
    assert_eq!(ask("agent-7.try_2").await.header("x-request-id"), Some("agent-7.try_2"));
    for odd in ["has space", "semi;colon", "<script>", &"x".repeat(65)] {
        let odd: &'static str = odd.to_owned().leak();
        let reply = ask(odd).await;
        let given = reply.header("x-request-id").expect("every answer has one").to_owned();
        assert!(given.starts_with("req_") && given.len() == 36, "{odd} became {given}");
    }
}

#[tokio::test]
async fn correlation_id_is_echoed_or_generated() {
    let server = Server::start().await;
    let ask = async |headers: &[(&str, &str)]| {
        let mut request = server.request(reqwest::Method::GET, "/debates");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let reply = crate::support::Reply::receive(request).await;
        let id = |name| reply.header(name).expect("every answer has one").to_owned();
        (id("x-correlation-id"), id("x-request-id"))
    };
    let sent = ask(&[("x-correlation-id", "chain-7")]).await;
    assert_eq!(sent, ("chain-7".to_owned(), "chain-7".to_owned()));
    let both = ask(&[("x-correlation-id", "chain-7"), ("x-request-id", "try-2")]).await;
    assert_eq!(both, ("chain-7".to_owned(), "try-2".to_owned()));
    for headers in [&[][..], &[("x-correlation-id", "<script>")]] {
        let (correlation, request) = ask(headers).await;
        assert!(request.starts_with("req_"), "{request}");
        assert_eq!(correlation, request);
    }
}

#[tokio::test]
async fn secrets_and_content_are_absent_from_logs_metrics_and_errors() {
    let setup = Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN).traced();
    let server = setup.start().await.with_token(TOKEN);
    let canary = "canary-in-the-content";
    let mut body = create_body(&new_id());
    body["motion_content"] = Value::from(canary);
    body["title"] = Value::from("canary-in-the-title");
    assert_eq!(server.post("/debates", &body).await.status, 201);
    body["motion_content"] = Value::from(format!("{canary} changed"));
    assert_eq!(server.post("/debates", &body).await.status, 422);
    server.get("/debates?q=canary-in-the-search").await;
    server.get("/debates?state=canary-in-the-query").await;
    let host = format!("Host: {}\r\n", server.address());
    send_raw(&server, "GET", "/debates", &format!("{host}Authorization: Bearer canary-wrong\r\n"))
        .await;
    let metrics = server.get("/metrics").await.text;
    server.terminate();
    let log = server.trace_log();
    assert!(log.contains("/debates"), "the log names the route");
    for secret in [TOKEN, "canary"] {
        assert!(!log.contains(secret), "{secret} is in the log");
        assert!(!metrics.contains(secret), "{secret} is in the metrics");
    }
}
