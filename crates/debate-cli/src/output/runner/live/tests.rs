//! Live output after lost connections, repeated attempts and interruptions.

use debate_wire::runner::{Actor, Delta, Status, StatusEvent, Turn};

use super::screen::{Screen, Size};
use super::turn_assembler::{DisplayUpdate, ShownText, TurnAssembler};
use super::{event_line, progress_message};
use crate::client::RunEvent;
use crate::output::runner::fixture::{judged, settings, turn};
use crate::output::text::TextStyle;

const PLAIN: TextStyle = TextStyle::PLAIN;

fn delta(round: u32, actor: Actor, attempt: u32, text: &str) -> RunEvent {
    RunEvent::Delta(Delta { round, actor, attempt, text: text.to_owned() })
}

fn saved(turn: Turn) -> RunEvent {
    RunEvent::Turn(Box::new(turn))
}

fn status(status: Status, last_error: Option<&str>) -> StatusEvent {
    StatusEvent {
        status,
        next_round: 1,
        next_actor: Actor::DebaterA,
        stop_reason: None,
        last_error: last_error.map(str::to_owned),
        completed_rounds: 0,
        spent_tokens: 0,
        ran_seconds: 0,
    }
}

/// The updates in short form.
fn describe(steps: &[DisplayUpdate]) -> Vec<String> {
    let short = |step: &DisplayUpdate| match step {
        DisplayUpdate::TurnStarted(position) => {
            format!("begins {} {:?}", position.round, position.actor())
        }
        DisplayUpdate::Text(delta) => format!("says {}", delta.text),
        DisplayUpdate::Discarded => "voided".to_owned(),
        DisplayUpdate::Turn(turn, shown) => format!("turn {} {shown:?}", turn.seq),
        DisplayUpdate::Status(status) => {
            format!("stands {:?} {:?}", status.status, status.last_error)
        }
    };
    steps.iter().map(short).collect()
}

fn apply(assembler: &mut TurnAssembler, events: impl IntoIterator<Item = RunEvent>) -> Vec<String> {
    let steps: Vec<_> = events.into_iter().flat_map(|event| assembler.apply(event)).collect();
    describe(&steps)
}

#[test]
fn answer_is_printed_in_parts_and_confirmed_by_its_turn() {
    let mut assembler = TurnAssembler::default();
    let updates = apply(
        &mut assembler,
        [
            delta(1, Actor::DebaterA, 1, "Tabs "),
            delta(1, Actor::DebaterA, 1, "adapt."),
            saved(turn(1, 1, Actor::DebaterA, "Tabs adapt.")),
            // A late part of a saved turn is ignored.
            delta(1, Actor::DebaterA, 1, "Tabs adapt."),
            delta(1, Actor::DebaterB, 1, "No."),
        ],
    );
    let expected =
        ["begins 1 DebaterA", "says Tabs ", "says adapt.", "turn 1 All", "begins 1 DebaterB"];
    assert_eq!(updates, [&expected[..], &["says No."]].concat());
}

#[test]
fn reconnect_repeats_and_omits_nothing() {
    let mut assembler = TurnAssembler::default();
    let first = turn(1, 1, Actor::DebaterA, "Tabs adapt.");
    apply(&mut assembler, [saved(first.clone()), delta(1, Actor::DebaterB, 1, "Spaces ")]);
    assert_eq!(assembler.last_turn_id(), Some(first.id.as_str()));
    assembler.reconnect();
    let second = turn(2, 1, Actor::DebaterB, "Spaces are the same.");
    let updates = apply(
        &mut assembler,
        [
            saved(first),
            delta(1, Actor::DebaterB, 1, "Spaces are "),
            delta(1, Actor::DebaterB, 1, "the same."),
            saved(second.clone()),
            saved(second),
        ],
    );
    assert_eq!(updates, ["says are ", "says the same.", "turn 2 All"]);
}

#[test]
fn second_attempt_discards_the_text_of_the_first() {
    let mut assembler = TurnAssembler::default();
    let updates = apply(
        &mut assembler,
        [
            delta(1, Actor::DebaterA, 1, "Tabs are"),
            delta(1, Actor::DebaterA, 2, "Tabs "),
            delta(1, Actor::DebaterA, 1, " late"),
            delta(1, Actor::DebaterA, 2, "adapt."),
            saved(turn(1, 1, Actor::DebaterA, "Tabs adapt.")),
        ],
    );
    let begun = ["begins 1 DebaterA", "says Tabs are", "voided", "begins 1 DebaterA", "says Tabs "];
    assert_eq!(updates, [&begun[..], &["says adapt.", "turn 1 All"]].concat());
}

#[test]
fn answer_that_restarts_after_a_reconnect_discards_the_old_text() {
    let mut assembler = TurnAssembler::default();
    apply(&mut assembler, [delta(1, Actor::DebaterA, 1, "Tabs are")]);
    assembler.reconnect();
    let updates = apply(&mut assembler, [delta(1, Actor::DebaterA, 1, "Spa")]);
    assert_eq!(updates, ["voided", "begins 1 DebaterA", "says Spa"]);
}

#[test]
fn saved_turn_that_differs_from_its_parts_is_printed_completely() {
    let mut assembler = TurnAssembler::default();
    let updates = apply(
        &mut assembler,
        [
            delta(1, Actor::Judge, 1, "{\"winner\":"),
            saved(judged(3, 1, debate_wire::runner::Winner::A, true)),
            saved(turn(4, 2, Actor::DebaterA, "And besides")),
        ],
    );
    let expected = ["begins 1 Judge", "says {\"winner\":", "turn 3 Different", "turn 4 None"];
    assert_eq!(updates, expected);
}

#[test]
fn stream_reset_prints_the_run_again() {
    let mut assembler = TurnAssembler::default();
    let first = turn(1, 1, Actor::DebaterA, "Tabs adapt.");
    apply(&mut assembler, [saved(first.clone())]);
    assert_eq!(apply(&mut assembler, [RunEvent::Reset, saved(first)]), ["turn 1 None"]);
}

#[test]
fn status_is_printed_only_when_it_changes() {
    let mut assembler = TurnAssembler::default();
    let busy = Some("the provider is busy");
    let events = [(Status::Running, None), (Status::Running, None), (Status::Running, busy)];
    let events = events.into_iter().chain([(Status::Running, busy), (Status::Stopped, None)]);
    let updates =
        apply(&mut assembler, events.map(|(to, error)| RunEvent::Status(status(to, error))));
    let expected = [
        "stands Running None",
        "stands Running Some(\"the provider is busy\")",
        "stands Stopped None",
    ];
    assert_eq!(updates, expected);
}

#[test]
fn status_change_has_a_progress_message_only_before_the_end() {
    let message = |to, error| progress_message(&status(to, error));
    assert_eq!(message(Status::Running, None), None);
    let busy = message(Status::Running, Some("busy")).expect("it is said");
    assert_eq!(busy, "retrying after an error: busy");
    assert!(message(Status::Created, None).is_some() && message(Status::Stopping, None).is_some());
    assert_eq!(message(Status::Failed, Some("busy")), None, "it is told at the end");
}

/// The rows of a terminal after this output.
fn terminal_rows(written: &str) -> Vec<String> {
    let (mut rows, mut row) = (vec![String::new()], 0_usize);
    let mut rest = written.chars().peekable();
    let mut column = 0_usize;
    while let Some(c) = rest.next() {
        match c {
            '\r' => column = 0,
            '\n' => {
                (row, column) = (row + 1, 0);
                if row == rows.len() {
                    rows.push(String::new());
                }
            }
            '\u{1b}' => {
                assert_eq!(rest.next(), Some('['));
                let mut number = String::new();
                let verb = loop {
                    match rest.next().expect("a sequence ends") {
                        digit @ ('0'..='9' | ';') => number.push(digit),
                        verb => break verb,
                    }
                };
                match verb {
                    'A' => row -= number.parse::<usize>().expect("so many rows up"),
                    'J' => {
                        rows.truncate(row + 1);
                        rows[row] = rows[row].chars().take(column).collect();
                    }
                    'm' => {}
                    other => panic!("ESC [ {other}"),
                }
            }
            other => {
                assert_eq!(rows[row].chars().count(), column, "nothing is written over");
                rows[row].push(other);
                column += 1;
            }
        }
    }
    rows
}

const SIZE: Size = Size { columns: 30, rows: 10 };

#[test]
fn answer_grows_above_the_progress_and_stays_when_complete() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.progress("round 1 of 5".to_owned());
    written += &screen.begin("Round 1 · debater A\n", 19);
    for piece in ["Tabs adapt to whoever", " reads them, and ", "that is all."] {
        written += &screen.add_text(piece);
    }
    let growing = ["Round 1 · debater A", "  Tabs adapt to whoever reads"];
    assert_eq!(
        terminal_rows(&written),
        [&growing[..], &["  them, and that is all.", "round 1 of 5"]].concat()
    );
    written += &screen.confirm("  12 tokens\n\n");
    written += &screen.wipe();
    let kept = ["  them, and that is all.", "  12 tokens", "", ""];
    assert_eq!(terminal_rows(&written), [&growing[..], &kept[..]].concat());
}

#[test]
fn discarded_answer_is_removed_while_it_is_visible() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.print("The topic\n");
    written += &screen.progress("round 1 of 5".to_owned());
    written += &screen.begin("Round 1\n", 7);
    written += &screen.add_text("Tabs adapt to whoever reads them.");
    written += &screen.discard("  It was broken off.\n");
    assert_eq!(terminal_rows(&written), ["The topic", "round 1 of 5"]);
    written += &screen.begin("Round 1\n", 7);
    written += &screen.add_text(&"Tabs adapt to whoever reads. ".repeat(9));
    written += &screen.discard("  It was broken off.\n");
    let kept = terminal_rows(&written);
    assert!(kept.contains(&"  It was broken off.".to_owned()), "what is out of sight: {kept:?}");
}

#[test]
fn answer_interrupted_by_other_output_is_not_removed() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.begin("Round 1\n", 7);
    written += &screen.add_text("Tabs adapt to whoever reads them and");
    written += &screen.interrupt();
    written += "aw: trying again\n";
    written += &screen.add_text(" more");
    let going_on = ["Round 1", "  Tabs adapt to whoever reads", "aw: trying again"];
    assert_eq!(terminal_rows(&written), [&going_on[..], &["  them and more"]].concat());
    written += &screen.discard("  It was broken off.\n");
    let voided = ["  them and more", "  It was broken off.", ""];
    assert_eq!(terminal_rows(&written), [&going_on[..], &voided].concat());
}

#[test]
fn close_leaves_no_incomplete_row() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.progress("round 1 of 5".to_owned());
    written += &screen.begin("Round 1\n", 7);
    written += &screen.add_text("Tabs");
    written += &screen.close();
    assert_eq!(terminal_rows(&written), ["Round 1", "  Tabs", "", ""]);
}

#[test]
fn turn_is_wrapped_to_the_terminal_width() {
    let content = "Tabs adapt to whoever reads them, and \u{1b}[2Jthat is all there is to it.";
    let style = TextStyle { width: Some(SIZE.columns), ..PLAIN };
    let saved = turn(1, 1, Actor::DebaterA, content);
    let shown = crate::output::runner::text::turn(&settings("demo:x"), &saved, style);
    assert!(shown.lines().skip(1).all(|row| row.chars().count() < 30), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.contains("␛[2Jthat"), "{shown}");
}

#[test]
fn json_event_is_one_line() {
    let turn = turn(1, 1, Actor::DebaterA, "Two\nlines\u{9b}31m");
    let line = event_line(&super::Moment::Turn(Box::new(turn)));
    assert_eq!(line.matches('\n').count(), 1);
    let value: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!(value["content"][0]["data"]["event"], "turn");
    assert_eq!(value["content"][0]["data"]["seq"], 1);
    assert!(!line.contains('\u{9b}'), "{line:?}");
}

#[test]
fn surrounding_space_does_not_make_a_turn_different() {
    let mut assembler = TurnAssembler::default();
    assembler.apply(delta(1, Actor::DebaterA, 1, "\nTabs adapt. \n"));
    let steps = assembler.apply(saved(turn(1, 1, Actor::DebaterA, "Tabs adapt.")));
    assert!(matches!(steps.as_slice(), [DisplayUpdate::Turn(_, ShownText::All)]), "{steps:?}");
}
