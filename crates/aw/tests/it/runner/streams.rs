//! The event stream of a run: each turn once, in order, from any position.

use aw_testbed::{Gate, Model, ScriptStep};
use insta::{assert_snapshot, with_settings};
use serde_json::{Value, json};

use crate::support::{Event, Events, Record, Reply, Run, Server, Setup, new_id, until, with_model};

fn turns(events: &[Event]) -> Vec<(u64, Option<String>)> {
    let turns = events.iter().filter(|event| event.name == "turn");
    turns.map(|turn| (turn.data["seq"].as_u64().expect("a seq"), turn.id.clone())).collect()
}

fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

#[tokio::test]
async fn completed_run_is_replayed_completely_and_the_stream_ends() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 1).await;
    let mut events = Events::open(&server, &run.path("/events"), None).await;
    assert_eq!(events.status, 200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(events.headers[name], value, "{name}");
    }
    let all = events.rest().await;
    assert_eq!(names(&all), ["status", "turn", "turn", "turn", "end"]);
    let data: Vec<Value> = all[1..4].iter().map(|event| event.data.clone()).collect();
    assert_eq!(Value::from(data), run.read().await["turns"], "a turn is a turn, wherever read");
    let mut record = Record::default();
    let headers = reqwest::header::HeaderMap::new();
    record.note("the stream, byte for byte", &Reply { status: 200, headers, text: events.raw });
    with_settings!({ filters => crate::runner::TIMES }, {
        assert_snapshot!(record.render());
    });
}

#[tokio::test]
async fn stream_from_any_position_sends_exactly_the_later_turns() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 3).await;
    let path = run.path("/events");
    let all = turns(&Events::open(&server, &path, None).await.rest().await);
    assert_eq!(all.len(), 9);
    let first = all[0].1.clone();
    for (seen, id) in &all {
        let rest: Vec<_> = all.iter().filter(|(seq, _)| seq > seen).cloned().collect();
        let id = id.as_deref().expect("a turn's event has its id");
        let by_number = format!("{path}?after={seen}");
        let by_id = format!("{path}?after={id}");
        for (path, header) in [
            (&by_number, None),
            (&by_id, None),
            (&path, Some(id)),
            (&by_number, first.as_deref()),
            (&path, Some(&*seen.to_string())),
        ] {
            let mut events = Events::open(&server, path, header).await;
            if rest.is_empty() {
                assert_eq!(events.status, 204, "nothing is left: a browser stops asking");
                continue;
            }
            let came = events.rest().await;
            assert_eq!(turns(&came), rest, "{path} {header:?}");
            assert_eq!(names(&came)[0], "status");
            let end = came.last().expect("it ended");
            assert_eq!(
                (end.name.as_str(), &end.data["reason"]),
                ("end", &json!("debate_completed"))
            );
        }
    }
}

#[tokio::test]
async fn unknown_position_is_answered_with_reset_and_a_full_replay() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 1).await;
    let other = Run::complete_demo(&server, 1).await;
    let foreign = other.read().await["turns"][0]["id"].as_str().expect("an id").to_owned();
    for position in ["nonsense", "-1", "4", "4294967296", &new_id(), &foreign, &run.id] {
        for by_header in [false, true] {
            let path = run.path("/events");
            let (path, header) = if by_header {
                (path, Some(position))
            } else {
                (format!("{path}?after={position}"), None)
            };
            let all = Events::open(&server, &path, header).await.rest().await;
            assert_eq!(names(&all), ["reset", "status", "turn", "turn", "turn", "end"]);
            assert_eq!(all[0].data, json!({ "reason": "unknown_position" }), "{position}");
        }
    }
}

#[tokio::test]
async fn running_run_streams_deltas_and_each_turn_once() {
    let gate = Gate::new();
    let model = crate::runner::model_waiting_on("Live", &gate);
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Live", json!({ "max_rounds": 1 })).await;
    let mut events = Events::open(&server, &run.path("/events"), None).await;
    let created = events.take(1).await.remove(0);
    assert_eq!((created.name.as_str(), &created.data["status"]), ("status", &json!("created")));
    assert_eq!(created.id, None, "only turns are positions");
    run.command("start").await;
    let running = events.take(1).await.remove(0);
    assert_eq!((running.name.as_str(), &running.data["status"]), ("status", &json!("running")));
    let delta = events.take(1).await.remove(0);
    assert_eq!(delta.name, "delta");
    assert_eq!(
        delta.data,
        json!({ "round": 1, "actor": "debater_a", "attempt": 1, "text": "First " })
    );
    // A subscriber that connects during an answer receives the answer from its beginning.
    let mut late = Events::open(&server, &run.path("/events"), None).await;
    let seen = late.take(2).await;
    assert_eq!(names(&seen), ["status", "delta"]);
    assert_eq!(seen[1].data["text"], "First ");
    gate.open();
    let rest = events.rest().await;
    let turn_ids = turns(&rest);
    assert_eq!(turn_ids.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(rest.iter().filter(|event| event.name == "end").count(), 1);
    assert_eq!(rest.last().map(|event| event.name.as_str()), Some("end"));
    let last_status = rest.iter().rfind(|event| event.name == "status").expect("it changed");
    assert_eq!(last_status.data["stop_reason"], "max_rounds");
    let deltas_without_id = rest.iter().all(|event| event.name == "turn" || event.id.is_none());
    assert!(deltas_without_id);
    assert_eq!(turns(&late.rest().await), turn_ids, "everyone saw the same");
    assert_eq!(
        turns(&Events::open(&server, &run.path("/events"), None).await.rest().await),
        turn_ids
    );
}

#[tokio::test]
async fn reconnecting_after_every_turn_of_a_running_run_misses_no_turn() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Reconnect", json!({ "max_rounds": 4 })).await;
    run.command("start").await;
    let (mut seen, mut last): (Vec<u64>, Option<String>) = (Vec::new(), None);
    loop {
        let mut events = Events::open(&server, &run.path("/events"), last.as_deref()).await;
        if events.status == 204 {
            break;
        }
        while let Some(event) = events.next().await {
            if event.name == "turn" {
                seen.push(event.data["seq"].as_u64().expect("a seq"));
                last = event.id;
                break;
            }
        }
    }
    assert_eq!(seen, (1..=12).collect::<Vec<_>>());
}

#[tokio::test]
async fn stream_ends_with_the_reason_when_the_run_is_deleted_or_canceled() {
    let gate = Gate::new();
    let model = crate::runner::model_waiting_on("End me", &gate);
    let server = with_model(&model).start().await;
    for (last, reason) in [("delete", "debate_deleted"), ("cancel", "debate_canceled")] {
        let before = model.requests().len();
        let run = Run::create(&server, "End me", json!({})).await;
        run.command("start").await;
        until("it is asked", || async { model.requests().len() > before }).await;
        let mut events = Events::open(&server, &run.path("/events"), None).await;
        events.take(1).await;
        match last {
            "delete" => assert_eq!(server.delete(&run.path("")).await.status, 204),
            _ => assert_eq!(run.command("cancel").await.status, 204),
        }
        let rest = events.rest().await;
        let end = rest.last().expect("it ended");
        assert_eq!((end.name.as_str(), &end.data), ("end", &json!({ "reason": reason })));
        assert_eq!(turns(&rest), []);
    }
}

#[tokio::test]
async fn stream_reports_a_failure_and_continues_after_a_retry() {
    let error = json!({ "error": { "type": "invalid_request_error" } });
    let model = Model::start(move |asked| match asked.number {
        1 => ScriptStep::status("401 Unauthorized", "", &error),
        _ => ScriptStep::debate(asked),
    });
    let model = model.expect("a port is free");
    let server = with_model(&model).env("OPENAI_API_KEY", "sk-canary").traced().start().await;
    let run = Run::create(&server, "Fail once", json!({ "max_rounds": 1 })).await;
    let mut events = Events::open(&server, &run.path("/events"), None).await;
    run.command("start").await;
    loop {
        let event = events.take(1).await.remove(0);
        assert_eq!(event.name, "status");
        if event.data["status"] == "failed" {
            assert_eq!(event.data["stop_reason"], "error");
            let error = event.data["last_error"].as_str().expect("it says why");
            assert!(error.contains("401") && !error.contains("canary"), "{error}");
            break;
        }
    }
    run.command("retry").await;
    let rest = events.rest().await;
    assert_eq!(rest[0].data["last_error"], json!(null), "the error is forgotten");
    assert_eq!(turns(&rest).len(), 3);
    assert!(!server.trace_log().contains("canary"), "no key in the log");
}

#[tokio::test]
async fn shutdown_ends_streams_and_the_next_server_continues_the_run() {
    let gate = Gate::new();
    let model = crate::runner::model_waiting_on("Restart", &gate);
    let setup = with_model(&model);
    let mut server = setup.start().await;
    let run = Run::create(&server, "Restart", json!({ "max_rounds": 1 })).await;
    let id = run.id.clone();
    run.command("start").await;
    let mut events = Events::open(&server, &run.path("/events"), None).await;
    until("it is asked", || async { !model.requests().is_empty() }).await;
    server.terminate();
    let seen = events.rest().await;
    assert!(seen.iter().all(|event| event.name != "end"), "the stream ends without a word");
    // The call in progress may still end; its turn is saved before the server exits.
    gate.open();
    assert!(server.wait_for_exit().await.success());

    let server = setup.start().await;
    let run = Run { server: &server, id };
    let last = turns(&seen).last().and_then(|(_, id)| id.clone());
    let rest = Events::open(&server, &run.path("/events"), last.as_deref()).await.rest().await;
    let mut seqs: Vec<u64> = turns(&seen).iter().map(|(seq, _)| *seq).collect();
    seqs.extend(turns(&rest).iter().map(|(seq, _)| *seq));
    assert_eq!(seqs, [1, 2, 3], "the run resumed automatically, without duplicates");
    assert_eq!(model.requests().len(), 3, "the answer that was under way was not asked for twice");
}

#[tokio::test]
async fn stream_over_the_limit_gets_a_retry_time_instead_of_an_error() {
    let setup = Setup::new().env("DEBATE_MAX_WAITERS", "1").env("RUNNER_WORKERS", "0");
    let server = setup.start().await;
    let run = Run::create(&server, "Full", json!({})).await;
    let mut first = Events::open(&server, &run.path("/events"), None).await;
    first.take(1).await;
    let mut second = Events::open(&server, &run.path("/events"), None).await;
    assert_eq!(second.status, 200);
    assert_eq!(second.next().await, None);
    assert!(second.raw.starts_with("retry: 5000\n"), "{}", second.raw);
}
