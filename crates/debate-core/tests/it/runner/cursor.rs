//! Cursor positions as listed in the contract.

use debate_core::runner::{
    Actor, Cursor, CursorRepair, JudgeMode, Round, closing_cursor, completed_rounds, next_cursor,
};

use super::support::cursor_at;
use Actor::{DebaterA, DebaterB, Judge};
use JudgeMode::{End, Round as EachRound};

#[test]
fn run_begins_with_debater_a_in_round_one() {
    assert_eq!(Cursor::START, cursor_at(1, DebaterA));
    assert_eq!(next_cursor(None, EachRound), Cursor::START);
    assert_eq!(next_cursor(None, End), Cursor::START);
}

#[test]
fn cursor_after_every_turn_follows_the_contract() {
    let table = [
        (EachRound, cursor_at(1, DebaterA), cursor_at(1, DebaterB)),
        (EachRound, cursor_at(2, DebaterB), cursor_at(2, Judge)),
        (EachRound, cursor_at(3, Judge), cursor_at(4, DebaterA)),
        (End, cursor_at(1, DebaterA), cursor_at(1, DebaterB)),
        (End, cursor_at(2, DebaterB), cursor_at(3, DebaterA)),
        (End, cursor_at(3, Judge), cursor_at(4, DebaterA)),
    ];
    for (mode, last, expected) in table {
        assert_eq!(last.after(mode), expected, "{mode:?} after {last:?}");
        assert_eq!(next_cursor(Some(last), mode), expected, "{mode:?} from {last:?}");
    }
}

#[test]
fn final_judge_has_the_round_of_the_last_turn() {
    assert_eq!(closing_cursor(None), cursor_at(1, Judge));
    assert_eq!(closing_cursor(Some(cursor_at(1, DebaterA))), cursor_at(1, Judge));
    assert_eq!(closing_cursor(Some(cursor_at(3, DebaterB))), cursor_at(3, Judge));
}

#[test]
fn round_is_complete_with_its_judge_or_in_end_mode_with_debater_b() {
    let two_and_a_half = [
        cursor_at(1, DebaterA),
        cursor_at(1, DebaterB),
        cursor_at(1, Judge),
        cursor_at(2, DebaterA),
        cursor_at(2, DebaterB),
    ];
    assert_eq!(completed_rounds(two_and_a_half, EachRound), 1);
    assert_eq!(completed_rounds(two_and_a_half, End), 2);
    assert_eq!(completed_rounds([], EachRound), 0);
    assert_eq!(completed_rounds([cursor_at(1, DebaterA)], End), 0);
}

#[test]
fn cursor_is_repaired_exactly_when_turns_contradict_it() {
    let rounds = [1, 2, 3];
    let cursors: Vec<Cursor> = rounds
        .into_iter()
        .flat_map(|round| Actor::ALL.map(|actor| cursor_at(round, actor)))
        .collect();
    for mode in JudgeMode::ALL {
        for last in cursors.iter().copied().map(Some).chain([None]) {
            let right = next_cursor(last, mode);
            for &stored in &cursors {
                let judge_is_due = mode == End
                    && last.is_none_or(|last| last.actor != Judge)
                    && stored == cursor_at(last.map_or(1, |last| last.round.number()), Judge);
                let expected = (stored != right && !judge_is_due)
                    .then_some(CursorRepair { stored, from_turns: right });
                assert_eq!(
                    CursorRepair::detect(stored, last, mode),
                    expected,
                    "{stored:?} {last:?}"
                );
            }
        }
    }
    let astray =
        CursorRepair::detect(cursor_at(2, DebaterA), Some(cursor_at(2, DebaterB)), EachRound);
    let expected = CursorRepair { stored: cursor_at(2, DebaterA), from_turns: cursor_at(2, Judge) };
    assert_eq!(astray, Some(expected));
}

#[test]
fn round_zero_is_refused() {
    assert_eq!(Round::new(0), None);
    assert_eq!(Round::new(1), Some(Round::FIRST));
    assert_eq!(Round::FIRST.next().number(), 2);
    let last = Round::new(u32::MAX).expect("it is not 0");
    assert_eq!(last.next(), last);
}

#[test]
fn actor_and_mode_names_follow_the_contract_and_are_parsed_back() {
    let actors = ["debater_a", "debater_b", "judge"];
    assert_eq!(Actor::ALL.map(Actor::name), actors);
    assert_eq!(Actor::ALL.map(|actor| actor.to_string()), actors);
    assert_eq!(actors.map(Actor::from_name), Actor::ALL.map(Some));
    assert_eq!(Actor::from_name("Judge"), None);

    let modes = ["round", "end"];
    assert_eq!(JudgeMode::ALL.map(JudgeMode::name), modes);
    assert_eq!(modes.map(JudgeMode::from_name), JudgeMode::ALL.map(Some));
    assert_eq!(JudgeMode::from_name("End"), None);
}
