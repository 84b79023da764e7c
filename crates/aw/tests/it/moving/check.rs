//! `aw db check` on a running server's database.

use aw_testbed::Database;

use crate::support::{Debate, Run, Setup};

#[tokio::test]
async fn check_passes_on_the_database_of_a_running_server() {
    let setup = Setup::new();
    let server = setup.start().await;
    Debate::open(&server).await.lead_to("CLOSED").await;
    Run::held(&server, 1).await;
    let said = setup.db(&["check"]).await.expect("the database has no mismatch");
    assert!(said.contains("debates 1, arguments 3, runs 1, turns 3, calls 3"), "{said}");
    assert!(said.contains("every debate and run has the state that the rules lead to"), "{said}");
    let copy = setup.home().path().join("copy.db").display().to_string();
    let copied = setup.db(&["copy", "--to", &copy]).await.expect("the file is new");
    let digest = said.split("SHA-256 ").nth(1).and_then(|rest| rest.split('\n').next());
    assert!(copied.contains(digest.expect("a digest is printed")), "{said}{copied}");
}

#[tokio::test]
async fn check_prints_the_debate_the_argument_and_both_values_of_a_difference() {
    let (setup, there) = (Setup::sqlite(), Database::fresh().expect("PostgreSQL is installed"));
    let mut server = setup.start().await;
    let debate = Debate::open(&server).await;
    debate.lead_to("AWAITING_ARBITRATOR").await;
    let id = debate.id.clone();
    server.terminate();
    server.ended().await;
    setup.db(&["copy", "--to", there.url()]).await.expect("the database is empty");
    let change = "update arguments set state_after = 'CLOSED' where seq = 2";
    let conn = rusqlite::Connection::open(setup.home().database_name()).expect("the file exists");
    assert_eq!(conn.execute(change, []), Ok(1));
    drop(conn);
    there.sql(&[change]).expect("the table exists");
    let backup = setup.home().path().join("backup.db").display().to_string();
    let new = setup.home().path().join("new.db").display().to_string();
    for words in [
        &["check"][..],
        &["check", "--database-url", there.url()],
        &["backup", "--to", &backup],
        &["copy", "--from", there.url(), "--to", &new],
    ] {
        let said = setup.db(words).await.expect_err("a value differs");
        assert!(said.contains(&format!("debate {id} is damaged")), "{said}");
        let difference = "seq 2, state_after: expected AWAITING_PROPOSER, found CLOSED";
        assert!(said.contains(difference), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
