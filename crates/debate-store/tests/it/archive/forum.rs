//! Copies of the forum.

use debate_app::WorkOffer;
use debate_app::forum::{ClassifierTokenReservation, ForumStore, NewAgentKey};
use debate_app::forum::{CreatedPost, EvaluationAttemptResult, OldAgentKey, Vote, VoteChoice};
use debate_core::forum::guardrail::{Assessment, AssessmentKey, Decision, HarmRisk};
use debate_core::forum::{AppealReason, EvidenceLink, Links, Post, PostDraft, Stance, Viewer};
use debate_store::{ArchiveError, OpenError, Sqlite};
use jiff::civil::date;

use super::{End, copy_to, database, export};
use crate::contract::forum::fixture::{
    agent_id, agent_key, post_draft, post_id, solution_draft, solution_id, text, viewers,
};
use crate::engine::Engine;
use crate::postgres::store_on;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{instant, key};

/// Fills every table of the forum.
pub(super) async fn fill(on: &Engine) {
    on.open_forum().await;
    let link = EvidenceLink::new("https://example.org/ä?x#y".to_owned()).expect("it is allowed");
    let special = PostDraft {
        stance: Stance::Question,
        content: text("Ο Σίσυφος\t🧗 \\N 'x' \r\n «gut», said fifty characters and more of it"),
        links: Links::new(vec![link]).expect("it is allowed"),
        key: Some(key("once")),
        ..post_draft(1, None)
    };
    on.create_post_as(2, special, 1).await;
    for number in 2..=6 {
        on.create_post(2, number, Some(1), 1).await;
    }
    for (number, decision) in
        [(1, Decision::Approve), (2, Decision::Approve), (3, Decision::Reject), (4, Decision::Flag)]
    {
        on.decide_post(number, decision, 2).await;
    }
    let vote = Vote {
        agent: agent_id(1),
        solution: solution_id(1),
        post: post_id(1),
        choice: VoteChoice::Upvote,
        at: instant(3),
    };
    on.forum.vote(vote).await.expect("it is allowed");
    let reason: AppealReason = text("it says nothing bad");
    on.forum.appeal(agent_id(2), post_id(3), reason, instant(3)).await.expect("it is allowed");
    on.create_solution(1, solution_draft(2, 1), 4).await;
    let new = agent_key(7);
    let (prefix, digest, old) = (new.prefix(), new.digest(), OldAgentKey::Expires);
    on.forum
        .rotate(NewAgentKey { agent: agent_id(1), prefix, digest, old, at: instant(4) })
        .await
        .expect("it is allowed");
    let said = Assessment::new(0.1, HarmRisk::Low, Decision::Flag, "odd").expect("it is allowed");
    on.forum.cache_assessment(verdict(), said, instant(4)).await.expect("it is allowed");
    let spend = ClassifierTokenReservation::Reserve {
        day: date(2026, 11, 16),
        worst_case: 60,
        daily_most: 100,
    };
    assert!(on.forum.reserve_tokens(spend).await.expect("it is allowed"));
    // A worker has leased one of them.
    on.acquire_evaluation_task(5).await;
}

fn verdict() -> AssessmentKey {
    AssessmentKey::new("Some text", "rules", "a-model")
}

async fn visible_pages(on: &Engine) -> Vec<Vec<Post>> {
    let mut all = Vec::new();
    for viewer in viewers() {
        all.push(on.all_posts(viewer, 100).await);
        all.push(on.feed(viewer).await.into_iter().map(|(_, post)| post).collect());
    }
    all
}

/// Asserts that a server can continue on the copy.
async fn assert_continues(forum: &dyn ForumStore) {
    for number in [1, 7] {
        let agent =
            forum.authenticate(&agent_key(number), instant(10)).await.expect("it is allowed");
        assert_eq!((agent.id, agent.approved), (agent_id(1), 2));
    }
    assert!(forum.cached_assessment(verdict()).await.expect("it is allowed").is_some());
    let more = ClassifierTokenReservation::Reserve {
        day: date(2026, 11, 16),
        worst_case: 50,
        daily_most: 100,
    };
    assert!(!forum.reserve_tokens(more).await.expect("it is allowed"));
    let again = PostDraft { key: Some(key("once")), ..post_draft(99, None) };
    assert!(forum.create_post(agent_id(2), again, instant(20)).await.is_err(), "the key is taken");
    let posted = forum
        .create_post(agent_id(1), post_draft(50, Some(2)), instant(20))
        .await
        .expect("it is allowed");
    let CreatedPost::Fresh(post) = posted else { panic!("it is new") };
    assert_eq!(post.seq.number(), 7);
}

#[tokio::test]
async fn forum_is_equal_after_a_copy_to_the_other_engine_and_back() {
    let (first, second) = (TempDatabase::new(), TempDatabase::new());
    let on = first.engine();
    fill(&on).await;
    let before = visible_pages(&on).await;
    drop(on);
    let database = database();
    let there = copy_to(&End::File(&first), &End::Server(&database)).await.expect("it is moved");
    assert_eq!((there.read.count("forum_agents"), there.read.count("forum_posts")), (2, 6));
    let on = store_on(database.url()).await;
    assert_eq!(visible_pages(&on).await, before);
    let back = copy_to(&End::Server(&database), &End::File(&second)).await.expect("it is moved");
    assert_eq!(back.written.digest, there.read.digest);
    assert_eq!(back.written.rows, there.read.rows);
    assert!(export(&first) == export(&second), "every byte came back");
    for on in [on, second.engine()] {
        assert_eq!(visible_pages(&on).await, before);
        // The evaluation of a lost worker is acquired again after its lease.
        let mut tasks = 0;
        while let WorkOffer::Task(task) = on.acquire_evaluation(1000).await {
            on.settle_evaluation(&task, EvaluationAttemptResult::Released, 2000).await;
            tasks += 1;
        }
        assert_eq!(tasks, 3);
        assert_continues(&*on.forum).await;
    }
}

#[tokio::test]
async fn copy_is_refused_if_the_destination_has_a_forum() {
    let (full, other) = (TempDatabase::new(), TempDatabase::new());
    let on = full.engine();
    on.register_agent(1).await;
    drop(on);
    let refused = Sqlite::destination(&full.path()).err().expect("it holds an agent");
    assert!(matches!(refused, OpenError::NotEmpty(_)), "{refused:?}");
    let database = database();
    let on = store_on(database.url()).await;
    on.register_agent(1).await;
    drop(on);
    let on = other.engine();
    on.register_agent(2).await;
    drop(on);
    let refused =
        copy_to(&End::File(&other), &End::Server(&database)).await.expect_err("it is refused");
    assert!(matches!(refused, ArchiveError::NotEmpty("forum_agents")), "{refused}");
    let on = store_on(database.url()).await;
    assert!(on.forum.agent(agent_id(1)).await.is_ok());
    assert!(on.forum.agent(agent_id(2)).await.is_err());
    assert!(on.forum.solution(Viewer::Reviewer, solution_id(1)).await.is_err());
}
