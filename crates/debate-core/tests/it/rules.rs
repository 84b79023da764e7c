//! The state machine and the values derived from it, compared with tables from the contract.

use debate_core::arena::{
    Action, ArgumentType, DebateType, Move, Refusal, Role, RulingEffect, Side, State, WaitAction,
    allowed_moves, available_actions, next, role_to_act, wait_action,
};

use State::{AwaitingArbitrator, AwaitingOpponent, AwaitingProposer, Closed, InterventionPending};

const MOVES: [Move; 7] = [
    Move::Claim(Side::Proposer),
    Move::Claim(Side::Opponent),
    Move::Appeal,
    Move::Resolve,
    Move::Intervene,
    Move::Rule(RulingEffect::Continue),
    Move::Rule(RulingEffect::Close),
];

const NO: Option<State> = None;
const OPPONENT: Option<State> = Some(AwaitingOpponent);
const PROPOSER: Option<State> = Some(AwaitingProposer);
const ARBITRATOR: Option<State> = Some(AwaitingArbitrator);
const PENDING: Option<State> = Some(InterventionPending);
const CLOSED: Option<State> = Some(Closed);

/// Section 1 of the contract: a row for each state, a column for each of `MOVES`.
#[rustfmt::skip]
const TABLE: [(State, [Option<State>; 7]); 5] = [
    //                     claim by            appeal      resolve     intervene rule      rule,
    //                     proposer  opponent                                              close
    (AwaitingOpponent,    [NO,       PROPOSER, NO,         NO,         PENDING,  NO,       NO]),
    (AwaitingProposer,    [OPPONENT, NO,       ARBITRATOR, ARBITRATOR, PENDING,  NO,       NO]),
    (AwaitingArbitrator,  [NO,       NO,       NO,         NO,         NO,       PROPOSER, CLOSED]),
    (InterventionPending, [NO,       NO,       NO,         NO,         NO,       PROPOSER, CLOSED]),
    (Closed,              [NO,       NO,       NO,         NO,         NO,       NO,       NO]),
];

#[test]
fn move_in_every_state_follows_the_contract() {
    for (state, row) in TABLE {
        for (mv, expected) in MOVES.into_iter().zip(row) {
            assert_eq!(next(state, mv), expected.ok_or(Refusal { state, mv }), "{mv:?} in {state}");
        }
    }
}

#[test]
fn tables_contain_every_state_and_move() {
    assert_eq!(TABLE.map(|(state, _)| state), State::ALL);
    assert_eq!(MOVES, Move::ALL);
}

#[test]
fn allowed_moves_equal_the_accepted_moves() {
    for (state, row) in TABLE {
        let expected: Vec<Move> = MOVES
            .into_iter()
            .zip(row)
            .filter_map(|(mv, reached)| reached.is_some().then_some(mv))
            .collect();
        assert_eq!(allowed_moves(state).collect::<Vec<_>>(), expected, "{state}");
    }
}

#[test]
fn refusal_names_role_move_and_state() {
    let refusal = next(AwaitingProposer, Move::Claim(Side::Opponent)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the opponent cannot submit_claim while the debate is AWAITING_PROPOSER"
    );
}

#[test]
fn available_actions_follow_the_contract_for_every_role_and_state() {
    use Action::{
        SubmitAppeal, SubmitClaim, SubmitIntervention, SubmitResolution, SubmitRuling,
        SubmitRulingClose,
    };
    let table: [(State, Role, &[Action]); 15] = [
        (AwaitingOpponent, Role::Proposer, &[]),
        (AwaitingOpponent, Role::Opponent, &[SubmitClaim]),
        (AwaitingOpponent, Role::Arbitrator, &[SubmitIntervention]),
        (AwaitingProposer, Role::Proposer, &[SubmitClaim, SubmitAppeal, SubmitResolution]),
        (AwaitingProposer, Role::Opponent, &[]),
        (AwaitingProposer, Role::Arbitrator, &[SubmitIntervention]),
        (AwaitingArbitrator, Role::Proposer, &[]),
        (AwaitingArbitrator, Role::Opponent, &[]),
        (AwaitingArbitrator, Role::Arbitrator, &[SubmitRuling, SubmitRulingClose]),
        (InterventionPending, Role::Proposer, &[]),
        (InterventionPending, Role::Opponent, &[]),
        (InterventionPending, Role::Arbitrator, &[SubmitRuling, SubmitRulingClose]),
        (Closed, Role::Proposer, &[]),
        (Closed, Role::Opponent, &[]),
        (Closed, Role::Arbitrator, &[]),
    ];
    for (state, role, expected) in table {
        assert_eq!(available_actions(state, role), expected, "{role} in {state}");
    }
}

#[test]
fn wait_action_follows_the_contract_for_every_side() {
    use WaitAction::{
        AlignToRuling, DebateClosed, Respond, WaitForOpponent, WaitForProposer, WaitForRuling,
    };
    // The fourth column is the action after a ruling, the third after any other argument.
    let table = [
        (AwaitingOpponent, Side::Proposer, WaitForOpponent, WaitForOpponent),
        (AwaitingOpponent, Side::Opponent, Respond, Respond),
        (AwaitingProposer, Side::Proposer, Respond, AlignToRuling),
        (AwaitingProposer, Side::Opponent, WaitForProposer, WaitForProposer),
        (AwaitingArbitrator, Side::Proposer, WaitForRuling, WaitForRuling),
        (AwaitingArbitrator, Side::Opponent, WaitForRuling, WaitForRuling),
        (InterventionPending, Side::Proposer, WaitForRuling, WaitForRuling),
        (InterventionPending, Side::Opponent, WaitForRuling, WaitForRuling),
        (Closed, Side::Proposer, DebateClosed, DebateClosed),
        (Closed, Side::Opponent, DebateClosed, DebateClosed),
    ];
    for (state, side, after_others, after_a_ruling) in table {
        for latest in ArgumentType::ALL {
            let expected =
                if latest == ArgumentType::Ruling { after_a_ruling } else { after_others };
            assert_eq!(
                wait_action(state, latest, side),
                expected,
                "{side:?} in {state} after a {}",
                latest.name()
            );
        }
    }
}

#[test]
fn turn_belongs_to_one_role_and_to_none_when_closed() {
    let table = [
        (AwaitingOpponent, Some(Role::Opponent)),
        (AwaitingProposer, Some(Role::Proposer)),
        (AwaitingArbitrator, Some(Role::Arbitrator)),
        (InterventionPending, Some(Role::Arbitrator)),
        (Closed, None),
    ];
    for (state, expected) in table {
        assert_eq!(role_to_act(state), expected, "{state}");
    }
}

#[test]
fn move_has_one_role_and_one_kind_of_argument() {
    let table = [
        (Role::Proposer, "submit_claim", ArgumentType::Claim),
        (Role::Opponent, "submit_claim", ArgumentType::Claim),
        (Role::Proposer, "submit_appeal", ArgumentType::Appeal),
        (Role::Proposer, "submit_resolution", ArgumentType::Resolution),
        (Role::Arbitrator, "submit_intervention", ArgumentType::Intervention),
        (Role::Arbitrator, "submit_ruling", ArgumentType::Ruling),
        (Role::Arbitrator, "submit_ruling", ArgumentType::Ruling),
    ];
    for (mv, (role, name, kind)) in MOVES.into_iter().zip(table) {
        assert_eq!((mv.role(), mv.name(), ArgumentType::from(mv)), (role, name, kind), "{mv:?}");
    }
}

#[test]
fn state_names_follow_the_contract_and_are_parsed_back() {
    let names = [
        "AWAITING_OPPONENT",
        "AWAITING_PROPOSER",
        "AWAITING_ARBITRATOR",
        "INTERVENTION_PENDING",
        "CLOSED",
    ];
    assert_eq!(State::ALL.map(State::name), names);
    assert_eq!(State::ALL.map(|state| state.to_string()), names);
    assert_eq!(names.map(State::from_name), State::ALL.map(Some));
}

#[test]
fn kind_names_follow_the_contract_and_are_parsed_back() {
    let names = ["MOTION", "CLAIM", "APPEAL", "RULING", "INTERVENTION", "RESOLUTION"];
    assert_eq!(ArgumentType::ALL.map(ArgumentType::name), names);
    assert_eq!(names.map(ArgumentType::from_name), ArgumentType::ALL.map(Some));
}

#[test]
fn role_and_debate_type_names_follow_the_contract_and_are_parsed_back() {
    let roles = ["proposer", "opponent", "arbitrator"];
    assert_eq!(Role::ALL.map(Role::name), roles);
    assert_eq!(Role::ALL.map(|role| role.to_string()), roles);
    assert_eq!(roles.map(Role::from_name), Role::ALL.map(Some));

    let types = ["coding_plan_debate", "general_debate"];
    assert_eq!(DebateType::ALL.map(DebateType::name), types);
    assert_eq!(types.map(DebateType::from_name), DebateType::ALL.map(Some));
}

#[test]
fn name_with_another_spelling_is_not_parsed() {
    for stranger in ["", "closed", " CLOSED", "CLOSED ", "Proposer", "ruling", "general"] {
        assert_eq!(State::from_name(stranger), None, "{stranger:?}");
        assert_eq!(ArgumentType::from_name(stranger), None, "{stranger:?}");
        assert_eq!(Role::from_name(stranger), None, "{stranger:?}");
        assert_eq!(DebateType::from_name(stranger), None, "{stranger:?}");
    }
}

#[test]
fn side_converts_to_the_role_of_the_same_name() {
    assert_eq!(Role::from(Side::Proposer), Role::Proposer);
    assert_eq!(Role::from(Side::Opponent), Role::Opponent);
}
