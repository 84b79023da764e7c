//! Lists and transcripts of debates.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Debate, Record, Server, Setup, argument_id, create_body, new_id};

fn titles(data: &Value) -> Vec<&str> {
    let debates = data["debates"].as_array().expect("a list");
    debates.iter().filter_map(|debate| debate["title"].as_str()).collect()
}

async fn open_titled(server: &Server, title: &str, motion: &str) -> String {
    let id = new_id();
    let mut body = create_body(&id);
    body["title"] = json!(title);
    body["motion_content"] = json!(motion);
    assert_eq!(server.post("/debates", &body).await.status, 201);
    id
}

#[tokio::test]
async fn transcript_has_the_motion_separately_and_the_newest_argument_last() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut target = debate.motion.clone();
    for (turn, role) in ["opponent", "proposer", "opponent"].into_iter().enumerate() {
        target = argument_id(&debate.claim(role, &target, &format!("c{turn}")).await);
    }
    let mut record = Record::default();
    for query in ["", "?limit=2", "?limit=0", "?limit=99", "?limit=-1", "?limit=x", "?limit=1.5"] {
        record.note(&format!("GET {query}"), &server.get(&debate.path(query)).await);
    }
    record.note("no such debate", &server.get(&format!("/debates/{}", new_id())).await);
    record.note("no id at all", &server.get("/debates/nonsense").await);
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn list_is_filtered_paged_and_counted() {
    let server = Server::start().await;
    let first = open_titled(&server, "One", "first motion").await;
    open_titled(&server, "Two", "second motion").await;
    let third = Debate::open(&server).await;
    third.advance_to("CLOSED").await;
    let opposed = Debate { server: &server, motion: String::new(), id: first };
    let motion = opposed.read().await["motion"]["id"].as_str().map(str::to_owned);
    opposed.claim("opponent", &motion.expect("a motion has an id"), "c").await;

    let mut record = Record::default();
    for query in [
        "",
        "?state=CLOSED",
        "?state=AWAITING_OPPONENT",
        "?pending_first_opponent=true",
        "?pending_first_opponent=true&state=CLOSED",
        "?pending_first_opponent=false&state=CLOSED",
        "?limit=1",
        "?limit=1&offset=1",
        "?limit=0",
        "?offset=99",
        "?q=SECOND",
        "?q=one&state=CLOSED",
        "?state=OPEN",
        "?limit=501",
        "?limit=-1",
        "?offset=100000",
        "?offset=100001",
        "?offset=-1",
        "?offset=x",
        "?pending_first_opponent=maybe",
        "?cursor=nonsense",
        "?cursor=1-2&offset=1",
    ] {
        record
            .note(&format!("GET /debates{query}"), &server.get(&format!("/debates{query}")).await);
    }
    let long = format!("/debates?q={}", "x".repeat(201));
    record.note("a search of 201 characters", &server.get(&long).await);
    // The cursor contains a time in microseconds.
    let filters = [(r#""next_cursor":"\d+-<"#, r#""next_cursor":"<micros>-<"#)];
    insta::with_settings!({ filters => filters }, {
        assert_snapshot!(record.render());
    });
}

#[tokio::test]
async fn list_is_ordered_by_last_change_and_cursors_return_every_debate() {
    let server = Server::start().await;
    let mut ids = Vec::new();
    for number in 0..7 {
        ids.push(open_titled(&server, &format!("D{number}"), "m").await);
    }
    let debate = Debate { server: &server, id: ids[2].clone(), motion: String::new() };
    debate.intervene().await;
    let all = server.get("/debates").await.data();
    assert_eq!(titles(&all), ["D2", "D6", "D5", "D4", "D3", "D1", "D0"]);

    let mut walked = Vec::new();
    let mut path = "/debates?limit=3".to_owned();
    loop {
        let page = server.get(&path).await.data();
        assert_eq!(page["total"], 7);
        walked.extend(titles(&page).into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/debates?limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(walked, titles(&all));
}

#[tokio::test]
async fn search_is_literal_and_case_insensitive() {
    let server = Server::start().await;
    open_titled(&server, "100% sure", "Straße_und ÄRGER").await;
    open_titled(&server, "100 sure", "x").await;
    for (search, found) in [
        ("100%25", vec!["100% sure"]),
        ("%C3%A4rger", vec!["100% sure"]),
        ("e_u", vec!["100% sure"]),
        ("%25", vec!["100% sure"]),
        ("SURE", vec!["100 sure", "100% sure"]),
        ("%27%20OR%201%3D1--", vec![]),
        ("*", vec![]),
    ] {
        let page = server.get(&format!("/debates?q={search}")).await.data();
        assert_eq!(titles(&page), found, "{search}");
        assert_eq!(page["total"], found.len());
    }
}

#[tokio::test]
async fn long_debate_is_returned_completely_and_in_order() {
    let server = Setup::new().env("DEBATE_MAX_CONTENT_LENGTH", "20000").start().await;
    let debate = Debate::open(&server).await;
    let mut target = debate.motion.clone();
    let content = "é".repeat(9000);
    for turn in 0..300 {
        let role = if turn % 2 == 0 { "opponent" } else { "proposer" };
        let body = json!({ "role": role, "target_id": target, "content": content,
                           "client_request_id": format!("c{turn}") });
        target = argument_id(&server.post(&debate.path("/arguments"), &body).await);
    }
    let whole = debate.read().await;
    let arguments = whole["arguments"].as_array().expect("a list");
    let seqs: Vec<_> = arguments.iter().filter_map(|argument| argument["seq"].as_u64()).collect();
    assert_eq!(seqs, (2..=301).collect::<Vec<_>>());
    assert!(arguments.iter().all(|argument| argument["content"] == content.as_str()));
    assert_eq!(whole["debate"]["state"], "AWAITING_OPPONENT");
    assert_eq!(whole["motion"]["seq"], 1);

    let newest = server.get(&debate.path("?limit=200")).await.data();
    assert_eq!(newest["arguments"].as_array().map(Vec::len), Some(200));
    assert_eq!(newest["arguments"][0]["seq"], 102);
}

#[tokio::test]
async fn deleted_debate_is_not_found_on_every_route() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut record = Record::default();
    record.note("deleted", &server.delete(&debate.path("")).await);
    record.note("deleted again", &server.delete(&debate.path("")).await);
    record.note("read", &server.get(&debate.path("")).await);
    record.note("polled", &server.get(&debate.path("/poll?role=opponent")).await);
    record.note("waited on", &server.get(&debate.path("/wait?role=opponent")).await);
    record.note("claimed in", &debate.claim("opponent", &debate.motion, "c").await);
    record.note("listed", &server.get("/debates").await);
    assert_snapshot!(record.render());
}
