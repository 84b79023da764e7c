//! Outages of the database: stopped servers and cut connections.

use aw_testbed::{Cluster, Cut, Database, Mode, Proxy};

use crate::support::visitor::Visitor;
use crate::support::{Debate, Events, Server, Setup, Ws, argument_id, create_body, new_id, until};

/// A server on a database that the test itself stops and starts.
async fn start_on(url: &str) -> Server {
    Setup::postgres().env("DEBATE_DATABASE_URL", url).start().await
}

/// Repeats a request until the server confirms that it is written.
async fn until_written(debate: &Debate<'_>) {
    let written = || async { debate.claim("opponent", &debate.motion, "k").await.status == 200 };
    until("it can be written again", written).await;
}

/// Reconnects after the motion, as a browser does, until the server answers with a stream.
async fn until_resumed(debate: &Debate<'_>) {
    let path = debate.path("/events");
    let resumed = || async {
        let mut events = Events::open(debate.server, &path, Some(&debate.motion)).await;
        events.next().await.map(|event| event.seq()) == Some(2)
    };
    until("the stream goes on", resumed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_answered_503_during_a_database_outage_and_work_after_it() {
    let mut cluster = Cluster::start().expect("PostgreSQL can be started");
    let database = cluster.create_database().expect("it runs");
    let server = start_on(database.url()).await;
    let debate = Debate::open(&server).await;
    cluster.stop(Mode::Fast).expect("it runs");

    let write = server.post("/debates", &create_body(&new_id())).await;
    let paths = ["", "/poll?role=opponent", "/wait?role=opponent"].map(|rest| debate.path(rest));
    let mut answers = vec![write, server.get("/health").await, server.get("/debates").await];
    for path in &paths {
        answers.push(server.get(path).await);
    }
    for answer in answers {
        assert_eq!((answer.status, answer.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
        assert!(answer.header("retry-after").is_some(), "{}", answer.text);
    }
    assert_eq!(Ws::refusal(&server, &format!("?debate_id={}", debate.id)).await, 503);

    cluster.start_again().expect("it was stopped");
    until("it is well again", || async { server.get("/health").await.status == 200 }).await;
    until_written(&debate).await;
    until_resumed(&debate).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_report_a_database_outage_and_keep_the_text_of_forms() {
    let mut cluster = Cluster::start().expect("PostgreSQL can be started");
    let database = cluster.create_database().expect("it runs");
    let server = start_on(database.url()).await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    visitor.get("/arena/new").await;
    cluster.stop(Mode::Fast).expect("it runs");

    for path in ["/", "/arena", &format!("/arena/{}", debate.id)] {
        let page = visitor.get(path).await;
        assert_eq!(page.status, 503, "{path}");
        assert!(page.header("retry-after").is_some(), "{path}");
        assert!(page.text.contains("Database unavailable"), "{}", page.text);
        assert!(!page.text.contains("Your text"), "nothing was written: {}", page.text);
    }
    let (id, key) = (new_id(), new_id());
    let fields = [
        ("debate_id", id.as_str()),
        ("client_request_id", &key),
        ("title", "Kept"),
        ("debate_type", "general_debate"),
        ("motion_content", "Not a word of it is lost."),
    ];
    let refused = visitor.post("/arena/new", &fields).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(refused.text.contains("\nNot a word of it is lost.</textarea>"), "{}", refused.text);
    assert!(refused.text.contains("Send it again; it is saved only once."), "{}", refused.text);

    cluster.start_again().expect("it was stopped");
    let sent = || async { visitor.post("/arena/new", &fields).await.status == 303 };
    until("it is taken", sent).await;
    assert_eq!(server.get(&format!("/debates/{id}")).await.data()["debate"]["title"], "Kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stream_during_a_database_outage_gets_a_retry_time_instead_of_an_error() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let proxy = Proxy::start(database.url()).expect("a port is free");
    let server = start_on(proxy.url()).await;
    let debate = Debate::open(&server).await;
    proxy.close();
    for path in [debate.path("/events"), "/debates/an-original-id/events".to_owned()] {
        let mut events = Events::open(&server, &path, Some(&debate.motion)).await;
        assert_eq!(events.status, 200, "anything else stops a browser for good");
        assert_eq!(events.headers["content-type"], "text/event-stream");
        assert_eq!(events.rest().await, []);
        assert_eq!(events.raw, "retry: 5000\n: the database is unavailable; reconnect later\n\n");
    }

    proxy.open();
    until_written(&debate).await;
    until_resumed(&debate).await;
}

#[tokio::test]
async fn commit_with_a_cut_connection_is_recognised_and_written_once() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let proxy = Proxy::start(database.url()).expect("a port is free");
    let server = start_on(proxy.url()).await;
    let debate = Debate::open(&server).await;
    for (cut, role) in [(Cut::AfterCommit, "opponent"), (Cut::BeforeCommit, "proposer")] {
        proxy.arm(cut);
        let written = debate.claim(role, &debate.motion, role).await;
        assert!(!proxy.is_armed(), "{cut:?}: the wire was never cut");
        assert_eq!(written.status, 201, "{cut:?}: {}", written.text);
        let again = debate.claim(role, &debate.motion, role).await;
        assert_eq!((again.status, argument_id(&again)), (200, argument_id(&written)), "{cut:?}");
    }
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(2));
}
