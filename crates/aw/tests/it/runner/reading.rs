//! Reading a completed run.

use insta::{assert_snapshot, with_settings};

use crate::support::{Record, Run, Server};

#[tokio::test]
async fn a_whole_debate_reads_as_it_was_held_and_never_changes() {
    let server = Server::start().await;
    let run = Run::held(&server, 1).await;
    let first = server.get(&run.path("")).await;
    let again = server.get(&run.path("")).await;
    assert_eq!(first.text, again.text, "a refresh changes nothing");
    let mut record = Record::default();
    record.note("the debate", &first);
    record.note("its calls", &server.get(&run.path("/attempts")).await);
    with_settings!({ filters => super::TIMES }, {
        assert_snapshot!(record.render());
    });
}

#[tokio::test]
async fn what_was_said_survives_a_restart_word_for_word() {
    let setup = crate::support::Setup::new();
    let mut server = setup.start().await;
    let run = Run::held(&server, 2).await;
    let (id, before) = (run.id.clone(), server.get(&run.path("")).await.text);
    server.terminate();
    assert!(server.ended().await.success());
    let server = setup.start().await;
    let run = Run { server: &server, id };
    assert_eq!(server.get(&run.path("")).await.text, before);
}
