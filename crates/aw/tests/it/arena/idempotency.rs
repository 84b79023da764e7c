//! Idempotency keys: one write per key, permanently.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Debate, Record, Server, Setup, argument_id, create_body, new_id};

#[tokio::test]
async fn retry_with_same_key_returns_the_first_response() {
    let server = Server::start().await;
    let mut record = Record::default();
    let id = new_id();
    let body = create_body(&id);
    let opened = server.post("/debates", &body).await;
    record.note("opened", &opened);
    record.note("opened again: the first answer", &server.post("/debates", &body).await);
    let debate = Debate { server: &server, motion: argument_id(&opened), id };
    let claim = debate.claim("opponent", &debate.motion, "c1").await;
    record.note("claimed", &claim);
    record.note("claimed again", &debate.claim("opponent", &debate.motion, "c1").await);
    let resolution = debate.ask("resolution", &argument_id(&claim), "r1").await;
    record.note("resolved, which closes it", &resolution);
    record.note(
        "resolved again: no second ruling, though a resolution is no longer allowed",
        &debate.ask("resolution", &argument_id(&claim), "r1").await,
    );
    record.note(
        "claimed once more: the old argument, the debate as it stands",
        &debate.claim("opponent", &debate.motion, "c1").await,
    );
    record.note("what is kept", &server.get(&debate.path("")).await);
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn key_of_another_request_is_refused() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let first = debate.claim("opponent", &debate.motion, "k").await;
    let target = argument_id(&first);
    let path = |what: &str| debate.path(what);
    let claim = json!({ "role": "opponent", "target_id": debate.motion,
                        "content": "the opponent says k", "client_request_id": "k" });
    let changed = |field: &str, value: &str| {
        let mut body = claim.clone();
        body[field] = json!(value);
        body
    };
    let ruling = json!({ "content": "so", "client_request_id": "k" });
    let tries = [
        ("another role", path("/arguments"), changed("role", "proposer")),
        ("another target", path("/arguments"), changed("target_id", &target)),
        ("another content", path("/arguments"), changed("content", "else")),
        ("another action", path("/appeal"), claim.clone()),
        ("a ruling", path("/ruling"), ruling),
        ("an intervention", path("/intervention"), json!({ "client_request_id": "k" })),
    ];
    for (what, path, body) in tries {
        let reply = server.post(&path, &body).await;
        assert_eq!((reply.status, reply.code().as_str()), (422, "IDEMPOTENCY_CONFLICT"), "{what}");
    }
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 200);
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(1));

    // The motion's key belongs to the same set of keys.
    let reply = debate.claim("proposer", &target, "create-1").await;
    assert_eq!(reply.code(), "IDEMPOTENCY_CONFLICT");
    // `close` is part of the fingerprint.
    debate.intervene().await;
    let rule = |close: bool| json!({ "content": "so", "close": close, "client_request_id": "r" });
    assert_eq!(server.post(&path("/ruling"), &rule(false)).await.status, 201);
    assert_eq!(server.post(&path("/ruling"), &rule(false)).await.status, 200);
    assert_eq!(server.post(&path("/ruling"), &rule(true)).await.code(), "IDEMPOTENCY_CONFLICT");
}

#[tokio::test]
async fn create_is_a_retry_only_with_the_same_id_key_and_content() {
    let server = Server::start().await;
    let mut record = Record::default();
    let body = create_body(&new_id());
    record.note("opened", &server.post("/debates", &body).await);
    let mut changes = [
        ("another title", "title", json!("Else")),
        ("another type", "debate_type", json!("general_debate")),
        ("another motion", "motion_content", json!("Else")),
        ("another custom", "auto_ruling", json!(true)),
        ("another key: the id is taken", "client_request_id", json!("create-2")),
    ];
    for (what, field, value) in &mut changes {
        let mut changed = body.clone();
        changed[*field] = value.take();
        record.note(what, &server.post("/debates", &changed).await);
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn one_of_several_parallel_retries_writes_and_the_others_are_replayed() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let twins = (0..24).map(|_| debate.claim("opponent", &debate.motion, "twin"));
    let replies = futures_util::future::join_all(twins).await;
    let fresh = replies.iter().filter(|reply| reply.status == 201).count();
    let replayed = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!((fresh, replayed), (1, 23));
    let first = argument_id(&replies[0]);
    assert!(replies.iter().all(|reply| argument_id(reply) == first));
}

#[tokio::test]
async fn key_is_remembered_across_a_restart_and_the_debate_id_after_a_deletion() {
    let setup = Setup::new();
    let server = setup.start().await;
    let debate = Debate::open(&server).await;
    let (id, motion) = (debate.id.clone(), debate.motion.clone());
    assert_eq!(debate.claim("opponent", &motion, "k").await.status, 201);
    server.kill().await;

    let server = setup.start().await;
    let debate = Debate { server: &server, id: id.clone(), motion };
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 200);
    assert_eq!(server.delete(&debate.path("")).await.data(), json!({ "deleted": true }));
    server.kill().await;

    let server = setup.start().await;
    // The first request again, and another request with the same id.
    let mut another = create_body(&id);
    another["client_request_id"] = json!("another");
    for body in [create_body(&id), another] {
        let refused = server.post("/debates", &body).await;
        assert_eq!((refused.status, refused.code().as_str()), (410, "DEBATE_DELETED"));
        assert_eq!(refused.json()["error"]["debate_id"], id);
    }
    let path = format!("/debates/{id}");
    let claim = json!({ "role": "opponent", "target_id": id, "content": "x",
        "client_request_id": "k" });
    let absent = [
        server.get(&path).await,
        server.get(&format!("{path}/wait?role=opponent")).await,
        server.get(&format!("{path}/events")).await,
        server.post(&format!("{path}/arguments"), &claim).await,
        server.delete(&path).await,
    ];
    for answer in absent {
        assert_eq!((answer.status, answer.code().as_str()), (404, "DEBATE_NOT_FOUND"));
    }
    assert_eq!(server.get("/debates").await.data()["total"], 0);
}

#[tokio::test]
async fn refused_request_does_not_use_its_key() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    assert_eq!(debate.claim("proposer", &debate.motion, "k").await.code(), "ACTION_NOT_ALLOWED");
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 201);
}

#[tokio::test]
async fn create_without_ids_makes_a_new_debate_each_time() {
    let server = Server::start().await;
    let mut body = create_body(&new_id());
    let fields = body.as_object_mut().expect("an object");
    fields.remove("debate_id");
    fields.insert("client_request_id".to_owned(), json!(null));
    let (first, second) =
        (server.post("/debates", &body).await, server.post("/debates", &body).await);
    assert_eq!((first.status, second.status), (201, 201));
    assert_ne!(first.data()["debate"]["id"], second.data()["debate"]["id"]);
    assert_eq!(server.get("/debates").await.data()["total"], 2);
}

#[tokio::test]
async fn create_with_an_id_and_without_a_key_is_not_idempotent() {
    let server = Server::start().await;
    let mut body = create_body(&new_id());
    body.as_object_mut().expect("an object").remove("client_request_id");
    assert_eq!(server.post("/debates", &body).await.status, 201);
    assert_eq!(server.post("/debates", &body).await.code(), "DEBATE_EXISTS");
    body["debate_id"] = json!("not-a-uuid");
    assert_eq!(server.post("/debates", &body).await.code(), "INVALID_INPUT");
    assert_eq!(server.get("/debates").await.data()["total"], 1);
}
