//! Of several errors in one request, each route reports the first in the order of the contract. The
//! list of routes is read from the router, so a new route without cases here fails.

use std::collections::BTreeSet;

use insta::{assert_snapshot, with_settings};
use reqwest::Method;
use serde_json::Value;

use crate::forum::fixture::Fixture;
use crate::forum::route_cases::{Change, Fault, Route, Sender};
use crate::forum::routes::routes;
use crate::support::{Record, Reply, Server};

/// A request before it is sent.
struct Request<'r> {
    who: &'r Sender,
    path: String,
    header: Option<&'r str>,
    body: Option<&'r Value>,
}

impl Request<'_> {
    async fn send(self, fixture: &Fixture<'_>, method: &str) -> Reply {
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("it is one");
        let mut request = fixture.server.request(method, &format!("/api/v1{}", self.path));
        request = request.header("x-forwarded-for", fixture.address(self.who));
        if let Some(key) = fixture.key(self.who) {
            request = request.bearer_auth(key);
        }
        if let Some(key) = self.header {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = self.body {
            request = request.json(body);
        }
        Reply::receive(request).await
    }
}

/// The request with all of these faults. If two faults change the same part, the first one applies.
fn with_all<'r>(route: &'r Route, faults: &'r [Fault]) -> Request<'r> {
    let mut request = Request {
        who: &route.who,
        path: route.path.clone(),
        header: None,
        body: route.body.as_ref(),
    };
    let mut query = "";
    for fault in faults.iter().rev() {
        match &fault.change {
            Change::Sender(who) => request.who = who,
            Change::Path(path) => request.path.clone_from(path),
            Change::Query(words) => query = words,
            Change::Key(key) => request.header = Some(key),
            Change::Body(body) => request.body = Some(body),
        }
    }
    request.path.push_str(query);
    request
}

#[tokio::test]
async fn every_route_reports_the_first_of_several_errors() {
    let server = Fixture::server().await;
    let fixture = Fixture::create(&server).await;
    let mut record = Record::default();
    let mut recorded = BTreeSet::new();
    let routes = routes(&fixture);
    assert_every_route_has_cases(&server, &routes).await;
    for route in &routes {
        let name = format!("{} {}", route.method.to_uppercase(), route.template);
        for (at, fault) in route.faults.iter().enumerate() {
            let faults = route.faults.get(at..).unwrap_or_default();
            let request = with_all(route, faults);
            if matches!(request.who, Sender::RateLimited) {
                fixture.use_up_limit().await;
            }
            let reply = request.send(&fixture, route.method).await;
            let body = reply.json();
            let code = body["error"]["code"].as_str().unwrap_or_default();
            let sentence = format!("{name}: {}, and {} more", fault.name, faults.len() - 1);
            assert_eq!((reply.status, code), fault.expected, "{sentence}: {}", reply.text);
            assert_eq!(body["ok"], false, "{sentence}");
            assert_eq!(body["requestId"].as_str(), reply.header("x-request-id"), "{sentence}");
            for header in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
                assert!(reply.header(header).is_some(), "{sentence}: {header}");
            }
            // Faults of authentication and rate limits are the same on every route:
            // one record is enough.
            if fault.is_route_specific() || recorded.insert(fault.name) {
                record.note(&sentence, &reply);
            }
        }
    }
    let seconds = [
        (r#""retryAfter":\d+"#, r#""retryAfter":<seconds>"#),
        (r"retry-after: \d+", "retry-after: <seconds>"),
        (r"again in \d+ s", "again in <seconds> s"),
    ];
    with_settings!({ filters => seconds }, { assert_snapshot!(record.render()) });
}

/// Every route of the contract has cases, and the requested path fits its template.
async fn assert_every_route_has_cases(server: &Server, routes: &[Route]) {
    let contract = server.get("/openapi.json").await.json();
    let paths = contract["paths"].as_object().expect("a contract has paths");
    let of_the_forum = paths.iter().filter_map(|(path, item)| {
        let path = path.strip_prefix("/api/v1")?;
        let methods = item.as_object().expect("a path has methods").keys();
        Some(methods.map(move |method| (method.clone(), path.to_owned())))
    });
    let listed: BTreeSet<(String, String)> = of_the_forum.flatten().collect();
    let named: BTreeSet<(String, String)> =
        routes.iter().map(|route| (route.method.to_owned(), route.template.to_owned())).collect();
    assert_eq!(listed, named);
    for Route { path, template, .. } in routes {
        let (parts, names) = (path.split('/'), template.split('/'));
        let fits = parts.clone().count() == names.clone().count()
            && parts.zip(names).all(|(part, name)| name.starts_with('{') || part == name);
        assert!(fits, "{path} is no {template}");
    }
}
