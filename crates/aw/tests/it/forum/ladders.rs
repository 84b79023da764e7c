//! For each route of the forum: a request that is right, and what can be wrong with it, in the
//! order in which it is told.

use serde_json::json;

use super::agent::{problem, solution, stance};
use super::ladder::{
    Asks, BAD_CURSOR, BAD_PARENT, CONFLICT, FORBIDDEN, Fault, For, INVALID, NOT_FOUND, Route,
    UNKNOWN, at, body, fault, query, route,
};
use super::scene::{Scene, USED};
use crate::support::new_id;

/// Every route.
pub(super) fn routes(scene: &Scene<'_>) -> Vec<Route> {
    [agents(scene), problems(scene), solutions(scene), posts(scene), one_post(scene), admin(scene)]
        .into_iter()
        .flatten()
        .collect()
}

fn agents(scene: &Scene<'_>) -> Vec<Route> {
    let wrong = json!({ "username": "A", "displayName": 7, "description": "" });
    vec![
        route(
            ("post", "/auth/agents/register"),
            For::Everyone,
            "/auth/agents/register",
            Some(json!({ "username": "carl" })),
            vec![
                body("a wrong body", wrong, INVALID),
                body("a name that is taken", json!({ "username": "bob" }), (409, "USERNAME_TAKEN")),
            ],
        ),
        route(
            ("post", "/auth/agents/rotate-key"),
            For::Agents,
            "/auth/agents/rotate-key",
            Some(json!({})),
            vec![body("a wrong body", json!({ "revokeNow": "yes" }), INVALID)],
        ),
        route(("get", "/agents/me"), For::Agents, "/agents/me", None, vec![]),
        route(
            ("get", "/agents/{agentId}"),
            For::Everyone,
            format!("/agents/{}", scene.agent),
            None,
            vec![
                at("no id", "/agents/seven", INVALID),
                at("nobody's id", format!("/agents/{}", new_id()), NOT_FOUND),
            ],
        ),
    ]
}

fn problems(scene: &Scene<'_>) -> Vec<Route> {
    let one = |id: &str| format!("/problems/{id}");
    let wrong = json!({ "title": "Short", "description": 7, "domain": "", "severity": "fatal" });
    let unseen = || {
        vec![
            at("no id", "/problems/seven", INVALID),
            at("no problem", one(&new_id()), NOT_FOUND),
            at("another's that is withheld", one(&scene.hidden_problem), NOT_FOUND),
        ]
    };
    let mut owned = unseen();
    owned.push(at("another's", one(&scene.bobs_problem), FORBIDDEN));
    vec![
        route(
            ("post", "/problems"),
            For::Agents,
            "/problems",
            Some(problem()),
            vec![body("a wrong body", wrong, INVALID)],
        ),
        route(
            ("get", "/problems"),
            For::Everyone,
            "/problems",
            None,
            vec![
                query("a wrong query", "?mine=perhaps&cursor=x&limit=0", INVALID),
                query("no cursor", "?mine=true&cursor=x", BAD_CURSOR),
                query("one's own, of nobody", "?mine=true", UNKNOWN),
            ],
        ),
        route(("get", "/problems/{problemId}"), For::Everyone, one(&scene.problem), None, unseen()),
        route(("delete", "/problems/{problemId}"), For::Agents, one(&scene.problem), None, owned),
    ]
}

fn solutions(scene: &Scene<'_>) -> Vec<Route> {
    let one = |id: &str| format!("/solutions/{id}");
    let wrong = json!({ "problemId": "seven", "title": "Short", "description": null });
    let unseen = || {
        vec![
            at("no id", "/solutions/seven", INVALID),
            at("no solution", one(&new_id()), NOT_FOUND),
            at("another's that is withheld", one(&scene.hidden_solution), NOT_FOUND),
        ]
    };
    let mut owned = unseen();
    owned.push(at("another's", one(&scene.bobs_solution), FORBIDDEN));
    vec![
        route(
            ("post", "/solutions"),
            For::Agents,
            "/solutions",
            Some(solution(&scene.problem)),
            vec![
                body("a wrong body", wrong, INVALID),
                body("no problem", solution(&new_id()), NOT_FOUND),
                body("a withheld problem", solution(&scene.hidden_problem), NOT_FOUND),
            ],
        ),
        route(
            ("get", "/solutions"),
            For::Everyone,
            "/solutions",
            None,
            vec![
                query("a wrong query", "?problemId=seven&cursor=x&limit=101", INVALID),
                query("no cursor", "?mine=true&cursor=x", BAD_CURSOR),
                query("one's own, of nobody", "?mine=true", UNKNOWN),
            ],
        ),
        route(
            ("get", "/solutions/{solutionId}"),
            For::Everyone,
            one(&scene.solution),
            None,
            unseen(),
        ),
        route(
            ("delete", "/solutions/{solutionId}"),
            For::Agents,
            one(&scene.solution),
            None,
            owned,
        ),
    ]
}

fn posts(scene: &Scene<'_>) -> Vec<Route> {
    let below = |id: &str| format!("/solutions/{id}/debates");
    let events = |id: &str| format!("/solutions/{id}/debates/events");
    let answer = |parent: &str| stance("support", "I am for it", Some(parent));
    let wrong = json!({
        "stance": "maybe", "content": "Short", "evidenceLinks": ["http://example.org"],
        "parentDebateId": scene.deep_post.to_uppercase() + "0",
    });
    let ladder = vec![
        at("no id", below("seven"), INVALID),
        fault("a name too long", Asks::As("k".repeat(201)), INVALID),
        body("a wrong body", wrong, INVALID),
        at("no solution", below(&new_id()), NOT_FOUND),
        at("another's that is withheld", below(&scene.hidden_solution), NOT_FOUND),
        fault(
            "a name of another request",
            Asks::As(USED.to_owned()),
            (422, "IDEMPOTENCY_CONFLICT"),
        ),
        body("no parent", answer(&new_id()), BAD_PARENT),
        body("a parent elsewhere, withheld", answer(&scene.hidden_foreign_post), BAD_PARENT),
        body("a deep parent, withheld", answer(&scene.hidden_deep_post), BAD_PARENT),
        body("a deep parent", answer(&scene.deep_post), BAD_PARENT),
        body("the same again", stance("oppose", "Level 1", None), CONFLICT),
    ];
    vec![
        route(
            ("post", "/solutions/{solutionId}/debates"),
            For::Agents,
            below(&scene.solution),
            Some(stance("support", "I am for it", None)),
            ladder,
        ),
        route(
            ("get", "/solutions/{solutionId}/debates"),
            For::Everyone,
            below(&scene.solution),
            None,
            vec![
                at("no id", below("seven"), INVALID),
                query("a wrong query", "?stance=maybe&cursor=x&limit=many", INVALID),
                query("another list's cursor", "?stance=oppose&cursor=t1", BAD_CURSOR),
                at("no solution", below(&new_id()), NOT_FOUND),
                at("another's that is withheld", below(&scene.hidden_solution), NOT_FOUND),
            ],
        ),
        route(
            ("get", "/solutions/{solutionId}/debates/events"),
            For::Everyone,
            events(&scene.solution),
            None,
            vec![
                at("no id", events("seven"), INVALID),
                at("no solution", events(&new_id()), NOT_FOUND),
                at("another's that is withheld", events(&scene.hidden_solution), NOT_FOUND),
            ],
        ),
    ]
}

fn one_post(scene: &Scene<'_>) -> Vec<Route> {
    let below = |solution: &str, post: &str, rest: &str| {
        format!("/solutions/{solution}/debates/{post}{rest}")
    };
    let no_ids = |rest: &str| {
        vec![
            at("no id", below("seven", &new_id(), rest), INVALID),
            at("no id of a debate", below(&new_id(), "seven", rest), INVALID),
        ]
    };
    let unseen = |rest: &str| {
        vec![
            at("no solution", below(&new_id(), &scene.post, rest), NOT_FOUND),
            at("no debate", below(&scene.solution, &new_id(), rest), NOT_FOUND),
            at("one elsewhere", below(&scene.bobs_solution, &scene.post, rest), NOT_FOUND),
            at("a withheld one", below(&scene.solution, &scene.hidden_post, rest), NOT_FOUND),
        ]
    };
    let own = at("one's own", below(&scene.solution, &scene.post, "/upvote"), FORBIDDEN);
    let voted = below(&scene.solution, &scene.bobs_post, "/upvote");
    let reason = Some(json!({ "reason": "I only meant to warn of it." }));
    let appeals = vec![body("a wrong body", json!({ "reason": "Short" }), INVALID)];
    let refused = vec![
        at("another's", below(&scene.solution, &scene.bobs_post, "/appeal"), FORBIDDEN),
        at("an approved one", below(&scene.solution, &scene.post, "/appeal"), CONFLICT),
        at("once more", below(&scene.solution, &scene.appealed_post, "/appeal"), CONFLICT),
    ];
    let all = |parts: Vec<Vec<Fault>>| parts.into_iter().flatten().collect::<Vec<_>>();
    vec![
        route(
            ("get", "/solutions/{solutionId}/debates/{debateId}"),
            For::Everyone,
            below(&scene.solution, &scene.post, ""),
            None,
            all(vec![no_ids(""), unseen("")]),
        ),
        route(
            ("put", "/solutions/{solutionId}/debates/{debateId}/upvote"),
            For::Agents,
            voted.clone(),
            None,
            all(vec![no_ids("/upvote"), unseen("/upvote"), vec![own]]),
        ),
        route(
            ("delete", "/solutions/{solutionId}/debates/{debateId}/upvote"),
            For::Agents,
            voted,
            None,
            all(vec![no_ids("/upvote"), unseen("/upvote")]),
        ),
        route(
            ("post", "/solutions/{solutionId}/debates/{debateId}/appeal"),
            For::Agents,
            below(&scene.solution, &scene.appealed_post, "/appeal"),
            reason,
            all(vec![no_ids("/appeal"), appeals, unseen("/appeal"), refused]),
        ),
        route(
            ("get", "/guardrails/status/{evaluationId}"),
            For::Agents,
            format!("/guardrails/status/{}", scene.approved),
            None,
            vec![
                at("no id", "/guardrails/status/seven", INVALID),
                at("no examination", format!("/guardrails/status/{}", new_id()), NOT_FOUND),
                at("another's", format!("/guardrails/status/{}", scene.bobs), NOT_FOUND),
            ],
        ),
    ]
}

fn admin(scene: &Scene<'_>) -> Vec<Route> {
    let one = |id: &str, rest: &str| format!("/admin/flagged/{id}{rest}");
    let unknown = |rest: &str| {
        vec![
            at("no id", one("seven", rest), INVALID),
            at("no examination", one(&new_id(), rest), NOT_FOUND),
        ]
    };
    let decided = |rest: &str| at("a decided one", one(&scene.approved, rest), CONFLICT);
    let not_ones_own = |rest: &str| {
        vec![
            at("nobody's", one(&scene.flagged, rest), FORBIDDEN),
            at("another's", one(&scene.taken, rest), FORBIDDEN),
        ]
    };
    let review = json!({ "decision": "approve", "notes": "I have looked at it." });
    let wrong = json!({ "decision": "perhaps", "notes": "Short" });
    let agent = |id: &str| format!("/admin/agents/{id}");
    let patch = json!({ "active": 7, "rateLimit": 1001 });
    let all = |parts: Vec<Vec<Fault>>| parts.into_iter().flatten().collect::<Vec<_>>();
    let mut reviewing = unknown("/review");
    reviewing.insert(1, body("a wrong body", wrong, INVALID));
    vec![
        route(
            ("get", "/admin/flagged"),
            For::Reviewers,
            "/admin/flagged",
            None,
            vec![
                query("a wrong query", "?claimed=perhaps&agentId=seven&cursor=x", INVALID),
                query("no cursor", "?cursor=x", BAD_CURSOR),
            ],
        ),
        route(
            ("get", "/admin/flagged/{evaluationId}"),
            For::Reviewers,
            one(&scene.flagged, ""),
            None,
            unknown(""),
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/claim"),
            For::Reviewers,
            one(&scene.flagged, "/claim"),
            None,
            all(vec![
                unknown("/claim"),
                vec![decided("/claim")],
                vec![at("another's", one(&scene.taken, "/claim"), (409, "ALREADY_CLAIMED"))],
            ]),
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/release"),
            For::Reviewers,
            one(&scene.flagged, "/release"),
            None,
            all(vec![unknown("/release"), vec![decided("/release")], not_ones_own("/release")]),
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/review"),
            For::Reviewers,
            one(&scene.flagged, "/review"),
            Some(review),
            all(vec![reviewing, vec![decided("/review")], not_ones_own("/review")]),
        ),
        route(
            ("patch", "/admin/agents/{agentId}"),
            For::Reviewers,
            agent(&scene.agent),
            Some(json!({ "rateLimit": 1000 })),
            vec![
                at("no id", agent("seven"), INVALID),
                body("a wrong body", patch, INVALID),
                at("nobody's id", agent(&new_id()), NOT_FOUND),
            ],
        ),
    ]
}
