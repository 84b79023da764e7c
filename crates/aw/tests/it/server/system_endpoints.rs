//! Endpoints that describe the server: health, OpenAPI document, metrics, API reference.

use std::process::Stdio;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::support::{Debate, Engine, Reply, Run, Server, Setup};

#[tokio::test]
async fn health_reports_version_storage_and_uptime() {
    let server = Server::start().await;
    let health = server.get("/health").await.data();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    let storage = health["storage"].as_str().expect("it is told");
    assert!(storage.starts_with(Engine::configured().name_and_major()), "{storage}");
    assert!(health["uptime_seconds"].is_u64());
}

#[tokio::test]
async fn document_is_openapi_3_1_and_every_reference_resolves() {
    let server = Server::start().await;
    let contract = server.get("/openapi.json").await.json();
    assert_eq!(contract["openapi"], "3.1.0");
    let mut references = Vec::new();
    collect_references(&contract, &mut references);
    assert!(references.len() > 20, "there are schemas");
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("they are all inside");
        assert!(contract.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect_references(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                into.push(reference.to_owned());
            }
            fields.values().for_each(|field| collect_references(field, into));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn document_lists_every_status_that_a_claim_can_return() {
    let server = Server::start().await;
    let contract = server.get("/openapi.json").await.json();
    let claim = &contract["paths"]["/debates/{id}/arguments"]["post"]["responses"];
    let listed: Vec<_> = claim.as_object().expect("it has answers").keys().collect();
    for status in
        ["200", "201", "400", "401", "403", "404", "408", "413", "415", "422", "429", "503", "507"]
    {
        assert!(listed.iter().any(|listed| *listed == status), "{status} is missing: {listed:?}");
    }
}

#[tokio::test]
async fn responses_have_the_documented_keys_in_the_documented_order() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let contract = server.get("/openapi.json").await.json();
    let whole = debate.read().await;
    for (schema, value) in [
        ("Debate", &whole["debate"]),
        ("Argument", &whole["motion"]),
        ("News", &server.get(&debate.path("/poll?role=opponent")).await.data()),
        ("DebateList", &server.get("/debates").await.data()),
    ] {
        let listed = contract["components"]["schemas"][schema]["properties"].as_object();
        let mut listed: Vec<_> = listed.expect("it is in the contract").keys().collect();
        let mut found: Vec<_> = value.as_object().expect("an object").keys().collect();
        listed.sort();
        found.sort();
        assert_eq!(listed, found, "{schema}");
    }
}

#[tokio::test]
async fn api_reference_page_needs_no_script_and_no_other_host() {
    let server = Server::start().await;
    let reply = server.get("/docs").await;
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    let page = reply.text;
    assert!(!page.contains("<script") && !page.contains("src="), "no script, no pictures");
    let outside = page.split("href=\"").skip(1).filter(|link| !link.starts_with(['/', '#']));
    assert_eq!(outside.count(), 0);
    let contract = server.get("/openapi.json").await.json();
    for path in contract["paths"].as_object().expect("it has paths").keys() {
        assert!(page.contains(&format!("<code>{path}</code>")), "{path} is explained");
    }
    assert_eq!(
        server.get("/docs/style.css").await.header("content-type"),
        Some("text/css; charset=utf-8")
    );
}

#[tokio::test]
async fn metrics_pass_promtool_after_each_metric_has_a_value() {
    let server = Server::start().await;
    Debate::open(&server).await;
    Run::complete_demo(&server, 1).await;
    let metrics = server.get("/metrics").await.text;
    for name in [
        "aw_build_info{version=",
        "aw_connections ",
        "aw_sockets ",
        "aw_model_calls_total{",
        "aw_write_commit_seconds_bucket{",
        "process_cpu_seconds_total ",
        "process_resident_memory_bytes ",
        "process_open_fds ",
    ] {
        assert!(metrics.lines().any(|line| line.starts_with(name)), "{name} in {metrics}");
    }
    let mut promtool = Command::new("promtool");
    promtool.args(["check", "metrics"]).stdin(Stdio::piped());
    let mut child = promtool
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("scripts/test installs promtool");
    let mut input = child.stdin.take().expect("it was piped");
    input.write_all(metrics.as_bytes()).await.expect("promtool reads");
    drop(input);
    let output = child.wait_with_output().await.expect("it ends");
    let printed = [output.stdout, output.stderr].concat();
    assert_eq!((String::from_utf8_lossy(&printed).as_ref(), output.status.success()), ("", true));
}

/// The compressed response as decoded by curl.
async fn curl_compressed(url: &str) -> String {
    let curl = Command::new("curl").args(["--silent", "--compressed", url]).output();
    let output = curl.await.expect("scripts/test installs curl");
    assert!(output.status.success(), "{url}");
    String::from_utf8(output.stdout).expect("it is text again")
}

#[tokio::test]
async fn unchanged_documents_are_answered_304_by_their_etag() {
    let server = Server::start().await;
    let assets = ["/assets/style.css", "/assets/script.js", "/assets/icon.svg"];
    for path in ["/openapi.json", "/docs", "/docs/style.css"].iter().chain(&assets) {
        let first = server.get(path).await;
        let tag = first.header("etag").expect("it has a tag").to_owned();
        let cached = first.header("cache-control").expect("it says for how long");
        let expected =
            if assets.contains(path) { "public, max-age=31536000" } else { "private, no-cache" };
        assert!(cached.starts_with(expected), "{path}: {cached}");
        for held in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".into()] {
            let request = server.request(Method::GET, path).header("if-none-match", &held);
            let again = Reply::receive(request).await;
            assert_eq!((again.status, again.text.as_str()), (304, ""), "{path} {held}");
            assert_eq!(again.header("etag"), Some(&*tag), "{path}");
        }
        let request = server.request(Method::GET, path).header("if-none-match", "\"other\"");
        assert_eq!(Reply::receive(request).await.text, first.text, "{path}");
    }
}

#[tokio::test]
async fn responses_over_a_kilobyte_are_compressed_for_clients_that_accept_it() {
    let server = Server::start().await;
    let long = Debate::open_with(&server, |body| {
        body["motion_content"] = "We keep the index in memory. ".repeat(300).into();
    });
    let long = long.await;
    let asking = async |path: &str| {
        let request = server.request(Method::GET, path).header("accept-encoding", "gzip, br");
        let response = request.send().await.expect("the server answers");
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let coding = header("content-encoding").map(str::to_owned);
        let vary = header("vary").map(str::to_owned);
        (coding, vary, response.bytes().await.expect("it ends"))
    };
    let page = format!("/arena/{}", long.id);
    for path in ["/openapi.json", "/docs", "/assets/style.css", "/metrics", &long.path(""), &page] {
        let (coding, vary, bytes) = asking(path).await;
        assert_eq!((coding.as_deref(), vary.as_deref()), (Some("gzip"), Some("accept-encoding")));
        let plain = server.get(path).await;
        assert_eq!(plain.header("vary"), Some("accept-encoding"), "{path}");
        assert!(bytes.len() < plain.text.len() / 2, "{path} has {} bytes", bytes.len());
        if path != "/metrics" && path != page {
            let url = format!("{}{path}", server.url);
            assert!(curl_compressed(&url).await == plain.text, "{path} is the same");
        }
    }
    let (coding, _, bytes) = asking("/health").await;
    assert!(coding.is_none() && bytes.starts_with(b"{"), "a short answer stays as it is");
    let closed = Debate::open(&server).await;
    closed.advance_to("CLOSED").await;
    let (coding, _, bytes) = asking(&closed.path("/events")).await;
    assert!(bytes.len() > 1024 && coding.is_none() && bytes.starts_with(b"retry"), "a stream");
}

#[tokio::test]
async fn metrics_count_requests_and_write_batches() {
    // Workers write too, and would change the counts.
    let setup = Setup::new().env("RUNNER_WORKERS", "0").env("GUARDRAIL_WORKERS", "0");
    let server = setup.start().await;
    Debate::open(&server).await;
    server.get("/nothing").await;
    let metrics = server.get("/metrics").await;
    assert!(metrics.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")));
    for line in [
        r#"aw_http_requests_total{method="POST",route="/debates",status="201"} 1"#,
        r#"aw_http_requests_total{method="GET",route="none",status="404"} 1"#,
        "aw_storage_healthy 1",
        "aw_write_batch_size_count 1",
    ] {
        assert!(metrics.text.contains(line), "{line} is missing from {}", metrics.text);
    }
}

#[tokio::test]
async fn parameters_have_types_bounds_and_formats() {
    let contract = Server::start().await.get("/openapi.json").await.json();
    let schema = |path: &str, method: &str, name: &str| {
        let parameters = contract["paths"][path][method]["parameters"].as_array();
        let mut parameters = parameters.expect("it has parameters").iter();
        let found = parameters.find(|parameter| parameter["name"] == name);
        found.unwrap_or_else(|| panic!("{path} has no {name}"))["schema"].clone()
    };
    assert_eq!(schema("/debates/{id}", "get", "id"), json!({ "type": "string", "minLength": 1 }));
    let limit = schema("/debates", "get", "limit");
    assert_eq!((&limit["type"], &limit["maximum"]), (&json!("integer"), &json!(500)));
    assert_eq!(schema("/debates", "get", "pending_first_opponent"), json!({ "type": "boolean" }));
    let enums = [
        ("/debates", "state", "State"),
        ("/debates/{id}/wait", "role", "Side"),
        ("/runner/debates", "status", "RunnerStatus"),
        ("/api/v1/solutions", "status", "ForumSolutionStatus"),
    ];
    for (path, name, wanted) in enums {
        let reference = json!({ "$ref": format!("#/components/schemas/{wanted}") });
        assert_eq!(schema(path, "get", name), reference, "{path} {name}");
    }
    for (path, item) in contract["paths"].as_object().expect("it has paths") {
        if !path.starts_with("/runner") && !path.starts_with("/api") {
            continue;
        }
        let parameters = item.as_object().into_iter().flatten();
        let parameters =
            parameters.filter_map(|(_, operation)| operation["parameters"].as_array()).flatten();
        for parameter in parameters.filter(|parameter| parameter["in"] == "path") {
            assert_eq!(parameter["schema"]["format"], "uuid", "{path} {}", parameter["name"]);
        }
    }
}

#[tokio::test]
async fn constants_credentials_links_and_optional_bodies_are_described() {
    let contract = Server::start().await.get("/openapi.json").await.json();
    let schemas = &contract["components"]["schemas"];
    for (schema, field, value) in [
        ("Success_Written", "success", true),
        ("Failure", "success", false),
        ("News", "has_new_argument", true),
        ("NoNews", "has_new_argument", false),
        ("ForumFailure", "ok", false),
    ] {
        assert_eq!(schemas[schema]["properties"][field]["const"], value, "{schema}");
    }
    assert_eq!(schemas["RunnerMetadata"]["required"], json!(["outcome"]));
    let security = |path: &str, method: &str| &contract["paths"][path][method]["security"];
    assert_eq!(security("/api/v1/problems", "post"), &json!([{ "agentKey": [] }]));
    assert_eq!(security("/api/v1/admin/flagged", "get"), &json!([{ "reviewerToken": [] }]));
    let opened = &contract["paths"]["/debates"]["post"]["responses"]["201"]["links"];
    assert_eq!(opened["claim"]["requestBody"]["target_id"], "$response.body#/data/argument/id");
    let body = &contract["paths"]["/debates/{id}/intervention"]["post"]["requestBody"];
    assert_eq!(body["required"], false);
    let schema = &body["content"]["application/json"]["schema"];
    assert_eq!(schema, &json!({ "$ref": "#/components/schemas/SubmitIntervention" }));
    assert_eq!(contract["servers"][0]["url"], "/");
    let flagged = &contract["paths"]["/api/v1/admin/flagged"]["get"]["responses"];
    assert!(flagged["404"].is_object(), "reviewing may be off");
}

#[tokio::test]
async fn document_names_the_base_path_as_the_address_of_the_server() {
    let server = Setup::new().env("DEBATE_BASE_PATH", "/tools/debating").start().await;
    let contract = server.get("/tools/debating/openapi.json").await.json();
    assert_eq!(contract["servers"][0]["url"], "/tools/debating");
}
