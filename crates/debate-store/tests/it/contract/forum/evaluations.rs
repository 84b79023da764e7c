//! Evaluations: acquired, lost, settled.

use debate_app::forum::{EvaluationAttemptResult, EvaluationTask, LayerResults};
use debate_app::{Settlement, WorkOffer};
use debate_core::EvaluationId;
use debate_core::forum::Viewer;
use debate_core::forum::guardrail::{
    Assessment, Category, Decision, GuardrailStatus, HarmRisk, Tier, after_failure,
};
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};

use super::fixture::{
    LEASE, agent_draft, agent_id, decision_result, evaluation_id, post_id, solution_id, take_at,
};
use crate::engine::Engine;
use crate::support::instant;

fn examination(number: u32) -> EvaluationId {
    evaluation_id(post_id(number).uuid())
}

async fn with_posts(on: &Engine, last: u32) {
    on.open_forum().await;
    for number in 1..=last {
        on.create_post(1, number, None, number).await;
    }
}

fn next_due(found: &WorkOffer<EvaluationTask>) -> Option<Timestamp> {
    match found {
        WorkOffer::Nothing { next_due: next } => *next,
        other @ (WorkOffer::Task(_) | WorkOffer::Cleaned) => {
            panic!("there is something: {other:?}")
        }
    }
}

async fn renew_lease(on: &Engine, task: &EvaluationTask, second: u32) -> Settlement {
    on.forum.renew(task.lease, instant(second), LEASE).await.expect("the store is well")
}

fn failed(task: &EvaluationTask) -> EvaluationAttemptResult {
    EvaluationAttemptResult::Failed {
        then: after_failure(task.attempt, 0),
        error: "the model is away".to_owned(),
    }
}

pub(crate) async fn longest_due_item_is_acquired_first(on: &Engine) {
    with_posts(on, 3).await;
    assert_eq!(next_due(&on.acquire_evaluation(0).await), Some(instant(1)));
    for number in 1..=3 {
        let task = on.acquire_evaluation_task(10).await;
        assert_eq!((task.lease.item, task.attempt.number()), (examination(number), 1));
    }
    assert_eq!(next_due(&on.acquire_evaluation(10).await), Some(instant(40)));
}

pub(crate) async fn parallel_workers_acquire_different_evaluations(on: &Engine) {
    with_posts(on, 20).await;
    let found = join_all((0..30).map(|_| on.forum.acquire(take_at(30)))).await;
    let mut taken: Vec<_> = found
        .into_iter()
        .filter_map(|found| match found.expect("the store is well") {
            WorkOffer::Task(task) => Some(task.lease.item),
            WorkOffer::Nothing { .. } => None,
            WorkOffer::Cleaned => panic!("nothing was tried too often"),
        })
        .collect();
    taken.sort();
    let mut all: Vec<_> = (1..=20).map(examination).collect();
    all.sort();
    assert_eq!(taken, all);
}

pub(crate) async fn renewal_keeps_a_lease_and_expiry_loses_it(on: &Engine) {
    with_posts(on, 1).await;
    let first = on.acquire_evaluation_task(10).await;
    assert_eq!(renew_lease(on, &first, 30).await, Settlement::Saved);
    assert_eq!(next_due(&on.acquire_evaluation(59).await), Some(instant(60)));
    let second = on.acquire_evaluation_task(60).await;
    assert_eq!((second.lease.item, second.attempt.number()), (first.lease.item, 2));
    assert!(second.lease.fencing_token > first.lease.fencing_token);
    // A result after the lease changes nothing.
    assert_eq!(renew_lease(on, &first, 61).await, Settlement::Discarded);
    let late = on.settle_evaluation(&first, decision_result(Decision::Approve), 61).await;
    assert_eq!(late, Settlement::Discarded);
    assert_eq!(
        on.settle_evaluation(&first, EvaluationAttemptResult::Released, 61).await,
        Settlement::Discarded
    );
    assert_eq!(on.settle_evaluation(&first, failed(&first), 61).await, Settlement::Discarded);
    assert_eq!(on.post_status(1).await, GuardrailStatus::Pending);
    assert_eq!(
        on.settle_evaluation(&second, decision_result(Decision::Reject), 62).await,
        Settlement::Saved
    );
    assert_eq!(on.post_status(1).await, GuardrailStatus::Rejected);
    // A decision is saved once.
    let again = on.settle_evaluation(&second, decision_result(Decision::Approve), 63).await;
    assert_eq!(again, Settlement::Discarded);
    assert_eq!(on.post_status(1).await, GuardrailStatus::Rejected);
}

/// A worker may be lost in any phase: after the acquisition, after a renewal, or after a failed
/// attempt. In each case the item is flagged in the end.
pub(crate) async fn item_is_flagged_after_too_many_lost_workers(on: &Engine) {
    with_posts(on, 1).await;
    for phases in 0..27_u32 {
        let number = phases + 2;
        let start = 1000 * number;
        on.create_post(1, number, None, start).await;
        for attempt in 0..3 {
            let second = start + 100 * attempt;
            let task = loop {
                let task = on.acquire_evaluation_task(second).await;
                if task.lease.item == examination(number) {
                    break task;
                }
                // The evaluation of the first post.
                on.settle_evaluation(&task, decision_result(Decision::Flag), second).await;
            };
            assert_eq!(task.attempt.number(), attempt + 1);
            match phases / 3_u32.pow(attempt) % 3 {
                0 => {}
                1 => assert_eq!(renew_lease(on, &task, second + 1).await, Settlement::Saved),
                _ => assert_eq!(
                    on.settle_evaluation(&task, failed(&task), second).await,
                    Settlement::Saved
                ),
            }
            assert!(on.post_status(number).await != GuardrailStatus::Approved);
        }
        // A failed third attempt flags the item; a lost one is flagged by the next acquisition.
        if on.post_status(number).await == GuardrailStatus::Pending {
            let found = on.acquire_evaluation(start + 500).await;
            assert!(matches!(found, WorkOffer::Cleaned), "{found:?}");
        }
        assert_eq!(on.post_status(number).await, GuardrailStatus::Flagged, "phases {phases}");
        assert_eq!(next_due(&on.acquire_evaluation(start + 501).await), None);
        let record = on.forum.reviewable(examination(number)).await.expect("it is allowed");
        assert_eq!((record.status, record.decision), (GuardrailStatus::Flagged, None));
        assert!(record.reason.is_some());
    }
    assert_eq!(on.visible_numbers(Viewer::Anonymous).await, [0_u32; 0]);
}

pub(crate) async fn failed_attempt_is_due_again_after_a_pause(on: &Engine) {
    with_posts(on, 1).await;
    let task = on.acquire_evaluation_task(10).await;
    assert_eq!(on.settle_evaluation(&task, failed(&task), 10).await, Settlement::Saved);
    assert_eq!(next_due(&on.acquire_evaluation(14).await), Some(instant(15)));
    let record = on.forum.evaluation(agent_id(1), task.lease.item).await.expect("it is allowed");
    assert_eq!((record.status, record.attempts), (GuardrailStatus::Pending, 1));
    let task = on.acquire_evaluation_task(15).await;
    on.settle_evaluation(&task, failed(&task), 15).await;
    assert_eq!(next_due(&on.acquire_evaluation(34).await), Some(instant(35)));
    let task = on.acquire_evaluation_task(35).await;
    on.settle_evaluation(&task, failed(&task), 35).await;
    assert_eq!(on.post_status(1).await, GuardrailStatus::Flagged);
    assert_eq!(on.find_post(1).await.guardrail.reason.as_deref(), Some("the model is away"));
}

pub(crate) async fn released_attempt_does_not_count(on: &Engine) {
    with_posts(on, 1).await;
    for second in 10..20 {
        let task = on.acquire_evaluation_task(second).await;
        assert_eq!(task.attempt.number(), 1);
        assert_eq!(
            on.settle_evaluation(&task, EvaluationAttemptResult::Released, second).await,
            Settlement::Saved
        );
    }
}

pub(crate) async fn results_of_the_layers_are_saved(on: &Engine) {
    with_posts(on, 1).await;
    let task = on.acquire_evaluation_task(10).await;
    let said = Assessment::new(0.123_456_789, HarmRisk::Medium, Decision::Flag, "it is odd");
    let layers = LayerResults {
        rules_version: Some("7-abc".to_owned()),
        refused_by: vec![
            (Category::Weapons, "weapons.guns".to_owned()),
            (Category::HateSpeech, "hate_speech.slurs".to_owned()),
        ],
        model: Some(("a-model".to_owned(), said.expect("it is allowed"))),
    };
    let (decision, reason) = (Decision::Reject, "weapons".to_owned());
    let end = EvaluationAttemptResult::Decided {
        decision,
        reason: reason.clone(),
        layers: layers.clone(),
    };
    assert_eq!(on.settle_evaluation(&task, end, 11).await, Settlement::Saved);
    let record = on.forum.evaluation(agent_id(1), task.lease.item).await.expect("it is allowed");
    assert_eq!(
        (record.status, record.decision),
        (GuardrailStatus::Rejected, Some(Decision::Reject))
    );
    assert_eq!((record.layers, record.reason.as_deref()), (layers, Some("weapons")));
    assert_eq!((record.created_at, record.decided_at), (instant(1), Some(instant(11))));
    assert_eq!(record.text, None);
    let shown = on.find_post(1).await.guardrail;
    assert_eq!((shown.status, shown.reason), (GuardrailStatus::Rejected, Some(reason)));
}

pub(crate) async fn agent_is_verified_after_8_days_and_3_approvals(on: &Engine) {
    let eight_days = SignedDuration::from_hours(8 * 24);
    on.open_forum().await;
    on.forum.register(agent_draft(3), instant(20) - eight_days).await.expect("it is allowed");
    for number in 1..=4_u32 {
        on.create_post(3, number, None, 10 + number).await;
        let task = on.acquire_evaluation_task(20).await;
        let tier = if number > 3 { Tier::Verified } else { Tier::New };
        assert_eq!(task.tier, tier, "after {} approvals", number - 1);
        on.settle_evaluation(&task, decision_result(Decision::Approve), 20).await;
    }
    assert_eq!(on.forum.agent(agent_id(3)).await.expect("it is allowed").approved, 4);
    // Enough approvals, but the account is too new.
    assert_eq!(on.forum.agent(agent_id(1)).await.expect("it is allowed").approved, 2);
    for number in 5..=6 {
        on.create_post(1, number, None, 20).await;
        on.decide_post(number, Decision::Approve, 20).await;
    }
    on.create_post(1, 7, None, 21).await;
    assert_eq!(on.acquire_evaluation_task(21).await.tier, Tier::New);
}

pub(crate) async fn result_for_a_deleted_item_is_discarded(on: &Engine) {
    with_posts(on, 1).await;
    let task = on.acquire_evaluation_task(10).await;
    on.forum.delete_solution(agent_id(1), solution_id(1)).await.expect("it is allowed");
    assert_eq!(renew_lease(on, &task, 11).await, Settlement::Discarded);
    let end = decision_result(Decision::Approve);
    assert_eq!(on.settle_evaluation(&task, end, 11).await, Settlement::Discarded);
}
