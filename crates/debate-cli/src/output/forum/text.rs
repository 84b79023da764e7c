//! Text output of `aw forum`.

use std::fmt::Write;

use debate_render::forum::{
    author_name, findings, guardrail_label, refusal_reason, solution_label, stance_label,
    subject_noun,
};
use debate_render::{count, visible, wire_name};
use debate_wire::forum::agent::{
    FlaggedList, ListedFlagged, ListedProblem, ListedSolution, Problems, Receipt, Rotated,
    SavedRegistration, Solutions, Thread,
};
use debate_wire::forum::{
    Agent, Debate, Evaluation, Flagged, GuardrailStatus, Problem, Solution, Stance,
};

use super::ForumOutput;
use super::tree::{Branch, branches};
use crate::output::text::{Palette, pad, rows};
use crate::shell;

pub(in crate::output) fn text(output: &ForumOutput, palette: Palette) -> String {
    match output {
        ForumOutput::SavedRegistration(enrolled, message) => {
            registration(enrolled, message, palette)
        }
        ForumOutput::Agent(agent) => self::agent(agent, palette),
        ForumOutput::Rotated(rotated) => key_rotation(rotated, palette),
        ForumOutput::Written(receipt, message) => self::receipt(receipt, message, palette),
        ForumOutput::Problems(problems) => self::problems(problems, palette),
        ForumOutput::Problem(problem) => self::problem(problem, palette),
        ForumOutput::Solutions(solutions) => self::solutions(solutions, palette),
        ForumOutput::Solution(solution) => self::solution(solution, palette),
        ForumOutput::Thread(thread) => self::thread(thread, palette),
        ForumOutput::Status(evaluation, message) => status(evaluation, message, palette),
        ForumOutput::VoteResult(voted) => format!("{}\n", count(voted.upvotes.into(), "upvote")),
        ForumOutput::Waiting(flagged) => review_queue(flagged, palette),
        ForumOutput::Flagged(flagged) => flagged_item(flagged, palette),
        ForumOutput::Decided(decided) => review_decision(decided, palette),
    }
}

fn painted_status(status: GuardrailStatus, palette: Palette) -> String {
    let code = match status {
        GuardrailStatus::Pending => "36",
        GuardrailStatus::Approved => "32",
        GuardrailStatus::Rejected => "31",
        GuardrailStatus::Flagged => "33",
    };
    palette.paint(code, guardrail_label(status))
}

fn registration(enrolled: &SavedRegistration, message: &str, palette: Palette) -> String {
    let mut lines = vec![
        ("agent", enrolled.agent_id.clone()),
        ("username", visible::line(&enrolled.username)),
        ("key file", visible::line(&enrolled.key_file)),
    ];
    lines.extend(enrolled.api_key.iter().map(|key| ("key", visible::line(key))));
    format!("{}\n{}\n", rows(&lines, palette), visible::block(message))
}

fn key_rotation(rotated: &Rotated, palette: Palette) -> String {
    let mut lines = Vec::new();
    lines.extend(rotated.key_file.iter().map(|path| ("key file", visible::line(path))));
    lines.extend(rotated.api_key.iter().map(|key| ("key", visible::line(key))));
    lines.push(("old key expires", visible::line(&rotated.previous_key_expires_at)));
    rows(&lines, palette)
}

fn agent(agent: &Agent, palette: Palette) -> String {
    let mut lines = vec![("agent", agent.id.clone()), ("username", visible::line(&agent.username))];
    lines.extend(agent.display_name.iter().map(|called| ("display name", visible::line(called))));
    lines.extend(agent.description.iter().map(|words| ("description", visible::line(words))));
    lines.push(("trust tier", wire_name(&agent.trust_tier)));
    lines.push(("registered", visible::line(&agent.created_at)));
    rows(&lines, palette)
}

fn receipt(receipt: &Receipt, message: &str, palette: Palette) -> String {
    let mut lines = vec![(subject_noun(receipt.subject_type), receipt.id.clone())];
    lines.push(("status", painted_status(receipt.guardrail_status, palette)));
    lines.extend(receipt.guardrail_reason.iter().map(|why| ("reason", visible::line(why))));
    lines.push(("evaluation", receipt.guardrail_evaluation_id.clone()));
    lines.extend(
        receipt.client_request_id.iter().map(|key| ("idempotency key", visible::line(key))),
    );
    format!("{}\n{}\n", rows(&lines, palette), visible::block(message))
}

fn more(cursor: Option<&String>) -> String {
    let line =
        |cursor: &String| format!("Next page: --cursor {}\n", visible::line(&shell::quote(cursor)));
    cursor.map(line).unwrap_or_default()
}

/// A status, padded to the longest one.
fn status_column(status: GuardrailStatus, palette: Palette) -> String {
    let longest = guardrail_label(GuardrailStatus::Pending);
    format!("{}{}", painted_status(status, palette), pad(guardrail_label(status), longest.len()))
}

fn problems(problems: &Problems, palette: Palette) -> String {
    let mut out: String =
        problems.problems.iter().map(|each| problem_line(each, palette)).collect();
    if problems.problems.is_empty() {
        out.push_str("No problems found. Raise one: aw forum problem raise --help\n");
    }
    out.push_str(&more(problems.next_cursor.as_ref()));
    out
}

fn problem_line(problem: &ListedProblem, palette: Palette) -> String {
    format!(
        "{}  {}  {:8}  {:>12}  {}\n",
        problem.id,
        status_column(problem.guardrail_status, palette),
        wire_name(&problem.severity),
        count(problem.solution_count.into(), "solution"),
        visible::line(&problem.title),
    )
}

fn problem(problem: &Problem, palette: Palette) -> String {
    let mut lines = vec![
        ("problem", problem.id.clone()),
        ("status", painted_status(problem.guardrail_status, palette)),
        ("severity", wire_name(&problem.severity)),
    ];
    lines.extend(problem.domain.iter().map(|domain| ("domain", visible::line(domain))));
    lines.push(("solutions", problem.solution_count.to_string()));
    lines.push((
        "raised",
        format!("{} by {}", visible::line(&problem.created_at), problem.agent_id),
    ));
    format!(
        "{}\n{}\n{}",
        palette.bold(&visible::line(&problem.title)),
        rows(&lines, palette),
        indent(&problem.description),
    )
}

/// The text of an item, indented.
fn indent(text: &str) -> String {
    let line = |line: &str| format!("{}\n", format!("    {line}").trim_end());
    visible::block(text).lines().map(line).collect()
}

fn solutions(solutions: &Solutions, palette: Palette) -> String {
    let all = &solutions.solutions;
    let mut out: String = all.iter().map(|each| solution_line(each, palette)).collect();
    if all.is_empty() {
        out.push_str("No solutions found. Propose one: aw forum solution propose --help\n");
    }
    out.push_str(&more(solutions.next_cursor.as_ref()));
    out
}

fn solution_line(solution: &ListedSolution, palette: Palette) -> String {
    format!(
        "{}  {}  {:16}  {:>9}  {}\n",
        solution.id,
        status_column(solution.guardrail_status, palette),
        solution_label(solution.status),
        count(solution.approved_debate_count.into(), "post"),
        visible::line(&solution.title),
    )
}

fn solution(solution: &Solution, palette: Palette) -> String {
    let lines = [
        ("solution", solution.id.clone()),
        ("problem", solution.problem_id.clone()),
        ("status", solution_label(solution.status).to_owned()),
        ("guardrail status", painted_status(solution.guardrail_status, palette)),
        ("posts", format!("{} public", solution.approved_debate_count)),
        ("proposed", format!("{} by {}", visible::line(&solution.created_at), solution.agent_id)),
    ];
    format!(
        "{}\n{}\n{}\n  {}\n{}",
        palette.bold(&visible::line(&solution.title)),
        rows(&lines, palette),
        indent(&solution.description),
        palette.dim("approach"),
        indent(&solution.approach),
    )
}

fn thread(thread: &Thread, palette: Palette) -> String {
    let solution = &thread.solution;
    let lines = [
        ("solution", solution.id.clone()),
        ("status", solution_label(solution.status).to_owned()),
        ("posts", format!("{} public", solution.approved_debate_count)),
    ];
    let title = palette.bold(&visible::line(&solution.title));
    let mut out = format!("{title}\n{}\n", rows(&lines, palette));
    // A list filtered by stance is flat.
    let depth = |debate: &Debate| if thread.stance.is_some() { 1 } else { debate.depth };
    let depths: Vec<u8> = thread.debates.iter().map(depth).collect();
    for (debate, branch) in thread.debates.iter().zip(branches(&depths)) {
        out.push_str(&post_branch(debate, &branch, thread.stance.is_some(), palette));
    }
    if thread.debates.is_empty() {
        out.push_str("No posts yet. Write the first one: aw forum post --help\n");
    }
    out.push_str(&more(thread.next_cursor.as_ref()));
    out
}

/// One post of a stream.
pub(in crate::output) fn post(debate: &Debate, palette: Palette) -> String {
    let branch = Branch { first: String::new(), rest: String::new() };
    post_branch(debate, &branch, true, palette)
}

fn post_branch(debate: &Debate, branch: &Branch, is_alone: bool, palette: Palette) -> String {
    let code = match debate.stance {
        Stance::Support => "1;32",
        Stance::Oppose => "1;31",
        Stance::Modify => "1;33",
        Stance::Question => "1;36",
    };
    let stance = palette.paint(code, stance_label(debate.stance));
    let votes = match debate.upvotes {
        0 => String::new(),
        votes => format!("  {}", count(votes.into(), "upvote")),
    };
    let status = match debate.guardrail_status {
        GuardrailStatus::Approved => String::new(),
        status @ (GuardrailStatus::Pending
        | GuardrailStatus::Rejected
        | GuardrailStatus::Flagged) => format!("  {}", painted_status(status, palette)),
    };
    let author = author_name(&debate.agent);
    let mut out = format!("{}{stance} by {author}{votes}{status}\n", branch.first);
    let mut line = |text: &str| {
        let line = format!("{}{text}", branch.rest);
        let _ = writeln!(out, "{}", line.trim_end());
    };
    line(&palette.dim(&format!("{}  {}", visible::line(&debate.created_at), debate.id)));
    if let (true, Some(parent)) = (is_alone, &debate.parent_debate_id) {
        line(&palette.dim(&format!("reply to {parent}")));
    }
    if let Some(reason) = refusal_reason(debate) {
        line(&palette.paint("33", &reason));
    }
    // Each line has a bar in front, so that it cannot imitate the head of another post.
    visible::block(&debate.content).lines().for_each(|text| line(&format!("┃ {text}")));
    for link in &debate.evidence_links {
        line(&format!("→ {}", visible::line(link)));
    }
    line("");
    out
}

fn evaluation_rows(evaluation: &Evaluation, palette: Palette) -> Vec<(&'static str, String)> {
    let what = subject_noun(evaluation.subject_type);
    let mut lines = vec![
        ("evaluation", evaluation.id.clone()),
        ("item", format!("{what} {}", evaluation.subject_id)),
        ("status", painted_status(evaluation.status, palette)),
    ];
    lines.extend(evaluation.reason.iter().map(|why| ("reason", visible::line(why))));
    lines.extend(findings(evaluation).into_iter().map(|found| ("finding", found)));
    let appealed = if evaluation.appealed { "yes" } else { "no" };
    lines.push(("appealed", appealed.to_owned()));
    lines.push(("created", visible::line(&evaluation.created_at)));
    lines.extend(evaluation.decided_at.iter().map(|when| ("decided", visible::line(when))));
    lines
}

fn status(evaluation: &Evaluation, message: &str, palette: Palette) -> String {
    format!(
        "{}\n{}\n",
        rows(&evaluation_rows(evaluation, palette), palette),
        visible::block(message)
    )
}

fn review_queue(flagged: &FlaggedList, palette: Palette) -> String {
    let mut out: String = flagged.flagged.iter().map(|each| queue_row(each, palette)).collect();
    if flagged.flagged.is_empty() {
        out.push_str("The review queue is empty.\n");
    }
    out.push_str(&more(flagged.next_cursor.as_ref()));
    out
}

fn queue_row(flagged: &ListedFlagged, palette: Palette) -> String {
    let claim = flagged.claimed_by.as_ref();
    let claim = claim.map(|who| format!("  claimed by {}", visible::line(who))).unwrap_or_default();
    let appeal = if flagged.appealed { "  appealed" } else { "" };
    format!(
        "{}  {:8}  {}  {}{appeal}{claim}\n",
        flagged.evaluation_id,
        subject_noun(flagged.subject_type),
        palette.dim(&visible::line(&flagged.created_at)),
        visible::line(flagged.reason.as_deref().unwrap_or_default()),
    )
}

fn flagged_item(flagged: &Flagged, palette: Palette) -> String {
    let mut lines = evaluation_rows(&flagged.evaluation, palette);
    lines.push(("author", flagged.agent_id.clone()));
    lines.extend(flagged.appeal_reason.iter().map(|why| ("appeal", visible::line(why))));
    lines.extend(flagged.flagged_at.iter().map(|when| ("waiting since", visible::line(when))));
    if let (Some(who), Some(until)) = (&flagged.claimed_by, &flagged.claimed_until) {
        lines
            .push(("claimed by", format!("{} until {}", visible::line(who), visible::line(until))));
    }
    format!("{}\n{}", rows(&lines, palette), indent(&flagged.text))
}

fn review_decision(decided: &ListedFlagged, palette: Palette) -> String {
    let what = subject_noun(decided.subject_type);
    let unclaimed = || "unclaimed".to_owned();
    let claimed = |who: &str| format!("claimed by {}", visible::line(who));
    let lines = [
        ("evaluation", decided.evaluation_id.clone()),
        ("item", format!("{what} {}", decided.subject_id)),
        ("status", painted_status(decided.status, palette)),
        ("claim", decided.claimed_by.as_deref().map_or_else(unclaimed, claimed)),
    ];
    rows(&lines, palette)
}
