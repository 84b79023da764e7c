//! Durability: the server is killed with SIGKILL under load. F1 of `scripts/proof` has 300 kills.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::support::{Debate, Reply, Server, Setup, argument_id, until};

const KILLS: usize = 8;
const WRITERS: usize = 8;

/// The acknowledged writes of one writer: sequence number and id by request key.
type Acknowledged = HashMap<String, (u64, String)>;

/// Writes both sides of one debate until the server dies.
struct Writer {
    debate: String,
    last: String,
    turn: usize,
    acknowledged: Acknowledged,
}

impl Writer {
    /// Writes until a request fails. The outcome of that request is unknown: the next server gets
    /// the same key again.
    async fn play(&mut self, client: &reqwest::Client, url: &str) {
        loop {
            let role = if self.turn.is_multiple_of(2) { "opponent" } else { "proposer" };
            let key = format!("turn-{}", self.turn);
            let body = json!({ "role": role, "target_id": self.last, "client_request_id": key,
                               "content": format!("{role} {key}") });
            let request = client
                .request(Method::POST, format!("{url}/debates/{}/arguments", self.debate))
                .json(&body);
            let Ok(reply) = Reply::try_receive(request).await else { return };
            assert!(matches!(reply.status, 200 | 201), "{} {}", reply.status, reply.text);
            let seq = reply.data()["argument"]["seq"].as_u64().expect("a seq is a number");
            self.last = argument_id(&reply);
            self.acknowledged.insert(key, (seq, self.last.clone()));
            self.turn += 1;
        }
    }

    fn count_written(&self) -> usize {
        self.acknowledged.len()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_exist_once_and_in_order_after_every_kill() {
    let setup = Setup::new();
    let mut server = setup.start().await;
    let mut writers = Vec::new();
    for _ in 0..WRITERS {
        let debate = Debate::open(&server).await;
        let (debate, last) = (debate.id, debate.motion);
        writers.push(Arc::new(Mutex::new(Writer {
            debate,
            last,
            turn: 0,
            acknowledged: HashMap::new(),
        })));
    }
    for life in 0..KILLS {
        let playing: Vec<_> = writers
            .iter()
            .map(|writer| {
                let (writer, client) = (Arc::clone(writer), server.client.clone());
                let url = server.url.clone();
                tokio::spawn(async move { writer.lock().await.play(&client, &url).await })
            })
            .collect();
        // The number of writes before each kill varies.
        let more = 20 + 37 * (life % 7);
        let target = server_writes(&server).await + f64::from(u32::try_from(more).unwrap());
        until("the writers have load", || async { server_writes(&server).await >= target }).await;
        server.kill().await;
        for player in playing {
            player.await.expect("a writer only stops when the server is gone");
        }
        server = setup.start().await;
        assert_eq!(server.get("/health").await.status, 200);
        let took = server.cpu_time();
        assert!(took < Duration::from_secs(2), "life {life} began with {took:?} of work");
    }
    let mut total = 0;
    for writer in &writers {
        let writer = writer.lock().await;
        assert_acknowledged_writes_exist(&server, &writer).await;
        total += writer.count_written();
    }
    assert!(total > KILLS * 20, "there was load: {total}");
}

async fn server_writes(server: &Server) -> f64 {
    let text = server.get("/metrics").await.text;
    let written =
        |line: &&str| line.starts_with("aw_http_requests_total") && line.contains("\"201\"");
    text.lines()
        .filter(written)
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum()
}

async fn assert_acknowledged_writes_exist(server: &Server, writer: &Writer) {
    let kept = server.get(&format!("/debates/{}", writer.debate)).await.data();
    let arguments = kept["arguments"].as_array().expect("a list");
    let seqs: Vec<_> = arguments.iter().filter_map(|argument| argument["seq"].as_u64()).collect();
    assert_eq!(seqs, (2..).take(seqs.len()).collect::<Vec<_>>(), "dense");
    for (key, (seq, id)) in &writer.acknowledged {
        let found: Vec<&Value> = arguments
            .iter()
            .filter(|argument| argument["client_request_id"] == key.as_str())
            .collect();
        assert_eq!(found.len(), 1, "{key} is there once");
        assert_eq!(found[0]["seq"], *seq, "{key} is in its place");
        assert_eq!(found[0]["id"], id.as_str());
    }
    let extra = arguments.len() - writer.count_written();
    assert!(extra <= 1, "at most the one write whose answer was lost: {extra}");
    let folded = if arguments.len() % 2 == 0 { "AWAITING_OPPONENT" } else { "AWAITING_PROPOSER" };
    assert_eq!(kept["debate"]["state"], folded, "the state is what the log leads to");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_has_no_gaps_and_legal_states_after_64_concurrent_clients() {
    let server = Arc::new(Server::start().await);
    let debate = Debate::open(&server).await;
    let (id, motion) = (debate.id.clone(), debate.motion.clone());
    let clients: Vec<_> = (0..64)
        .map(|client| {
            let (server, id, motion) = (Arc::clone(&server), id.clone(), motion.clone());
            tokio::spawn(async move { write_as_both_roles(&server, &id, &motion, client).await })
        })
        .collect();
    let mut written = HashMap::new();
    for client in clients {
        written.extend(client.await.expect("no client gives up"));
    }
    let kept = server.get(&format!("/debates/{id}")).await.data();
    let arguments = kept["arguments"].as_array().expect("a list");
    let seqs: Vec<_> = arguments.iter().filter_map(|argument| argument["seq"].as_u64()).collect();
    assert_eq!(seqs, (2..).take(written.len()).collect::<Vec<_>>(), "dense, and nothing more");
    for argument in arguments {
        let key = argument["client_request_id"].as_str().expect("each has a key");
        assert_eq!(written.get(key), argument["seq"].as_u64().as_ref(), "{key}");
    }
    let roles: Vec<_> = arguments.iter().filter_map(|argument| argument["role"].as_str()).collect();
    assert!(roles.chunks(2).all(|pair| pair[0] == "opponent" && pair.get(1) != Some(&"opponent")));
}

/// Tries both roles, twice with each key. A refusal must name the state of the debate.
async fn write_as_both_roles(
    server: &Server,
    id: &str,
    motion: &str,
    client: usize,
) -> HashMap<String, u64> {
    let debate = Debate { server, id: id.to_owned(), motion: motion.to_owned() };
    let mut written = HashMap::new();
    for attempt in 0..12 {
        let role = if attempt % 2 == 0 { "opponent" } else { "proposer" };
        let key = format!("{client}-{attempt}");
        let (one, two) =
            tokio::join!(debate.claim(role, motion, &key), debate.claim(role, motion, &key),);
        for reply in [one, two] {
            if reply.status == 403 {
                let waited_for =
                    if role == "opponent" { "AWAITING_PROPOSER" } else { "AWAITING_OPPONENT" };
                assert_eq!(reply.error()["current_state"], waited_for);
                continue;
            }
            assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
            let seq = reply.data()["argument"]["seq"].as_u64().expect("a seq is a number");
            assert_eq!(*written.entry(key.clone()).or_insert(seq), seq, "one write per key");
        }
    }
    written
}
