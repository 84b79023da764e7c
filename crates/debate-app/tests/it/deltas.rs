//! The channel for the pieces of an answer.

use debate_app::llm::DeltaSender;

#[test]
fn piece_for_a_full_channel_is_sent_with_the_next_piece() {
    let (mut deltas, mut watched) = DeltaSender::new(2);
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
fn closed_channel_keeps_no_pieces() {
    let (mut deltas, watched) = DeltaSender::new(1);
    drop(watched);
    deltas.push("a");
    assert_eq!(format!("{deltas:?}"), "DeltaSender(0 unsent bytes)");
    DeltaSender::without_receiver().push("a");
}
