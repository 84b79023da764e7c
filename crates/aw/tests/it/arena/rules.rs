//! The state machine over HTTP: every action in every state, with complete bodies.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Debate, Record, Server, argument_id, create_body, new_id};

const STATES: [&str; 5] = [
    "AWAITING_OPPONENT",
    "AWAITING_PROPOSER",
    "AWAITING_ARBITRATOR",
    "INTERVENTION_PENDING",
    "CLOSED",
];

#[tokio::test]
async fn every_action_in_every_state_returns_the_documented_response() {
    let server = Server::start().await;
    let mut record = Record::default();
    for state in STATES {
        for what in [
            "proposer's claim",
            "opponent's claim",
            "appeal",
            "resolution",
            "intervention",
            "ruling",
            "closing ruling",
        ] {
            let debate = Debate::open(&server).await;
            let target = debate.advance_to(state).await;
            let reply = match what {
                "proposer's claim" => debate.claim("proposer", &target, "try").await,
                "opponent's claim" => debate.claim("opponent", &target, "try").await,
                "appeal" | "resolution" => debate.ask(what, &target, "try").await,
                "intervention" => debate.intervene().await,
                "ruling" => debate.rule(false).await,
                _ => debate.rule(true).await,
            };
            record.note(&format!("{what} while {state}"), &reply);
            let kept = debate.read().await;
            if reply.status == 201 {
                assert_eq!(kept["debate"]["state"], reply.data()["debate"]["state"]);
            } else {
                assert_eq!(kept["debate"]["state"], state, "a refusal changes nothing");
                assert_eq!(reply.error()["current_state"], state);
            }
        }
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn complete_debate_is_returned_as_it_was_written() {
    let server = Server::start().await;
    let mut record = Record::default();
    let id = new_id();
    let opened = server.post("/debates", &create_body(&id)).await;
    record.note("the proposer opens it", &opened);
    let debate = Debate { server: &server, motion: argument_id(&opened), id };
    let claim = debate.claim("opponent", &debate.motion, "c1").await;
    record.note("the opponent answers the motion", &claim);
    let answer = debate.claim("proposer", &argument_id(&claim), "c2").await;
    record.note("the proposer answers back", &answer);
    record.note("the arbitrator steps in without a word", &debate.intervene().await);
    record.note("and rules", &debate.rule(false).await);
    let appeal = debate.ask("appeal", &argument_id(&answer), "c3").await;
    record.note("the proposer appeals", &appeal);
    record.note("the arbitrator rules again", &debate.rule(false).await);
    let resolution = debate.ask("resolution", &argument_id(&appeal), "c4").await;
    record.note("the proposer asks to finish, which closes it", &resolution);
    record.note("this is what is kept", &server.get(&debate.path("")).await);
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn resolution_waits_for_the_arbitrator_without_automatic_rulings() {
    let by_server = crate::support::Setup::new().env("DEBATE_AUTO_RULING", "false").start().await;
    let debate = Debate::open(&by_server).await;
    let target = debate.advance_to("AWAITING_PROPOSER").await;
    let reply = debate.ask("resolution", &target, "done").await;
    assert_eq!(reply.data()["debate"]["state"], "AWAITING_ARBITRATOR");
    assert_eq!(debate.rule(true).await.data()["debate"]["state"], "CLOSED");

    let own_rule =
        |value: bool| move |body: &mut serde_json::Value| body["auto_ruling"] = json!(value);
    let debate = Debate::open_with(&by_server, own_rule(true)).await;
    let target = debate.advance_to("AWAITING_PROPOSER").await;
    let reply = debate.ask("resolution", &target, "done").await;
    assert_eq!(reply.data()["debate"]["state"], "CLOSED", "the debate's own rule wins");

    let server = Server::start().await;
    let debate = Debate::open_with(&server, own_rule(false)).await;
    let target = debate.advance_to("AWAITING_PROPOSER").await;
    let reply = debate.ask("resolution", &target, "done").await;
    assert_eq!(reply.data()["debate"]["state"], "AWAITING_ARBITRATOR");
}

#[tokio::test]
async fn empty_body_is_an_intervention_without_text() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let request = server.request(reqwest::Method::POST, &debate.path("/intervention"));
    let reply = crate::support::Reply::receive(request).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    assert_eq!(reply.data()["argument"]["content"], "");
    assert!(reply.data()["argument"]["client_request_id"].is_string(), "the server made one");
}
