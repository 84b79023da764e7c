//! A thousand waiting clients. F13 of `scripts/proof` has ten thousand.

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::support::{Connection, Debate, HANG, Setup, until};

const WAITERS: usize = 1_000;
const DEBATES: usize = 500;

/// The memory that one waiter may cost the server, including its connection.
const KB_PER_WAITER_MAX: u64 = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousand_waiters_are_freed_when_their_clients_disconnect() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("the soft limit may be raised to the hard one");

    // A log level that does not log each of the thousand requests.
    let server = Setup::new().without_wait_timeout().env("AW_LOG", "info").start().await;
    let mut paths = Vec::with_capacity(DEBATES);
    for _ in 0..DEBATES {
        let debate = Debate::open(&server).await;
        paths.push(debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion)));
    }
    let before = server.status_kb("VmRSS");
    let mut parked = Vec::with_capacity(WAITERS);
    for path in paths.iter().cycle().take(WAITERS) {
        let mut connection = Connection::open(&server).await;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
        connection.send(request.as_bytes()).await;
        parked.push(connection);
    }
    let full = f64::from(u32::try_from(WAITERS).expect("a thousand is small"));
    until("all wait", || async { server.metric("aw_waiters").await >= full }).await;
    let each = (server.status_kb("VmRSS") - before) / u64::try_from(WAITERS).expect("it is small");
    println!("{each} kB for each of {WAITERS} parked waiters");
    assert!(each <= KB_PER_WAITER_MAX, "{each} kB each");

    // A write wakes all waiters of its debate and no others.
    let first = &paths[0];
    let id = first.split('/').nth(2).expect("the path has an id").to_owned();
    let debate = Debate { server: &server, id, motion: String::new() };
    debate.intervene().await;
    let woken = tokio::time::timeout(HANG, parked[0].reply()).await.expect("it is told");
    assert_eq!(woken.json()["data"]["argument"]["type"], "INTERVENTION", "{}", woken.body);
    let others = full - f64::from(u32::try_from(WAITERS / DEBATES).expect("it is small"));
    until("two are gone", || async { server.metric("aw_waiters").await <= others }).await;
    assert!(server.metric("aw_waiters").await >= others, "no other waiter left");

    drop(parked);
    until("all are gone", || async { server.metric("aw_waiters").await == 0.0 }).await;
    assert!(server.metric("aw_waited_on_debates").await == 0.0);
}
