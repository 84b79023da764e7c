//! Trust, thresholds and budgets, compared with the contract.

use debate_core::forum::guardrail::{
    AfterRules, Alignment, Assessment, AssessmentKey, Decision, HarmRisk, NotAnAssessment, Policy,
    Rulebook, Tier, after_model, after_rules, fits_daily_limit,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::support::instant;

fn days(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}

#[test]
fn tier_is_verified_after_eight_days_and_three_approved_entries() {
    let registered = instant(0);
    let second = SignedDuration::from_secs(1);
    for (age, approved, tier) in [
        (days(8), 3, Tier::Verified),
        (days(8) - second, 3, Tier::New),
        (days(8), 2, Tier::New),
        (days(400), 0, Tier::New),
        (days(0), 100, Tier::New),
        (days(9), 4, Tier::Verified),
    ] {
        assert_eq!(Tier::at(registered, approved, registered + age), tier, "{age} {approved}");
    }
    // A clock that was set back does not increase an age.
    assert_eq!(Tier::at(registered, 9, Timestamp::MIN), Tier::New);
}

#[test]
fn next_layer_depends_on_trust_and_settings() {
    use Decision::{Approve, Flag, Reject};
    let rulebook = Rulebook::built_in();
    let hit = rulebook.rules().first();
    for (tier, policy, expected) in [
        (Tier::New, Policy::AskModel, AfterRules::AskModel),
        (Tier::Verified, Policy::AskModel, AfterRules::AskModel),
        (Tier::New, Policy::ByTier, AfterRules::Settled(Flag)),
        (Tier::Verified, Policy::ByTier, AfterRules::Settled(Approve)),
        (Tier::New, Policy::ApproveAll, AfterRules::Settled(Approve)),
        (Tier::Verified, Policy::ApproveAll, AfterRules::Settled(Approve)),
    ] {
        assert_eq!(after_rules(None, tier, policy), expected, "{tier:?} {policy:?}");
        assert_eq!(after_rules(hit, tier, policy), AfterRules::Settled(Reject));
    }
}

fn assessed(score: f64, risk: HarmRisk, decision: Decision) -> Assessment {
    Assessment::new(score, risk, decision, "Because.").expect("it is one")
}

#[test]
fn thresholds_depend_on_the_tier() {
    use Decision::{Approve, Flag, Reject};
    for (tier, score, expected) in [
        (Tier::New, 1.0, Approve),
        (Tier::New, 0.9, Approve),
        (Tier::New, 0.899_999, Flag),
        (Tier::New, 0.0, Flag),
        (Tier::Verified, 0.7, Approve),
        (Tier::Verified, 0.699_999, Flag),
        (Tier::Verified, 0.4, Flag),
        (Tier::Verified, 0.399_999, Reject),
    ] {
        assert_eq!(after_model(tier, &assessed(score, HarmRisk::Low, Approve)), expected);
    }
}

proptest! {
    #[test]
    fn high_risk_or_model_doubt_never_approves(
        score in 0.0..=1.0_f64, tier in 0..2_usize, risk in 0..3_usize, decision in 0..3_usize,
    ) {
        let (tier, risk) = (Tier::ALL[tier], HarmRisk::ALL[risk]);
        let decision = Decision::ALL[decision];
        let outcome = after_model(tier, &assessed(score, risk, decision));
        if outcome == Decision::Approve {
            prop_assert_ne!(risk, HarmRisk::High);
            prop_assert_eq!(decision, Decision::Approve);
            let least = if tier == Tier::New { 0.9 } else { 0.7 };
            prop_assert!(score >= least);
        }
        if outcome == Decision::Reject {
            prop_assert!(tier == Tier::Verified && score < 0.4);
        }
    }
}

#[test]
fn assessment_is_bounded_and_has_a_reason() {
    for score in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Alignment::new(score), Err(NotAnAssessment::Score));
    }
    let empty = Assessment::new(1.0, HarmRisk::Low, Decision::Approve, " \n");
    assert_eq!(empty, Err(NotAnAssessment::Reasoning));
    let long = Assessment::new(0.5, HarmRisk::Low, Decision::Flag, &"ü".repeat(9000)).unwrap();
    assert_eq!(long.reasoning.chars().count(), Assessment::REASONING_MOST);
    for risk in HarmRisk::ALL {
        assert_eq!(HarmRisk::from_name(risk.name()), Some(risk));
    }
}

#[test]
fn daily_budget_allows_exactly_its_tokens() {
    assert!(fits_daily_limit(0, 100, 100) && fits_daily_limit(50, 50, 100));
    assert!(
        !fits_daily_limit(51, 50, 100)
            && !fits_daily_limit(0, 1, 0)
            && !fits_daily_limit(u64::MAX, 1, u64::MAX - 1)
    );
}

#[test]
fn verdict_cache_key_depends_on_text_rules_and_model() {
    let key = AssessmentKey::new("A  Text\n", "1-aa", "demo:fast");
    assert_eq!(AssessmentKey::new("a text", "1-aa", "demo:fast"), key);
    assert_eq!(AssessmentKey::new("ａ te\u{200b}xt", "1-aa", "demo:fast"), key);
    for other in [
        AssessmentKey::new("a test", "1-aa", "demo:fast"),
        AssessmentKey::new("a text", "1-ab", "demo:fast"),
        AssessmentKey::new("a text", "1-aa", "demo:slow"),
        AssessmentKey::new("a.text", "1-aa", "demo:fast"),
    ] {
        assert_ne!(other, key);
        assert_ne!(other.as_bytes(), key.as_bytes());
    }
}
