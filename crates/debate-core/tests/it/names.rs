//! The names of enums in the API and the stores: contracts that must not change.

use std::fmt::Debug;

use debate_core::arena::{ArgumentType, DebateType, Move, Role, State};
use debate_core::forum::guardrail::{Category, Decision, GuardrailStatus, HarmRisk, Ruling, Tier};
use debate_core::forum::{Severity, SolutionStatus, Stance};
use debate_core::runner::{
    Actor, CallStatus, Command, DebaterSide, JudgeMode, Outcome, PromptVersion, Status, StopReason,
    Winner,
};

/// Every value has its name, and each name is parsed back to its value only.
fn check<T: Copy + PartialEq + Debug>(
    all: &[T],
    names: &[&str],
    name: impl Fn(T) -> &'static str,
    from_name: impl Fn(&str) -> Option<T>,
) {
    assert_eq!(all.iter().map(|value| name(*value)).collect::<Vec<_>>(), names);
    for (value, name) in all.iter().zip(names) {
        assert_eq!(from_name(name), Some(*value), "{name}");
        assert_eq!(from_name(&format!("{name} ")), None, "{name}");
    }
    assert_eq!(from_name(""), None);
}

#[test]
fn arena_names_are_those_of_the_contract() {
    let names = ["coding_plan_debate", "general_debate"];
    check(&DebateType::ALL, &names, DebateType::name, DebateType::from_name);
    let names = ["MOTION", "CLAIM", "APPEAL", "RULING", "INTERVENTION", "RESOLUTION"];
    check(&ArgumentType::ALL, &names, ArgumentType::name, ArgumentType::from_name);
    let names = [
        "AWAITING_OPPONENT",
        "AWAITING_PROPOSER",
        "AWAITING_ARBITRATOR",
        "INTERVENTION_PENDING",
        "CLOSED",
    ];
    check(&State::ALL, &names, State::name, State::from_name);
    assert_eq!(State::ALL.map(|state| state.to_string()), names);
    let names = ["proposer", "opponent", "arbitrator"];
    check(&Role::ALL, &names, Role::name, Role::from_name);
    assert_eq!(Role::ALL.map(|role| role.to_string()), names);
    let names = [
        "submit_claim",
        "submit_claim",
        "submit_appeal",
        "submit_resolution",
        "submit_intervention",
        "submit_ruling",
        "submit_ruling",
    ];
    assert_eq!(Move::ALL.map(Move::name), names);
}

#[test]
fn runner_names_are_those_of_the_contract() {
    let names = ["created", "running", "stopping", "stopped", "failed", "completed", "canceled"];
    check(&Status::ALL, &names, Status::name, Status::from_name);
    assert_eq!(Status::ALL.map(|status| status.to_string()), names);
    let names = [
        "max_rounds",
        "max_runtime_seconds",
        "max_total_output_tokens",
        "judge_early_stop",
        "manual_stop",
        "canceled",
        "error",
    ];
    check(&StopReason::ALL, &names, StopReason::name, StopReason::from_name);
    let names = ["start", "resume", "retry", "stop", "cancel"];
    assert_eq!(Command::ALL.map(Command::name), names);
    let names = ["debater_a", "debater_b", "judge"];
    check(&Actor::ALL, &names, Actor::name, Actor::from_name);
    assert_eq!(Actor::ALL.map(|actor| actor.to_string()), names);
    check(&JudgeMode::ALL, &["round", "end"], JudgeMode::name, JudgeMode::from_name);
    check(&DebaterSide::ALL, &["pro", "con"], DebaterSide::name, DebaterSide::from_name);
    assert_eq!(DebaterSide::ALL.map(DebaterSide::other), [DebaterSide::Con, DebaterSide::Pro]);
    check(&Outcome::ALL, &["ok", "refused", "truncated"], Outcome::name, Outcome::from_name);
    check(&Winner::ALL, &["a", "b", "tie"], Winner::name, Winner::from_name);
    check(&PromptVersion::ALL, &["v1", "v2"], PromptVersion::name, PromptVersion::from_name);
    let names = ["in_flight", "ok", "error", "unknown"];
    check(&CallStatus::ALL, &names, CallStatus::name, CallStatus::from_name);
}

#[test]
fn forum_names_are_those_of_the_contract() {
    let names = ["support", "oppose", "modify", "question"];
    check(&Stance::ALL, &names, Stance::name, Stance::from_name);
    let names = ["low", "medium", "high", "critical"];
    check(&Severity::ALL, &names, Severity::name, Severity::from_name);
    let names =
        ["proposed", "debating", "ready_for_action", "in_progress", "completed", "abandoned"];
    check(&SolutionStatus::ALL, &names, SolutionStatus::name, SolutionStatus::from_name);
    let names = ["pending", "approved", "rejected", "flagged"];
    check(&GuardrailStatus::ALL, &names, GuardrailStatus::name, GuardrailStatus::from_name);
    let names = ["approve", "reject", "flag"];
    check(&Decision::ALL, &names, Decision::name, Decision::from_name);
    check(&Ruling::ALL, &["approve", "reject"], Ruling::name, Ruling::from_name);
    check(&HarmRisk::ALL, &["low", "medium", "high"], HarmRisk::name, HarmRisk::from_name);
    assert_eq!(Tier::ALL.map(Tier::name), ["new", "verified"]);
    let names = [
        "surveillance",
        "weapons",
        "political_manipulation",
        "financial_exploitation",
        "discrimination",
        "pseudo_science",
        "privacy_violation",
        "deepfakes",
        "social_engineering",
        "market_manipulation",
        "labor_exploitation",
        "hate_speech",
    ];
    check(&Category::ALL, &names, Category::name, Category::from_name);
}

/// Compares `ALL` with the variants. Does not compile while a variant is missing here.
macro_rules! assert_complete {
    ($enum:ident: $($variant:ident)*) => {{
        const fn has_no_other_variant(value: $enum) {
            match value {
                $($enum::$variant => {})*
            }
        }
        has_no_other_variant($enum::ALL[0]);
        assert_eq!($enum::ALL, [$($enum::$variant),*]);
    }};
}

#[test]
fn lists_of_all_values_are_complete() {
    assert_complete!(DebateType: CodingPlan General);
    assert_complete!(ArgumentType: Motion Claim Appeal Ruling Intervention Resolution);
    assert_complete!(State:
        AwaitingOpponent AwaitingProposer AwaitingArbitrator InterventionPending Closed
    );
    assert_complete!(Role: Proposer Opponent Arbitrator);
    assert_complete!(Status: Created Running Stopping Stopped Failed Completed Canceled);
    assert_complete!(Actor: DebaterA DebaterB Judge);
    assert_complete!(JudgeMode: Round End);
    assert_complete!(DebaterSide: Pro Con);
    assert_complete!(Outcome: Ok Refused Truncated);
    assert_complete!(Winner: A B Tie);
    assert_complete!(CallStatus: InFlight Ok Error Unknown);
    assert_complete!(Stance: Support Oppose Modify Question);
    assert_complete!(Severity: Low Medium High Critical);
    assert_complete!(SolutionStatus:
        Proposed Debating ReadyForAction InProgress Completed Abandoned
    );
    assert_complete!(GuardrailStatus: Pending Approved Rejected Flagged);
    assert_complete!(Decision: Approve Reject Flag);
    assert_complete!(Ruling: Approve Reject);
    assert_complete!(HarmRisk: Low Medium High);
    assert_complete!(Tier: New Verified);
    assert_complete!(Category:
        Surveillance Weapons PoliticalManipulation FinancialExploitation Discrimination
        PseudoScience PrivacyViolation Deepfakes SocialEngineering MarketManipulation
        LaborExploitation HateSpeech
    );
}
