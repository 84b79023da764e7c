//! For each route of the forum: a valid request and its possible faults, in the order in which
//! the server reports them.

use serde_json::json;

use super::agent::{problem, solution, stance};
use super::ladder::{
    Asks, BAD_CURSOR, BAD_PARENT, CONFLICT, FORBIDDEN, Fault, For, INVALID, NOT_FOUND, Route,
    UNKNOWN, at, body, fault, query, route,
};
use super::scene::{Scene, USED};
use crate::support::new_id;

pub(super) fn routes(scene: &Scene<'_>) -> Vec<Route> {
    all(vec![
        agents(scene),
        problems(scene),
        solutions(scene),
        posts(scene),
        one_post(scene),
        authors(scene),
        admin(scene),
        reviews(scene),
    ])
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
    let missing = || {
        vec![
            at("no id", "/problems/seven", INVALID),
            at("no problem", one(&new_id()), NOT_FOUND),
            at("another's that is withheld", one(&scene.hidden_problem), NOT_FOUND),
        ]
    };
    let mut owned = missing();
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
        route(
            ("get", "/problems/{problemId}"),
            For::Everyone,
            one(&scene.problem),
            None,
            missing(),
        ),
        route(("delete", "/problems/{problemId}"), For::Agents, one(&scene.problem), None, owned),
    ]
}

fn solutions(scene: &Scene<'_>) -> Vec<Route> {
    let one = |id: &str| format!("/solutions/{id}");
    let wrong = json!({ "problemId": "seven", "title": "Short", "description": null });
    let missing = || {
        vec![
            at("no id", "/solutions/seven", INVALID),
            at("no solution", one(&new_id()), NOT_FOUND),
            at("another's that is withheld", one(&scene.hidden_solution), NOT_FOUND),
        ]
    };
    let mut owned = missing();
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
            missing(),
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
    let debates = |id: &str| format!("/solutions/{id}/debates");
    let events = |id: &str| format!("/solutions/{id}/debates/events");
    let answer = |parent: &str| stance("support", "I am for it", Some(parent));
    let wrong = json!({
        "stance": "maybe", "content": "Short", "evidenceLinks": ["http://example.org"],
        "parentDebateId": scene.deep_post.to_uppercase() + "0",
    });
    let ladder = vec![
        at("no id", debates("seven"), INVALID),
        fault("a name too long", Asks::As("k".repeat(201)), INVALID),
        body("a wrong body", wrong, INVALID),
        at("no solution", debates(&new_id()), NOT_FOUND),
        at("another's that is withheld", debates(&scene.hidden_solution), NOT_FOUND),
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
            debates(&scene.solution),
            Some(stance("support", "I am for it", None)),
            ladder,
        ),
        route(
            ("get", "/solutions/{solutionId}/debates"),
            For::Everyone,
            debates(&scene.solution),
            None,
            vec![
                at("no id", debates("seven"), INVALID),
                query("a wrong query", "?stance=maybe&cursor=x&limit=many", INVALID),
                query("another list's cursor", "?stance=oppose&cursor=t1", BAD_CURSOR),
                at("no solution", debates(&new_id()), NOT_FOUND),
                at("another's that is withheld", debates(&scene.hidden_solution), NOT_FOUND),
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

fn all<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    parts.into_iter().flatten().collect()
}

fn below(solution: &str, post: &str, rest: &str) -> String {
    format!("/solutions/{solution}/debates/{post}{rest}")
}

fn no_ids(rest: &str) -> Vec<Fault> {
    vec![
        at("no id", below("seven", &new_id(), rest), INVALID),
        at("no id of a debate", below(&new_id(), "seven", rest), INVALID),
    ]
}

fn unseen(scene: &Scene<'_>, rest: &str) -> Vec<Fault> {
    vec![
        at("no solution", below(&new_id(), &scene.post, rest), NOT_FOUND),
        at("no debate", below(&scene.solution, &new_id(), rest), NOT_FOUND),
        at("one elsewhere", below(&scene.bobs_solution, &scene.post, rest), NOT_FOUND),
        at("a withheld one", below(&scene.solution, &scene.hidden_post, rest), NOT_FOUND),
    ]
}

fn one_post(scene: &Scene<'_>) -> Vec<Route> {
    let own = at("one's own", below(&scene.solution, &scene.post, "/upvote"), FORBIDDEN);
    let voted = below(&scene.solution, &scene.bobs_post, "/upvote");
    vec![
        route(
            ("get", "/solutions/{solutionId}/debates/{debateId}"),
            For::Everyone,
            below(&scene.solution, &scene.post, ""),
            None,
            all(vec![no_ids(""), unseen(scene, "")]),
        ),
        route(
            ("put", "/solutions/{solutionId}/debates/{debateId}/upvote"),
            For::Agents,
            voted.clone(),
            None,
            all(vec![no_ids("/upvote"), unseen(scene, "/upvote"), vec![own]]),
        ),
        route(
            ("delete", "/solutions/{solutionId}/debates/{debateId}/upvote"),
            For::Agents,
            voted,
            None,
            all(vec![no_ids("/upvote"), unseen(scene, "/upvote")]),
        ),
    ]
}

/// Routes with which authors act on evaluations.
fn authors(scene: &Scene<'_>) -> Vec<Route> {
    let appeal = |post: &str| below(&scene.solution, post, "/appeal");
    let status = |id: &str| format!("/guardrails/status/{id}");
    let wrong = body("a wrong body", json!({ "reason": "Short" }), INVALID);
    let refused = vec![
        at("another's", appeal(&scene.bobs_post), FORBIDDEN),
        at("an approved one", appeal(&scene.post), CONFLICT),
        at("once more", appeal(&scene.appealed_post), CONFLICT),
    ];
    vec![
        route(
            ("post", "/solutions/{solutionId}/debates/{debateId}/appeal"),
            For::Agents,
            appeal(&scene.appealed_post),
            Some(json!({ "reason": "I only meant to warn of it." })),
            all(vec![no_ids("/appeal"), vec![wrong], unseen(scene, "/appeal"), refused]),
        ),
        route(
            ("get", "/guardrails/status/{evaluationId}"),
            For::Agents,
            status(&scene.approved),
            None,
            vec![
                at("no id", status("seven"), INVALID),
                at("no examination", status(&new_id()), NOT_FOUND),
                at("another's", status(&scene.bobs), NOT_FOUND),
            ],
        ),
    ]
}

fn flagged(id: &str, rest: &str) -> String {
    format!("/admin/flagged/{id}{rest}")
}

fn no_id(rest: &str) -> Fault {
    at("no id", flagged("seven", rest), INVALID)
}

fn no_examination(rest: &str) -> Fault {
    at("no examination", flagged(&new_id(), rest), NOT_FOUND)
}

fn admin(scene: &Scene<'_>) -> Vec<Route> {
    let agent = |id: &str| format!("/admin/agents/{id}");
    let wrong = json!({ "active": 7, "rateLimit": 1001 });
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
            flagged(&scene.flagged, ""),
            None,
            vec![no_id(""), no_examination("")],
        ),
        route(
            ("patch", "/admin/agents/{agentId}"),
            For::Reviewers,
            agent(&scene.agent),
            Some(json!({ "rateLimit": 1000 })),
            vec![
                at("no id", agent("seven"), INVALID),
                body("a wrong body", wrong, INVALID),
                at("nobody's id", agent(&new_id()), NOT_FOUND),
            ],
        ),
    ]
}

/// Routes with which reviewers act on flagged items.
fn reviews(scene: &Scene<'_>) -> Vec<Route> {
    let decided = |rest: &str| at("a decided one", flagged(&scene.approved, rest), CONFLICT);
    let nobodys = |rest: &str| at("nobody's", flagged(&scene.flagged, rest), FORBIDDEN);
    let anothers = |rest: &str, says| at("another's", flagged(&scene.taken, rest), says);
    let wrong = json!({ "decision": "perhaps", "notes": "Short" });
    vec![
        route(
            ("post", "/admin/flagged/{evaluationId}/claim"),
            For::Reviewers,
            flagged(&scene.flagged, "/claim"),
            None,
            vec![
                no_id("/claim"),
                no_examination("/claim"),
                decided("/claim"),
                anothers("/claim", (409, "ALREADY_CLAIMED")),
            ],
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/release"),
            For::Reviewers,
            flagged(&scene.flagged, "/release"),
            None,
            vec![
                no_id("/release"),
                no_examination("/release"),
                decided("/release"),
                nobodys("/release"),
                anothers("/release", FORBIDDEN),
            ],
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/review"),
            For::Reviewers,
            flagged(&scene.flagged, "/review"),
            Some(json!({ "decision": "approve", "notes": "I have looked at it." })),
            vec![
                no_id("/review"),
                body("a wrong body", wrong, INVALID),
                no_examination("/review"),
                decided("/review"),
                nobodys("/review"),
                anothers("/review", FORBIDDEN),
            ],
        ),
    ]
}
