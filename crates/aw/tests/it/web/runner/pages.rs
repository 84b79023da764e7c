//! The runner's pages and forms, over HTTP without a browser.

use std::fmt::Write;

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::json;

use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::support::{Run, Server, Setup, new_id, until, with_model};

#[tokio::test]
async fn every_page_has_a_content_security_policy_and_answers_head() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 2).await;
    let visitor = Visitor::at(&server);
    for (path, status) in [
        ("/runs", 200),
        ("/runs/new", 200),
        (&*format!("/runs/{}", run.id), 200),
        (&format!("/runs/{}/turns?after=0", run.id), 200),
        (&format!("/runs/{}/turns?after=7", run.id), 400),
        (&format!("/runs/{}/turns", run.id), 400),
        (&format!("/runs/{}/cancel", run.id), 200),
        (&format!("/runs/{}/delete", run.id), 200),
        (&format!("/runs/{}/start", run.id), 405),
        (&format!("/runs/{}", new_id()), 404),
        ("/runs/nonsense", 400),
        ("/runs?status=nonsense", 400),
        ("/runs?cursor=nonsense", 400),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let reply = visitor.send(visitor.request(method.clone(), path)).await;
            assert_eq!(reply.status, status, "{method} {path}");
            assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
            let policy = reply.header("content-security-policy").expect("there is one");
            assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
            assert_eq!(method == Method::HEAD, reply.text.is_empty(), "{path}");
            assert!(!reply.text.contains(" style=") && !reply.text.contains("<script>"), "{path}");
        }
    }
}

/// A model that fails on one topic, waits on others, and answers on the rest.
fn model(gate: &Gate) -> Model {
    let gate = gate.clone();
    let script = move |asked: &ModelRequest| match asked.topic().as_str() {
        "failed" => {
            let error = json!({ "error": { "type": "invalid_request_error" } });
            ScriptStep::status("400 Bad Request", "", &error)
        }
        "running" | "stopping" => {
            let mut plays = vec![ScriptStep::Wait(gate.clone())];
            plays.extend(ScriptStep::debate(asked));
            plays
        }
        _ => ScriptStep::debate(asked),
    };
    Model::start(script).expect("a port is free")
}

/// The names of the actions on a page, in order.
fn offered_actions(page: &str) -> Vec<&str> {
    page.split("id=\"do-").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn page_offers_the_permitted_actions_and_refuses_others_at_every_status() {
    let gate = Gate::new();
    let model = model(&gate);
    let server = with_model(&model).start().await;
    let visitor = Visitor::at(&server);
    let mut table = String::new();
    for (status, commands) in [
        ("created", &[][..]),
        ("running", &["start"]),
        ("stopping", &["start", "stop"]),
        ("failed", &["start"]),
        ("completed", &["start"]),
        ("canceled", &["cancel"]),
    ] {
        let run = Run::create(&server, status, json!({ "max_rounds": 1 })).await;
        let here = format!("/runs/{}", run.id);
        visitor.get(&here).await;
        for command in commands {
            let reply = visitor.post(&format!("{here}/{command}"), &[]).await;
            assert_eq!(redirect_target(&reply), here, "{status} by {command}");
            if *command == "start" {
                let asked = || async { model.requests().iter().any(|one| one.topic() == status) };
                until("it is asked", asked).await;
            }
        }
        run.until(status).await;
        let page = visitor.get(&here).await.text;
        writeln!(table, "{status}: {}", offered_actions(&page).join(", "))
            .expect("text can be written");
        for act in ["start", "resume", "retry", "stop", "cancel"] {
            if offered_actions(&page).contains(&act) || act == "start" || act == "resume" {
                continue;
            }
            let reply = visitor.post(&format!("{here}/{act}"), &[]).await;
            let place = redirect_target(&reply).to_owned();
            let notice = visitor.get(&place).await.text;
            let late = notice.split("Not possible: ").nth(1);
            let late = late.and_then(|rest| rest.split('.').next()).unwrap_or("already so");
            writeln!(table, "  {act}: {late}").expect("text can be written");
            assert_eq!(run.debate().await["status"], status, "{act} changes nothing");
        }
    }
    gate.open();
    assert_snapshot!(table);
}

#[tokio::test]
async fn stopped_run_resumes_and_cancel_and_delete_ask_for_confirmation() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let visitor = Visitor::at(&server);
    let run = Run::create(&server, "A <b>topic</b>", json!({})).await;
    let here = format!("/runs/{}", run.id);
    visitor.get(&here).await;
    for (command, status, next) in [
        ("start", "running", &["stop", "cancel"][..]),
        ("start", "running", &["stop", "cancel"]),
        ("stop", "stopped", &["resume", "cancel"]),
        ("stop", "stopped", &["resume", "cancel"]),
        ("resume", "running", &["stop", "cancel"]),
        ("cancel", "canceled", &[]),
        ("cancel", "canceled", &[]),
    ] {
        if command == "cancel" {
            let question = visitor.get(&format!("{here}/cancel")).await.text;
            assert!(question.contains("Cancel this run?"), "{question}");
            assert!(question.contains("A &#60;b&#62;topic&#60;/b&#62;"), "{question}");
        }
        let reply = visitor.post(&format!("{here}/{command}"), &[]).await;
        assert_eq!(redirect_target(&reply), here, "{command}: a second click is no mistake");
        assert_eq!(run.debate().await["status"], status);
        assert_eq!(offered_actions(&visitor.get(&here).await.text), next, "{status}");
    }
    let delete = format!("{here}/delete");
    assert!(visitor.get(&delete).await.text.contains("deleted permanently"));
    for click in ["first", "second"] {
        assert_eq!(
            redirect_target(&visitor.post(&delete, &[]).await),
            "/runs?deleted=1",
            "{click}"
        );
    }
    assert!(visitor.get("/runs?deleted=1").await.text.contains("The run was deleted."));
    assert_eq!(visitor.get(&here).await.status, 404);
}

#[tokio::test]
async fn page_shows_rounds_verdicts_limits_chart_and_calls() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 2).await;
    let page = Visitor::at(&server).get(&format!("/runs/{}", run.id)).await.text;
    assert_eq!(page.matches("<article").count(), 6, "two rounds of three");
    assert_eq!(page.matches("class=\"verdict\"").count(), 2);
    for says in [
        "Demo mode: scripted text, no model calls, no cost",
        "demo:fast (scripted text)",
        "Finished: all 2 rounds played.",
        "Debater A (pro)",
        "Debater B (con)",
        "2 of 2 complete",
        "<progress id=\"budget-tokens\" max=\"8000\"",
        "All calls (6)",
        "<svg class=\"chart\"",
        "<summary>Show as a table</summary>",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    let news = Visitor::at(&server).get(&format!("/runs/{}/turns?after=4", run.id)).await.text;
    assert_eq!(news.matches("<article").count(), 2, "what is new");
    assert!(news.contains("data-last=\"6\" data-over"), "{news}");
    assert!(news.contains("All calls (6)") && news.contains("<svg class=\"chart\""), "{news}");
    assert_eq!(news.matches("<tr id=\"call-2-").count(), 3, "{news}");
    assert_eq!(news.matches("<tr id=\"call-1-").count(), 0, "{news}");
    let none = Visitor::at(&server).get(&format!("/runs/{}/turns?after=6", run.id)).await.text;
    assert!(!none.contains("<article") && !none.contains("id=\"scores\""), "{none}");
}

#[tokio::test]
async fn page_explains_each_error() {
    let error = json!({ "error": { "type": "overloaded_error" } });
    let script = move |asked: &ModelRequest| match asked.number {
        1 => ScriptStep::status("503 Service Unavailable", "retry-after: 0\r\n", &error),
        2 => ended_by("length"),
        3 => ended_by("content_filter"),
        // No JSON, and again none after the request to repair it.
        4 | 5 => ScriptStep::answer("I can't decide.", 30),
        _ => ScriptStep::debate(asked),
    };
    let model = Model::start(script).expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Faults", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    run.until("completed").await;
    let page = Visitor::at(&server).get(&format!("/runs/{}", run.id)).await.text;
    for says in [
        "The answer was cut off before it was complete.",
        "The model declined to answer. This turn has no argument.",
        "No valid verdict. The round counts as a tie without scores.",
        "<td class=\"danger\">failed</td>",
        "<td colspan=\"3\">No valid verdict</td>",
        "All calls (5)",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
}

/// An answer with this finish reason.
fn ended_by(reason: &str) -> Vec<ScriptStep> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let delta = json!({ "choices": [{ "index": 0, "delta": { "content": "I would rather" } }] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let text = format!("{head}data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    vec![ScriptStep::Raw(text.into_bytes())]
}

#[tokio::test]
async fn run_list_is_filtered_and_paged_and_the_home_page_shows_runs() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let visitor = Visitor::at(&server);
    for path in ["/", "/runs"] {
        let empty = visitor.get(path).await.text;
        assert!(empty.contains("Start demo run"), "{empty}");
    }
    for number in 1..=35 {
        Run::create(&server, &format!("Question {number}\n & <more>"), json!({})).await;
    }
    let started = Run::create(&server, "The one that runs", json!({})).await;
    started.command("start").await;
    let rows = |page: &str| page.matches("class=\"title\"").count();
    let first = visitor.get("/runs").await.text;
    assert!(first.contains("Question 35 &#38; &#60;more&#62;"), "{first}");
    let next = first.split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let next = next.expect("there is more").replace("&#38;", "&");
    assert_eq!((rows(&first), rows(&visitor.get(&next).await.text)), (30, 6));
    assert_eq!(rows(&visitor.get("/runs?status=running").await.text), 1);
    assert_eq!(rows(&visitor.get("/runs?status=failed").await.text), 0);
    let home = visitor.get("/").await.text;
    assert!(home.contains("Active runs") && home.contains("The one that runs"), "{home}");
    assert!(home.contains("Nothing to do."), "{home}");
}

#[tokio::test]
async fn home_page_shows_failed_runs_and_a_button_for_the_demo() {
    let gate = Gate::new();
    let model = model(&gate);
    let server = with_model(&model).start().await;
    let visitor = Visitor::at(&server);
    let empty = visitor.get("/").await.text;
    let key = hidden_field(&empty, "client_request_id");
    let form = [
        ("client_request_id", &*key),
        ("topic", &hidden_field(&empty, "topic")),
        ("model_debater_a", &hidden_field(&empty, "model_debater_a")),
        ("model_debater_b", &hidden_field(&empty, "model_debater_b")),
        ("model_judge", &hidden_field(&empty, "model_judge")),
        ("max_rounds", &hidden_field(&empty, "max_rounds")),
    ];
    let place = redirect_target(&visitor.post("/runs/new", &form).await).to_owned();
    assert!(visitor.get(&place).await.text.contains("Demo mode: scripted text"));
    let failed = Run::create(&server, "failed", json!({})).await;
    failed.command("start").await;
    failed.until("failed").await;
    let home = visitor.get("/").await.text;
    assert!(home.contains("<title>(1) Needs you"), "{home}");
    assert!(home.contains("class=\"card failed\""), "{home}");
    let error = failed.debate().await["last_error"].as_str().expect("there is one").to_owned();
    assert!(home.contains(&error), "{error}: {home}");
    let page = visitor.get(&format!("/runs/{}", failed.id)).await.text;
    assert!(page.contains(&error) && page.contains("then retry the run."), "{page}");
}
