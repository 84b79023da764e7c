//! Debates from an earlier server with ids that are not UUIDs, used through REST, long polls,
//! streams, sockets, pages and the command line.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::visitor::Visitor;
use crate::support::{Cli, Events, Server, Setup, Ws, argument_id, new_id};

const OLD_LAYOUT: &str = include_str!("../../../../debate-store/tests/it/legacy/prisma.sql");

/// The original id of the debate, and its percent-encoded form.
const DEBATE: &str = "My debate/1";
const IN_PATH: &str = "My%20debate%2F1";

/// The debate awaits its proposer. The id of its claim looks like a sequence number.
const ROWS: &str = "
    insert into debates values ('My debate/1', 'Cache the index', 'general_debate',
        'AWAITING_PROPOSER', '2026-02-07T05:32:50.123Z', '2026-02-07T05:32:51.123Z');
    insert into arguments values
        ('motion-1', 'My debate/1', null, 'MOTION', 'proposer', 'We keep it in memory.', 'k-1', 1,
         '2026-02-07T05:32:50.123Z'),
        ('claim-1', 'My debate/1', 'motion-1', 'CLAIM', 'opponent', 'It does not fit.', 'k-2', 2,
         '2026-02-07T05:32:51.123Z');
    insert into debates values ('other', 'Another', 'general_debate', 'AWAITING_OPPONENT',
        '2026-02-07T05:32:50.123Z', '2026-02-07T05:32:50.123Z');
    insert into arguments values
        ('2', 'other', null, 'MOTION', 'proposer', 'Another motion.', 'k-3', 1,
         '2026-02-07T05:32:50.123Z');";

fn create_old_database(path: &Path) {
    let conn = rusqlite::Connection::open(path).expect("a file can be made");
    conn.execute_batch(OLD_LAYOUT).expect("the old layout is sound");
    conn.execute_batch(ROWS).expect("the old rows are sound");
}

/// A server of this run's engine with the old debates in its database.
async fn start_with_old_debates() -> Server {
    let setup = Setup::new();
    let file = setup.home().path().join("old.db");
    create_old_database(&file);
    let file = file.display().to_string();
    let Some(url) = setup.home().database_url() else {
        return setup.env("DEBATE_DB_PATH", &file).start().await;
    };
    let mut old = Setup::sqlite().env("DEBATE_DB_PATH", &file).start().await;
    old.terminate();
    assert!(old.wait_for_exit().await.success());
    setup.db(&["copy", "--from", &file, "--to", url]).await.expect("it is copied");
    setup.start().await
}

/// The UUIDs that the server returns for the debate, the motion and the claim.
async fn shown_ids(server: &Server) -> [String; 3] {
    let whole = server.get(&format!("/debates/{IN_PATH}")).await.data();
    let text = |value: &Value| value["id"].as_str().expect("an id is text").to_owned();
    [text(&whole["debate"]), text(&whole["motion"]), text(&whole["arguments"][0])]
}

fn path(rest: &str) -> String {
    format!("/debates/{IN_PATH}{rest}")
}

#[tokio::test]
async fn rest_accepts_original_ids_and_returns_uuids() {
    let server = start_with_old_debates().await;
    let [debate, motion, claim] = shown_ids(&server).await;
    assert_eq!(debate, "ecb20e1f-f2f7-5db6-82b7-01134e97f42d", "a stable UUID");
    let by_uuid = server.get(&format!("/debates/{debate}")).await;
    assert_eq!(by_uuid.data(), server.get(&path("")).await.data());

    let body = json!({ "role": "proposer", "target_id": "claim-1", "content": "It does.",
        "client_request_id": "c-1" });
    let written = server.post(&path("/arguments"), &body).await;
    assert_eq!(written.status, 201, "{}", written.text);
    let argument = &written.data()["argument"];
    assert_eq!((&argument["debate_id"], &argument["parent_id"]), (&json!(debate), &json!(claim)));
    let mut again = body.clone();
    again["target_id"] = json!(claim);
    let again = server.post(&format!("/debates/{debate}/arguments"), &again).await;
    assert_eq!(
        (again.status, argument_id(&again)),
        (200, argument_id(&written)),
        "the same request"
    );

    let appeal = json!({ "role": "opponent", "target_id": "motion-1", "content": "No.",
        "client_request_id": "c-2" });
    assert_eq!(
        server.post(&path("/arguments"), &appeal).await.data()["argument"]["parent_id"],
        motion
    );
    let appeal = json!({ "target_id": "claim-1", "content": "Rule.", "client_request_id": "a-1" });
    assert_eq!(server.post(&path("/appeal"), &appeal).await.status, 201);
    let ruling = json!({ "content": "Go on.", "close": false });
    assert_eq!(server.post(&path("/ruling"), &ruling).await.status, 201);
    assert_eq!(server.post(&path("/intervention"), &json!({})).await.status, 201);
    assert_eq!(server.post(&path("/ruling"), &ruling).await.status, 201);
    let resolution = json!({ "target_id": "claim-1", "content": "x", "client_request_id": "r-1" });
    assert_eq!(server.post(&path("/resolution"), &resolution).await.status, 201);
    assert_eq!(server.delete(&path("")).await.status, 200);
    assert_eq!(server.get(&path("")).await.code(), "DEBATE_NOT_FOUND");
}

#[tokio::test]
async fn unknown_names_are_not_found_and_other_texts_are_invalid() {
    let server = start_with_old_debates().await;
    for rest in ["", "/poll?role=opponent", "/wait?role=opponent", "/events"] {
        let reply = server.get(&format!("/debates/my-debate-k3f7{rest}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "DEBATE_NOT_FOUND"), "{rest}");
        assert_eq!(reply.error()["debate_id"], "my-debate-k3f7");
        for unknown in ["nonsense", "my%20debate%2F1", "claim-1", "ecb20e1ff2f75db682b7"] {
            let reply = server.get(&format!("/debates/{unknown}{rest}")).await;
            assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"), "{unknown}");
            assert_eq!(reply.error()["field"], "debate_id");
        }
    }
    for impossible in ["%20", "a%0Ab", "%FF", &"x".repeat(513)] {
        let reply = server.get(&format!("/debates/{impossible}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"), "{impossible}");
        assert_eq!(reply.error()["field"], "debate_id");
    }
    let claim = |target: &str| {
        json!({ "role": "proposer", "target_id": target, "content": "x",
            "client_request_id": "c-1" })
    };
    for (target, status, code) in [
        ("nonsense", 404, "ARGUMENT_NOT_FOUND"),
        ("My debate/1", 404, "ARGUMENT_NOT_FOUND"),
        ("2", 400, "INVALID_INPUT"),
        ("", 400, "INVALID_INPUT"),
        ("a\nb", 400, "INVALID_INPUT"),
    ] {
        let reply = server.post(&path("/arguments"), &claim(target)).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{target}");
        let error = reply.error();
        let echoed = if status == 404 { &error["argument_id"] } else { &error["field"] };
        assert_eq!(echoed, if status == 404 { target } else { "target_id" }, "{target}");
    }
    let mut body = crate::support::create_body("nonsense");
    body["debate_id"] = json!("a-new-debate");
    let reply = server.post("/debates", &body).await;
    assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"), "new ids are UUIDs");
}

#[tokio::test]
async fn waits_and_streams_accept_original_ids_as_positions() {
    let server = start_with_old_debates().await;
    let [_, _, claim] = shown_ids(&server).await;
    for request in ["poll", "wait"] {
        let news = path(&format!("/{request}?role=proposer&argument_id=motion-1"));
        assert_eq!(server.get(&news).await.data()["argument"]["id"], claim);
        let nothing = path(&format!("/{request}?role=proposer&argument_id=claim-1&timeout_ms=0"));
        assert_eq!(server.get(&nothing).await.data()["has_new_argument"], false);
        let unknown = path(&format!("/{request}?role=proposer&argument_id=nonsense"));
        let reply = server.get(&unknown).await;
        assert_eq!((reply.status, &reply.error()["field"]), (400, &json!("argument_id")));
    }
    for (query, last_event_id) in [("?after=motion-1", None), ("", Some("motion-1"))] {
        let mut events =
            Events::open(&server, &path(&format!("/events{query}")), last_event_id).await;
        assert_eq!(events.next().await.expect("the claim").id.as_deref(), Some(&*claim));
    }
    // The motion of another debate has the id "2" too; as a position it is a number.
    let mut events = Events::open(&server, &path("/events?after=1"), None).await;
    assert_eq!(events.next().await.expect("the claim").seq(), 2);
    let mut events = Events::open(&server, &path("/events?after=nonsense"), None).await;
    assert_eq!(events.next().await.expect("a reset").name, "reset");
}

#[tokio::test]
async fn sockets_accept_original_ids_in_the_query_and_in_frames() {
    let server = start_with_old_debates().await;
    let [debate, ..] = shown_ids(&server).await;
    let mut ws = Ws::open(&server, "?debate_id=My%20debate%2F1").await;
    assert_eq!(ws.next().await["data"]["debate"]["id"], debate);
    for foreign in ["other", "nonsense", ""] {
        ws.send("submit_intervention", json!({ "debate_id": foreign })).await;
        assert_eq!(ws.next().await["data"]["field"], "debate_id", "{foreign}");
    }
    ws.send("submit_intervention", json!({ "debate_id": DEBATE })).await;
    assert_eq!(ws.next().await["data"]["argument"]["type"], "INTERVENTION");
    assert_eq!(ws.next().await["data"]["debate_id"], debate);
    ws.send("submit_ruling", json!({ "debate_id": debate, "content": "Go on." })).await;
    assert_eq!(ws.next().await["data"]["argument"]["type"], "RULING");
    assert_eq!(Ws::refusal(&server, "?debate_id=nonsense").await, 400);
    assert_eq!(Ws::refusal(&server, "?debate_id=my-debate-k3f7").await, 404);
    assert_eq!(Ws::refusal(&server, "?debate_id=%0A").await, 400);
    assert_eq!(Ws::refusal(&server, &format!("?debate_id={}", new_id())).await, 404);
}

#[tokio::test]
async fn pages_accept_original_ids() {
    let server = start_with_old_debates().await;
    let [debate, ..] = shown_ids(&server).await;
    let slug = server.get(&format!("/debates/{debate}")).await.data()["debate"]["slug"].clone();
    let slug = slug.as_str().expect("a slug is text");
    let visitor = Visitor::at(&server);
    for rest in ["", "/entries?after=1", "/rule", "/delete", "/export.json", "/export.md"] {
        let page = visitor.get(&format!("/arena/{IN_PATH}{rest}")).await;
        assert_eq!(page.status, 200, "{rest}: {}", page.text);
    }
    let page = visitor.get(&format!("/arena/{IN_PATH}")).await;
    assert!(page.text.contains("It does not fit.") && page.text.contains(&debate));
    let lead = async |path: &str| {
        let reply = visitor.send(visitor.request(Method::GET, path)).await;
        (reply.status, reply.header("location").unwrap_or_default().to_owned())
    };
    let old = lead(&format!("/debate/debates/{IN_PATH}")).await;
    assert_eq!(old, (308, format!("/arena/{debate}")));
    let at = lead(&format!("/arena/{IN_PATH}?at=claim-1")).await;
    assert_eq!(at, (303, format!("/arena/{slug}?at=2#seq-2")));
    assert_eq!(visitor.get("/arena/nonsense").await.status, 400);
    assert_eq!(visitor.get("/debate/debates/nonsense").await.status, 400);
    let fields = [("content", "Stop."), ("step", "do"), ("client_request_id", "i-1")];
    let done = visitor.post(&format!("/arena/{IN_PATH}/intervene"), &fields).await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert_eq!(done.header("location"), Some(&*format!("/arena/{slug}#seq-3")));
}

#[tokio::test]
async fn command_line_accepts_original_ids() {
    let server = start_with_old_debates().await;
    let [debate, _, claim] = shown_ids(&server).await;
    let cli = Cli::at(&server);
    let context = cli.data(&["debate", "get-context", "--debate-id", DEBATE]).await;
    assert_eq!(context["debate"]["id"], debate);
    let wait = ["debate", "wait", "--debate-id", DEBATE, "--role", "proposer"];
    let waited = cli.data(&[&wait[..], &["--argument-id", "motion-1"]].concat()).await;
    assert_eq!(waited["argument"]["id"], claim);
    let submit = ["debate", "submit", "--debate-id", DEBATE, "--role", "proposer"];
    let content = ["--target-id", "claim-1", "--content", "It does."];
    let receipt = cli.data(&[&submit[..], &content[..]].concat()).await;
    assert_eq!(receipt["debate_id"], debate);
    let unknown = ["--target-id", "nonsense", "--content", "x"];
    let refused = cli.run(&[&submit[..], &unknown[..]].concat()).await;
    assert_eq!(refused.error_code(), "ARGUMENT_NOT_FOUND");
    let refused = cli.run(&["debate", "get-context", "--debate-id", "nonsense"]).await;
    assert_eq!(refused.error_code(), "INVALID_INPUT");
    let close = ["debate", "intervention", "--debate-id", DEBATE];
    cli.data(&close).await;
    let ruling = ["debate", "ruling", "--debate-id", DEBATE, "--content", "Done.", "--close"];
    cli.data(&ruling).await;
    let watched = cli.run(&["debate", "watch", "--debate-id", DEBATE]).await;
    assert_eq!(watched.code, 0, "{}", watched.err);
    assert!(watched.out.contains("It does not fit."), "{}", watched.out);
    cli.data(&["debate", "delete", "--debate-id", DEBATE, "--yes"]).await;
}
