//! Creation of posts.

use debate_app::forum::{CreatedPost, ForumError};
use debate_core::Seq;
use debate_core::forum::guardrail::{Decision, GuardrailStatus, Ruling};
use debate_core::forum::{
    Depth, EvidenceLink, Exposure, Links, ParentRefusal, PostDraft, SolutionStatus, Stance, Text,
    Viewer,
};
use futures_util::future::join_all;
use jiff::SignedDuration;

use super::fixture::{
    agent_id, decision_result, post_draft, post_id, post_number, set, solution_draft, solution_id,
    text,
};
use crate::engine::Engine;
use crate::support::{instant, key, micros};

async fn refused(on: &Engine, by: u32, draft: PostDraft) -> ForumError {
    on.forum.create_post(agent_id(by), draft, instant(50)).await.expect_err("it is refused")
}

pub(crate) async fn create_saves_every_field_of_a_post(on: &Engine) {
    on.open_forum().await;
    let link = |text: &str| EvidenceLink::new(text.to_owned()).expect("it is allowed");
    let links = Links::new(vec![link("https://example.org/a"), link("https://example.org/b?c#d")]);
    let draft = PostDraft {
        stance: Stance::Question,
        links: links.expect("it is allowed"),
        key: Some(key("k")),
        ..post_draft(1, None)
    };
    let post = on.create_post_as(2, draft.clone(), 5).await;
    assert_eq!((post.id, post.solution), (draft.id, solution_id(1)));
    assert_eq!((post.author.id, post.author.username.as_str()), (agent_id(2), "agent_2"));
    assert_eq!((post.parent, post.root, post.depth), (None, draft.id, Depth::ROOT));
    assert_eq!((post.seq, post.upvotes, post.created_at), (Seq::FIRST, 0, instant(5)));
    assert_eq!((post.stance, &post.content), (Stance::Question, &draft.content));
    assert_eq!(post.links, draft.links);
    assert_eq!(post.guardrail.status, GuardrailStatus::Pending);
    assert_eq!(post.guardrail.exposure, Exposure::Withheld);
    assert_eq!(post.guardrail.evaluation, draft.evaluation);
    let own = Viewer::Agent(agent_id(2));
    assert_eq!(on.forum.post(own, solution_id(1), post.id).await.expect("it is allowed"), post);
    let task = on.acquire_evaluation_task(5).await;
    assert_eq!((task.lease.item, task.text), (draft.evaluation, draft.evaluated_text()));
}

pub(crate) async fn first_post_changes_the_status_of_the_solution(on: &Engine) {
    on.open_forum().await;
    assert_eq!(on.solution_1().await.status, SolutionStatus::Proposed);
    on.create_post(2, 1, None, 7).await;
    let solution = on.solution_1().await;
    assert_eq!((solution.status, solution.posts), (SolutionStatus::Debating, 1));
    assert_eq!((solution.public_posts, solution.updated_at), (0, instant(7)));
}

pub(crate) async fn post_to_an_invisible_solution_is_refused(on: &Engine) {
    on.open_forum().await;
    on.create_solution(1, solution_draft(2, 1), 0).await;
    for number in [2, 3] {
        let draft = PostDraft { solution: solution_id(number), ..post_draft(1, Some(9)) };
        let err = refused(on, 2, draft).await;
        assert!(matches!(err, ForumError::UnknownSolution(_)), "{err:?}");
    }
    let draft = PostDraft { solution: solution_id(2), ..post_draft(1, None) };
    on.create_post_as(1, draft, 1).await;
}

pub(crate) async fn wrong_parent_is_refused_with_its_reason(on: &Engine) {
    on.open_forum().await;
    on.create_solution(1, solution_draft(2, 1), 0).await;
    let elsewhere = PostDraft { solution: solution_id(2), ..post_draft(90, None) };
    on.create_post_as(1, elsewhere, 1).await;
    on.create_post(1, 1, None, 1).await;
    for number in 2..=5 {
        on.create_post(1, number, Some(number - 1), 1).await;
    }
    for (by, parent, reason) in [
        (1, 99, ParentRefusal::NotFound),
        (1, 90, ParentRefusal::OtherSolution),
        (2, 1, ParentRefusal::NotFound),
        (2, 90, ParentRefusal::NotFound),
        (1, 5, ParentRefusal::TooDeep),
    ] {
        let err = refused(on, by, post_draft(50, Some(parent))).await;
        assert!(matches!(err, ForumError::Parent(why) if why == reason), "{err:?}");
    }
    assert_eq!(on.solution_1().await.posts, 5);
}

pub(crate) async fn replies_have_the_depth_and_root_of_their_thread(on: &Engine) {
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    for number in 2..=5 {
        let post = on.create_post(1, number, Some(number - 1), 1).await;
        assert_eq!(u32::from(post.depth.number()), number);
        assert_eq!((post.root, post.parent), (post_id(1), Some(post_id(number - 1))));
        assert_eq!(on.find_post(number).await.root, post_id(1));
    }
}

pub(crate) async fn retry_with_the_same_key_returns_the_first_post(on: &Engine) {
    on.open_forum().await;
    let keyed = |number: u32, says: u32| PostDraft {
        content: post_draft(says, None).content,
        key: Some(key("once")),
        ..post_draft(number, None)
    };
    on.create_post_as(2, keyed(1, 1), 1).await;
    on.decide_post(1, Decision::Approve, 1).await;
    let again =
        on.forum.create_post(agent_id(2), keyed(2, 1), instant(2)).await.expect("it is allowed");
    let CreatedPost::Replayed(again) = again else { panic!("it was kept twice") };
    assert_eq!((again.id, again.guardrail.status), (post_id(1), GuardrailStatus::Approved));
    let err = refused(on, 2, keyed(3, 3)).await;
    assert!(matches!(err, ForumError::KeyReused), "{err:?}");
    // Another agent may use the same key.
    on.create_post_as(1, keyed(4, 1), 3).await;
    assert_eq!(on.solution_1().await.posts, 2);
}

pub(crate) async fn parallel_posts_with_one_key_are_written_once(on: &Engine) {
    on.open_forum().await;
    let twins = (1..=8).map(|number| {
        let draft = PostDraft {
            content: post_draft(1, None).content,
            key: Some(key("once")),
            ..post_draft(number, None)
        };
        on.forum.create_post(agent_id(2), draft, instant(1))
    });
    let answers = join_all(twins).await;
    let posts: Vec<_> = answers
        .into_iter()
        .map(|answer| match answer.expect("it is allowed") {
            CreatedPost::Fresh(post) | CreatedPost::Replayed(post) => post_number(&post),
        })
        .collect();
    assert_eq!(posts.len(), 8);
    assert_eq!(set(posts).len(), 1);
    assert_eq!(on.solution_1().await.posts, 1);
}

pub(crate) async fn same_text_within_10_minutes_is_refused(on: &Engine) {
    on.open_forum().await;
    let says = |number: u32, parent, words: &str| PostDraft {
        content: text(words),
        ..post_draft(number, parent)
    };
    let words = "The water is clean and everyone should be able to drink of it.";
    let shouted = "THE  WATER is clean and everyone should be able to drink of it.";
    on.create_post_as(2, says(1, None, words), 0).await;
    let err = refused(on, 2, says(2, None, shouted)).await;
    assert!(matches!(err, ForumError::Repeated(id) if id == post_id(1)), "{err:?}");
    // The same text in another thread, by another agent or later is accepted.
    on.create_post_as(2, says(3, Some(1), words), 1).await;
    on.create_post_as(1, says(4, None, words), 1).await;
    let ten = SignedDuration::from_mins(10);
    let early = instant(0) + ten - SignedDuration::from_micros(1);
    let early = on
        .forum
        .create_post(agent_id(2), says(5, None, words), early)
        .await
        .expect_err("it is refused");
    assert!(matches!(early, ForumError::Repeated(_)), "{early:?}");
    assert!(
        on.forum.create_post(agent_id(2), says(6, None, words), instant(0) + ten).await.is_ok()
    );
}

pub(crate) async fn refused_post_changes_nothing_and_notifies_no_subscriber(on: &Engine) {
    on.open_forum().await;
    let before = on.solution_1().await;
    let mut subscription = on.notifier.subscribe(solution_id(1)).expect("the notifier has room");
    refused(on, 2, post_draft(1, Some(7))).await;
    assert_eq!(on.solution_1().await, before);
    assert!(!crate::engine::has_changed(&mut subscription));
    on.create_post(2, 1, None, 1).await;
    assert!(crate::engine::has_changed(&mut subscription));
}

/// 25 agents start threads, and 25 reply in a public thread.
pub(crate) async fn parallel_posts_of_50_agents_are_all_counted(on: &Engine) {
    on.open_forum().await;
    on.create_post(1, 1, None, 0).await;
    on.decide_post(1, Decision::Approve, 0).await;
    on.create_solution(1, solution_draft(2, 1), 0).await;
    on.decide_item(solution_id(2).uuid(), Decision::Approve, 0).await;
    for number in 100..150 {
        on.register_agent(number).await;
    }
    let posts = join_all((100..150_u32).map(|number| async move {
        let parent = (number % 2 == 0).then_some(1);
        let post = on.create_post(number, number, parent, 1).await;
        // Also the first posts of another solution, all at once.
        let first = PostDraft { solution: solution_id(2), ..post_draft(1000 + number, None) };
        on.create_post_as(number, first, 1).await;
        post
    }))
    .await;
    let solution = on.solution_1().await;
    assert_eq!((solution.posts, solution.status), (51, SolutionStatus::Debating));
    let seqs = set(posts.iter().map(|post| post.seq.number()));
    assert_eq!(seqs, set(2..=51));
    for post in posts {
        let kept = on.find_post(post_number(&post)).await;
        assert_eq!(kept, post);
        let is_answer = post_number(&post).is_multiple_of(2);
        let (root, depth) = if is_answer { (post_id(1), 2) } else { (post.id, 1) };
        assert_eq!((kept.root, kept.depth.number()), (root, depth));
    }
    let second = on.forum.solution(Viewer::Reviewer, solution_id(2)).await.expect("it is allowed");
    assert_eq!((second.posts, second.status), (50, SolutionStatus::Debating));
}

/// Withheld posts do not count, so they cannot close a thread.
pub(crate) async fn thread_closes_at_1000_public_posts(on: &Engine) {
    on.open_forum().await;
    on.publish_post(1, 1, None, 0).await;
    for number in 2..=11 {
        on.create_post(2, number, Some(1), 0).await;
        on.decide_post(number, Decision::Reject, 0).await;
    }
    // In batches, because single commits would take too long.
    for batch in (12..=1010).collect::<Vec<_>>().chunks(20) {
        join_all(batch.iter().map(|number| on.create_post(1, *number, Some(1), 0))).await;
        join_all(batch.iter().map(|_| async {
            let task = on.acquire_evaluation_task(0).await;
            on.settle_evaluation(&task, decision_result(Decision::Approve), 0).await;
        }))
        .await;
    }
    assert_eq!(on.solution_1().await.public_posts, 1000);
    let err = refused(on, 1, post_draft(2000, Some(12))).await;
    assert!(matches!(err, ForumError::Parent(ParentRefusal::Full)), "{err:?}");
    on.create_post(1, 2001, None, 1).await;
}

pub(crate) async fn agent_has_at_most_20_undecided_posts_in_a_thread(on: &Engine) {
    on.open_forum().await;
    on.publish_post(1, 1, None, 1).await;
    on.publish_post(1, 2, None, 1).await;
    for number in 11..=30 {
        on.create_post(2, number, Some(1), 1).await;
        if number <= 20 {
            on.decide_post(number, Decision::Flag, 1).await;
        }
    }
    let err = refused(on, 2, post_draft(31, Some(1))).await;
    assert!(matches!(err, ForumError::TooManyUndecided), "{err:?}");
    // The limit does not apply to another thread, another agent or a new thread.
    on.create_post(2, 32, Some(2), 1).await;
    on.create_post(1, 33, Some(1), 1).await;
    on.create_post(2, 34, None, 1).await;
    // Each decision allows one more post: a rejection, an approval, a reviewer's decision.
    on.decide_post(21, Decision::Reject, 2).await;
    on.create_post(2, 35, Some(1), 2).await;
    on.decide_post(22, Decision::Approve, 2).await;
    on.create_post(2, 36, Some(1), 2).await;
    on.review_item(post_id(11).uuid(), Ruling::Reject, 2).await;
    on.create_post(2, 37, Some(1), 2).await;
    let err = refused(on, 2, post_draft(38, Some(1))).await;
    assert!(matches!(err, ForumError::TooManyUndecided), "{err:?}");
}

pub(crate) async fn undecided_posts_count_among_1000_newer_withheld_posts(on: &Engine) {
    on.open_forum().await;
    on.publish_post(1, 1, None, 1).await;
    for number in 11..=30 {
        on.create_post(2, number, Some(1), 1).await;
    }
    // In batches, because single commits would take too long.
    for batch in (101..=1101).collect::<Vec<_>>().chunks(50) {
        join_all(batch.iter().map(|number| on.create_post(2, *number, None, 1))).await;
    }
    let err = refused(on, 2, post_draft(2000, Some(1))).await;
    assert!(matches!(err, ForumError::TooManyUndecided), "{err:?}");
}

pub(crate) async fn post_keeps_microseconds_and_the_last_character(on: &Engine) {
    on.open_forum().await;
    let at = micros(1_234_567);
    let posted =
        on.forum.create_post(agent_id(1), post_draft(1, None), at).await.expect("it is allowed");
    let CreatedPost::Fresh(post) = posted else { panic!("it is new") };
    assert_eq!(post.created_at, at);
    assert_eq!(on.find_post(1).await.created_at, at);
    let longest: Text<50, 10_000> = text(&"ä€😀".repeat(3000));
    let draft = PostDraft { content: longest.clone(), ..post_draft(2, None) };
    on.create_post_as(1, draft, 2).await;
    assert_eq!(on.find_post(2).await.content, longest);
}
