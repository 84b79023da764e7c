//! `aw db check` on a running server's database.

use aw_testbed::Database;

use crate::support::{Debate, Run, Setup};

#[tokio::test]
async fn check_passes_on_the_database_of_a_running_server() {
    let setup = Setup::new();
    let server = setup.start().await;
    Debate::open(&server).await.advance_to("CLOSED").await;
    Run::complete_demo(&server, 1).await;
    let output = setup.db(&["check"]).await.expect("the database has no mismatch");
    assert!(output.contains("debates 1, arguments 3, runs 1, turns 3, calls 3"), "{output}");
    assert!(
        output.contains("every debate and run has the state that the rules lead to"),
        "{output}"
    );
    let copy = setup.home().path().join("copy.db").display().to_string();
    let copied = setup.db(&["copy", "--to", &copy]).await.expect("the file is new");
    let digest = output.split("SHA-256 ").nth(1).and_then(|rest| rest.split('\n').next());
    assert!(copied.contains(digest.expect("a digest is printed")), "{output}{copied}");
}

#[tokio::test]
async fn check_prints_the_debate_the_argument_and_both_values_of_a_difference() {
    let (setup, there) = (Setup::sqlite(), Database::fresh().expect("PostgreSQL is installed"));
    let mut server = setup.start().await;
    let debate = Debate::open(&server).await;
    debate.advance_to("AWAITING_ARBITRATOR").await;
    let id = debate.id.clone();
    server.terminate();
    server.wait_for_exit().await;
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
        let output = setup.db(words).await.expect_err("a value differs");
        assert!(output.contains(&format!("debate {id} is damaged")), "{output}");
        let difference = "seq 2, state_after: expected AWAITING_PROPOSER, found CLOSED";
        assert!(output.contains(difference), "{output}");
        assert_eq!(output.lines().count(), 1, "{output}");
    }
}
