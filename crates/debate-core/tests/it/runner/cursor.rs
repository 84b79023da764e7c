//! The cursor's vectors, as the contract lists them.

use debate_core::runner::{
    Actor, Cursor, CursorRepair, JudgeMode, Round, closing_cursor, completed_rounds, next_cursor,
};

use super::support::place;
use Actor::{DebaterA, DebaterB, Judge};
use JudgeMode::{End, Round as EachRound};

#[test]
fn a_debate_begins_with_debater_a_in_round_one() {
    assert_eq!(Cursor::START, place(1, DebaterA));
    assert_eq!(next_cursor(None, EachRound), Cursor::START);
    assert_eq!(next_cursor(None, End), Cursor::START);
}

#[test]
fn after_every_turn_the_cursor_stands_where_the_contract_says() {
    let table = [
        (EachRound, place(1, DebaterA), place(1, DebaterB)),
        (EachRound, place(2, DebaterB), place(2, Judge)),
        (EachRound, place(3, Judge), place(4, DebaterA)),
        (End, place(1, DebaterA), place(1, DebaterB)),
        (End, place(2, DebaterB), place(3, DebaterA)),
        (End, place(3, Judge), place(4, DebaterA)),
    ];
    for (mode, last, expected) in table {
        assert_eq!(last.after(mode), expected, "{mode:?} after {last:?}");
        assert_eq!(next_cursor(Some(last), mode), expected, "{mode:?} from {last:?}");
    }
}

#[test]
fn a_judge_who_comes_last_stands_in_the_round_of_the_last_turn() {
    assert_eq!(closing_cursor(None), place(1, Judge));
    assert_eq!(closing_cursor(Some(place(1, DebaterA))), place(1, Judge));
    assert_eq!(closing_cursor(Some(place(3, DebaterB))), place(3, Judge));
}

#[test]
fn a_round_is_complete_with_its_judge_or_at_the_end_mode_with_debater_b() {
    let two_and_a_half = [
        place(1, DebaterA),
        place(1, DebaterB),
        place(1, Judge),
        place(2, DebaterA),
        place(2, DebaterB),
    ];
    assert_eq!(completed_rounds(two_and_a_half, EachRound), 1);
    assert_eq!(completed_rounds(two_and_a_half, End), 2);
    assert_eq!(completed_rounds([], EachRound), 0);
    assert_eq!(completed_rounds([place(1, DebaterA)], End), 0);
}

#[test]
fn a_cursor_is_repaired_exactly_when_the_turns_contradict_it() {
    let rounds = [1, 2, 3];
    let places: Vec<Cursor> =
        rounds.into_iter().flat_map(|round| Actor::ALL.map(|actor| place(round, actor))).collect();
    for mode in JudgeMode::ALL {
        for last in places.iter().copied().map(Some).chain([None]) {
            let right = next_cursor(last, mode);
            for &stored in &places {
                let judge_is_due = mode == End
                    && last.is_none_or(|last| last.actor != Judge)
                    && stored == place(last.map_or(1, |last| last.round.number()), Judge);
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
    let astray = CursorRepair::detect(place(2, DebaterA), Some(place(2, DebaterB)), EachRound);
    let expected = CursorRepair { stored: place(2, DebaterA), from_turns: place(2, Judge) };
    assert_eq!(astray, Some(expected));
}

#[test]
fn there_is_no_round_zero() {
    assert_eq!(Round::new(0), None);
    assert_eq!(Round::new(1), Some(Round::FIRST));
    assert_eq!(Round::FIRST.next().number(), 2);
    let last = Round::new(u32::MAX).expect("it is not 0");
    assert_eq!(last.next(), last);
}

#[test]
fn actors_and_modes_have_the_contracts_names_and_are_found_by_them() {
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
