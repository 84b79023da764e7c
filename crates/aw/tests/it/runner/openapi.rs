//! The OpenAPI document of the runner.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{Run, Server};

#[tokio::test]
async fn responses_have_the_documented_keys() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 1).await;
    let contract = server.get("/openapi.json").await.json();
    let whole = run.read().await;
    for (schema, value) in [
        ("RunnerStory", &whole),
        ("RunnerDebate", &whole["debate"]),
        ("RunnerSettings", &whole["debate"]["settings"]),
        ("RunnerTurn", &whole["turns"][0]),
        ("RunnerUsage", &whole["turns"][0]["usage"]),
        ("RunnerMetadata", &whole["turns"][2]["metadata"]),
        ("RunnerCost", &whole["cost"]),
        ("RunnerModelCost", &whole["cost"]["by_model"][0]),
        ("RunnerListedDebate", &server.get("/runner/debates").await.json()[0]),
        ("RunnerAttempt", &server.get(&run.path("/attempts")).await.json()[0]),
    ] {
        let described = &contract["components"]["schemas"][schema];
        let listed = described["properties"].as_object();
        let required = described["required"].as_array().expect("a list");
        let found: Vec<_> = value.as_object().expect("an object").keys().collect();
        let is_there = |key: &&String| found.contains(key) || required.contains(&json!(key));
        let listed = listed.unwrap_or_else(|| panic!("{schema} is missing")).keys();
        let listed: Vec<_> = listed.filter(is_there).collect();
        assert_eq!(listed, found, "{schema}");
    }
}

#[tokio::test]
async fn every_operation_has_a_unique_id_and_the_runners_error_schema() {
    let server = Server::start().await;
    let contract = server.get("/openapi.json").await.json();
    let mut names = HashSet::new();
    for (path, item) in contract["paths"].as_object().expect("it has paths") {
        for (method, operation) in item.as_object().expect("it has operations") {
            let name = operation["operationId"].as_str().expect("it has a name");
            assert!(names.insert(name.to_owned()), "{name} is there twice");
            let failures = operation["responses"].as_object().expect("it has answers");
            for (status, answer) in
                failures.iter().filter(|(status, _)| status.starts_with(['4', '5']))
            {
                let schema = &answer["content"]["application/json"]["schema"]["$ref"];
                let schema = schema.as_str().unwrap_or_default();
                let is_runner = path.starts_with("/runner");
                assert_eq!(
                    schema.ends_with("RunnerFailure"),
                    is_runner,
                    "{method} {path} {status}"
                );
            }
        }
    }
}

#[tokio::test]
async fn api_reference_page_explains_bare_bodies_and_lists() {
    let server = Server::start().await;
    let page = server.get("/docs").await.text;
    for word in ["completed_rounds", "enqueued", "in_flight", "Idempotency-Key"] {
        assert!(page.contains(word), "{word} is explained");
    }
    let contract: Value = server.get("/openapi.json").await.json();
    assert!(contract["tags"].as_array().expect("tags").iter().any(|tag| tag["name"] == "runner"));
}
