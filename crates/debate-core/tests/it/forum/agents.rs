//! Names, keys and texts of agents.

use debate_core::forum::{
    Activity, Agent, AgentKey, Content, Domain, ForumLimits, KeyDigest, KeyPrefix, NetworkLimits,
    NotAUsername, TextError, Title, Username,
};
use debate_core::{AgentId, RateLimit};
use jiff::SignedDuration;
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::instant;

fn username(text: &str) -> Result<Username, NotAUsername> {
    Username::new(text.to_owned())
}

#[test]
fn username_follows_every_rule_of_the_contract() {
    for name in ["abc", "a1b", "007", "a_b", "a_b_c", "administrator", "api_1"] {
        assert_eq!(username(name).map(|name| name.to_string()), Ok(name.to_owned()));
    }
    assert!(username(&"a".repeat(100)).is_ok());
    let too_long = "a".repeat(101);
    for (name, why) in [
        ("", NotAUsername::Length),
        ("ab", NotAUsername::Length),
        (too_long.as_str(), NotAUsername::Length),
        ("Abc", NotAUsername::Characters),
        ("a-b", NotAUsername::Characters),
        ("a b", NotAUsername::Characters),
        ("аbc", NotAUsername::Characters),
        ("äbc", NotAUsername::Characters),
        ("abc\n", NotAUsername::Characters),
        ("_abc", NotAUsername::Underscores),
        ("abc_", NotAUsername::Underscores),
        ("a__b", NotAUsername::Underscores),
    ] {
        assert_eq!(username(name), Err(why), "{name:?}");
    }
    for name in
        ["admin", "system", "moderator", "support", "official", "api", "root", "null", "undefined"]
    {
        assert_eq!(username(name), Err(NotAUsername::Reserved), "{name}");
    }
}

#[test]
fn key_is_parsed_back_and_displays_only_its_prefix() {
    let key = AgentKey::new([0xab; 32]);
    assert_eq!(key.reveal(), format!("awk_{}", "ab".repeat(32)));
    assert_eq!(key.prefix().as_str(), "awk_abababababab");
    assert_eq!(format!("{key:?} {:?}", key.digest()), "AgentKey(awk_abababababab…) KeyDigest");
    let again = AgentKey::parse(key.reveal()).expect("it is one");
    assert!(again.digest().is_same(&key.digest()));
    assert!(!key.digest().is_same(&KeyDigest::NONE));
    assert!(KeyDigest::from_bytes(*key.digest().as_bytes()).is_same(&key.digest()));
}

#[test]
fn text_of_another_shape_is_not_a_key() {
    let hex = "ab".repeat(32);
    for text in [
        String::new(),
        hex.clone(),
        format!("AWK_{hex}"),
        format!("awk_{}", hex.to_uppercase()),
        format!("awk_{hex}0"),
        format!("awk_{}", &hex[1..]),
        format!("awk_{}g", &hex[1..]),
        format!(" awk_{hex}"),
        format!("awk_{}", "é".repeat(32)),
    ] {
        assert!(AgentKey::parse(&text).is_err(), "{text}");
    }
    for text in ["", "abababababab", "awk_ababababab", "awk_ababababababa", "awk_ABABABABABAB"] {
        assert!(KeyPrefix::parse(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn keys_are_equal_only_if_their_bytes_are(one: [u8; 32], other: [u8; 32]) {
        let same = AgentKey::new(one).digest().is_same(&AgentKey::new(other).digest());
        prop_assert_eq!(same, one == other);
    }
}

#[test]
fn text_length_is_counted_in_characters() {
    assert!(Title::new("ü".repeat(10)).is_ok() && Title::new("🦀".repeat(500)).is_ok());
    let wrong = TextError::Length { least: 10, most: 500 };
    assert_eq!(Title::new("ü".repeat(9)), Err(wrong));
    assert_eq!(Title::new("ü".repeat(501)), Err(wrong));
    assert_eq!(wrong.to_string(), "must have 10 to 500 characters");
    assert!(Content::new("x".repeat(50)).is_ok() && Content::new("x".repeat(10_000)).is_ok());
    assert!(Content::new("x".repeat(49)).is_err() && Content::new("x".repeat(10_001)).is_err());
    assert_eq!(Content::new(" ".repeat(60)), Err(TextError::Blank));
    assert_eq!(Domain::new("a\0".to_owned()), Err(TextError::Nul));
    assert_eq!(format!("{:?}", Title::new("a secret plan".to_owned())), "Ok(Text(13 bytes))");
}

#[test]
fn limit_of_a_reviewer_overrides_the_tier() {
    let limit = |count| RateLimit::new(count).expect("it is one");
    let network = NetworkLimits {
        requests: limit(600),
        registrations_per_minute: limit(5),
        registrations_per_day: limit(50),
        limits_loopback: true,
    };
    let limits = ForumLimits {
        anonymous: limit(1),
        agent: limit(30),
        verified: limit(60),
        admin: limit(300),
        network,
    };
    let young = Agent {
        id: AgentId::new(Uuid::from_u128(1)),
        username: username("ann").expect("it is one"),
        display_name: None,
        profile: None,
        activity: Activity::Active,
        approved: 3,
        rate_limit: None,
        created_at: instant(0),
    };
    let (now, later) = (instant(0), instant(0) + SignedDuration::from_hours(8 * 24));
    assert_eq!(young.limit(&limits, now), limits.agent);
    assert_eq!(young.limit(&limits, later), limits.verified);
    let set = Agent { rate_limit: Some(limit(7)), ..young };
    assert_eq!(set.limit(&limits, later), limit(7));
}
