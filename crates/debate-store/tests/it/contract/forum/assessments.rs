//! Cached assessments of models, and the daily tokens.

use debate_app::forum::ClassifierTokenReservation;
use debate_core::forum::guardrail::{Assessment, AssessmentKey, Decision, HarmRisk};
use futures_util::future::join_all;
use jiff::civil::{Date, date};

use crate::engine::Engine;
use crate::support::instant;

fn assessment(score: f64, reasoning: &str) -> Assessment {
    Assessment::new(score, HarmRisk::Low, Decision::Approve, reasoning).expect("it can be said")
}

pub(crate) async fn cached_assessment_is_found_by_its_key_only(on: &Engine) {
    let key = AssessmentKey::new("Some text", "rules 1", "a-model");
    assert_eq!(on.forum.cached_assessment(key).await.expect("it is allowed"), None);
    on.forum
        .cache_assessment(key, assessment(0.1 + 0.2, "fine"), instant(0))
        .await
        .expect("it is allowed");
    assert_eq!(
        on.forum.cached_assessment(key).await.expect("it is allowed"),
        Some(assessment(0.1 + 0.2, "fine"))
    );
    on.forum
        .cache_assessment(key, assessment(1.0, "better"), instant(1))
        .await
        .expect("it is allowed");
    assert_eq!(
        on.forum.cached_assessment(key).await.expect("it is allowed"),
        Some(assessment(1.0, "better"))
    );
    let other = AssessmentKey::new("Some text", "rules 2", "a-model");
    assert_eq!(on.forum.cached_assessment(other).await.expect("it is allowed"), None);
}

pub(crate) async fn old_assessment_is_removed_from_the_cache(on: &Engine) {
    let key = |number: u32| AssessmentKey::new(&format!("Text {number}"), "rules", "a-model");
    on.forum
        .cache_assessment(key(1), assessment(1.0, "fine"), instant(0))
        .await
        .expect("it is allowed");
    let a_year = instant(0) + jiff::SignedDuration::from_hours(365 * 24);
    on.forum
        .cache_assessment(key(2), assessment(1.0, "fine"), a_year)
        .await
        .expect("it is allowed");
    assert_eq!(on.forum.cached_assessment(key(1)).await.expect("it is allowed"), None);
    assert!(on.forum.cached_assessment(key(2)).await.expect("it is allowed").is_some());
}

async fn reserved(on: &Engine, day: Date, worst_case: u64) -> bool {
    on.forum
        .reserve_tokens(ClassifierTokenReservation::Reserve { day, worst_case, daily_most: 1000 })
        .await
        .expect("it is allowed")
}

pub(crate) async fn daily_token_limit_is_never_exceeded(on: &Engine) {
    let day = date(2026, 11, 16);
    let afforded = join_all((0..30).map(|_| reserved(on, day, 70))).await;
    assert_eq!(afforded.iter().filter(|afforded| **afforded).count(), 14);
    // Reserved tokens that were not used are available again.
    let back = ClassifierTokenReservation::Correct { day, reserved: 70, used: 30 };
    assert!(on.forum.reserve_tokens(back).await.expect("it is allowed"));
    assert!(reserved(on, day, 60).await);
    assert!(!reserved(on, day, 1).await);
    assert!(reserved(on, date(2026, 11, 17), 1000).await);
}
