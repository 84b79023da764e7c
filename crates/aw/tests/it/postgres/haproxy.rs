//! The proxy configuration of docs/scale.md, in front of two servers.

use std::net::TcpListener;
use std::os::fd::AsRawFd;

use reqwest::Method;
use rustix::io::{FdFlags, fcntl_setfd};
use serde_json::json;
use tokio::process::{Child, Command};

use crate::support::{Debate, Events, Server, Setup, Ws, argument_id, until};

const CONFIGURATION: &str = include_str!("../../../../../docs/scale/haproxy.cfg");

/// A bound listener for the proxy: connections that arrive before the proxy runs
/// wait in its backlog.
struct ProxyListener {
    listener: TcpListener,
    address: String,
}

impl ProxyListener {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        Self { listener, address }
    }

    /// Starts haproxy on this listener, in front of two servers.
    fn start_haproxy(self, home: &std::path::Path, servers: [&Server; 2]) -> Child {
        fcntl_setfd(&self.listener, FdFlags::empty()).expect("it is ours");
        let door = format!("fd@{}", self.listener.as_raw_fd());
        let [a, b] = servers.map(Server::address);
        let mut configuration = CONFIGURATION.to_owned();
        for (written, real) in [
            ("127.0.0.1:8080", door.as_str()),
            ("localhost:8080", &self.address),
            ("127.0.0.1:3456", a),
            ("127.0.0.1:3457", b),
        ] {
            assert_eq!(configuration.matches(written).count(), 1, "{written}");
            configuration = configuration.replace(written, real);
        }
        let file = home.join("haproxy.cfg");
        std::fs::write(&file, configuration).expect("the folder is ours");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut proxy = Command::new("haproxy");
        // Debian installs haproxy in /usr/sbin.
        proxy.env("PATH", format!("{path}:/usr/sbin")).arg("-db").arg("-f").arg(file);
        proxy.kill_on_drop(true).spawn().expect("haproxy is installed")
    }
}

/// Submits a claim and retries with the same key when the connection is cut.
async fn claim_with_retries(debate: &Debate<'_>, role: &str, key: &str) -> String {
    let body = json!({
        "role": role, "target_id": debate.motion, "content": "as said", "client_request_id": key,
    });
    until("the claim is taken", || async {
        let request = debate.server.request(Method::POST, &debate.path("/arguments"));
        let Ok(answer) = request.json(&body).send().await else { return false };
        let status = answer.status().as_u16();
        assert!([200, 201, 502, 503].contains(&status), "{status}");
        status < 300
    })
    .await;
    let kept = debate.read().await;
    let all = kept["arguments"].as_array().expect("there are some").iter();
    let written: Vec<_> = all.filter(|argument| argument["client_request_id"] == key).collect();
    let [once] = written.as_slice() else { panic!("{key} was written {} times", written.len()) };
    once["id"].as_str().expect("an argument has an id").to_owned()
}

#[tokio::test]
async fn clients_behind_the_documented_proxy_continue_after_one_server_is_killed() {
    let door = ProxyListener::new();
    let setup = Setup::postgres().env("DEBATE_ALLOWED_HOSTS", &door.address);
    let (a, b) = (setup.start().await, setup.start().await);
    let address = door.address.clone();
    let _proxy = door.start_haproxy(setup.home().path(), [&a, &b]);
    let front = a.through_proxy(&address);

    let debate = Debate::open(&front).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut events = Events::open(&front, &debate.path("/events"), None).await;
        assert_eq!(events.take(1).await[0].seq(), 1);
        streams.push(events);
    }
    let mut socket = Ws::open(&front, &format!("?debate_id={}", debate.id)).await;
    assert_eq!(socket.next().await["event"], "initial_state");
    let claim = debate.claim("opponent", &debate.motion, "first").await;
    assert_eq!(claim.status, 201, "{}", claim.text);
    for events in &mut streams {
        assert_eq!(events.next().await.and_then(|event| event.id), Some(argument_id(&claim)));
    }
    assert_eq!(socket.next().await["data"]["argument"]["id"], argument_id(&claim));

    b.kill().await;
    let mut ids = vec![argument_id(&claim)];
    for (number, role) in ["proposer", "opponent", "proposer", "opponent"].iter().enumerate() {
        ids.push(claim_with_retries(&debate, role, &format!("after-{number}")).await);
    }
    // Clients of the stopped server reconnect through the same address.
    let mut again =
        Events::open(&front, &debate.path("/events"), ids.first().map(|id| &**id)).await;
    let rest: Vec<_> = again.take(4).await.into_iter().filter_map(|event| event.id).collect();
    assert_eq!(rest, ids[1..]);
}
