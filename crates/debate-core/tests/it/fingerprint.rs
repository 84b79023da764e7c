//! What makes two requests the same: everything the client chose, and nothing else.

use std::fmt::Write;

use debate_core::arena::{DebateType, Draft, Move, NewDebate, RulingEffect, Side};
use debate_core::{ArgumentId, Fingerprint};
use proptest::prelude::*;

use crate::support::{argument_id, content, draft, key, opening, title};

fn claim() -> Draft {
    Draft { target: Some(argument_id(1)), ..draft(2, Move::Claim(Side::Opponent)) }
}

fn hex(fingerprint: &Fingerprint) -> String {
    let mut hex = String::new();
    for byte in fingerprint.as_bytes() {
        write!(hex, "{byte:02x}").expect("a string takes whatever is written");
    }
    hex
}

#[test]
fn the_same_request_has_the_same_fingerprint_whatever_ids_and_key_it_gets() {
    let again =
        Draft { id: argument_id(90), closing_id: argument_id(91), key: key("another"), ..claim() };
    assert_eq!(again.fingerprint(), claim().fingerprint());

    let again = NewDebate { motion_id: argument_id(90), key: key("another"), ..opening() };
    assert_eq!(again.fingerprint(), opening().fingerprint());
}

#[test]
fn every_field_a_client_chooses_in_an_argument_changes_its_fingerprint() {
    let others = [
        Draft { mv: Move::Claim(Side::Proposer), ..claim() },
        Draft { mv: Move::Appeal, ..claim() },
        Draft { target: Some(argument_id(2)), ..claim() },
        Draft { target: None, ..claim() },
        Draft { content: content("So it is!"), ..claim() },
        Draft { content: content(""), ..claim() },
    ];
    for other in others {
        assert_ne!(other.fingerprint(), claim().fingerprint(), "{other:?}");
    }
}

#[test]
fn every_two_moves_have_different_fingerprints() {
    let prints = Move::ALL.map(|mv| Draft { mv, ..claim() }.fingerprint());
    for (index, print) in prints.iter().enumerate() {
        assert!(!prints[..index].contains(print), "{:?}", Move::ALL[index]);
    }
}

#[test]
fn a_ruling_that_closes_differs_from_one_that_does_not() {
    let close = Draft { mv: Move::Rule(RulingEffect::Close), ..claim() };
    let go_on = Draft { mv: Move::Rule(RulingEffect::Continue), ..claim() };
    assert_ne!(close.fingerprint(), go_on.fingerprint());
}

#[test]
fn every_field_a_client_chooses_in_an_opening_changes_its_fingerprint() {
    let others = [
        NewDebate { title: title("Tabs or space"), ..opening() },
        NewDebate { debate_type: DebateType::CodingPlan, ..opening() },
        NewDebate { motion: content("Tabs"), ..opening() },
        NewDebate { auto_ruling: Some(true), ..opening() },
        NewDebate { auto_ruling: Some(false), ..opening() },
    ];
    for other in others {
        assert_ne!(other.fingerprint(), opening().fingerprint(), "{other:?}");
    }
}

#[test]
fn no_word_on_automatic_rulings_differs_from_either_word() {
    let [absent, yes, no] = [None, Some(true), Some(false)]
        .map(|auto_ruling| NewDebate { auto_ruling, ..opening() }.fingerprint());
    assert_ne!(absent, yes);
    assert_ne!(absent, no);
    assert_ne!(yes, no);
}

#[test]
fn a_fingerprint_survives_being_kept_as_bytes() {
    let print = claim().fingerprint();
    assert_eq!(Fingerprint::from_bytes(*print.as_bytes()), print);
}

/// They are kept with every argument: a build that computed them otherwise would refuse the
/// retries of all earlier ones. The figures come from another language's SHA-256.
#[test]
fn fingerprints_are_what_earlier_builds_have_kept() {
    assert_eq!(
        hex(&opening().fingerprint()),
        "20a7c045318901997678319f2d9ad629218894c3cbb085572e71cea91a9973ec"
    );
    assert_eq!(
        hex(&claim().fingerprint()),
        "1e8e96d68f1f774c2e1719180513bba0614befb5af25666ccb977d35b0230671"
    );
    let close = Draft { mv: Move::Rule(RulingEffect::Close), target: None, ..claim() };
    assert_eq!(
        hex(&close.fingerprint()),
        "d311544bb3fd9e6a4ea06b936b4e6c91af8e89091092f9adbba7808a2de1447b"
    );
}

proptest! {
    #[test]
    fn text_can_not_be_shifted_from_one_field_to_its_neighbour(
        text in "[a-z]{2,40}", one in 0_usize..40, other in 0_usize..40,
    ) {
        let (one, other) = (one % text.len(), other % text.len());
        prop_assume!(one != other);
        let print = |at: usize| {
            let (title, motion) = text.split_at(at);
            Fingerprint::for_debate(title, DebateType::General, motion, None)
        };
        prop_assert_ne!(print(one), print(other));
    }

    #[test]
    fn a_target_can_not_pass_for_the_beginning_of_a_content(
        bytes in proptest::array::uniform16(b'a'..=b'z'), said in "[a-z]{0,20}",
    ) {
        let target = ArgumentId::new(uuid::Uuid::from_bytes(bytes));
        let spelled: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        prop_assert_ne!(
            Fingerprint::for_move(Move::Appeal, Some(target), &said),
            Fingerprint::for_move(Move::Appeal, None, &format!("{spelled}{said}")),
        );
    }

    #[test]
    fn a_motion_can_not_pass_for_a_word_on_automatic_rulings(motion in "[a-z]{0,10}") {
        for (word, spelled) in [(true, "true"), (false, "false")] {
            prop_assert_ne!(
                Fingerprint::for_debate("t", DebateType::General, &motion, Some(word)),
                Fingerprint::for_debate(
                    "t", DebateType::General, &format!("{motion}{spelled}"), None,
                ),
            );
        }
    }
}
