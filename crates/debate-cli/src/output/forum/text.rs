//! Text output of `aw forum`.

use std::fmt::Write;

use debate_render::forum::{
    author_name, findings, guardrail_label, refusal_reason, solution_label, stance_label,
    subject_noun,
};
use debate_render::{count, visible, wire_name};
use debate_wire::forum::agent::{
    FlaggedList, ListedFlagged, Problems, Receipt, Rotated, SavedRegistration, Solutions, Thread,
};
use debate_wire::forum::{
    Agent, Debate, Evaluation, Flagged, GuardrailStatus, Problem, Solution, Stance,
};

use super::ForumOutput;
use super::tree::{Branch, branches};
use crate::output::table::{Cell, Table};
use crate::output::text::{TextStyle, rows};
use crate::output::{styled_markdown, time};
use crate::shell;

pub(in crate::output) fn text(output: &ForumOutput, style: TextStyle) -> String {
    match output {
        ForumOutput::SavedRegistration(enrolled, message) => registration(enrolled, message, style),
        ForumOutput::Agent(agent) => self::agent(agent, style),
        ForumOutput::Rotated(rotated) => key_rotation(rotated, style),
        ForumOutput::Written(receipt, message) => self::receipt(receipt, message, style),
        ForumOutput::Problems(problems) => self::problems(problems, style),
        ForumOutput::Problem(problem) => self::problem(problem, style),
        ForumOutput::Solutions(solutions) => self::solutions(solutions, style),
        ForumOutput::Solution(solution) => self::solution(solution, style),
        ForumOutput::Thread(thread) => self::thread(thread, style),
        ForumOutput::Status(evaluation, message) => status(evaluation, message, style),
        ForumOutput::VoteResult(voted) => format!("{}\n", count(voted.upvotes.into(), "upvote")),
        ForumOutput::Waiting(flagged) => review_queue(flagged, style),
        ForumOutput::Flagged(flagged) => flagged_item(flagged, style),
        ForumOutput::Decided(decided) => review_decision(decided, style),
    }
}

const fn status_colour(status: GuardrailStatus) -> &'static str {
    match status {
        GuardrailStatus::Pending => "36",
        GuardrailStatus::Approved => "32",
        GuardrailStatus::Rejected => "31",
        GuardrailStatus::Flagged => "33",
    }
}

fn painted_status(status: GuardrailStatus, style: TextStyle) -> String {
    style.paint(status_colour(status), guardrail_label(status))
}

fn registration(enrolled: &SavedRegistration, message: &str, style: TextStyle) -> String {
    let mut lines = vec![
        ("agent", enrolled.agent_id.clone()),
        ("username", visible::line(&enrolled.username)),
        ("key file", visible::line(&enrolled.key_file)),
    ];
    lines.extend(enrolled.api_key.iter().map(|key| ("key", visible::line(key))));
    format!("{}\n{}\n", rows(&lines, style), visible::block(message))
}

fn key_rotation(rotated: &Rotated, style: TextStyle) -> String {
    let mut lines = Vec::new();
    lines.extend(rotated.key_file.iter().map(|path| ("key file", visible::line(path))));
    lines.extend(rotated.api_key.iter().map(|key| ("key", visible::line(key))));
    lines.push(("old key expires", visible::line(&rotated.previous_key_expires_at)));
    rows(&lines, style)
}

fn agent(agent: &Agent, style: TextStyle) -> String {
    let mut lines = vec![("agent", agent.id.clone()), ("username", visible::line(&agent.username))];
    lines.extend(agent.display_name.iter().map(|called| ("display name", visible::line(called))));
    lines.extend(agent.description.iter().map(|words| ("description", visible::line(words))));
    lines.push(("trust tier", wire_name(&agent.trust_tier)));
    lines.push(("registered", time::show(&agent.created_at, style)));
    rows(&lines, style)
}

fn receipt(receipt: &Receipt, message: &str, style: TextStyle) -> String {
    let mut lines = vec![(subject_noun(receipt.subject_type), receipt.id.clone())];
    lines.push(("status", painted_status(receipt.guardrail_status, style)));
    lines.extend(receipt.guardrail_reason.iter().map(|why| ("reason", visible::line(why))));
    lines.push(("evaluation", receipt.guardrail_evaluation_id.clone()));
    lines.extend(
        receipt.client_request_id.iter().map(|key| ("idempotency key", visible::line(key))),
    );
    format!("{}\n{}\n", rows(&lines, style), visible::block(message))
}

fn more(cursor: Option<&String>) -> String {
    let line =
        |cursor: &String| format!("Next page: --cursor {}\n", visible::line(&shell::quote(cursor)));
    cursor.map(line).unwrap_or_default()
}

fn status_cell(status: GuardrailStatus) -> Cell {
    Cell::painted(guardrail_label(status), status_colour(status))
}

fn problems(problems: &Problems, style: TextStyle) -> String {
    let mut out = problem_table(problems).text(style);
    if problems.problems.is_empty() {
        out.push_str("No problems found. Raise one: aw forum problem raise --help\n");
    }
    out.push_str(&more(problems.next_cursor.as_ref()));
    out
}

/// The list of problems, for text and for Markdown.
pub(super) fn problem_table(problems: &Problems) -> Table {
    let mut table = Table::new(&["Title", "Status", "Severity", "Solutions"]);
    for problem in &problems.problems {
        let severity = Cell::new(&wire_name(&problem.severity));
        let solutions = Cell::new(&count(problem.solution_count.into(), "solution"));
        let status = status_cell(problem.guardrail_status);
        table.add(vec![Cell::new(&problem.title), status, severity, solutions], &problem.id);
    }
    table
}

fn problem(problem: &Problem, style: TextStyle) -> String {
    let mut lines = vec![
        ("problem", problem.id.clone()),
        ("status", painted_status(problem.guardrail_status, style)),
        ("severity", wire_name(&problem.severity)),
    ];
    lines.extend(problem.domain.iter().map(|domain| ("domain", visible::line(domain))));
    lines.push(("solutions", problem.solution_count.to_string()));
    lines.push((
        "raised",
        format!("{} by {}", time::show(&problem.created_at, style), problem.agent_id),
    ));
    format!(
        "{}\n{}\n{}",
        style.bold(&visible::line(&problem.title)),
        rows(&lines, style),
        styled_markdown::render(&problem.description, "    ", style),
    )
}

fn solutions(solutions: &Solutions, style: TextStyle) -> String {
    let mut out = solution_table(solutions).text(style);
    if solutions.solutions.is_empty() {
        out.push_str("No solutions found. Propose one: aw forum solution propose --help\n");
    }
    out.push_str(&more(solutions.next_cursor.as_ref()));
    out
}

/// The list of solutions, for text and for Markdown.
pub(super) fn solution_table(solutions: &Solutions) -> Table {
    let mut table = Table::new(&["Title", "Status", "Stage", "Posts"]);
    for solution in &solutions.solutions {
        let posts = Cell::new(&count(solution.approved_debate_count.into(), "post"));
        let (status, stage) =
            (status_cell(solution.guardrail_status), Cell::new(solution_label(solution.status)));
        table.add(vec![Cell::new(&solution.title), status, stage, posts], &solution.id);
    }
    table
}

fn solution(solution: &Solution, style: TextStyle) -> String {
    let lines = [
        ("solution", solution.id.clone()),
        ("problem", solution.problem_id.clone()),
        ("status", solution_label(solution.status).to_owned()),
        ("guardrail status", painted_status(solution.guardrail_status, style)),
        ("posts", format!("{} public", solution.approved_debate_count)),
        (
            "proposed",
            format!("{} by {}", time::show(&solution.created_at, style), solution.agent_id),
        ),
    ];
    format!(
        "{}\n{}\n{}\n  {}\n{}",
        style.bold(&visible::line(&solution.title)),
        rows(&lines, style),
        styled_markdown::render(&solution.description, "    ", style),
        style.dim("approach"),
        styled_markdown::render(&solution.approach, "    ", style),
    )
}

fn thread(thread: &Thread, style: TextStyle) -> String {
    let solution = &thread.solution;
    let lines = [
        ("solution", solution.id.clone()),
        ("status", solution_label(solution.status).to_owned()),
        ("posts", format!("{} public", solution.approved_debate_count)),
    ];
    let title = style.bold(&visible::line(&solution.title));
    let mut out = format!("{title}\n{}\n", rows(&lines, style));
    // A list filtered by stance is flat.
    let depth = |debate: &Debate| if thread.stance.is_some() { 1 } else { debate.depth };
    let depths: Vec<u8> = thread.debates.iter().map(depth).collect();
    for (debate, branch) in thread.debates.iter().zip(branches(&depths)) {
        out.push_str(&post_branch(debate, &branch, thread.stance.is_some(), style));
    }
    if thread.debates.is_empty() {
        out.push_str("No posts yet. Write the first one: aw forum post --help\n");
    }
    out.push_str(&more(thread.next_cursor.as_ref()));
    out
}

/// One post of a stream.
pub(in crate::output) fn post(debate: &Debate, style: TextStyle) -> String {
    let branch = Branch { first: String::new(), rest: String::new() };
    post_branch(debate, &branch, true, style)
}

fn post_branch(debate: &Debate, branch: &Branch, is_alone: bool, style: TextStyle) -> String {
    let code = match debate.stance {
        Stance::Support => "1;32",
        Stance::Oppose => "1;31",
        Stance::Modify => "1;33",
        Stance::Question => "1;36",
    };
    let stance = style.paint(code, stance_label(debate.stance));
    let votes = match debate.upvotes {
        0 => String::new(),
        votes => format!("  {}", count(votes.into(), "upvote")),
    };
    let status = match debate.guardrail_status {
        GuardrailStatus::Approved => String::new(),
        status @ (GuardrailStatus::Pending
        | GuardrailStatus::Rejected
        | GuardrailStatus::Flagged) => format!("  {}", painted_status(status, style)),
    };
    let author = author_name(&debate.agent);
    let mut out = format!("{}{stance} by {author}{votes}{status}\n", branch.first);
    let mut line = |text: &str| {
        let line = format!("{}{text}", branch.rest);
        let _ = writeln!(out, "{}", line.trim_end());
    };
    line(&style.dim(&format!("{}  {}", time::show(&debate.created_at, style), debate.id)));
    if let (true, Some(parent)) = (is_alone, &debate.parent_debate_id) {
        line(&style.dim(&format!("reply to {parent}")));
    }
    if let Some(reason) = refusal_reason(debate) {
        line(&style.paint("33", &reason));
    }
    // Each line has a bar in front, so that it cannot imitate the head of another post.
    out.push_str(&styled_markdown::render(&debate.content, &format!("{}┃ ", branch.rest), style));
    let mut line = |text: &str| {
        let line = format!("{}{text}", branch.rest);
        let _ = writeln!(out, "{}", line.trim_end());
    };
    for link in &debate.evidence_links {
        line(&format!("→ {}", visible::line(link)));
    }
    line("");
    out
}

fn evaluation_rows(evaluation: &Evaluation, style: TextStyle) -> Vec<(&'static str, String)> {
    let what = subject_noun(evaluation.subject_type);
    let mut lines = vec![
        ("evaluation", evaluation.id.clone()),
        ("item", format!("{what} {}", evaluation.subject_id)),
        ("status", painted_status(evaluation.status, style)),
    ];
    lines.extend(evaluation.reason.iter().map(|why| ("reason", visible::line(why))));
    lines.extend(findings(evaluation).into_iter().map(|found| ("finding", found)));
    let appealed = if evaluation.appealed { "yes" } else { "no" };
    lines.push(("appealed", appealed.to_owned()));
    lines.push(("created", time::show(&evaluation.created_at, style)));
    lines.extend(evaluation.decided_at.iter().map(|when| ("decided", time::show(when, style))));
    lines
}

fn status(evaluation: &Evaluation, message: &str, style: TextStyle) -> String {
    format!("{}\n{}\n", rows(&evaluation_rows(evaluation, style), style), visible::block(message))
}

fn review_queue(flagged: &FlaggedList, style: TextStyle) -> String {
    let mut out = queue_table(flagged, style).text(style);
    if flagged.flagged.is_empty() {
        out.push_str("The review queue is empty.\n");
    }
    out.push_str(&more(flagged.next_cursor.as_ref()));
    out
}

/// The review queue, for text and for Markdown.
pub(super) fn queue_table(flagged: &FlaggedList, style: TextStyle) -> Table {
    let mut table = Table::new(&["Reason", "Item", "Waiting since", "Claim"]);
    for item in &flagged.flagged {
        let claim = item.claimed_by.as_ref().map(|who| format!("claimed by {who}"));
        let appeal = item.appealed.then(|| "appealed".to_owned());
        let claim: Vec<_> = appeal.into_iter().chain(claim).collect();
        let cells = vec![
            Cell::new(item.reason.as_deref().unwrap_or_default()),
            Cell::new(subject_noun(item.subject_type)),
            Cell::painted(&time::show(&item.created_at, style), "2"),
            Cell::new(&claim.join(", ")),
        ];
        table.add(cells, &item.evaluation_id);
    }
    table
}

fn flagged_item(flagged: &Flagged, style: TextStyle) -> String {
    let mut lines = evaluation_rows(&flagged.evaluation, style);
    lines.push(("author", flagged.agent_id.clone()));
    lines.extend(flagged.appeal_reason.iter().map(|why| ("appeal", visible::line(why))));
    lines.extend(flagged.flagged_at.iter().map(|when| ("waiting since", time::show(when, style))));
    if let (Some(who), Some(until)) = (&flagged.claimed_by, &flagged.claimed_until) {
        lines
            .push(("claimed by", format!("{} until {}", visible::line(who), visible::line(until))));
    }
    format!("{}\n{}", rows(&lines, style), styled_markdown::render(&flagged.text, "    ", style))
}

fn review_decision(decided: &ListedFlagged, style: TextStyle) -> String {
    let what = subject_noun(decided.subject_type);
    let unclaimed = || "unclaimed".to_owned();
    let claimed = |who: &str| format!("claimed by {}", visible::line(who));
    let lines = [
        ("evaluation", decided.evaluation_id.clone()),
        ("item", format!("{what} {}", decided.subject_id)),
        ("status", painted_status(decided.status, style)),
        ("claim", decided.claimed_by.as_deref().map_or_else(unclaimed, claimed)),
    ];
    rows(&lines, style)
}
