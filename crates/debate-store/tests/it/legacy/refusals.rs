//! Databases that cannot be migrated without loss are refused unchanged, with every bad row listed.

use std::fs;

use debate_core::OriginalId;
use debate_store::OpenError;

use super::fixture::{Layout, closed_file, file_in_use, id_at, story};
use crate::sqlite::temp_database::TempDatabase;
use crate::support::debate_id;

/// Damages a valid file and returns the message of its refusal.
fn refusal_after(layout: Layout, damage: &str) -> String {
    let folder = closed_file(layout, &story());
    let conn = folder.writable_connection();
    conn.execute_batch("pragma foreign_keys = off").expect("it can be put off");
    conn.execute_batch(damage).expect("the damage can be done");
    drop(conn);
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::LossyMigration(_)), "{damage}: {refusal:?}");
    refusal.to_string()
}

/// Damages both schemas in the same way, and expects both refusals to name the row and the reason.
fn assert_refused(damage: &str, row: &str, reason: &str) {
    for layout in Layout::BOTH {
        let refusal = refusal_after(layout, damage);
        assert!(refusal.contains(row), "{layout:?}, {damage}: {refusal}");
        assert!(refusal.contains(reason), "{layout:?}, {damage}: {refusal}");
    }
}

fn debate(number: u32) -> String {
    format!("debates row {}", debate_id(number))
}

fn argument(number: u32, seq: u32) -> String {
    format!("arguments row {}", id_at(number, seq))
}

/// `damage` applied to the argument at a position.
fn at(number: u32, seq: u32, damage: &str) -> String {
    format!("update arguments set {damage} where id = '{}'", id_at(number, seq))
}

#[test]
fn id_that_can_not_be_used_in_a_request_is_refused_with_its_value() {
    for id in ["", " ", "a\nb", &"x".repeat(513)] {
        let shown: String = id.chars().take(9).flat_map(char::escape_debug).collect();
        let damage = at(3, 2, &format!("id = '{id}'"));
        assert_refused(&damage, "arguments row", &format!(": id \"{shown}"));
        let damage = at(3, 2, &format!("parent_id = '{id}'"));
        assert_refused(&damage, &argument(3, 2), &format!(": parent_id \"{shown}"));
    }
}

#[test]
fn original_id_whose_uuid_is_another_rows_id_is_refused() {
    let derived = OriginalId::new("arg-2").expect("it is an id").to_argument_id();
    let damage = [at(3, 2, "id = 'arg-2'"), at(3, 3, &format!("id = '{derived}'"))].join(";");
    assert_refused(&damage, &format!("arguments row {derived}"), "same id");
}

#[test]
fn debate_without_a_type_is_refused() {
    let damage = format!(
        "pragma writable_schema = on;
         update sqlite_schema set sql = replace(replace(sql, '\"debate_type\" TEXT NOT NULL',
             '\"debate_type\" TEXT'), 'debate_type TEXT NOT NULL', 'debate_type TEXT')
         where name = 'debates';
         pragma writable_schema = reset;
         update debates set debate_type = null where id = '{}'",
        debate_id(6)
    );
    assert_refused(&damage, &debate(6), "debate_type is null");
}

#[test]
fn two_arguments_with_one_request_id_are_refused() {
    let shared = at(6, 2, "client_request_id = 'open'");
    let damage = format!("drop index arguments_debate_id_client_request_id_key; {shared}");
    let refusal = refusal_after(Layout::Prisma, &damage);
    assert!(refusal.contains(&argument(6, 2)), "{refusal}");
    assert!(refusal.contains("client_request_id \"open\""), "{refusal}");
}

#[test]
fn gap_in_the_sequence_is_refused() {
    let gap = format!("delete from arguments where id = '{}'", id_at(3, 2));
    assert_refused(&gap, &argument(3, 3), "seq is 3, expected 2");
    assert_refused(&at(3, 4, "seq = 5"), &argument(3, 4), "seq is 5, expected 4");
    assert_refused(&at(4, 1, "seq = 0"), &argument(4, 1), "seq is 0, expected 1");
}

#[test]
fn state_that_differs_from_the_replay_is_refused() {
    for (number, state) in [(7, "AWAITING_PROPOSER"), (2, "CLOSED"), (5, "AWAITING_OPPONENT")] {
        let id = debate_id(number);
        let damage = format!("update debates set state = '{state}' where id = '{id}'");
        assert_refused(&damage, &debate(number), &format!("the stored state is {state}"));
    }
}

#[test]
fn argument_without_a_debate_is_refused() {
    let orphan = "insert into arguments
             (id, debate_id, type, role, content, client_request_id, seq, created_at)
         values ('00000000-0000-0000-0000-000000000bad', '00000000-0000-0000-0000-00000000dead',
                 'MOTION', 'proposer', 'Anyone?', 'open', 1, '2026-02-07 05:32:50')";
    let row = "arguments row 00000000-0000-0000-0000-000000000bad";
    let debate = "the debate \"00000000-0000-0000-0000-00000000dead\" does not exist";
    assert_refused(orphan, row, debate);
}

#[test]
fn debate_without_arguments_is_refused() {
    let damage = format!("delete from arguments where debate_id = '{}'", debate_id(2));
    assert_refused(&damage, &debate(2), "the replayed state is none");
}

#[test]
fn argument_that_the_rules_forbid_is_refused() {
    let twice = at(7, 3, "role = 'opponent'");
    assert_refused(&twice, &argument(7, 3), "the opponent cannot submit_claim");
    let unsolicited = at(7, 3, "type = 'RULING', role = 'arbitrator'");
    assert_refused(&unsolicited, &argument(7, 3), "the arbitrator cannot submit_ruling");
    for impossible in [
        at(7, 3, "type = 'APPEAL', role = 'opponent'"),
        at(7, 3, "type = 'CLAIM', role = 'arbitrator'"),
        at(7, 3, "type = 'INTERVENTION'"),
        at(7, 3, "type = 'MOTION'"),
    ] {
        assert_refused(&impossible, &argument(7, 3), "the rules do not allow a");
    }
    assert_refused(&at(7, 1, "type = 'CLAIM'"), &argument(7, 1), "the rules do not allow a");
    assert_refused(&at(7, 1, "role = 'opponent'"), &argument(7, 1), "the rules do not allow a");
}

#[test]
fn argument_after_the_close_is_refused() {
    let damage = format!(
        "insert into arguments (id, debate_id, type, role, content, seq, created_at)
         select '{}', debate_id, 'CLAIM', 'opponent', 'One more thing', 5, created_at
         from arguments where id = '{}'",
        id_at(5, 5),
        id_at(5, 4)
    );
    for layout in Layout::BOTH {
        let refusal = refusal_after(layout, &damage);
        assert!(refusal.contains(&argument(5, 5)), "{refusal}");
    }
}

#[test]
fn unknown_enum_name_is_refused() {
    let of_debate =
        |damage: &str| format!("update debates set {damage} where id = '{}'", debate_id(6));
    assert_refused(&of_debate("state = 'ARCHIVED'"), &debate(6), "unknown state \"ARCHIVED\"");
    assert_refused(&at(6, 2, "type = 'REBUTTAL'"), &argument(6, 2), "unknown type \"REBUTTAL\"");
    assert_refused(&at(6, 2, "role = 'judge'"), &argument(6, 2), "unknown role \"judge\"");
}

#[test]
fn invalid_time_is_refused() {
    assert_refused(
        &at(6, 2, "created_at = 'yesterday'"),
        &argument(6, 2),
        "not a valid time: \"yesterday\"",
    );
    for column in ["created_at", "updated_at"] {
        let damage = format!("update debates set {column} = '' where id = '{}'", debate_id(6));
        assert_refused(&damage, &debate(6), "not a valid time");
    }
}

#[test]
fn every_refused_row_is_listed_with_its_value() {
    let damage = [
        at(6, 2, "type = 'REBUTTAL', role = 'judge'"),
        at(4, 2, "created_at = 'soon'"),
        at(5, 3, "seq = 7"),
        format!("update debates set state = 'LOST' where id = '{}'", debate_id(2)),
        "insert into arguments (id, debate_id, type, role, content, seq, created_at)
         values ('stray', 'nowhere', 'MOTION', 'proposer', '', 1, '2026-02-07 05:32:50')"
            .to_owned(),
        "create view open_debates as select id from debates".to_owned(),
    ];
    for layout in Layout::BOTH {
        let refusal = refusal_after(layout, &damage.join(";"));
        for listed in [
            format!("{}: unknown type \"REBUTTAL\"", argument(6, 2)),
            format!("{}: unknown role \"judge\"", argument(6, 2)),
            format!("{}: created_at is not a valid time: \"soon\"", argument(4, 2)),
            format!("{}: seq is 4, expected 3", argument(5, 4)),
            format!("{}: unknown state \"LOST\"", debate(2)),
            "arguments row stray: the debate \"nowhere\" does not exist".to_owned(),
            "row open_debates: a view or trigger, which would be lost".to_owned(),
        ] {
            assert!(refusal.contains(&listed), "{layout:?}, {listed}: {refusal}");
        }
        assert!(refusal.contains("7 rows"), "{refusal}");
    }
}

/// Ids that differ only in case are different in the original server and equal here.
#[test]
fn debates_that_would_get_one_id_are_refused() {
    let id = "abcdefab-0000-4000-8000-00000000000a";
    let twin = |id: &str, motion: &str| {
        format!(
            "insert into debates (id, title, debate_type, state, created_at, updated_at)
             values ('{id}', 'Twin', 'general_debate', 'AWAITING_OPPONENT',
                     '2026-02-07 05:32:50', '2026-02-07 05:32:50');
             insert into arguments (id, debate_id, type, role, content, seq, created_at)
             values ('{motion}', '{id}', 'MOTION', 'proposer', 'Me too', 1,
                     '2026-02-07 05:32:50');"
        )
    };
    let first = twin(&id.to_uppercase(), "abcdefab-0000-4000-8000-000000000001");
    let second = twin(id, "abcdefab-0000-4000-8000-000000000002");
    assert_refused(&[first, second].concat(), &format!("debates row {id}"), "");
}

/// Bytes that are not text cannot be stored as they are.
#[test]
fn content_that_is_not_text_is_refused() {
    let no_text = at(6, 2, "content = cast(x'fffe00' as text)");
    assert_refused(&no_text, &argument(6, 2), "");
}

#[test]
fn refused_file_of_a_killed_server_keeps_its_log() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    let conn = file_in_use(&folder, Layout::Express, &story());
    conn.execute_batch(&at(6, 2, "type = 'REBUTTAL'")).unwrap();
    for end in ["", "-wal"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
    }
    drop(conn);
    let log = fs::read(found.beside("-wal")).unwrap();
    let refusal = found.refusal();
    assert!(refusal.to_string().contains(&argument(6, 2)), "{refusal}");
    assert!(fs::read(found.beside("-wal")).unwrap() == log);
}

#[test]
fn unknown_columns_and_triggers_are_refused() {
    let column = "alter table debates add column mood text";
    assert_refused(column, "debates row mood", "unknown column; its values would be lost");
    let view = "create view open_debates as select id from debates";
    assert_refused(view, "row open_debates", "a view or trigger, which would be lost");
    let trigger = "create trigger watch after insert on arguments begin select 1; end";
    assert_refused(trigger, "row watch", "a view or trigger, which would be lost");
}
