//! Reading a completed run.

use insta::{assert_snapshot, with_settings};

use crate::support::{Record, Run, Server};

#[tokio::test]
async fn completed_run_is_returned_completely_and_never_changes() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 1).await;
    let first = server.get(&run.path("")).await;
    let again = server.get(&run.path("")).await;
    assert_eq!(first.text, again.text, "a refresh changes nothing");
    let mut record = Record::default();
    record.note("the debate", &first);
    record.note("its calls", &server.get(&run.path("/attempts")).await);
    with_settings!({ filters => crate::runner::TIMES }, {
        assert_snapshot!(record.render());
    });
}

#[tokio::test]
async fn turns_are_unchanged_after_a_restart() {
    let setup = crate::support::Setup::new();
    let mut server = setup.start().await;
    let run = Run::complete_demo(&server, 2).await;
    let (id, before) = (run.id.clone(), server.get(&run.path("")).await.text);
    server.terminate();
    assert!(server.wait_for_exit().await.success());
    let server = setup.start().await;
    let run = Run { server: &server, id };
    assert_eq!(server.get(&run.path("")).await.text, before);
}
