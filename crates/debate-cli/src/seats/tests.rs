//! The store of seats, on a real folder, and the choice among kept seats.

use std::os::unix::fs::{PermissionsExt, symlink};

use debate_core::arena::SecretKind;
use debate_net::BaseUrl;
use debate_wire::arena::Side;

use super::*;
use crate::secrets;

const DEBATE: &str = "019a0000-0000-7000-8000-00000000abcd";
const OTHER_DEBATE: &str = "019a0000-0000-7000-8000-00000000ef01";

/// A folder that is removed with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = PathBuf::from(format!("/tmp/aw-seats-{}", Uuid::now_v7().simple()));
        Self(path)
    }

    fn store(&self) -> SeatStore {
        SeatStore { folder: self.0.join("seats") }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn seat(role: Side, session: &str) -> KeptSeat {
    KeptSeat {
        server: BaseUrl::parse("http://127.0.0.1:3456").expect("it is one"),
        debate: DEBATE.to_owned(),
        slug: Some("cache-the-index-k3f7".to_owned()),
        role,
        session: session.to_owned(),
        folder: "/work/project".to_owned(),
        holder: "codex".to_owned(),
        token: Some(secrets::generate(SecretKind::Seat)),
        seen: Some(SeenArgument { id: DEBATE.to_owned(), seq: 3 }),
        status: SeatStatus::Open,
        joined: 1,
        used: now_ms(),
        pending: None,
    }
}

fn secret(seat: &KeptSeat) -> String {
    seat.token.as_ref().map(|token| token.secret().to_owned()).unwrap_or_default()
}

/// The choice of a session in a folder among these seats.
fn choice(session: Option<&str>, folder: &str, seats: Vec<KeptSeat>) -> SeatChoice {
    SeatChoice::for_test(session, folder, seats)
}

fn named(debate: Option<&str>, role: Option<Side>) -> SeatQuery {
    SeatQuery { debate: debate.map(str::to_owned), role, server: None }
}

#[test]
fn seat_is_read_back_and_only_its_owner_can_read_it() {
    let folder = Folder::new();
    let kept = seat(Side::Opponent, "s1");
    let pending = PendingRequest {
        key: "k".to_owned(),
        digest: "d".to_owned(),
        invite: Some(secrets::generate(SecretKind::Invite)),
    };
    let kept = KeptSeat { pending: Some(pending), ..kept };
    folder.store().save(&kept).expect("it is written");
    let all = folder.store().load();
    let [back] = all.as_slice() else { panic!("one seat was saved") };
    assert_eq!((secret(back), back.role), (secret(&kept), kept.role));
    assert_eq!((&back.seen, &back.slug, back.used), (&kept.seen, &kept.slug, kept.used));
    let invite = |seat: &KeptSeat| {
        let pending = seat.pending.clone().expect("it was saved");
        pending.invite.expect("it was saved").secret().to_owned()
    };
    assert_eq!(invite(back), invite(&kept));
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(&folder.0.join("seats")), 0o700);
    let files = folder.store().files();
    assert_eq!(files.iter().map(|path| mode(path)).collect::<Vec<_>>(), [0o600]);
}

#[test]
fn folder_that_others_can_read_is_closed_to_them() {
    let folder = Folder::new();
    fs::create_dir_all(folder.0.join("seats")).expect("there is room");
    fs::set_permissions(folder.0.join("seats"), Permissions::from_mode(0o755)).expect("it is ours");
    folder.store().save(&seat(Side::Opponent, "s1")).expect("it is written");
    let mode = fs::metadata(folder.0.join("seats")).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn damaged_files_are_ignored() {
    let folder = Folder::new();
    let store = folder.store();
    store.save(&seat(Side::Opponent, "s1")).expect("it is written");
    let intact = fs::read_to_string(&store.files()[0]).expect("it is text");
    let damaged = [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        intact[..intact.len() / 2].to_owned(),
        intact.replace("\"version\": 1", "\"version\": 2"),
        intact.replace("opponent", "arbitrator"),
        intact.replace("http://", "ftp://"),
    ];
    for (index, text) in damaged.iter().enumerate() {
        fs::write(store.folder.join(format!("damaged-{index}.json")), text).expect("there is room");
    }
    fs::write(store.folder.join("binary.json"), [0xff, 0xfe, 0]).expect("there is room");
    fs::create_dir(store.folder.join("folder.json")).expect("there is room");
    symlink("/nonexistent", store.folder.join("link.json")).expect("there is room");
    assert_eq!(store.load().len(), 1);
    store.save(&seat(Side::Proposer, "s1")).expect("damage elsewhere does not matter");
    assert_eq!(store.load().len(), 2);
}

#[test]
fn ended_seats_are_removed_after_30_days_without_use() {
    let folder = Folder::new();
    let store = folder.store();
    let month_ago = now_ms() - to_ms(KEPT_FOR) - 1000;
    for (session, status, used) in [
        ("open", SeatStatus::Open, month_ago),
        ("closed", SeatStatus::Closed, month_ago),
        ("unknown", SeatStatus::Unknown, month_ago),
        ("closed-now", SeatStatus::Closed, now_ms()),
    ] {
        let seat = KeptSeat { status, used, ..seat(Side::Opponent, session) };
        store.save(&seat).expect("it is written");
    }
    store.clean_up();
    let mut left: Vec<_> = store.load().into_iter().map(|seat| seat.session).collect();
    left.sort();
    assert_eq!(left, ["closed-now", "open"]);
    assert_eq!(store.unused().len(), 1, "the open one is to be checked");
}

#[test]
fn number_of_seats_is_bounded_and_the_newest_stay() {
    let folder = Folder::new();
    let store = folder.store();
    let extra = 5;
    for index in 0..SEATS_MAX + extra {
        let used = u64::try_from(index).expect("it fits");
        let seat = KeptSeat { used, ..seat(Side::Opponent, &format!("s{index}")) };
        store.save(&seat).expect("it is written");
    }
    store.clean_up();
    let left = store.load();
    assert_eq!(left.len(), SEATS_MAX);
    let oldest = left.iter().map(|seat| seat.used).min();
    assert_eq!(oldest, u64::try_from(extra).ok());
}

#[test]
fn session_uses_its_own_seat_and_not_that_of_another_in_the_same_folder() {
    let seats = vec![seat(Side::Proposer, "s1"), seat(Side::Opponent, "s2")];
    for (session, role) in [("s1", Side::Proposer), ("s2", Side::Opponent)] {
        let choice = choice(Some(session), "/work/project", seats.clone());
        let picked = choice.pick(&SeatQuery::default()).expect("one fits");
        assert_eq!(picked.role, role);
        assert!(choice.is_default(picked));
    }
}

#[test]
fn session_without_a_seat_needs_a_role_to_use_the_seat_of_another() {
    let seats = vec![seat(Side::Proposer, "s1"), seat(Side::Opponent, "s2")];
    for session in [Some("s3"), None] {
        let choice = choice(session, "/work/project", seats.clone());
        let failure = choice.pick(&SeatQuery::default()).err().expect("no seat is used");
        let text = failure.to_string();
        assert!(text.contains("proposer of cache-the-index-k3f7"), "{text}");
        assert!(text.contains("opponent of cache-the-index-k3f7"), "{text}");
        let picked = choice.pick(&named(None, Some(Side::Opponent))).expect("the role picks one");
        assert_eq!(picked.session, "s2");
    }
    let elsewhere = choice(Some("s3"), "/work/other", seats);
    assert!(elsewhere.pick(&named(None, Some(Side::Opponent))).is_err());
}

#[test]
fn session_with_one_side_never_gets_the_seat_of_the_other() {
    let seats = vec![seat(Side::Proposer, "s1"), seat(Side::Opponent, "s2")];
    let opponent = choice(Some("s2"), "/work/project", seats);
    assert!(opponent.pick(&named(None, Some(Side::Proposer))).is_err());
    let url = BaseUrl::parse("http://localhost:3456").expect("it is one");
    assert!(opponent.find(DEBATE, Side::Proposer, &url).is_none());
    assert!(opponent.find(DEBATE, Side::Opponent, &url).is_some());
    assert!(opponent.find("019a0000", Side::Opponent, &url).is_some(), "by the beginning of an id");
    let other_port = BaseUrl::parse("http://localhost:3457").expect("it is one");
    assert!(opponent.find(DEBATE, Side::Opponent, &other_port).is_none());
}

#[test]
fn session_with_both_sides_must_name_a_role() {
    let seats = vec![seat(Side::Proposer, "s1"), seat(Side::Opponent, "s1")];
    let choice = choice(Some("s1"), "/work/project", seats);
    let failure = choice.pick(&SeatQuery::default()).err().expect("two fit");
    assert!(failure.to_string().contains("several seats"), "{failure}");
    for role in [Side::Proposer, Side::Opponent] {
        assert_eq!(choice.pick(&named(None, Some(role))).expect("it is named").role, role);
    }
}

#[test]
fn newest_debate_of_the_folder_is_the_default_and_a_name_selects_another() {
    let earlier = seat(Side::Opponent, "s1");
    let later = KeptSeat {
        debate: OTHER_DEBATE.to_owned(),
        slug: Some("drop-the-index-9x2a".to_owned()),
        role: Side::Proposer,
        joined: 2,
        ..seat(Side::Proposer, "s1")
    };
    let elsewhere = KeptSeat {
        folder: "/work/other".to_owned(),
        debate: "019a0000-0000-7000-8000-000000002222".to_owned(),
        joined: 3,
        ..earlier.clone()
    };
    let choice = choice(Some("s1"), "/work/project", vec![earlier, later, elsewhere]);
    let default = choice.pick(&SeatQuery::default()).expect("the newest of this folder");
    assert_eq!(default.debate, OTHER_DEBATE);
    let by_slug = choice.pick(&named(Some("cache-the-index-k3f7"), None));
    assert!(by_slug.is_err(), "two debates of the test share this slug");
    let by_id = choice.pick(&named(Some(DEBATE), None)).expect("it is named");
    assert_eq!(by_id.role, Side::Opponent);
    assert!(!choice.is_default(by_id));
}
