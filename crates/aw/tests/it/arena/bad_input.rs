//! Malformed requests to the arena: each gets a 4xx in the error envelope,
//! and the server continues.

use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Connection, Debate, Record, Reply, Server, create_body, new_id};

/// Makes one part of a valid body invalid.
type Change = fn(&mut Value);

async fn send(server: &Server, path: &str, content_type: Option<&str>, body: &[u8]) -> Reply {
    let request = server.request(Method::POST, path).body(body.to_vec());
    let request = match content_type {
        Some(kind) => request.header("content-type", kind),
        None => request,
    };
    Reply::receive(request).await
}

#[tokio::test]
async fn each_invalid_field_is_named_with_the_values_it_accepts() {
    let server = Server::start().await;
    let changes: [(&str, Change); 21] = [
        ("debate_id a number", |body| body["debate_id"] = json!(7)),
        ("debate_id no UUID", |body| body["debate_id"] = json!("debate-1")),
        ("debate_id in braces", |body| {
            body["debate_id"] = json!("{01890a5d-ac96-774b-bcce-b302099a8057}");
        }),
        ("no title", |body| drop(body.as_object_mut().unwrap().remove("title"))),
        ("title blank", |body| body["title"] = json!("  ")),
        ("title too long", |body| body["title"] = json!("é".repeat(301))),
        ("title a list", |body| body["title"] = json!(["x"])),
        ("title with NUL", |body| body["title"] = json!("a\u{0}b")),
        ("no debate_type", |body| drop(body.as_object_mut().unwrap().remove("debate_type"))),
        ("debate_type unknown", |body| body["debate_type"] = json!("quarrel")),
        ("debate_type an object", |body| body["debate_type"] = json!({})),
        ("no motion_content", |body| drop(body.as_object_mut().unwrap().remove("motion_content"))),
        ("motion_content blank", |body| body["motion_content"] = json!("\n\t ")),
        ("motion_content true", |body| body["motion_content"] = json!(true)),
        ("motion_content with NUL", |body| body["motion_content"] = json!("\u{0}x")),
        ("motion_content too large", |body| body["motion_content"] = json!("é".repeat(5121))),
        ("client_request_id blank", |body| body["client_request_id"] = json!("")),
        ("client_request_id too long", |body| body["client_request_id"] = json!("k".repeat(201))),
        ("client_request_id with a line break", |body| body["client_request_id"] = json!("a\nb")),
        ("auto_ruling a string", |body| body["auto_ruling"] = json!("yes")),
        ("large content and a bad id: the id is named", |body| {
            body["motion_content"] = json!("x".repeat(20_000));
            body["debate_id"] = json!("x");
        }),
    ];
    let mut record = Record::default();
    for (what, change) in changes {
        let mut body = create_body(&new_id());
        change(&mut body);
        record.note(what, &server.post("/debates", &body).await);
    }
    assert_eq!(server.get("/debates").await.data()["total"], 0, "nothing was written");
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn values_at_the_limits_are_accepted() {
    let server = Server::start().await;
    let mut body = create_body(&new_id().to_uppercase());
    body["title"] = json!("é".repeat(300));
    body["motion_content"] = json!("é".repeat(5120));
    body["client_request_id"] = json!("k".repeat(200));
    body["seq"] = json!(99);
    body["state"] = json!("CLOSED");
    let reply = server.post("/debates", &body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    assert_eq!(reply.data()["argument"]["seq"], 1, "unknown keys reach nothing");
    assert_eq!(reply.data()["debate"]["state"], "AWAITING_OPPONENT");
    let worst = json!({ "content": "\u{1}".repeat(10_240), "client_request_id": "escaped" });
    let path = format!("/debates/{}/intervention", body["debate_id"].as_str().unwrap());
    let reply = server.post(&path, &worst).await;
    assert_eq!(reply.status, 201, "the body limit leaves room for escapes: {}", reply.text);
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object_is_refused() {
    let server = Server::start().await;
    let good = create_body(&new_id()).to_string();
    let cut = &good.as_bytes()[..good.len() - 1];
    let deep_array = "[".repeat(100_000);
    let deep_key = format!("{{\"x\":{}{}}}", "[".repeat(40_000), "]".repeat(40_000));
    let duplicate = good.replacen('{', r#"{"title":"first","#, 1);
    let surrogate = good.replace("Cache the index", r"\ud800");
    let huge_number = good.replacen('{', r#"{"auto_ruling":1e400,"#, 1);
    let nan = good.replacen('{', r#"{"auto_ruling":NaN,"#, 1);
    let trailing = format!("{good} {{}}");
    let json = Some("application/json");
    let cases: [(&str, Option<&str>, &[u8]); 21] = [
        ("no body", None, b""),
        ("no body, but called JSON", json, b""),
        ("white space", json, b"  "),
        ("text/plain", Some("text/plain"), good.as_bytes()),
        ("a form", Some("application/x-www-form-urlencoded"), b"title=x"),
        ("multipart", Some("multipart/form-data; boundary=x"), b"--x--"),
        ("no content type", None, good.as_bytes()),
        ("JSON by another name", Some("application/jsonp"), good.as_bytes()),
        ("an array", json, b"[]"),
        ("an array of the right fields", json, b"[\"x\",\"t\",\"general_debate\",\"m\",\"k\"]"),
        ("a string", json, b"\"x\""),
        ("null", json, b"null"),
        ("a number", json, b"1"),
        ("cut short", json, cut),
        ("a deep array", json, deep_array.as_bytes()),
        ("a deep ignored key", json, deep_key.as_bytes()),
        ("a key twice", json, duplicate.as_bytes()),
        ("a lone surrogate", json, surrogate.as_bytes()),
        ("a huge number", json, huge_number.as_bytes()),
        ("NaN", json, nan.as_bytes()),
        ("two objects", json, trailing.as_bytes()),
    ];
    let mut record = Record::default();
    for (what, content_type, body) in cases {
        record.note(what, &send(&server, "/debates", content_type, body).await);
    }
    record.note("not UTF-8", &send(&server, "/debates", json, b"{\"title\":\"\xff\"}").await);
    assert_snapshot!(record.render());
    assert_eq!(server.get("/debates").await.data()["total"], 0, "nothing was written");
    let charset = Some("Application/JSON; charset=utf-8");
    assert_eq!(send(&server, "/debates", charset, good.as_bytes()).await.status, 201);
}

#[tokio::test]
async fn fields_of_an_argument_are_validated_like_those_of_a_debate() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let other = Debate::open(&server).await;
    let right = json!({ "role": "opponent", "target_id": debate.motion, "content": "c",
                        "client_request_id": "k" });
    let with = |field: &str, value: Value| {
        let mut body = right.clone();
        body[field] = value;
        body
    };
    let large = json!("x".repeat(10_241));
    let cases = [
        ("arguments", "role arbitrator", with("role", json!("arbitrator"))),
        ("arguments", "role missing", json!({ "target_id": debate.motion })),
        ("arguments", "role a number", with("role", json!(1))),
        ("arguments", "target_id no UUID", with("target_id", json!("x"))),
        ("arguments", "target_id null", with("target_id", Value::Null)),
        ("arguments", "no such target", with("target_id", json!(new_id()))),
        ("arguments", "another debate's target", with("target_id", json!(other.motion))),
        ("arguments", "content blank", with("content", json!(" "))),
        ("arguments", "content too large", with("content", large.clone())),
        ("appeal", "an empty object", json!({})),
        ("resolution", "an empty object", json!({})),
        ("ruling", "an empty object", json!({})),
        ("ruling", "close a string", json!({ "content": "c", "close": "yes" })),
        ("ruling", "content too large", json!({ "content": large })),
        ("intervention", "content a number", json!({ "content": 5 })),
        ("intervention", "content too large", json!({ "content": large })),
        ("intervention", "content with NUL", json!({ "content": "\u{0}" })),
    ];
    let mut record = Record::default();
    for (endpoint, what, body) in cases {
        let reply = server.post(&debate.path(&format!("/{endpoint}")), &body).await;
        record.note(&format!("{endpoint}: {what}"), &reply);
    }
    for endpoint in ["arguments", "appeal", "resolution", "ruling", "intervention"] {
        let path = format!("/debates/{}/{endpoint}", new_id());
        let reply = server.post(&path, &right).await;
        record.note(&format!("{endpoint}: no such debate"), &reply);
        let reply = server.post(&format!("/debates/x/{endpoint}"), &right).await;
        record.note(&format!("{endpoint}: a path id that is none"), &reply);
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn unusual_paths_methods_and_queries_are_answered_in_the_envelope() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let id = &debate.id;
    let mut record = Record::default();
    for target in [
        "GET /nothing".to_owned(),
        "GET /nothing/".to_owned(),
        "GET //debates".to_owned(),
        "GET /debates/..%2f..%2fetc%2fpasswd".to_owned(),
        "GET /debates/%00".to_owned(),
        "GET /debates/%zz".to_owned(),
        "GET /debates/%ff".to_owned(),
        "GET /debates/%c0%ae%c0%ae".to_owned(),
        r"GET /debates/..\..\x".to_owned(),
        format!("GET /debates/{id}/nothing"),
        format!("GET /debates/{id}?limit=%zz"),
        format!("GET /debates/{id}?limit=%ff"),
        format!("GET /debates/{id}?limit=1&limit=2"),
        "GET /debates?state=CLOSED&state=CLOSED".to_owned(),
        "GET /debates?q=%".to_owned(),
        "PUT /debates".to_owned(),
        "PATCH /debates".to_owned(),
        "OPTIONS /debates".to_owned(),
        "DELETE /debates".to_owned(),
        format!("POST /debates/{id}"),
        format!("GET /debates/{id}/arguments"),
        format!("POST /debates/{id}/wait"),
        "BREW /health".to_owned(),
        "POST /health".to_owned(),
    ] {
        let request = format!("{target} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
        let reply = Connection::exchange(&server, request.as_bytes()).await;
        let (status, body) = (reply.status, reply.body.clone());
        assert!((400..500).contains(&status), "{target}: {status}");
        assert_eq!(reply.json()["success"], false, "{target}: {body}");
        let headers = reqwest::header::HeaderMap::new();
        record.note(&target.replace(id, "ID"), &Reply { status, headers, text: body });
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn empty_request_ids_are_refused_where_they_may_be_absent() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    for endpoint in ["intervention", "ruling"] {
        for key in ["", " "] {
            let body = json!({ "content": "c", "client_request_id": key });
            let reply = server.post(&debate.path(&format!("/{endpoint}")), &body).await;
            assert_eq!(reply.status, 400, "{}", reply.text);
            assert_eq!(reply.error()["field"], "client_request_id", "{}", reply.text);
        }
    }
    let null =
        send(&server, &debate.path("/intervention"), Some("application/json"), b"null").await;
    assert_eq!(null.status, 400, "a body is an object: {}", null.text);
    let absent = json!({ "content": "c", "client_request_id": null });
    assert_eq!(server.post(&debate.path("/intervention"), &absent).await.status, 201);
    assert_eq!(server.post(&debate.path("/ruling"), &absent).await.status, 201);
}

#[tokio::test]
async fn empty_query_values_count_as_absent_and_blank_values_are_refused() {
    let server = Server::start().await;
    for query in ["limit=", "state=", "q=", "pending_first_opponent=", "offset=", "cursor="] {
        assert_eq!(server.get(&format!("/debates?{query}")).await.status, 200, "{query}");
        assert_eq!(server.get(&format!("/debates?{query}%20")).await.status, 400, "{query}%20");
    }
}
