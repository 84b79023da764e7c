//! A logout at one server ends the session at the other, and waits for the database.

use aw_testbed::{Database, Proxy};
use reqwest::Method;

use crate::support::{Debate, Events, Setup, Ws, until};
use crate::web::access::{TOKEN, log_in};

fn guarded() -> Setup {
    Setup::postgres().env("DEBATE_AUTH_TOKEN", TOKEN)
}

#[tokio::test]
async fn logout_at_one_server_ends_cookie_stream_and_socket_at_the_other() {
    let setup = guarded();
    let (here, there) = (setup.start().await.with_token(TOKEN), setup.start().await);
    let debate = Debate::open(&here).await;
    let person = log_in(&here).await;
    let copy = person.copy_to(&there);
    assert_eq!(copy.get("/arena").await.status, 200);
    let mut events = Events::receive(copy.request(Method::GET, &debate.path("/events"))).await;
    assert_eq!(events.take(1).await[0].seq(), 1);
    let (query, cookies) = (format!("?debate_id={}", debate.id), copy.cookies());
    let ws = Ws::try_open_with(&there, &query, &[("cookie", &cookies)]).await;
    let mut ws = ws.expect("a session may read");
    assert_eq!(ws.next().await["event"], "initial_state");

    assert_eq!(person.post("/logout", &[]).await.status, 303);
    assert_eq!(events.next().await, None);
    assert_eq!(ws.close_code().await, 1008);
    until("the page is refused", || async { copy.get("/arena").await.status == 303 }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logout_without_the_database_fails_and_keeps_the_cookie_for_another_try() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let proxy = Proxy::start(database.url()).expect("a port is free");
    let server = guarded().env("DEBATE_DATABASE_URL", proxy.url()).start().await;
    let person = log_in(&server).await;
    let unknown = log_in(&server).await;
    assert_eq!(person.get("/docs").await.status, 200);
    let copy = person.copy_to(&server);
    proxy.close();
    assert_eq!(person.get("/docs").await.status, 200, "the store's last answer counts");
    let refused = unknown.get("/docs").await;
    assert_eq!(refused.status, 503, "a session that was never checked is not accepted");
    let failed = person.post("/logout", &[]).await;
    assert_eq!((failed.status, failed.header("set-cookie")), (503, None), "{}", failed.text);

    proxy.open();
    let logged_out = || async { person.post("/logout", &[]).await.status == 303 };
    until("the logout is accepted", logged_out).await;
    assert_eq!(copy.get("/docs").await.status, 401);
}
