//! Fingerprints of requests depend on every field that the client sets and on nothing else.

use std::fmt::Write;

use debate_core::arena::{
    DebateType, Draft, Move, NewDebate, RulingEffect, SeatFields, SecretDigest, Side,
};
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
fn fingerprint_does_not_depend_on_ids_and_key() {
    let again =
        Draft { id: argument_id(90), closing_id: argument_id(91), key: key("another"), ..claim() };
    assert_eq!(again.fingerprint(), claim().fingerprint());

    let again = NewDebate { motion_id: argument_id(90), key: key("another"), ..opening() };
    assert_eq!(again.fingerprint(), opening().fingerprint());
}

#[test]
fn fingerprint_of_an_argument_depends_on_every_client_field() {
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
fn fingerprints_of_any_two_moves_differ() {
    let prints = Move::ALL.map(|mv| Draft { mv, ..claim() }.fingerprint());
    for (index, print) in prints.iter().enumerate() {
        assert!(!prints[..index].contains(print), "{:?}", Move::ALL[index]);
    }
}

#[test]
fn fingerprint_of_a_closing_ruling_differs_from_another_ruling() {
    let close = Draft { mv: Move::Rule(RulingEffect::Close), ..claim() };
    let go_on = Draft { mv: Move::Rule(RulingEffect::Continue), ..claim() };
    assert_ne!(close.fingerprint(), go_on.fingerprint());
}

#[test]
fn fingerprint_of_an_opening_depends_on_every_client_field() {
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
fn fingerprint_distinguishes_absent_true_and_false_auto_ruling() {
    let [absent, yes, no] = [None, Some(true), Some(false)]
        .map(|auto_ruling| NewDebate { auto_ruling, ..opening() }.fingerprint());
    assert_ne!(absent, yes);
    assert_ne!(absent, no);
    assert_ne!(yes, no);
}

#[test]
fn fingerprint_survives_storage_as_bytes() {
    let print = claim().fingerprint();
    assert_eq!(Fingerprint::from_bytes(*print.as_bytes()), print);
}

/// Fingerprints are stored with every argument: a build with other fingerprints would refuse the
/// retries of all earlier requests. The figures come from an independent SHA-256 implementation.
#[test]
fn fingerprints_equal_those_of_earlier_builds() {
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
    let seat_fields = SeatFields {
        seats: Some(true),
        holder: Some("codex".to_owned()),
        token: Some(SecretDigest::from_secret("aws_token")),
        ..SeatFields::default()
    };
    assert_eq!(
        hex(&NewDebate { seat_fields, ..opening() }.fingerprint()),
        "a3f6755902255c8fd7755938abf7349d2feb021d2cfb4e0e562d8084e1e5144b"
    );
}

proptest! {
    #[test]
    fn fingerprint_changes_when_text_moves_to_the_next_field(
        text in "[a-z]{2,40}", one in 0_usize..40, other in 0_usize..40,
    ) {
        let (one, other) = (one % text.len(), other % text.len());
        prop_assume!(one != other);
        let print = |at: usize| {
            let (title, motion) = text.split_at(at);
            Fingerprint::for_debate(title, DebateType::General, motion, None, None)
        };
        prop_assert_ne!(print(one), print(other));
    }

    #[test]
    fn fingerprint_distinguishes_target_and_content(
        bytes in proptest::array::uniform16(b'a'..=b'z'), arguments in "[a-z]{0,20}",
    ) {
        let target = ArgumentId::new(uuid::Uuid::from_bytes(bytes));
        let spelled: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        prop_assert_ne!(
            Fingerprint::for_move(Move::Appeal, Some(target), &arguments),
            Fingerprint::for_move(Move::Appeal, None, &format!("{spelled}{arguments}")),
        );
    }

    #[test]
    fn fingerprint_distinguishes_motion_and_auto_ruling(motion in "[a-z]{0,10}") {
        for (word, spelled) in [(true, "true"), (false, "false")] {
            prop_assert_ne!(
                Fingerprint::for_debate("t", DebateType::General, &motion, Some(word), None),
                Fingerprint::for_debate(
                    "t", DebateType::General, &format!("{motion}{spelled}"), None, None,
                ),
            );
        }
    }
}
