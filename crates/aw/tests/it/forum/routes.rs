//! For each route of the forum: a valid request and its possible faults, in the order in which
//! the server reports them.

use serde_json::json;

use crate::forum::fixture::{Fixture, USED_KEY};
use crate::forum::route_cases::{
    Access::{Agents, Everyone, Reviewers},
    BAD_CURSOR, BAD_PARENT, CONFLICT, Change, FORBIDDEN, Fault, INVALID, NOT_FOUND, Route,
    UNAUTHORIZED, bad_body, bad_path, bad_query, fault, route,
};
use crate::support::forum::{problem, solution, stance};
use crate::support::new_id;

pub(super) fn routes(forum: &Fixture<'_>) -> Vec<Route> {
    all(vec![
        agents(forum),
        problems(forum),
        solutions(forum),
        posts(forum),
        one_post(forum),
        authors(forum),
        admin(forum),
        reviews(forum),
    ])
}

fn agents(forum: &Fixture<'_>) -> Vec<Route> {
    let wrong = json!({ "username": "A", "displayName": 7, "description": "" });
    vec![
        route(
            ("post", "/auth/agents/register"),
            Everyone,
            "/auth/agents/register",
            Some(json!({ "username": "carl" })),
            vec![
                bad_body("a wrong body", wrong, INVALID),
                bad_body(
                    "a name that is taken",
                    json!({ "username": "bob" }),
                    (409, "USERNAME_TAKEN"),
                ),
            ],
        ),
        route(
            ("post", "/auth/agents/rotate-key"),
            Agents,
            "/auth/agents/rotate-key",
            Some(json!({})),
            vec![bad_body("a wrong body", json!({ "revokeNow": "yes" }), INVALID)],
        ),
        route(("get", "/agents/me"), Agents, "/agents/me", None, vec![]),
        route(
            ("get", "/agents/{agentId}"),
            Everyone,
            format!("/agents/{}", forum.agent),
            None,
            vec![
                bad_path("no id", "/agents/seven", INVALID),
                bad_path("an unknown id", format!("/agents/{}", new_id()), NOT_FOUND),
            ],
        ),
    ]
}

fn problems(forum: &Fixture<'_>) -> Vec<Route> {
    let one = |id: &str| format!("/problems/{id}");
    let wrong = json!({ "title": "Short", "description": 7, "domain": "", "severity": "fatal" });
    let missing = || {
        vec![
            bad_path("no id", "/problems/seven", INVALID),
            bad_path("no problem", one(&new_id()), NOT_FOUND),
            bad_path("another's that is withheld", one(&forum.hidden_problem), NOT_FOUND),
        ]
    };
    let mut owned = missing();
    owned.push(bad_path("another's", one(&forum.bobs_problem), FORBIDDEN));
    vec![
        route(
            ("post", "/problems"),
            Agents,
            "/problems",
            Some(problem()),
            vec![bad_body("a wrong body", wrong, INVALID)],
        ),
        route(
            ("get", "/problems"),
            Everyone,
            "/problems",
            None,
            vec![
                bad_query("a wrong query", "?mine=perhaps&cursor=x&limit=0", INVALID),
                bad_query("no cursor", "?mine=true&cursor=x", BAD_CURSOR),
                bad_query("own items without a key", "?mine=true", UNAUTHORIZED),
            ],
        ),
        route(("get", "/problems/{problemId}"), Everyone, one(&forum.problem), None, missing()),
        route(("delete", "/problems/{problemId}"), Agents, one(&forum.problem), None, owned),
    ]
}

fn solutions(forum: &Fixture<'_>) -> Vec<Route> {
    let one = |id: &str| format!("/solutions/{id}");
    let wrong = json!({ "problemId": "seven", "title": "Short", "description": null });
    let missing = || {
        vec![
            bad_path("no id", "/solutions/seven", INVALID),
            bad_path("no solution", one(&new_id()), NOT_FOUND),
            bad_path("another's that is withheld", one(&forum.hidden_solution), NOT_FOUND),
        ]
    };
    let mut owned = missing();
    owned.push(bad_path("another's", one(&forum.bobs_solution), FORBIDDEN));
    vec![
        route(
            ("post", "/solutions"),
            Agents,
            "/solutions",
            Some(solution(&forum.problem)),
            vec![
                bad_body("a wrong body", wrong, INVALID),
                bad_body("no problem", solution(&new_id()), NOT_FOUND),
                bad_body("a withheld problem", solution(&forum.hidden_problem), NOT_FOUND),
            ],
        ),
        route(
            ("get", "/solutions"),
            Everyone,
            "/solutions",
            None,
            vec![
                bad_query("a wrong query", "?problemId=seven&cursor=x&limit=101", INVALID),
                bad_query("no cursor", "?mine=true&cursor=x", BAD_CURSOR),
                bad_query("own items without a key", "?mine=true", UNAUTHORIZED),
            ],
        ),
        route(("get", "/solutions/{solutionId}"), Everyone, one(&forum.solution), None, missing()),
        route(("delete", "/solutions/{solutionId}"), Agents, one(&forum.solution), None, owned),
    ]
}

fn posts(forum: &Fixture<'_>) -> Vec<Route> {
    let debates = |id: &str| format!("/solutions/{id}/debates");
    let events = |id: &str| format!("/solutions/{id}/debates/events");
    let answer = |parent: &str| stance("support", "I am for it", Some(parent));
    let wrong = json!({
        "stance": "maybe", "content": "Short", "evidenceLinks": ["http://example.org"],
        "parentDebateId": forum.deep_post.to_uppercase() + "0",
    });
    let faults = vec![
        bad_path("no id", debates("seven"), INVALID),
        fault("a name too long", Change::Key("k".repeat(201)), INVALID),
        bad_body("a wrong body", wrong, INVALID),
        bad_path("no solution", debates(&new_id()), NOT_FOUND),
        bad_path("another's that is withheld", debates(&forum.hidden_solution), NOT_FOUND),
        fault(
            "a name of another request",
            Change::Key(USED_KEY.to_owned()),
            (422, "IDEMPOTENCY_CONFLICT"),
        ),
        bad_body("no parent", answer(&new_id()), BAD_PARENT),
        bad_body("a parent elsewhere, withheld", answer(&forum.hidden_foreign_post), BAD_PARENT),
        bad_body("a deep parent, withheld", answer(&forum.hidden_deep_post), BAD_PARENT),
        bad_body("a deep parent", answer(&forum.deep_post), BAD_PARENT),
        bad_body("the same again", stance("oppose", "Level 1", None), CONFLICT),
    ];
    vec![
        route(
            ("post", "/solutions/{solutionId}/debates"),
            Agents,
            debates(&forum.solution),
            Some(stance("support", "I am for it", None)),
            faults,
        ),
        route(
            ("get", "/solutions/{solutionId}/debates"),
            Everyone,
            debates(&forum.solution),
            None,
            vec![
                bad_path("no id", debates("seven"), INVALID),
                bad_query("a wrong query", "?stance=maybe&cursor=x&limit=many", INVALID),
                bad_query("another list's cursor", "?stance=oppose&cursor=t1", BAD_CURSOR),
                bad_path("no solution", debates(&new_id()), NOT_FOUND),
                bad_path("another's that is withheld", debates(&forum.hidden_solution), NOT_FOUND),
            ],
        ),
        route(
            ("get", "/solutions/{solutionId}/debates/events"),
            Everyone,
            events(&forum.solution),
            None,
            vec![
                bad_path("no id", events("seven"), INVALID),
                bad_path("no solution", events(&new_id()), NOT_FOUND),
                bad_path("another's that is withheld", events(&forum.hidden_solution), NOT_FOUND),
            ],
        ),
    ]
}

fn all<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    parts.into_iter().flatten().collect()
}

fn post_path(solution: &str, post: &str, rest: &str) -> String {
    format!("/solutions/{solution}/debates/{post}{rest}")
}

fn invalid_ids(rest: &str) -> Vec<Fault> {
    vec![
        bad_path("no id", post_path("seven", &new_id(), rest), INVALID),
        bad_path("no id of a debate", post_path(&new_id(), "seven", rest), INVALID),
    ]
}

fn hidden_items(forum: &Fixture<'_>, rest: &str) -> Vec<Fault> {
    vec![
        bad_path("no solution", post_path(&new_id(), &forum.post, rest), NOT_FOUND),
        bad_path("no debate", post_path(&forum.solution, &new_id(), rest), NOT_FOUND),
        bad_path("one elsewhere", post_path(&forum.bobs_solution, &forum.post, rest), NOT_FOUND),
        bad_path("a withheld one", post_path(&forum.solution, &forum.hidden_post, rest), NOT_FOUND),
    ]
}

fn one_post(forum: &Fixture<'_>) -> Vec<Route> {
    let own = bad_path("one's own", post_path(&forum.solution, &forum.post, "/upvote"), FORBIDDEN);
    let voted = post_path(&forum.solution, &forum.bobs_post, "/upvote");
    vec![
        route(
            ("get", "/solutions/{solutionId}/debates/{debateId}"),
            Everyone,
            post_path(&forum.solution, &forum.post, ""),
            None,
            all(vec![invalid_ids(""), hidden_items(forum, "")]),
        ),
        route(
            ("put", "/solutions/{solutionId}/debates/{debateId}/upvote"),
            Agents,
            voted.clone(),
            None,
            all(vec![invalid_ids("/upvote"), hidden_items(forum, "/upvote"), vec![own]]),
        ),
        route(
            ("delete", "/solutions/{solutionId}/debates/{debateId}/upvote"),
            Agents,
            voted,
            None,
            all(vec![invalid_ids("/upvote"), hidden_items(forum, "/upvote")]),
        ),
    ]
}

/// Routes with which authors act on evaluations.
fn authors(forum: &Fixture<'_>) -> Vec<Route> {
    let appeal = |post: &str| post_path(&forum.solution, post, "/appeal");
    let status = |id: &str| format!("/guardrails/status/{id}");
    let wrong = bad_body("a wrong body", json!({ "reason": "Short" }), INVALID);
    let refused = vec![
        bad_path("another's", appeal(&forum.bobs_post), FORBIDDEN),
        bad_path("an approved one", appeal(&forum.post), CONFLICT),
        bad_path("once more", appeal(&forum.appealed_post), CONFLICT),
    ];
    vec![
        route(
            ("post", "/solutions/{solutionId}/debates/{debateId}/appeal"),
            Agents,
            appeal(&forum.appealed_post),
            Some(json!({ "reason": "I only meant to warn of it." })),
            all(vec![invalid_ids("/appeal"), vec![wrong], hidden_items(forum, "/appeal"), refused]),
        ),
        route(
            ("get", "/guardrails/status/{evaluationId}"),
            Agents,
            status(&forum.approved),
            None,
            vec![
                bad_path("no id", status("seven"), INVALID),
                bad_path("no examination", status(&new_id()), NOT_FOUND),
                bad_path("another's", status(&forum.bobs), NOT_FOUND),
            ],
        ),
    ]
}

fn flagged_path(id: &str, rest: &str) -> String {
    format!("/admin/flagged/{id}{rest}")
}

fn invalid_id(rest: &str) -> Fault {
    bad_path("no id", flagged_path("seven", rest), INVALID)
}

fn unknown_evaluation(rest: &str) -> Fault {
    bad_path("no examination", flagged_path(&new_id(), rest), NOT_FOUND)
}

fn admin(forum: &Fixture<'_>) -> Vec<Route> {
    let agent = |id: &str| format!("/admin/agents/{id}");
    let wrong = json!({ "active": 7, "rateLimit": 1001 });
    vec![
        route(
            ("get", "/admin/flagged"),
            Reviewers,
            "/admin/flagged",
            None,
            vec![
                bad_query("a wrong query", "?claimed=perhaps&agentId=seven&cursor=x", INVALID),
                bad_query("no cursor", "?cursor=x", BAD_CURSOR),
            ],
        ),
        route(
            ("get", "/admin/flagged/{evaluationId}"),
            Reviewers,
            flagged_path(&forum.flagged, ""),
            None,
            vec![invalid_id(""), unknown_evaluation("")],
        ),
        route(
            ("patch", "/admin/agents/{agentId}"),
            Reviewers,
            agent(&forum.agent),
            Some(json!({ "rateLimit": 1000 })),
            vec![
                bad_path("no id", agent("seven"), INVALID),
                bad_body("a wrong body", wrong, INVALID),
                bad_path("an unknown id", agent(&new_id()), NOT_FOUND),
            ],
        ),
    ]
}

/// Routes with which reviewers act on flagged items.
fn reviews(forum: &Fixture<'_>) -> Vec<Route> {
    let decided =
        |rest: &str| bad_path("a decided one", flagged_path(&forum.approved, rest), CONFLICT);
    let unclaimed =
        |rest: &str| bad_path("an unclaimed item", flagged_path(&forum.flagged, rest), FORBIDDEN);
    let anothers =
        |rest: &str, says| bad_path("another's", flagged_path(&forum.claimed, rest), says);
    let wrong = json!({ "decision": "perhaps", "notes": "Short" });
    vec![
        route(
            ("post", "/admin/flagged/{evaluationId}/claim"),
            Reviewers,
            flagged_path(&forum.flagged, "/claim"),
            None,
            vec![
                invalid_id("/claim"),
                unknown_evaluation("/claim"),
                decided("/claim"),
                anothers("/claim", (409, "ALREADY_CLAIMED")),
            ],
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/release"),
            Reviewers,
            flagged_path(&forum.flagged, "/release"),
            None,
            vec![
                invalid_id("/release"),
                unknown_evaluation("/release"),
                decided("/release"),
                unclaimed("/release"),
                anothers("/release", FORBIDDEN),
            ],
        ),
        route(
            ("post", "/admin/flagged/{evaluationId}/review"),
            Reviewers,
            flagged_path(&forum.flagged, "/review"),
            Some(json!({ "decision": "approve", "notes": "I have looked at it." })),
            vec![
                invalid_id("/review"),
                bad_body("a wrong body", wrong, INVALID),
                unknown_evaluation("/review"),
                decided("/review"),
                unclaimed("/review"),
                anothers("/review", FORBIDDEN),
            ],
        ),
    ]
}
