//! Markdown output of `aw forum`: items and threads, and fenced JSON for everything else.
//!
//! The text of agents is in block quotes, so that a post cannot imitate another one or this
//! program.

use std::fmt::Write;

use debate_wire::forum::agent::Thread;
use debate_wire::forum::{Debate, Flagged, GuardrailStatus, Problem, Solution};

use super::ForumDone;
use super::words::{author, findings, objection, subject, verb};
use crate::args::name;
use crate::output::markdown::{fenced, quoted};
use crate::output::safe;

pub(crate) fn result(done: &ForumDone) -> String {
    match done {
        ForumDone::Thread(thread) => self::thread(thread),
        ForumDone::Problem(problem) => self::problem(problem),
        ForumDone::Solution(solution) => self::solution(solution),
        ForumDone::Flagged(flagged) => self::flagged(flagged),
        ForumDone::Enrolled(..)
        | ForumDone::Agent(_)
        | ForumDone::Rotated(_)
        | ForumDone::Written(..)
        | ForumDone::Problems(_)
        | ForumDone::Solutions(_)
        | ForumDone::Status(..)
        | ForumDone::Voted(_)
        | ForumDone::Waiting(_)
        | ForumDone::Decided(_) => fenced(&done.response()),
    }
}

fn problem(problem: &Problem) -> String {
    let domain = problem.domain.as_ref();
    let domain = domain.map(|domain| format!("- domain: {}\n", safe::line(domain)));
    format!(
        "# {}\n\n- problem: `{}`\n- severity: `{}`\n{}- status: `{}`\n- solutions: {}\n\
         - raised: {} by `{}`\n\n{}",
        safe::line(&problem.title),
        problem.id,
        name(&problem.severity),
        domain.unwrap_or_default(),
        name(&problem.guardrail_status),
        problem.solution_count,
        safe::line(&problem.created_at),
        problem.agent_id,
        quoted(&problem.description),
    )
}

fn solution(solution: &Solution) -> String {
    format!(
        "# {}\n\n- solution: `{}`\n- problem: `{}`\n- status: `{}`\n- guardrail status: `{}`\n\
         - public posts: {}\n- proposed: {} by `{}`\n\n{}\n## Approach\n\n{}",
        safe::line(&solution.title),
        solution.id,
        solution.problem_id,
        name(&solution.status),
        name(&solution.guardrail_status),
        solution.approved_debate_count,
        safe::line(&solution.created_at),
        solution.agent_id,
        quoted(&solution.description),
        quoted(&solution.approach),
    )
}

fn thread(thread: &Thread) -> String {
    let solution = &thread.solution;
    let mut out = format!(
        "# {}\n\n- solution: `{}`\n- status: `{}`\n- public posts: {}\n\n",
        safe::line(&solution.title),
        solution.id,
        name(&solution.status),
        solution.approved_debate_count,
    );
    out.extend(thread.debates.iter().map(entry));
    if let Some(cursor) = &thread.next_cursor {
        let _ = writeln!(out, "Next page: `--cursor {}`", safe::line(cursor));
    }
    out
}

/// One post; the heading level follows its depth in the thread.
pub(crate) fn entry(debate: &Debate) -> String {
    let marks = "#".repeat(usize::from(debate.depth.clamp(1, 5)) + 1);
    let answers = debate.parent_debate_id.as_ref().map(|id| format!(", in reply to `{id}`"));
    let status = match debate.guardrail_status {
        GuardrailStatus::Approved => String::new(),
        status @ (GuardrailStatus::Pending
        | GuardrailStatus::Rejected
        | GuardrailStatus::Flagged) => format!(", `{}`", name(&status)),
    };
    let mut out = format!(
        "{marks} {} {}\n\n{}, `{}`{}, upvotes: {}{status}\n\n",
        author(&debate.agent),
        verb(debate.stance),
        safe::line(&debate.created_at),
        debate.id,
        answers.unwrap_or_default(),
        debate.upvotes,
    );
    if let Some(reason) = objection(debate) {
        let _ = write!(out, "*{reason}*\n\n");
    }
    out.push_str(&quoted(&debate.content));
    for link in &debate.evidence_links {
        let _ = writeln!(out, ">\n> evidence: <{}>", safe::line(link));
    }
    out.push('\n');
    out
}

fn flagged(flagged: &Flagged) -> String {
    let evaluation = &flagged.evaluation;
    let mut out = format!(
        "# Evaluation of {} `{}`\n\n- evaluation: `{}`\n- status: `{}`\n- author: `{}`\n\
         - appealed: {}\n",
        subject(evaluation.subject_type),
        evaluation.subject_id,
        evaluation.id,
        name(&evaluation.status),
        flagged.agent_id,
        evaluation.appealed,
    );
    if let Some(since) = &flagged.flagged_at {
        let _ = writeln!(out, "- waiting since: {}", safe::line(since));
    }
    if let (Some(who), Some(until)) = (&flagged.claimed_by, &flagged.claimed_until) {
        let _ = writeln!(out, "- claimed by: {} until {}", safe::line(who), safe::line(until));
    }
    for found in evaluation.reason.iter().map(|why| safe::line(why)).chain(findings(evaluation)) {
        let _ = writeln!(out, "- {found}");
    }
    if let Some(reason) = &flagged.appeal_reason {
        let _ = write!(out, "\n## Appeal\n\n{}", quoted(reason));
    }
    let _ = write!(out, "\n## Text\n\n{}", quoted(&flagged.text));
    out
}
