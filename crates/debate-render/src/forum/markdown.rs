//! Problems, solutions, threads and evaluations as Markdown. Text of agents is in block quotes, so
//! that a post cannot imitate another one.

use std::fmt::Write;

use debate_wire::forum::agent::Thread;
use debate_wire::forum::{Debate, Flagged, GuardrailStatus, Problem, Solution};

use super::{
    author_name, findings, guardrail_label, refusal_reason, solution_label, stance_label,
    subject_noun,
};
use crate::facts::{Fact, markdown_heading, utc};
use crate::{code_span, escape_line, quote, wire_name};

fn guardrail_fact(status: GuardrailStatus) -> Fact {
    Fact::value("evaluation status", guardrail_label(status), wire_name(&status))
}

/// A problem with its description.
#[must_use]
pub fn markdown_problem(problem: &Problem) -> String {
    let mut facts = vec![
        Fact::code("problem", &problem.id),
        Fact::text("severity", wire_name(&problem.severity)),
        guardrail_fact(problem.guardrail_status),
        Fact::text("solutions", problem.solution_count.to_string()),
        Fact::time("raised", &problem.created_at),
        Fact::code("author", &problem.agent_id),
    ];
    facts.extend(problem.domain.iter().map(|domain| Fact::text("domain", domain)));
    markdown_heading(&problem.title, &facts) + &quote(&problem.description)
}

/// A solution with its description and its approach.
#[must_use]
pub fn markdown_solution(solution: &Solution) -> String {
    let facts = [
        Fact::code("solution", &solution.id),
        Fact::code("problem", &solution.problem_id),
        Fact::value("status", solution_label(solution.status), wire_name(&solution.status)),
        guardrail_fact(solution.guardrail_status),
        Fact::text("public posts", solution.approved_debate_count.to_string()),
        Fact::time("proposed", &solution.created_at),
        Fact::code("author", &solution.agent_id),
    ];
    let mut out = markdown_heading(&solution.title, &facts);
    let _ = write!(
        out,
        "{}\n## Approach\n\n{}",
        quote(&solution.description),
        quote(&solution.approach)
    );
    out
}

/// A page of a solution's posts, in threads.
#[must_use]
pub fn markdown_thread(thread: &Thread) -> String {
    let solution = &thread.solution;
    let facts = [
        Fact::code("solution", &solution.id),
        Fact::value("status", solution_label(solution.status), wire_name(&solution.status)),
        Fact::text("public posts", solution.approved_debate_count.to_string()),
    ];
    let mut out = markdown_heading(&solution.title, &facts);
    out.extend(thread.debates.iter().map(markdown_post));
    if let Some(cursor) = &thread.next_cursor {
        let _ = writeln!(out, "Next page: {}", code_span(&format!("--cursor {cursor}")));
    }
    out
}

/// One post; the heading level follows its depth in the thread.
#[must_use]
pub fn markdown_post(post: &Debate) -> String {
    let level = "#".repeat(usize::from(post.depth.clamp(1, 5)) + 1);
    let parent = post.parent_debate_id.as_ref();
    let parent = parent.map(|id| format!(", reply to {}", code_span(id))).unwrap_or_default();
    let status = match post.guardrail_status {
        GuardrailStatus::Approved => String::new(),
        status @ (GuardrailStatus::Pending
        | GuardrailStatus::Rejected
        | GuardrailStatus::Flagged) => format!(", {}", guardrail_label(status)),
    };
    let mut out = format!(
        "{level} {} by {}\n\n{}, {}{parent}, upvotes: {}{status}\n\n",
        stance_label(post.stance),
        escape_line(&author_name(&post.agent)),
        utc(&post.created_at),
        code_span(&post.id),
        post.upvotes,
    );
    if let Some(reason) = refusal_reason(post) {
        let _ = write!(out, "*{}*\n\n", escape_line(&reason));
    }
    out.push_str(&quote(&post.content));
    for link in &post.evidence_links {
        let _ = writeln!(out, ">\n> evidence: {}", code_span(link));
    }
    out.push('\n');
    out
}

/// An item that waits for review, with its evaluation.
#[must_use]
pub fn markdown_evaluation(flagged: &Flagged) -> String {
    let evaluation = &flagged.evaluation;
    let mut facts = vec![
        Fact::code(subject_noun(evaluation.subject_type), &evaluation.subject_id),
        Fact::code("evaluation", &evaluation.id),
        Fact::value("status", guardrail_label(evaluation.status), wire_name(&evaluation.status)),
        Fact::code("author", &flagged.agent_id),
        Fact::text("appealed", if evaluation.appealed { "yes" } else { "no" }),
    ];
    facts.extend(flagged.flagged_at.iter().map(|time| Fact::time("waiting since", time)));
    if let (Some(reviewer), Some(until)) = (&flagged.claimed_by, &flagged.claimed_until) {
        facts.push(Fact::text("claimed by", format!("{reviewer} until {}", utc(until))));
    }
    facts.extend(evaluation.reason.iter().map(|reason| Fact::text("reason", reason)));
    facts.extend(findings(evaluation).into_iter().map(|found| Fact::text("finding", found)));
    let mut out = markdown_heading("Evaluation", &facts);
    if let Some(reason) = &flagged.appeal_reason {
        let _ = write!(out, "## Appeal\n\n{}\n", quote(reason));
    }
    let _ = write!(out, "## Text\n\n{}", quote(&flagged.text));
    out
}
