//! Decisions about seats, as complete tables, and the names and secrets they use.

use debate_core::arena::{
    ARBITRATOR, ArbitratorRights, Credentials, HolderName, HolderNameError, NewDebate, NewSeats,
    Role, SERVER, Seat, SeatDecision, SeatFields, SeatHolder, SeatRefusal, Seats, SecretDigest,
    SecretKind, Side, WEB, author, check_arbitrator, check_role, open, release_seat, take_seat,
};

use crate::support::{instant, opening, slug};

const RIGHTS: [ArbitratorRights; 4] = [
    ArbitratorRights::Missing,
    ArbitratorRights::Wrong,
    ArbitratorRights::Token,
    ArbitratorRights::Session,
];

fn digest(secret: &str) -> SecretDigest {
    SecretDigest::from_secret(secret)
}

/// The name and the token of a side's holder are the name of its role.
fn holder(side: Side) -> SeatHolder {
    let name = Role::from(side).name();
    let (name, token) = (HolderName::new(name).expect("it is not reserved"), digest(name));
    SeatHolder { name, token, since: instant(1) }
}

fn taken(side: Side) -> Seat {
    Seat::Taken(holder(side))
}

/// The three states of a seat.
fn states(side: Side) -> [Seat; 3] {
    [Seat::Open, taken(side), Seat::Released]
}

fn seats(proposer: Seat, opponent: Seat, invite: Option<&str>) -> Seats {
    Seats { proposer, opponent, invite: invite.map(digest) }
}

/// Every pair of seats, with and without an invite.
fn all_seats() -> Vec<Seats> {
    let mut all = Vec::new();
    for proposer in states(Side::Proposer) {
        for opponent in states(Side::Opponent) {
            for invite in [None, Some("invite")] {
                all.push(seats(proposer.clone(), opponent.clone(), invite));
            }
        }
    }
    all
}

/// Every combination of seat token, invite and arbitrator rights.
fn all_credentials() -> Vec<Credentials> {
    let mut all = Vec::new();
    for seat in [None, Some("proposer"), Some("opponent"), Some("garbage")] {
        for invite in [None, Some("invite"), Some("wrong")] {
            for arbitrator in RIGHTS {
                let (seat, invite) = (seat.map(digest), invite.map(digest));
                all.push(Credentials { seat, invite, arbitrator });
            }
        }
    }
    all
}

fn has_rights(credentials: &Credentials) -> bool {
    matches!(credentials.arbitrator, ArbitratorRights::Token | ArbitratorRights::Session)
}

#[test]
fn side_is_proven_only_by_the_token_of_its_taken_seat() {
    for seats in all_seats() {
        for credentials in all_credentials() {
            for side in Side::ALL {
                let name = Role::from(side).name();
                let present = (seats.seat(side) == &taken(side)).then(|| name.to_owned());
                let expected = match (credentials.seat, &present) {
                    (None, _) => Err(SeatRefusal::Required(side.into())),
                    (Some(token), Some(holder)) if token == digest(name) => Ok(holder.clone()),
                    (Some(_), _) => {
                        Err(SeatRefusal::Invalid { role: side.into(), holder: present })
                    }
                };
                assert_eq!(check_role(&seats, side.into(), &credentials), expected);
            }
        }
    }
}

#[test]
fn arbitrator_is_proven_only_by_arbitrator_rights() {
    for credentials in all_credentials() {
        let expected = match credentials.arbitrator {
            ArbitratorRights::Missing => Err(SeatRefusal::Required(Role::Arbitrator)),
            ArbitratorRights::Wrong => {
                Err(SeatRefusal::Invalid { role: Role::Arbitrator, holder: None })
            }
            ArbitratorRights::Token => Ok(ARBITRATOR),
            ArbitratorRights::Session => Ok(WEB),
        };
        assert_eq!(check_arbitrator(&credentials), expected);
        for seats in all_seats() {
            let checked = check_role(&seats, Role::Arbitrator, &credentials);
            assert_eq!(checked, expected.clone().map(str::to_owned));
        }
    }
}

#[test]
fn seat_is_taken_by_this_table() {
    let newcomer = SeatHolder {
        name: HolderName::new("codex").expect("it is not reserved"),
        token: digest("new"),
        since: instant(9),
    };
    for seats in all_seats() {
        for credentials in all_credentials() {
            for side in Side::ALL {
                let is_invited = seats.invite.is_some() && credentials.invite == seats.invite;
                let may_enter = is_invited || has_rights(&credentials);
                let change = Ok(SeatDecision::Change(Seat::Taken(newcomer.clone())));
                let expected = match (seats.seat(side), side) {
                    (Seat::Taken(present), _) => {
                        Err(SeatRefusal::Taken { side, holder: present.clone() })
                    }
                    (Seat::Released, Side::Proposer) if !may_enter => {
                        Err(SeatRefusal::InviteRequired(side))
                    }
                    (Seat::Open | Seat::Released, _) if seats.invite.is_some() && !may_enter => {
                        Err(SeatRefusal::InviteRequired(side))
                    }
                    (Seat::Open | Seat::Released, _) => change,
                };
                let decided = take_seat(&seats, side, newcomer.clone(), &credentials);
                assert_eq!(decided, expected, "{seats:?} {side:?} {credentials:?}");
            }
        }
    }
}

#[test]
fn token_of_the_same_seat_changes_nothing_and_of_the_other_seat_is_a_conflict() {
    for seats in all_seats() {
        for credentials in all_credentials() {
            for side in Side::ALL {
                let again = SeatHolder { since: instant(9), ..holder(side) };
                if seats.seat(side) == &taken(side) {
                    let decided = take_seat(&seats, side, again, &credentials);
                    assert_eq!(decided, Ok(SeatDecision::Unchanged));
                }
                let other = side.other();
                if seats.seat(other) == &taken(other) {
                    let decided = take_seat(&seats, side, holder(other), &credentials);
                    assert_eq!(decided, Err(SeatRefusal::Conflict(other)));
                }
            }
        }
    }
}

#[test]
fn seat_is_released_by_its_holder_or_the_arbitrator() {
    for seats in all_seats() {
        for credentials in all_credentials() {
            for side in Side::ALL {
                let name = Role::from(side).name();
                let expected = match seats.seat(side) {
                    Seat::Open | Seat::Released => Ok(SeatDecision::Unchanged),
                    Seat::Taken(_) if has_rights(&credentials) => {
                        Ok(SeatDecision::Change(Seat::Released))
                    }
                    Seat::Taken(holder) if credentials.seat == Some(holder.token) => {
                        Ok(SeatDecision::Change(Seat::Released))
                    }
                    Seat::Taken(_) if credentials.seat.is_none() => {
                        Err(SeatRefusal::Required(side.into()))
                    }
                    Seat::Taken(_) => {
                        let holder = Some(name.to_owned());
                        Err(SeatRefusal::Invalid { role: side.into(), holder })
                    }
                };
                assert_eq!(release_seat(&seats, side, &credentials), expected);
            }
        }
    }
}

#[test]
fn author_is_unknown_without_seats_and_the_holder_or_arbitrator_with_seats() {
    let opened = open(&opening(), slug(), instant(0));
    assert_eq!(opened.motion.by, None);
    for credentials in all_credentials() {
        for mv in debate_core::arena::Move::ALL {
            assert_eq!(author(&opened.head, mv, &credentials), Ok(None));
        }
    }
    let creator = Some((HolderName::new("claude-code").expect("it is valid"), digest("proposer")));
    let new_seats = Some(NewSeats { creator, invite: None });
    let opened = open(&NewDebate { seats: new_seats, ..opening() }, slug(), instant(3));
    let seats = opened.head.seats.clone().expect("the debate has seats");
    assert_eq!(opened.motion.by.as_deref(), Some("claude-code"));
    assert_eq!(seats.proposer.holder().map(|holder| holder.since), Some(instant(3)));
    assert_eq!((seats.opponent.clone(), opened.head.debate.seat_changes), (Seat::Open, Some(0)));
    for credentials in all_credentials() {
        for mv in debate_core::arena::Move::ALL {
            let expected = check_role(&seats, mv.role(), &credentials).map(Some);
            assert_eq!(author(&opened.head, mv, &credentials), expected);
        }
    }
}

#[test]
fn debate_of_the_form_has_both_seats_open_and_a_motion_of_the_web() {
    let new_seats = Some(NewSeats { creator: None, invite: Some(digest("invite")) });
    let opened = open(&NewDebate { seats: new_seats, ..opening() }, slug(), instant(3));
    assert_eq!(opened.motion.by.as_deref(), Some(WEB));
    assert_eq!(opened.head.seats, Some(seats(Seat::Open, Seat::Open, Some("invite"))));
}

#[test]
fn holder_name_has_1_to_80_printable_characters() {
    let longest = "é".repeat(80);
    for (text, name) in [
        ("codex", "codex"),
        ("  claude-code\t", "claude-code"),
        (longest.as_str(), longest.as_str()),
        ("modeller", "modeller"),
        ("models", "models"),
        ("web 2", "web 2"),
        ("Größe 大 🦀", "Größe 大 🦀"),
    ] {
        let parsed = HolderName::new(text).map(|name| name.as_str().to_owned());
        assert_eq!(parsed, Ok(name.to_owned()));
    }
    let too_long = "x".repeat(81);
    for text in ["", "   ", "a\nb", "a\u{0}b", "a\u{202e}b", "a\u{200b}b", too_long.as_str()] {
        assert_eq!(HolderName::new(text), Err(HolderNameError::Form), "{text:?}");
    }
}

#[test]
fn reserved_holder_names_are_refused_in_any_case_and_with_spaces() {
    for text in [
        WEB,
        SERVER,
        ARBITRATOR,
        "Web",
        " SERVER ",
        "aRbItRaToR",
        "model",
        "Model",
        "model openai:gpt-5",
        " MODEL x",
    ] {
        assert_eq!(HolderName::new(text), Err(HolderNameError::Reserved), "{text:?}");
    }
}

#[test]
fn secrets_have_a_prefix_and_43_base64url_characters() {
    let kinds = [SecretKind::Seat, SecretKind::Invite, SecretKind::Arbitrator];
    let rest = "A-_z0".repeat(9)[..43].to_owned();
    for kind in kinds {
        let secret = format!("{}{rest}", kind.prefix());
        assert_eq!(kinds.map(|other| other.matches(&secret)), kinds.map(|other| other == kind));
        for malformed in [
            rest.clone(),
            format!("{secret}A"),
            secret[..46].to_owned(),
            format!("{}+{}", kind.prefix(), &rest[1..]),
            format!(" {secret}"),
        ] {
            assert!(!kind.matches(&malformed), "{malformed:?}");
        }
    }
}

#[test]
fn digest_of_a_secret_survives_storage_and_debug_output_hides_it() {
    let secret = digest("aws_secret");
    assert_eq!(SecretDigest::from_bytes(*secret.as_bytes()), secret);
    assert_ne!(digest("aws_secret "), secret);
    assert_eq!(format!("{secret:?}"), "SecretDigest(…)");
    let shown = format!("{:?}", seats(taken(Side::Proposer), Seat::Released, Some("invite")));
    let bytes = format!("{:?}", digest("proposer").as_bytes());
    assert!(!shown.contains(bytes.trim_matches(['[', ']'])), "{shown}");
}

#[test]
fn fingerprint_of_seat_fields_depends_on_every_present_field() {
    let fields = SeatFields {
        seats: Some(true),
        invite_only: Some(true),
        holder: Some("codex".to_owned()),
        token: Some(digest("token")),
        invite: Some(digest("invite")),
    };
    assert_eq!(SeatFields::default().fingerprint(), None);
    let others = [
        SeatFields { seats: Some(false), ..fields.clone() },
        SeatFields { seats: None, ..fields.clone() },
        SeatFields { invite_only: Some(false), ..fields.clone() },
        SeatFields { invite_only: None, ..fields.clone() },
        SeatFields { holder: Some("codex2".to_owned()), ..fields.clone() },
        SeatFields { holder: None, ..fields.clone() },
        SeatFields { token: Some(digest("invite")), ..fields.clone() },
        SeatFields { token: None, ..fields.clone() },
        SeatFields { invite: Some(digest("token")), ..fields.clone() },
        SeatFields { invite: None, ..fields.clone() },
        SeatFields { seats: Some(true), ..SeatFields::default() },
        SeatFields { invite_only: Some(true), ..SeatFields::default() },
    ];
    let prints: Vec<_> = others.iter().chain([&fields]).map(SeatFields::fingerprint).collect();
    for (index, print) in prints.iter().enumerate() {
        assert!(print.is_some() && !prints[..index].contains(print), "{index}");
    }
    let requests = [SeatFields::default(), fields];
    let [without, with] =
        requests.map(|seat_fields| NewDebate { seat_fields, ..opening() }.fingerprint());
    assert_ne!(with, without);
    assert_eq!(without, opening().fingerprint());
}
