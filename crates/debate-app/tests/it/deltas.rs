//! Pieces of an answer on their way to a watcher.

use debate_app::llm::Deltas;

#[test]
fn what_has_no_room_goes_with_the_next_piece_and_nothing_is_lost() {
    let (mut deltas, mut watched) = Deltas::new(2);
    for piece in ["a", "b", "c", "d"] {
        deltas.push(piece);
    }
    assert_eq!(watched.try_recv().as_deref(), Ok("a"));
    deltas.push("e");
    assert_eq!(watched.try_recv().as_deref(), Ok("b"));
    assert_eq!(watched.try_recv().as_deref(), Ok("cde"));
    assert!(watched.try_recv().is_err());
}

#[test]
fn a_watcher_who_left_is_sent_nothing() {
    let (mut deltas, watched) = Deltas::new(1);
    drop(watched);
    deltas.push("a");
    assert_eq!(format!("{deltas:?}"), "Deltas(0 unsent bytes)");
    Deltas::unwatched().push("a");
}
