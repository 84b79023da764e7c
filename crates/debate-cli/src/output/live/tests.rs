//! What is shown of a debate that is followed, whatever happens to the connection and the answers.

use debate_wire::runner::{Actor, Delta, Status, StatusEvent, Turn};

use super::screen::{Screen, Size};
use super::stage::{Heard, Stage, Step};
use super::{broken, moment, remark};
use crate::client::RunEvent;
use crate::output::runs::fixture::{judged, settings, turn};
use crate::output::text::Paint;

const PLAIN: Paint = Paint { on: false };

fn delta(round: u32, actor: Actor, attempt: u32, text: &str) -> RunEvent {
    RunEvent::Delta(Delta { round, actor, attempt, text: text.to_owned() })
}

fn said(turn: Turn) -> RunEvent {
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

/// The steps in short.
fn told(steps: &[Step]) -> Vec<String> {
    let short = |step: &Step| match step {
        Step::Begins(place) => format!("begins {} {:?}", place.round, place.actor()),
        Step::Says(delta) => format!("says {}", delta.text),
        Step::Voided => "voided".to_owned(),
        Step::Turn(turn, heard) => format!("turn {} {heard:?}", turn.seq),
        Step::Stands(status) => format!("stands {:?} {:?}", status.status, status.last_error),
    };
    steps.iter().map(short).collect()
}

fn hear(stage: &mut Stage, events: impl IntoIterator<Item = RunEvent>) -> Vec<String> {
    let steps: Vec<_> = events.into_iter().flat_map(|event| stage.hear(event)).collect();
    told(&steps)
}

#[test]
fn an_answer_is_heard_piece_by_piece_and_confirmed_by_its_turn() {
    let mut stage = Stage::default();
    let heard = hear(
        &mut stage,
        [
            delta(1, Actor::DebaterA, 1, "Tabs "),
            delta(1, Actor::DebaterA, 1, "adapt."),
            said(turn(1, 1, Actor::DebaterA, "Tabs adapt.")),
            // What is left of it comes too late.
            delta(1, Actor::DebaterA, 1, "Tabs adapt."),
            delta(1, Actor::DebaterB, 1, "No."),
        ],
    );
    let expected =
        ["begins 1 DebaterA", "says Tabs ", "says adapt.", "turn 1 Whole", "begins 1 DebaterB"];
    assert_eq!(heard, [&expected[..], &["says No."]].concat());
}

#[test]
fn after_a_reconnect_nothing_is_shown_twice_and_nothing_is_left_out() {
    let mut stage = Stage::default();
    let first = turn(1, 1, Actor::DebaterA, "Tabs adapt.");
    hear(&mut stage, [said(first.clone()), delta(1, Actor::DebaterB, 1, "Spaces ")]);
    assert_eq!(stage.position(), Some(first.id.as_str()));
    stage.reconnected();
    let second = turn(2, 1, Actor::DebaterB, "Spaces are the same.");
    let heard = hear(
        &mut stage,
        [
            said(first),
            delta(1, Actor::DebaterB, 1, "Spaces are "),
            delta(1, Actor::DebaterB, 1, "the same."),
            said(second.clone()),
            said(second),
        ],
    );
    assert_eq!(heard, ["says are ", "says the same.", "turn 2 Whole"]);
}

#[test]
fn a_second_try_voids_what_the_first_one_said() {
    let mut stage = Stage::default();
    let heard = hear(
        &mut stage,
        [
            delta(1, Actor::DebaterA, 1, "Tabs are"),
            delta(1, Actor::DebaterA, 2, "Tabs "),
            delta(1, Actor::DebaterA, 1, " late"),
            delta(1, Actor::DebaterA, 2, "adapt."),
            said(turn(1, 1, Actor::DebaterA, "Tabs adapt.")),
        ],
    );
    let begun = ["begins 1 DebaterA", "says Tabs are", "voided", "begins 1 DebaterA", "says Tabs "];
    assert_eq!(heard, [&begun[..], &["says adapt.", "turn 1 Whole"]].concat());
}

#[test]
fn an_answer_that_begins_anew_after_a_reconnect_voids_the_old_one() {
    let mut stage = Stage::default();
    hear(&mut stage, [delta(1, Actor::DebaterA, 1, "Tabs are")]);
    stage.reconnected();
    let heard = hear(&mut stage, [delta(1, Actor::DebaterA, 1, "Spa")]);
    assert_eq!(heard, ["voided", "begins 1 DebaterA", "says Spa"]);
}

#[test]
fn a_turn_that_reads_otherwise_than_it_was_heard_is_shown_whole() {
    let mut stage = Stage::default();
    let heard = hear(
        &mut stage,
        [
            delta(1, Actor::Judge, 1, "{\"winner\":"),
            said(judged(3, 1, debate_wire::runner::Winner::A, true)),
            said(turn(4, 2, Actor::DebaterA, "And besides")),
        ],
    );
    let expected = ["begins 1 Judge", "says {\"winner\":", "turn 3 Otherwise", "turn 4 Nothing"];
    assert_eq!(heard, expected);
}

#[test]
fn a_debate_that_begins_anew_is_shown_anew() {
    let mut stage = Stage::default();
    let first = turn(1, 1, Actor::DebaterA, "Tabs adapt.");
    hear(&mut stage, [said(first.clone())]);
    assert_eq!(hear(&mut stage, [RunEvent::Reset, said(first)]), ["turn 1 Nothing"]);
}

#[test]
fn where_it_stands_is_told_when_it_changes() {
    let mut stage = Stage::default();
    let busy = Some("the provider is busy");
    let events = [(Status::Running, None), (Status::Running, None), (Status::Running, busy)];
    let events = events.into_iter().chain([(Status::Running, busy), (Status::Stopped, None)]);
    let heard = hear(&mut stage, events.map(|(to, error)| RunEvent::Status(status(to, error))));
    let expected = [
        "stands Running None",
        "stands Running Some(\"the provider is busy\")",
        "stands Stopped None",
    ];
    assert_eq!(heard, expected);
}

#[test]
fn what_went_wrong_is_worth_a_remark() {
    let told = |to, error| remark(&status(to, error));
    assert_eq!(told(Status::Running, None), None);
    let busy = told(Status::Running, Some("busy")).expect("it is said");
    assert_eq!(busy, "retrying after an error: busy");
    assert!(told(Status::Created, None).is_some() && told(Status::Stopping, None).is_some());
    assert_eq!(told(Status::Failed, Some("busy")), None, "it is told at the end");
}

/// As much of a terminal as is used: what it shows after all that was written to it.
fn seen(written: &str) -> Vec<String> {
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
fn an_answer_grows_above_the_progress_and_stays_when_it_is_whole() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.progress("round 1 of 5".to_owned());
    written += &screen.begin("Round 1 · debater A\n", 19);
    for piece in ["Tabs adapt to whoever", " reads them, and ", "that is all."] {
        written += &screen.say(piece);
    }
    let growing = ["Round 1 · debater A", "  Tabs adapt to whoever reads"];
    assert_eq!(
        seen(&written),
        [&growing[..], &["  them, and that is all.", "round 1 of 5"]].concat()
    );
    written += &screen.confirm("  12 tokens\n\n");
    written += &screen.wipe();
    let kept = ["  them, and that is all.", "  12 tokens", "", ""];
    assert_eq!(seen(&written), [&growing[..], &kept[..]].concat());
}

#[test]
fn an_answer_that_does_not_count_is_taken_back_while_it_is_in_sight() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.print("The topic\n");
    written += &screen.progress("round 1 of 5".to_owned());
    written += &screen.begin("Round 1\n", 7);
    written += &screen.say("Tabs adapt to whoever reads them.");
    written += &screen.void("  It was broken off.\n");
    assert_eq!(seen(&written), ["The topic", "round 1 of 5"]);
    written += &screen.begin("Round 1\n", 7);
    written += &screen.say(&"Tabs adapt to whoever reads. ".repeat(9));
    written += &screen.void("  It was broken off.\n");
    let kept = seen(&written);
    assert!(kept.contains(&"  It was broken off.".to_owned()), "what is out of sight: {kept:?}");
}

#[test]
fn an_answer_goes_on_below_what_others_wrote_and_is_not_taken_back_over_it() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.begin("Round 1\n", 7);
    written += &screen.say("Tabs adapt to whoever reads them and");
    written += &screen.make_way();
    written += "aw: trying again\n";
    written += &screen.say(" more");
    let going_on = ["Round 1", "  Tabs adapt to whoever reads", "aw: trying again"];
    assert_eq!(seen(&written), [&going_on[..], &["  them and more"]].concat());
    written += &screen.void("  It was broken off.\n");
    let voided = ["  them and more", "  It was broken off.", ""];
    assert_eq!(seen(&written), [&going_on[..], &voided].concat());
}

#[test]
fn whoever_leaves_leaves_no_half_row() {
    let mut screen = Screen::new(SIZE);
    let mut written = screen.progress("round 1 of 5".to_owned());
    written += &screen.begin("Round 1\n", 7);
    written += &screen.say("Tabs");
    written += &screen.leave();
    assert_eq!(seen(&written), ["Round 1", "  Tabs", "", ""]);
}

#[test]
fn a_turn_is_broken_into_rows_that_fit() {
    let content = "Tabs adapt to whoever reads them, and \u{1b}[2Jthat is all there is to it.";
    let shown = broken(&settings("demo:x"), &turn(1, 1, Actor::DebaterA, content), SIZE, PLAIN);
    assert!(shown.lines().skip(1).all(|row| row.chars().count() < 30), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.contains("␛[2Jthat"), "{shown}");
}

#[test]
fn one_line_is_one_event() {
    let turn = turn(1, 1, Actor::DebaterA, "Two\nlines\u{9b}31m");
    let line = moment(&super::Moment::Turn(Box::new(turn)));
    assert_eq!(line.matches('\n').count(), 1);
    let value: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!(value["content"][0]["data"]["event"], "turn");
    assert_eq!(value["content"][0]["data"]["seq"], 1);
    assert!(!line.contains('\u{9b}'), "{line:?}");
}

#[test]
fn heard_whole_is_whatever_was_said_but_for_the_space_around_it() {
    let mut stage = Stage::default();
    stage.hear(delta(1, Actor::DebaterA, 1, "\nTabs adapt. \n"));
    let steps = stage.hear(said(turn(1, 1, Actor::DebaterA, "Tabs adapt.")));
    assert!(matches!(steps.as_slice(), [Step::Turn(_, Heard::Whole)]), "{steps:?}");
}
