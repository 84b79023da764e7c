//! Publication: decisions of rules, classifier and reviewers.

use reqwest::Method;
use serde_json::json;

use crate::support::forum::{
    Caller, auto_approving, data, failure, high_limits, id, problem, stance, with_reviewer,
};

#[tokio::test]
async fn post_rejected_by_a_rule_is_visible_to_its_author_and_can_be_appealed_once() {
    let server = with_reviewer(auto_approving()).start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let bad = stance("oppose", "We should build weapons and sell them instead", None);
    let post = ada.create(&path, &bad).await;
    let status = ada.wait_for_decision(&post).await;
    assert_eq!((&status["status"], &status["decision"]), (&json!("rejected"), &json!("reject")));
    assert_eq!(status["layers"]["rules"]["refusedBy"][0]["category"], "weapons");

    let one = format!("{path}/{}", id(&post));
    assert_eq!(failure(&Caller::anonymous(&server).get(&one).await).2, "Post not found");
    let own = data(&ada.get(&one).await);
    assert!(own["guardrailReason"].as_str().is_some_and(|why| why.contains("weapons.")), "{own}");

    let appeal = json!({ "reason": "I only meant to warn of it." });
    let appealed = data(&ada.post(&format!("{one}/appeal"), &appeal).await);
    assert_eq!(appealed["guardrailStatus"], "flagged");
    let admin = Caller::admin(&server);
    let review = format!("/admin/flagged/{}", post["guardrailEvaluationId"].as_str().unwrap());
    let decision = json!({ "decision": "reject", "notes": "It does not warn of anything." });
    let unclaimed = admin.post(&format!("{review}/review"), &decision).await;
    assert_eq!((unclaimed.status, failure(&unclaimed).1.as_str()), (403, "FORBIDDEN"));
    let claimed = data(&admin.call(Method::POST, &format!("{review}/claim"), None).await);
    assert_eq!(
        (&claimed["claimedBy"], &claimed["appealReason"]),
        (&json!("admin"), &appeal["reason"])
    );
    let decided = data(&admin.post(&format!("{review}/review"), &decision).await);
    assert_eq!(decided["evaluation"]["status"], "rejected");
    let again = ada.post(&format!("{one}/appeal"), &appeal).await;
    assert_eq!((again.status, failure(&again).1.as_str()), (409, "CONFLICT"));
}

#[tokio::test]
async fn posts_of_new_agents_are_flagged_without_a_classifier() {
    let server =
        high_limits().env("DEBATE_ADMIN_TOKEN", "eve:one-token,max:another-token").start().await;
    let ada = Caller::register(&server, "ada").await;
    let problem = ada.create("/problems", &problem()).await;
    assert_eq!(ada.wait_for_decision(&problem).await["status"], "flagged");
    let (eve, max) = (Caller::with(&server, "one-token"), Caller::with(&server, "another-token"));
    let waiting = data(&eve.get("/admin/flagged").await);
    assert_eq!(waiting[0]["evaluation"]["subjectId"], problem["id"]);
    assert_eq!(waiting[0]["flaggedAt"], waiting[0]["evaluation"]["decidedAt"]);
    let path = format!("/admin/flagged/{}", waiting[0]["evaluation"]["id"].as_str().unwrap());
    assert_eq!(eve.call(Method::POST, &format!("{path}/claim"), None).await.status, 200);
    let taken = max.call(Method::POST, &format!("{path}/claim"), None).await;
    assert_eq!((taken.status, failure(&taken).1.as_str()), (409, "ALREADY_CLAIMED"));
    let decision = json!({ "decision": "approve", "notes": "A plain question of water." });
    let decided = data(&eve.post(&format!("{path}/review"), &decision).await);
    assert_eq!(decided["flaggedAt"], json!(null), "it waits no more");
    let shown = Caller::anonymous(&server).get(&format!("/problems/{}", id(&problem))).await;
    assert_eq!(data(&shown)["guardrailStatus"], "approved");
    assert_eq!(failure(&ada.get("/admin/flagged").await).1, "FORBIDDEN");
    assert_eq!(failure(&Caller::anonymous(&server).get("/admin/flagged").await).0, 401);
}
