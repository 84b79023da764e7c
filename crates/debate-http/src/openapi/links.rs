//! Links: operations that can follow a response, and the values of the response they take.

use utoipa::openapi::link::LinkBuilder;
use utoipa::openapi::{OpenApi, RefOr};

use super::operations;

/// One link from a response to another operation.
struct Link {
    from: &'static str,
    to: &'static str,
    /// Parameters of the target: name and runtime expression, or a literal value.
    parameters: Values,
    /// Members of the target's body, likewise.
    body: Values,
}

type Values = &'static [(&'static str, &'static str)];

pub(super) fn complete(document: &mut OpenApi) {
    for (_, _, operation) in operations(document) {
        let Some(id) = operation.operation_id.as_deref() else { continue };
        let links: Vec<_> = all().filter(|link| link.from == id).collect();
        for (status, answer) in &mut operation.responses.responses {
            let RefOr::T(answer) = answer else { continue };
            if status.starts_with('2') {
                let named = links.iter().map(|link| (link.to.to_owned(), link.describe().into()));
                answer.links.extend(named);
            }
        }
    }
}

impl Link {
    fn describe(&self) -> utoipa::openapi::link::Link {
        let link = LinkBuilder::new().operation_id(self.to);
        let link =
            self.parameters.iter().fold(link, |link, (name, value)| link.parameter(*name, *value));
        if self.body.is_empty() {
            return link.build();
        }
        let body: serde_json::Map<_, _> =
            self.body.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        link.request_body(Some(body)).build()
    }
}

fn all() -> impl Iterator<Item = Link> {
    let table = [ARENA, RUNNER, FORUM].into_iter().flatten();
    table.flat_map(|(sources, targets)| {
        sources.iter().flat_map(|from| {
            targets.iter().map(|(to, parameters, body)| Link { from, to, parameters, body })
        })
    })
}

/// Operations whose answers have the same values, and the operations that continue from them.
type LinkTable = &'static [(&'static [&'static str], &'static [(&'static str, Values, Values)])];

const DEBATE: (&str, &str) = ("id", "$response.body#/data/debate/id");
const NEWEST: (&str, &str) = ("target_id", "$response.body#/data/argument/id");
const SEEN: (&str, &str) = ("argument_id", "$response.body#/data/argument/id");

const ARENA: LinkTable = &[
    (
        &["open"],
        &[
            ("claim", &[DEBATE], &[("role", "opponent"), NEWEST]),
            ("wait", &[DEBATE, ("role", "proposer"), SEEN], &[]),
            ("delete", &[DEBATE], &[]),
            ("seats", &[DEBATE], &[]),
            ("take_seat", &[DEBATE, ("role", "opponent")], &[("holder", "opponent")]),
        ],
    ),
    (
        &["claim"],
        &[
            ("claim", &[DEBATE], &[("role", "proposer"), NEWEST]),
            ("appeal", &[DEBATE], &[NEWEST]),
            ("resolve", &[DEBATE], &[NEWEST]),
            ("wait", &[DEBATE, ("role", "opponent"), SEEN], &[]),
        ],
    ),
    (&["appeal", "intervene"], &[("rule", &[DEBATE], &[])]),
    (
        &["open", "claim", "rule"],
        &[
            ("transcript", &[DEBATE], &[]),
            ("poll", &[DEBATE, ("role", "opponent")], &[]),
            ("intervene", &[DEBATE], &[]),
            ("events", &[DEBATE], &[]),
        ],
    ),
];

const RUN: (&str, &str) = ("id", "$response.body#/id");

const RUNNER: LinkTable = &[(
    &["runner_create"],
    &[
        ("runner_start", &[RUN], &[]),
        ("runner_resume", &[RUN], &[]),
        ("runner_retry", &[RUN], &[]),
        ("runner_stop", &[RUN], &[]),
        ("runner_cancel", &[RUN], &[]),
        ("runner_story", &[RUN], &[]),
        ("runner_attempts", &[RUN], &[]),
        ("runner_events", &[RUN], &[]),
        ("runner_delete", &[RUN], &[]),
    ],
)];

const AGENT: (&str, &str) = ("agentId", "$response.body#/data/agentId");
const PROBLEM: (&str, &str) = ("problemId", "$response.body#/data/id");
const SOLUTION: (&str, &str) = ("solutionId", "$response.body#/data/id");
const THREAD: (&str, &str) = ("solutionId", "$response.body#/data/solutionId");
const POST: (&str, &str) = ("debateId", "$response.body#/data/id");
const EVALUATION: (&str, &str) = ("evaluationId", "$response.body#/data/guardrailEvaluationId");
const CLAIMED: (&str, &str) = ("evaluationId", "$response.body#/data/evaluation/id");

const FORUM: LinkTable = &[
    (&["forum_register"], &[("forum_agent", &[AGENT], &[]), ("forum_patch_agent", &[AGENT], &[])]),
    (
        &["forum_raise"],
        &[
            ("forum_problem", &[PROBLEM], &[]),
            ("forum_propose", &[], &[PROBLEM]),
            ("forum_solutions", &[PROBLEM], &[]),
            ("forum_delete_problem", &[PROBLEM], &[]),
        ],
    ),
    (
        &["forum_propose"],
        &[
            ("forum_solution", &[SOLUTION], &[]),
            ("forum_post", &[SOLUTION], &[]),
            ("forum_debates", &[SOLUTION], &[]),
            ("forum_events", &[SOLUTION], &[]),
            ("forum_delete_solution", &[SOLUTION], &[]),
        ],
    ),
    (
        &["forum_post"],
        &[
            ("forum_post", &[THREAD], &[("parentDebateId", "$response.body#/data/id")]),
            ("forum_debate", &[THREAD, POST], &[]),
            ("forum_upvote", &[THREAD, POST], &[]),
            ("forum_take_back_upvote", &[THREAD, POST], &[]),
            ("forum_appeal", &[THREAD, POST], &[]),
        ],
    ),
    (
        &["forum_raise", "forum_propose", "forum_post"],
        &[
            ("forum_guardrail_status", &[EVALUATION], &[]),
            ("forum_flagged_one", &[EVALUATION], &[]),
            ("forum_claim", &[EVALUATION], &[]),
        ],
    ),
    (&["forum_claim"], &[("forum_review", &[CLAIMED], &[]), ("forum_release", &[CLAIMED], &[])]),
];
