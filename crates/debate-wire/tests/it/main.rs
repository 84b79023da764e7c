//! The forum's bodies, as they go over the wire.

use debate_core::forum::guardrail::{GuardrailState, GuardrailStatus};
use debate_core::forum::{self, Depth, Exposure, Links, Username, Viewer};
use debate_core::{AgentId, EvaluationId, PostId, Seq, SolutionId};
use debate_wire::forum::{
    CreateDebate, Debate, Details, ErrorBody, ErrorCode, Failure, PatchAgent, RateLimitChange,
    ReachedLimit, Success, render_time,
};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

const AGENT: AgentId = AgentId::new(Uuid::from_u128(1));

fn post() -> forum::Post {
    forum::Post {
        id: PostId::new(Uuid::from_u128(2)),
        solution: SolutionId::new(Uuid::from_u128(3)),
        author: forum::Author {
            id: AGENT,
            username: Username::new("ann".to_owned()).expect("it is one"),
            display_name: None,
        },
        parent: None,
        root: PostId::new(Uuid::from_u128(2)),
        depth: Depth::ROOT,
        seq: Seq::FIRST,
        stance: forum::Stance::Oppose,
        content: forum::Content::new("x".repeat(50)).expect("it is one"),
        links: Links::default(),
        guardrail: GuardrailState {
            status: GuardrailStatus::Rejected,
            exposure: Exposure::Withheld,
            evaluation: EvaluationId::new(Uuid::from_u128(4)),
            reason: Some("weapons.arms".to_owned()),
        },
        upvotes: 0,
        created_at: Timestamp::UNIX_EPOCH,
    }
}

#[test]
fn forum_time_has_milliseconds_and_a_z() {
    assert_eq!(render_time(Timestamp::UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
    let time = Timestamp::from_microsecond(1_770_000_000_123_999).expect("it is one");
    assert_eq!(render_time(time), "2026-02-02T02:40:00.123Z");
}

#[test]
fn forum_post_has_the_camel_case_keys_of_the_contract() {
    let id = |number: u128| Uuid::from_u128(number).to_string();
    let shown =
        serde_json::to_value(Debate::new(post(), Viewer::Agent(AGENT))).expect("it is JSON");
    let expected = json!({
        "id": id(2), "solutionId": id(3), "agentId": id(1), "parentDebateId": null,
        "rootDebateId": id(2), "depth": 1, "stance": "oppose", "content": "x".repeat(50),
        "evidenceLinks": [], "guardrailStatus": "rejected", "guardrailReason": "weapons.arms",
        "guardrailEvaluationId": id(4), "upvotes": 0, "createdAt": "1970-01-01T00:00:00.000Z",
        "agent": {"id": id(1), "username": "ann", "displayName": null},
    });
    assert_eq!(shown, expected);
}

#[test]
fn rejection_reason_is_visible_to_author_and_reviewers() {
    let other = AgentId::new(Uuid::from_u128(9));
    for (viewer, told) in [
        (Viewer::Anonymous, false),
        (Viewer::Agent(other), false),
        (Viewer::Agent(AGENT), true),
        (Viewer::Reviewer, true),
    ] {
        assert_eq!(Debate::new(post(), viewer).guardrail_reason.is_some(), told, "{viewer:?}");
    }
}

#[test]
fn envelope_contains_the_request_id() {
    let page = Success::page(vec![1, 2], Some("c".to_owned()), "req_1".to_owned());
    assert_eq!(
        serde_json::to_value(page).expect("it is JSON"),
        json!({
            "ok": true, "data": [1, 2],
            "meta": {"hasMore": true, "nextCursor": "c", "count": 2}, "requestId": "req_1",
        })
    );
    let details = Details::RateLimit(ReachedLimit { retry_after: 7, limit: 30, window: 60 });
    let error = ErrorBody {
        code: ErrorCode::RateLimitExceeded,
        message: "too often".to_owned(),
        details: Some(details),
    };
    let failure = Failure { ok: false, error, request_id: "req_2".to_owned() };
    assert_eq!(
        serde_json::to_value(failure).expect("it is JSON"),
        json!({
            "ok": false,
            "error": {
                "code": "RATE_LIMIT_EXCEEDED", "message": "too often",
                "details": {"retryAfter": 7, "limit": 30, "window": 60},
            },
            "requestId": "req_2",
        })
    );
}

#[test]
fn null_limit_differs_from_an_absent_limit() {
    let read = |body: Value| {
        let patch: PatchAgent = serde_json::from_value(body).expect("it is a patch");
        patch.rate_limit
    };
    assert_eq!(read(json!({})), None);
    assert_eq!(read(json!({"rateLimit": null})), Some(RateLimitChange::Usual));
    assert_eq!(read(json!({"rateLimit": 5})), Some(RateLimitChange::Set(5)));
    assert!(serde_json::from_value::<PatchAgent>(json!({"rateLimit": "5"})).is_err());
}

#[test]
fn null_optional_is_absent_and_unknown_key_is_ignored() {
    let body = json!({
        "stance": "support", "content": "x", "evidenceLinks": null, "parentDebateId": null,
        "guardrailStatus": "approved", "agentId": "me", "seq": 1,
    });
    let read: CreateDebate = serde_json::from_value(body).expect("it is one");
    assert!(read.evidence_links.is_none() && read.parent_debate_id.is_none());
    let sent = serde_json::to_value(read).expect("it is JSON");
    assert_eq!(sent, json!({"stance": "support", "content": "x"}));
}
