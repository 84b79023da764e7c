//! Seats over HTTP: creation, taking, releasing, listing, and the order of checks.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::seats::{
    ARBITRATOR, Action, INVITE, SEAT, SeatedDebate, new_secret, new_token, seated_body,
};
use crate::support::{Debate, Reply, Server, Setup, argument_id, create_body, new_id};

fn assert_refused(reply: &Reply, status: u16, code: &str) {
    assert_eq!((reply.status, reply.code().as_str()), (status, code), "{}", reply.text);
}

#[tokio::test]
async fn creator_holds_the_seat_of_the_proposer() {
    let server = Server::with_seats().await;
    let token = new_token();
    let body = seated_body(&new_id());
    let created = server.post_as("/debates", &body, &[(SEAT, &token)]).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let data = created.data();
    assert_eq!(data["debate"]["seats"], true);
    assert_eq!(data["argument"]["by"], "ada");
    let since = &data["argument"]["created_at"];
    assert_eq!(data["seat"], json!({ "role": "proposer", "holder": "ada", "since": since }));

    let mut unnamed = seated_body(&new_id());
    unnamed.as_object_mut().expect("it is an object").remove("holder");
    let created = server.post("/debates", &unnamed).await;
    let seat = created.data()["seat"].clone();
    assert_eq!(seat["holder"], "proposer");
    let made = seat["token"].as_str().expect("the server made it").to_owned();
    assert!(made.starts_with("aws_") && made.len() == 47, "the form of a token");
    let again = server.post("/debates", &unnamed).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.data()["seat"]["holder"], "proposer");
    assert!(again.data()["seat"].get("token").is_none(), "it is returned once");
    let id = unnamed["debate_id"].as_str().expect("it is text");
    let path = format!("/debates/{id}/seats/proposer");
    let released = server.delete_as(&path, &[(SEAT, &made)]).await;
    assert_eq!(released.status, 200, "the token that the server made is valid");
}

#[tokio::test]
async fn creation_is_a_retry_only_with_the_same_fields_and_tokens() {
    let server = Server::with_seats().await;
    let (token, invite) = (new_token(), new_secret("awi_"));
    let mut body = seated_body(&new_id());
    body["invite_only"] = json!(true);
    let own = [(SEAT, token.as_str()), (INVITE, invite.as_str())];
    let created = server.post_as("/debates", &body, &own).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let again = server.post_as("/debates", &body, &own).await;
    assert_eq!((again.status, argument_id(&again)), (200, argument_id(&created)));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.data()["seat"], created.data()["seat"]);
    let (other_token, other_invite) = (new_token(), new_secret("awi_"));
    for credentials in [
        vec![(SEAT, other_token.as_str()), own[1]],
        vec![own[0], (INVITE, &other_invite)],
        vec![own[1]],
    ] {
        let reply = server.post_as("/debates", &body, &credentials).await;
        assert_refused(&reply, 422, "IDEMPOTENCY_CONFLICT");
    }
    let changes: [fn(&mut Value); 3] = [
        |body| body["holder"] = json!("eve"),
        |body| body["invite_only"] = json!(false),
        |body| {
            let fields = body.as_object_mut().expect("it is an object");
            fields.remove("holder");
        },
    ];
    for change in changes {
        let mut other = body.clone();
        change(&mut other);
        let reply = server.post_as("/debates", &other, &own).await;
        assert_refused(&reply, 422, "IDEMPOTENCY_CONFLICT");
    }
}

#[tokio::test]
async fn invalid_fields_and_headers_of_a_creation_are_named() {
    type Case<'c> = (Value, &'c [(&'static str, &'c str)], &'c str);
    let server = Server::with_seats().await;
    let (token, invite) = (new_token(), new_secret("awi_"));
    let cases: [Case<'_>; 11] = [
        (json!({ "seats": true }), &[(SEAT, "garbage")], "Debate-Seat"),
        (json!({ "seats": true }), &[(SEAT, "")], "Debate-Seat"),
        (json!({ "seats": true }), &[(SEAT, &token), (SEAT, &token)], "Debate-Seat"),
        (json!({ "seats": false }), &[(SEAT, &invite)], "Debate-Seat"),
        (json!({ "seats": true }), &[(INVITE, &token)], "Debate-Invite"),
        (json!({ "seats": true, "invite_only": true }), &[], "invite_only"),
        (json!({ "seats": false, "invite_only": true }), &[(INVITE, &invite)], "invite_only"),
        (json!({ "seats": true, "holder": " Web " }), &[], "holder"),
        (json!({ "seats": true, "holder": "model openai:gpt-5" }), &[], "holder"),
        (json!({ "seats": true, "holder": "x".repeat(81) }), &[], "holder"),
        (json!({ "seats": "yes" }), &[], "seats"),
    ];
    for (fields, credentials, field) in cases {
        let mut body = create_body(&new_id());
        body.as_object_mut().expect("it is one").extend(fields.as_object().cloned().expect("too"));
        let reply = server.post_as("/debates", &body, credentials).await;
        assert_refused(&reply, 400, "INVALID_INPUT");
        assert_eq!(reply.error()["field"], field, "{fields}");
    }
}

#[tokio::test]
async fn setting_decides_about_seats_that_a_creation_leaves_out() {
    let server = Setup::new().with_seats().env("DEBATE_SEATS", "true").start().await;
    let created = server.post("/debates", &create_body(&new_id())).await;
    assert_eq!(created.data()["debate"]["seats"], true);
    assert_eq!(created.data()["seat"]["holder"], "proposer");
    let mut body = create_body(&new_id());
    body["seats"] = json!(false);
    let created = server.post("/debates", &body).await;
    assert_eq!(created.data()["debate"]["seats"], false);
    assert!(created.data().get("seat").is_none());
    assert!(created.data()["argument"]["by"].is_null());
}

#[tokio::test]
async fn free_seat_is_taken_once_and_released_by_its_holder_or_the_arbitrator() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::open(&server).await;
    let own = [(SEAT, debate.opponent.as_str())];
    let taken = debate.take("opponent", " bob ", &own).await;
    assert_eq!(taken.status, 201, "{}", taken.text);
    let seat = taken.data()["seat"].clone();
    assert_eq!((&seat["role"], &seat["holder"]), (&json!("opponent"), &json!("bob")));
    assert!(seat.get("token").is_none(), "the client has it");
    let again = debate.take("opponent", "other name", &own).await;
    assert_eq!((again.status, again.data()["seat"].clone()), (200, seat.clone()));

    let stranger = new_token();
    let refused = debate.take("opponent", "eve", &[(SEAT, &stranger)]).await;
    assert_refused(&refused, 409, "SEAT_TAKEN");
    assert_eq!(refused.error()["holder"], "bob");
    assert_eq!(refused.error()["since"], seat["since"]);
    assert_refused(&debate.release("opponent", &[]).await, 401, "SEAT_REQUIRED");
    let refused = debate.release("opponent", &[debate.own("proposer")]).await;
    assert_refused(&refused, 403, "SEAT_INVALID");
    let released = debate.release("opponent", &own).await;
    assert_eq!(released.status, 200, "{}", released.text);
    assert_eq!(released.data()["seat"]["status"], "open");
    assert_eq!(debate.release("opponent", &[]).await.status, 200, "an open seat stays open");
    let refused = debate.act(Action::OpponentClaim, &debate.motion, "late", &own).await;
    assert_refused(&refused, 403, "SEAT_INVALID");
    assert!(refused.error().get("holder").is_none(), "the seat is open");

    let taken = debate.take("opponent", "carol", &[]).await;
    let made = taken.data()["seat"]["token"].as_str().expect("the server made it").to_owned();
    let claim = debate.act(Action::OpponentClaim, &debate.motion, "c-1", &[(SEAT, &made)]).await;
    assert_eq!(claim.data()["argument"]["by"], "carol");
    let released = debate.release("opponent", &[debate.own("arbitrator")]).await;
    assert_eq!(released.status, 200, "{}", released.text);
}

#[tokio::test]
async fn token_of_one_side_takes_no_seat_of_the_other() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::open(&server).await;
    let refused = debate.take("opponent", "ada", &[debate.own("proposer")]).await;
    assert_refused(&refused, 409, "SEAT_CONFLICT");
    let elsewhere = SeatedDebate::open(&server).await;
    let taken = elsewhere.take("opponent", "ada", &[debate.own("proposer")]).await;
    assert_eq!(taken.status, 201, "another debate may have the same token");
}

#[tokio::test]
async fn seat_needs_the_invite_or_arbitrator_rights_where_it_is_protected() {
    let server = Server::with_seats().await;
    let (proposer, invite) = (new_token(), new_secret("awi_"));
    let mut body = seated_body(&new_id());
    body["invite_only"] = json!(true);
    let own = [(SEAT, proposer.as_str()), (INVITE, invite.as_str())];
    assert_eq!(server.post_as("/debates", &body, &own).await.status, 201);
    let id = body["debate_id"].as_str().expect("it is text");
    let path = |role: &str| format!("/debates/{id}/seats/{role}");
    let (wrong, arbitrator, holder) =
        (new_secret("awi_"), server.arbitrator_token(), json!({ "holder": "bob" }));
    for credentials in [
        vec![],
        vec![(INVITE, wrong.as_str())],
        vec![(INVITE, "garbage")],
        vec![(INVITE, &invite), (INVITE, &invite)],
        vec![(ARBITRATOR, "garbage")],
    ] {
        let reply = server.post_as(&path("opponent"), &holder, &credentials).await;
        assert_refused(&reply, 403, "INVITE_REQUIRED");
    }
    for right in [(INVITE, invite.as_str()), (ARBITRATOR, &arbitrator)] {
        let reply = server.post_as(&path("opponent"), &holder, &[right]).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        let released = server.delete_as(&path("opponent"), &[(ARBITRATOR, &arbitrator)]).await;
        assert_eq!(released.status, 200);
    }

    let debate = SeatedDebate::open(&server).await;
    assert_eq!(debate.release("proposer", &[debate.own("proposer")]).await.status, 200);
    let refused = debate.take("proposer", "eve", &[]).await;
    assert_refused(&refused, 403, "INVITE_REQUIRED");
    let taken = debate.take("proposer", "eve", &[debate.own("arbitrator")]).await;
    assert_eq!(taken.status, 201, "{}", taken.text);
}

#[tokio::test]
async fn invalid_requests_to_seats_are_refused() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::open(&server).await;
    for role in ["arbitrator", "judge", "Opponent"] {
        for method in [Method::POST, Method::DELETE] {
            let path = debate.path(&format!("/seats/{role}"));
            let own = [debate.own("arbitrator")];
            let body = json!({ "holder": "bob" });
            let body = (method == Method::POST).then_some(&body);
            let reply = server.send(method, &path, body, &own).await;
            assert_refused(&reply, 400, "INVALID_INPUT");
            assert_eq!(reply.error()["field"], "role");
        }
    }
    let reply = debate.take("opponent", "bob", &[(SEAT, "garbage")]).await;
    assert_refused(&reply, 400, "INVALID_INPUT");
    assert_eq!(reply.error()["field"], "Debate-Seat");
    for body in [json!({}), json!({ "holder": " " }), json!({ "holder": "SERVER" })] {
        let reply = server.post(&debate.path("/seats/opponent"), &body).await;
        assert_refused(&reply, 400, "INVALID_INPUT");
        assert_eq!(reply.error()["field"], "holder", "{body}");
    }
    let unknown = format!("/debates/{}/seats", new_id());
    assert_refused(&server.get(&unknown).await, 404, "DEBATE_NOT_FOUND");
    let holder = json!({ "holder": "bob" });
    let reply = server.post(&format!("{unknown}/opponent"), &holder).await;
    assert_refused(&reply, 404, "DEBATE_NOT_FOUND");
    let reply = server.delete(&format!("{unknown}/opponent")).await;
    assert_refused(&reply, 404, "DEBATE_NOT_FOUND");
}

#[tokio::test]
async fn debate_without_seats_has_none_to_take_or_release() {
    let server = Server::with_seats().await;
    let debate = Debate::open(&server).await;
    assert_eq!(server.get(&debate.path("/seats")).await.data(), json!([]));
    let path = debate.path("/seats/opponent");
    let reply = server.post(&path, &json!({ "holder": "bob" })).await;
    assert_refused(&reply, 409, "NOT_SEATED");
    assert_refused(&server.delete(&path).await, 409, "NOT_SEATED");
}

#[tokio::test]
async fn list_of_seats_has_holders_and_the_time_of_their_last_request() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::open(&server).await;
    let seats = server.get(&debate.path("/seats")).await.data();
    let open = json!({ "role": "opponent", "status": "open", "holder": null, "since": null,
        "last_seen": null });
    assert_eq!(seats[1], open);
    assert_eq!((&seats[0]["status"], &seats[0]["holder"]), (&json!("taken"), &json!("ada")));
    assert!(seats[0]["since"].is_string() && seats[0]["last_seen"].is_string());
}

#[tokio::test]
async fn polls_and_waits_with_the_token_of_a_seat_show_that_its_holder_is_present() {
    let setup = Setup::new().with_seats();
    let first = setup.start().await;
    let SeatedDebate { id, proposer, .. } = SeatedDebate::open(&first).await;
    first.kill().await;
    let server = setup.start().await;
    let seen = || async {
        let seats = server.get(&format!("/debates/{id}/seats")).await.data();
        !seats[0]["last_seen"].is_null()
    };
    assert!(!seen().await, "no request since the start of the server");
    for rest in ["poll?role=proposer", "wait?role=proposer&timeout_ms=0", "seats"] {
        assert_eq!(server.get(&format!("/debates/{id}/{rest}")).await.status, 200);
        assert!(!seen().await, "{rest} without the token of the seat");
    }
    let wait = format!("/debates/{id}/wait?role=proposer&timeout_ms=0");
    assert_eq!(server.send(Method::GET, &wait, None, &[(SEAT, &proposer)]).await.status, 200);
    assert!(seen().await, "a wait with the token");
}

#[tokio::test]
async fn checks_of_a_write_have_a_fixed_order() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::start(&server).await;
    let (own, wrong) = ([debate.own("opponent")], [debate.own("proposer")]);
    let claim = Action::OpponentClaim;
    let first = debate.act(claim, &debate.motion, "key", &own).await;
    assert_eq!(first.status, 201, "{}", first.text);

    let unknown = new_id();
    let reply = claim.send(&server, &unknown, &debate.motion, "key", &wrong).await;
    assert_refused(&reply, 404, "DEBATE_NOT_FOUND");
    // Each next request passes the checks of those before it.
    let reply = debate.act(claim, &unknown, "key", &[]).await;
    assert_refused(&reply, 401, "SEAT_REQUIRED");
    let reply = debate.act(claim, &unknown, "key", &wrong).await;
    assert_refused(&reply, 403, "SEAT_INVALID");
    let reply = debate.act(claim, &debate.motion, "key", &wrong).await;
    assert_refused(&reply, 403, "SEAT_INVALID");
    let reply = debate.act(claim, &unknown, "key", &own).await;
    assert_refused(&reply, 422, "IDEMPOTENCY_CONFLICT");
    let again = debate.act(claim, &debate.motion, "key", &own).await;
    assert_eq!((again.status, argument_id(&again)), (200, argument_id(&first)));
    let reply = debate.act(claim, &unknown, "other", &own).await;
    assert_refused(&reply, 404, "ARGUMENT_NOT_FOUND");
    let reply = debate.act(claim, &debate.motion, "other", &own).await;
    assert_refused(&reply, 403, "ACTION_NOT_ALLOWED");

    assert_eq!(debate.release("opponent", &own).await.status, 200);
    let reply = debate.act(claim, &debate.motion, "key", &own).await;
    assert_refused(&reply, 403, "SEAT_INVALID");
}

#[tokio::test]
async fn unauthorized_write_names_the_header_that_it_needs() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::start(&server).await;
    let reply = debate.act(Action::OpponentClaim, &debate.motion, "key", &[]).await;
    assert_eq!(reply.header("www-authenticate"), Some("Debate-Seat"));
    let reply = debate.act(Action::Intervention, "", "key", &[]).await;
    assert_eq!(reply.header("www-authenticate"), Some("Debate-Arbitrator"));
    let twice = [debate.own("opponent"), debate.own("opponent")];
    let reply = debate.act(Action::OpponentClaim, &debate.motion, "key", &twice).await;
    assert_refused(&reply, 403, "SEAT_INVALID");
    let twice = [debate.own("arbitrator"), debate.own("arbitrator")];
    let reply = debate.act(Action::Intervention, "", "key", &twice).await;
    assert_refused(&reply, 403, "SEAT_INVALID");
}

#[tokio::test]
async fn server_token_proves_no_arbitrator_rights() {
    let token = "a-token-nobody-would-guess-0123456789";
    let setup = Setup::new().with_seats().env("DEBATE_AUTH_TOKEN", token);
    let server = setup.start().await.with_token(token);
    let debate = SeatedDebate::start(&server).await;
    let reply = debate.act(Action::Intervention, "", "key", &[]).await;
    assert_refused(&reply, 401, "SEAT_REQUIRED");
    let reply = debate.act(Action::Intervention, "", "key", &[(ARBITRATOR, token)]).await;
    assert_refused(&reply, 403, "SEAT_INVALID");
    assert_refused(&server.delete(&debate.path("")).await, 401, "SEAT_REQUIRED");
}

#[tokio::test]
async fn automatic_ruling_is_written_by_the_server() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::start(&server).await;
    debate.advance_to("CLOSED").await;
    let open = Debate::open(&server).await;
    let claim = open.claim("opponent", &open.motion, "c-1").await;
    open.ask("resolution", &argument_id(&claim), "r-1").await;
    for (id, authors) in [
        (&debate.id, [json!("bob"), json!("ada"), json!("server")]),
        (&open.id, [json!(null), json!(null), json!("server")]),
    ] {
        let transcript = server.get(&format!("/debates/{id}")).await.data();
        let arguments = transcript["arguments"].as_array().expect("it is a list");
        let found: Vec<_> = arguments.iter().map(|argument| argument["by"].clone()).collect();
        assert_eq!(found, authors);
    }
}
