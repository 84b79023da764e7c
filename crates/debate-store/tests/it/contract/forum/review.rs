//! Reviews, and appeals of authors.

use debate_app::forum::{EvaluationDetails, FlaggedQuery, ForumError, ReviewClaimFilter};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::{
    Appeal, ClaimRefusal, Decision, GuardrailRefusal, GuardrailStatus, Ruling,
};
use debate_core::forum::{AppealReason, Notes, Post, Viewer};

use super::fixture::{
    agent_id, evaluation_id, page_limit, post_id, solution_draft, solution_id, text,
};
use crate::engine::Engine;
use crate::support::instant;

/// Duration of a claim.
const HALF_AN_HOUR: u32 = 30 * 60;

fn examination(number: u32) -> EvaluationId {
    evaluation_id(post_id(number).uuid())
}

async fn with_flagged(on: &Engine, last: u32) {
    on.open_forum().await;
    for number in 1..=last {
        on.create_post(1 + number % 2, number, None, number).await;
        on.decide_post(number, Decision::Flag, 100 + number).await;
    }
}

async fn claim_item(
    on: &Engine,
    reviewer: &str,
    second: u32,
) -> Result<EvaluationDetails, ForumError> {
    on.forum.claim(examination(1), reviewer, instant(second)).await
}

async fn review_claimed(
    on: &Engine,
    reviewer: &str,
    ruling: Ruling,
    second: u32,
) -> Result<EvaluationDetails, ForumError> {
    let notes: Notes = text("because of this and that");
    on.forum.review(examination(1), reviewer, ruling, notes, instant(second)).await
}

async fn appeal_post(on: &Engine, by: u32, second: u32) -> Result<Post, ForumError> {
    let reason: AppealReason = text("it says nothing bad");
    on.forum.appeal(agent_id(by), post_id(1), reason, instant(second)).await
}

pub(crate) async fn claim_excludes_other_reviewers_for_30_minutes(on: &Engine) {
    with_flagged(on, 1).await;
    let claim =
        claim_item(on, "ann", 200).await.expect("it is allowed").claim.expect("it is allowed");
    let until = instant(200 + HALF_AN_HOUR);
    assert_eq!((claim.reviewer.as_str(), claim.until), ("ann", until));
    let taken = claim_item(on, "bob", 201).await.expect_err("it is refused");
    let expected = ClaimRefusal::Taken { reviewer: "ann".to_owned(), until };
    assert!(matches!(&taken, ForumError::Claim(why) if *why == expected), "{taken:?}");
    // A reviewer may renew a claim; after it has expired, every reviewer may claim the item.
    claim_item(on, "ann", 300).await.expect("it is allowed");
    assert!(claim_item(on, "bob", 299 + HALF_AN_HOUR).await.is_err());
    assert!(claim_item(on, "bob", 300 + HALF_AN_HOUR).await.is_ok());
}

pub(crate) async fn claim_can_be_released(on: &Engine) {
    with_flagged(on, 1).await;
    let release = |reviewer| on.forum.release(examination(1), reviewer, instant(201));
    let not_held = |err: &ForumError| matches!(err, ForumError::Claim(ClaimRefusal::NotClaimed));
    assert!(not_held(&release("ann").await.expect_err("it is refused")));
    claim_item(on, "ann", 200).await.expect("it is allowed");
    assert!(not_held(&release("bob").await.expect_err("it is refused")));
    assert_eq!(release("ann").await.expect("it is allowed").claim, None);
    claim_item(on, "bob", 202).await.expect("it is allowed");
}

pub(crate) async fn only_the_claiming_reviewer_can_decide(on: &Engine) {
    with_flagged(on, 1).await;
    let not_held = |err: &ForumError| matches!(err, ForumError::Claim(ClaimRefusal::NotClaimed));
    assert!(not_held(
        &review_claimed(on, "ann", Ruling::Approve, 200).await.expect_err("it is refused")
    ));
    claim_item(on, "ann", 200).await.expect("it is allowed");
    assert!(not_held(
        &review_claimed(on, "bob", Ruling::Approve, 201).await.expect_err("it is refused")
    ));
    let late = 200 + HALF_AN_HOUR;
    assert!(not_held(
        &review_claimed(on, "ann", Ruling::Approve, late).await.expect_err("it is refused")
    ));
    claim_item(on, "ann", late).await.expect("it is allowed");
    let done = review_claimed(on, "ann", Ruling::Approve, late + 1).await.expect("it is allowed");
    assert_eq!((done.status, done.claim, done.flagged_at), (GuardrailStatus::Approved, None, None));
    let review = done.review.expect("it is allowed");
    assert_eq!((review.reviewer.as_str(), review.ruling), ("ann", Ruling::Approve));
    assert_eq!(review.at, instant(late + 1));
    assert_eq!(on.visible_numbers(Viewer::Anonymous).await, [1]);
    let again = claim_item(on, "ann", late + 2).await.expect_err("it is refused");
    assert!(matches!(again, ForumError::Guardrail(GuardrailRefusal::NotFlagged)), "{again:?}");
}

pub(crate) async fn reviewer_sees_text_and_claim_and_the_author_does_not(on: &Engine) {
    with_flagged(on, 1).await;
    claim_item(on, "ann", 200).await.expect("it is allowed");
    let seen = on.forum.reviewable(examination(1)).await.expect("it is allowed");
    assert!(seen.text.expect("it is allowed").starts_with("What post 1 says"));
    assert_eq!(seen.author, agent_id(2));
    let own = on.forum.evaluation(agent_id(2), examination(1)).await.expect("it is allowed");
    assert_eq!((own.text, own.claim, own.status), (None, None, GuardrailStatus::Flagged));
    for (by, number) in [(1, 1), (2, 9)] {
        let err = on
            .forum
            .evaluation(agent_id(by), examination(number))
            .await
            .expect_err("it is refused");
        assert!(matches!(err, ForumError::UnknownEvaluation(_)), "{err:?}");
    }
    let none = on.forum.reviewable(examination(9)).await.expect_err("it is refused");
    assert!(matches!(none, ForumError::UnknownEvaluation(_)), "{none:?}");
    let none = on.forum.claim(examination(9), "ann", instant(1)).await.expect_err("it is refused");
    assert!(matches!(none, ForumError::UnknownEvaluation(_)), "{none:?}");
}

pub(crate) async fn flagged_items_are_listed_oldest_first(on: &Engine) {
    with_flagged(on, 6).await;
    for number in [2, 5] {
        on.forum.claim(examination(number), "ann", instant(200)).await.expect("it is allowed");
    }
    on.review_item(post_id(6).uuid(), Ruling::Reject, 201).await;
    for (claimed, author, wanted) in [
        (None, None, vec![1, 2, 3, 4, 5]),
        (Some(ReviewClaimFilter::Claimed), None, vec![2, 5]),
        (Some(ReviewClaimFilter::Unclaimed), None, vec![1, 3, 4]),
        (None, Some(1), vec![2, 4]),
        (Some(ReviewClaimFilter::Unclaimed), Some(2), vec![1, 3]),
    ] {
        for limit in [1, 2, 100] {
            let limit = page_limit(limit);
            let author = author.map(agent_id);
            let at = instant(300);
            let mut query = FlaggedQuery { claimed, author, at, after: None, limit };
            let mut found = Vec::new();
            loop {
                let page = on.forum.flagged(query).await.expect("it is allowed");
                found.extend(page.items.iter().map(|item| item.id));
                let Some(next) = page.next else { break };
                query.after = Some(next);
            }
            let wanted: Vec<_> = wanted.iter().map(|number| examination(*number)).collect();
            assert_eq!(found, wanted, "{claimed:?} {author:?} {limit:?}");
        }
    }
}

pub(crate) async fn rejected_post_can_be_appealed_once_by_its_author(on: &Engine) {
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    let early = appeal_post(on, 1, 2).await.expect_err("it is refused");
    assert!(matches!(early, ForumError::Guardrail(GuardrailRefusal::NotRejected)), "{early:?}");
    on.decide_post(1, Decision::Reject, 2).await;
    let unseen = appeal_post(on, 2, 3).await.expect_err("it is refused");
    assert!(matches!(unseen, ForumError::UnknownPost(_)), "{unseen:?}");
    let post = appeal_post(on, 1, 3).await.expect("it is allowed");
    assert_eq!(post.guardrail.status, GuardrailStatus::Flagged);
    assert_eq!(on.post_status(1).await, GuardrailStatus::Flagged);
    let record = on.forum.reviewable(examination(1)).await.expect("it is allowed");
    assert_eq!((record.appeal, record.status), (Appeal::Used, GuardrailStatus::Flagged));
    let reason: AppealReason = text("it says nothing bad");
    assert_eq!(record.appeal_reason.as_deref(), Some(reason.as_str()));
    assert_eq!((record.decision, record.decided_at), (Some(Decision::Reject), Some(instant(2))));
    assert_eq!(record.flagged_at, Some(instant(3)), "it waits since the appeal");
    claim_item(on, "ann", 4).await.expect("it is allowed");
    review_claimed(on, "ann", Ruling::Reject, 5).await.expect("it is allowed");
    let shown = on.find_post(1).await.guardrail;
    let notes: Notes = text("because of this and that");
    assert_eq!(
        (shown.status, shown.reason.as_deref()),
        (GuardrailStatus::Rejected, Some(notes.as_str()))
    );
    let again = appeal_post(on, 1, 6).await.expect_err("it is refused");
    assert!(matches!(again, ForumError::Guardrail(GuardrailRefusal::AppealedBefore)), "{again:?}");
}

pub(crate) async fn public_post_cannot_be_appealed(on: &Engine) {
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    on.decide_post(1, Decision::Approve, 2).await;
    let other = appeal_post(on, 2, 3).await.expect_err("it is refused");
    assert!(matches!(other, ForumError::NotTheAuthor), "{other:?}");
    let own = appeal_post(on, 1, 3).await.expect_err("it is refused");
    assert!(matches!(own, ForumError::Guardrail(GuardrailRefusal::NotRejected)), "{own:?}");
}

pub(crate) async fn problems_and_solutions_are_reviewed_like_posts(on: &Engine) {
    on.open_forum().await;
    on.create_solution(2, solution_draft(2, 1), 1).await;
    on.decide_item(solution_id(2).uuid(), Decision::Flag, 2).await;
    on.review_item(solution_id(2).uuid(), Ruling::Approve, 3).await;
    let seen = on.forum.solution(Viewer::Anonymous, solution_id(2)).await.expect("it is allowed");
    assert_eq!((seen.guardrail.status, seen.updated_at), (GuardrailStatus::Approved, instant(3)));
    assert_eq!(on.forum.agent(agent_id(2)).await.expect("it is allowed").approved, 1);
}
