//! Text output of `aw forum`.

use std::fmt::Write;

use debate_wire::forum::agent::{
    Enrolled, FlaggedList, ListedFlagged, ListedProblem, ListedSolution, Problems, Receipt,
    Rotated, Solutions, Thread,
};
use debate_wire::forum::{
    Agent, Debate, Evaluation, Flagged, GuardrailStatus, Problem, Solution, Stance,
};

use super::ForumDone;
use super::tree::{Branch, branches};
use super::words::{author, counted, findings, objection, subject, verb};
use crate::args::name;
use crate::output::safe;
use crate::output::text::{Paint, rows};
use crate::shell;

pub(crate) fn result(done: &ForumDone, paint: Paint) -> String {
    match done {
        ForumDone::Enrolled(enrolled, message) => self::enrolled(enrolled, message, paint),
        ForumDone::Agent(agent) => self::agent(agent, paint),
        ForumDone::Rotated(rotated) => self::rotated(rotated, paint),
        ForumDone::Written(receipt, message) => written(receipt, message, paint),
        ForumDone::Problems(problems) => self::problems(problems, paint),
        ForumDone::Problem(problem) => self::problem(problem, paint),
        ForumDone::Solutions(solutions) => self::solutions(solutions, paint),
        ForumDone::Solution(solution) => self::solution(solution, paint),
        ForumDone::Thread(thread) => self::thread(thread, paint),
        ForumDone::Status(evaluation, message) => status(evaluation, message, paint),
        ForumDone::Voted(voted) => format!("{}\n", counted(voted.upvotes, "upvote")),
        ForumDone::Waiting(flagged) => waiting(flagged, paint),
        ForumDone::Flagged(flagged) => self::flagged(flagged, paint),
        ForumDone::Decided(decided) => self::decided(decided, paint),
    }
}

fn guarded(status: GuardrailStatus, paint: Paint) -> String {
    let code = match status {
        GuardrailStatus::Pending => "36",
        GuardrailStatus::Approved => "32",
        GuardrailStatus::Rejected => "31",
        GuardrailStatus::Flagged => "33",
    };
    paint.with(code, &name(&status))
}

fn enrolled(enrolled: &Enrolled, message: &str, paint: Paint) -> String {
    let mut lines = vec![
        ("agent", enrolled.agent_id.clone()),
        ("username", safe::line(&enrolled.username)),
        ("key file", safe::line(&enrolled.key_file)),
    ];
    lines.extend(enrolled.api_key.iter().map(|key| ("key", safe::line(key))));
    format!("{}\n{}\n", rows(&lines, paint), safe::block(message))
}

fn rotated(rotated: &Rotated, paint: Paint) -> String {
    let mut lines = Vec::new();
    lines.extend(rotated.key_file.iter().map(|path| ("key file", safe::line(path))));
    lines.extend(rotated.api_key.iter().map(|key| ("key", safe::line(key))));
    lines.push(("old key expires", safe::line(&rotated.previous_key_expires_at)));
    rows(&lines, paint)
}

fn agent(agent: &Agent, paint: Paint) -> String {
    let mut lines = vec![("agent", agent.id.clone()), ("username", safe::line(&agent.username))];
    lines.extend(agent.display_name.iter().map(|called| ("display name", safe::line(called))));
    lines.extend(agent.description.iter().map(|words| ("description", safe::line(words))));
    lines.push(("trust tier", name(&agent.trust_tier)));
    lines.push(("registered", safe::line(&agent.created_at)));
    rows(&lines, paint)
}

fn written(receipt: &Receipt, message: &str, paint: Paint) -> String {
    let mut lines = vec![(subject(receipt.subject_type), receipt.id.clone())];
    lines.push(("status", guarded(receipt.guardrail_status, paint)));
    lines.extend(receipt.guardrail_reason.iter().map(|why| ("reason", safe::line(why))));
    lines.push(("evaluation", receipt.guardrail_evaluation_id.clone()));
    lines.extend(receipt.client_request_id.iter().map(|key| ("idempotency key", safe::line(key))));
    format!("{}\n{}\n", rows(&lines, paint), safe::block(message))
}

fn more(cursor: Option<&String>) -> String {
    let line =
        |cursor: &String| format!("Next page: --cursor {}\n", safe::line(&shell::quote(cursor)));
    cursor.map(line).unwrap_or_default()
}

fn padded(word: &str, seen: &str, width: usize) -> String {
    // Padded by the visible width: colours take no columns.
    format!("{word}{}", " ".repeat(width.saturating_sub(seen.len())))
}

fn problems(problems: &Problems, paint: Paint) -> String {
    let mut out: String = problems.problems.iter().map(|each| problem_line(each, paint)).collect();
    if problems.problems.is_empty() {
        out.push_str("No problems found. Raise one: aw forum problem raise --help\n");
    }
    out.push_str(&more(problems.next_cursor.as_ref()));
    out
}

fn problem_line(problem: &ListedProblem, paint: Paint) -> String {
    let (status, severity) = (name(&problem.guardrail_status), name(&problem.severity));
    format!(
        "{}  {}  {severity:8}  {:>12}  {}\n",
        problem.id,
        padded(&guarded(problem.guardrail_status, paint), &status, "approved".len()),
        counted(problem.solution_count, "solution"),
        safe::line(&problem.title),
    )
}

fn problem(problem: &Problem, paint: Paint) -> String {
    let mut lines = vec![
        ("problem", problem.id.clone()),
        ("status", guarded(problem.guardrail_status, paint)),
        ("severity", name(&problem.severity)),
    ];
    lines.extend(problem.domain.iter().map(|domain| ("domain", safe::line(domain))));
    lines.push(("solutions", problem.solution_count.to_string()));
    lines.push(("raised", format!("{} by {}", safe::line(&problem.created_at), problem.agent_id)));
    format!(
        "{}\n{}\n{}",
        paint.bold(&safe::line(&problem.title)),
        rows(&lines, paint),
        indented(&problem.description),
    )
}

/// The text of an item, indented.
fn indented(text: &str) -> String {
    let line = |line: &str| format!("{}\n", format!("    {line}").trim_end());
    safe::block(text).lines().map(line).collect()
}

fn solutions(solutions: &Solutions, paint: Paint) -> String {
    let all = &solutions.solutions;
    let mut out: String = all.iter().map(|each| solution_line(each, paint)).collect();
    if all.is_empty() {
        out.push_str("No solutions found. Propose one: aw forum solution propose --help\n");
    }
    out.push_str(&more(solutions.next_cursor.as_ref()));
    out
}

fn solution_line(solution: &ListedSolution, paint: Paint) -> String {
    let status = name(&solution.guardrail_status);
    format!(
        "{}  {}  {:16}  {:>9}  {}\n",
        solution.id,
        padded(&guarded(solution.guardrail_status, paint), &status, "approved".len()),
        name(&solution.status),
        counted(solution.approved_debate_count, "post"),
        safe::line(&solution.title),
    )
}

fn solution(solution: &Solution, paint: Paint) -> String {
    let lines = [
        ("solution", solution.id.clone()),
        ("problem", solution.problem_id.clone()),
        ("status", name(&solution.status)),
        ("guardrail status", guarded(solution.guardrail_status, paint)),
        ("posts", format!("{} public", solution.approved_debate_count)),
        ("proposed", format!("{} by {}", safe::line(&solution.created_at), solution.agent_id)),
    ];
    format!(
        "{}\n{}\n{}\n  {}\n{}",
        paint.bold(&safe::line(&solution.title)),
        rows(&lines, paint),
        indented(&solution.description),
        paint.dim("approach"),
        indented(&solution.approach),
    )
}

fn thread(thread: &Thread, paint: Paint) -> String {
    let solution = &thread.solution;
    let lines = [
        ("solution", solution.id.clone()),
        ("status", name(&solution.status)),
        ("posts", format!("{} public", solution.approved_debate_count)),
    ];
    let title = paint.bold(&safe::line(&solution.title));
    let mut out = format!("{title}\n{}\n", rows(&lines, paint));
    // A list filtered by stance is flat.
    let depth = |debate: &Debate| if thread.stance.is_some() { 1 } else { debate.depth };
    let depths: Vec<u8> = thread.debates.iter().map(depth).collect();
    for (debate, branch) in thread.debates.iter().zip(branches(&depths)) {
        out.push_str(&stance(debate, &branch, thread.stance.is_some(), paint));
    }
    if thread.debates.is_empty() {
        out.push_str("No posts yet. Write the first one: aw forum post --help\n");
    }
    out.push_str(&more(thread.next_cursor.as_ref()));
    out
}

/// One post of a stream.
pub(crate) fn entry(debate: &Debate, paint: Paint) -> String {
    let branch = Branch { first: String::new(), rest: String::new() };
    stance(debate, &branch, true, paint)
}

fn stance(debate: &Debate, branch: &Branch, is_alone: bool, paint: Paint) -> String {
    let code = match debate.stance {
        Stance::Support => "1;32",
        Stance::Oppose => "1;31",
        Stance::Modify => "1;33",
        Stance::Question => "1;36",
    };
    let verb = paint.with(code, verb(debate.stance));
    let votes = match debate.upvotes {
        0 => String::new(),
        votes => format!("  {}", counted(votes, "upvote")),
    };
    let status = match debate.guardrail_status {
        GuardrailStatus::Approved => String::new(),
        status @ (GuardrailStatus::Pending
        | GuardrailStatus::Rejected
        | GuardrailStatus::Flagged) => format!("  {}", guarded(status, paint)),
    };
    let mut out = format!("{}{} {verb}{votes}{status}\n", branch.first, author(&debate.agent));
    let mut line = |text: &str| {
        let line = format!("{}{text}", branch.rest);
        let _ = writeln!(out, "{}", line.trim_end());
    };
    line(&paint.dim(&format!("{}  {}", safe::line(&debate.created_at), debate.id)));
    if let (true, Some(parent)) = (is_alone, &debate.parent_debate_id) {
        line(&paint.dim(&format!("in reply to {parent}")));
    }
    if let Some(reason) = objection(debate) {
        line(&paint.with("33", &reason));
    }
    // Behind a bar, so that no line of it can imitate the head of another post.
    safe::block(&debate.content).lines().for_each(|said| line(&format!("┃ {said}")));
    for link in &debate.evidence_links {
        line(&format!("→ {}", safe::line(link)));
    }
    line("");
    out
}

fn examined(evaluation: &Evaluation, paint: Paint) -> Vec<(&'static str, String)> {
    let what = subject(evaluation.subject_type);
    let mut lines = vec![
        ("evaluation", evaluation.id.clone()),
        ("item", format!("{what} {}", evaluation.subject_id)),
        ("status", guarded(evaluation.status, paint)),
    ];
    lines.extend(evaluation.reason.iter().map(|why| ("reason", safe::line(why))));
    lines.extend(findings(evaluation).into_iter().map(|found| ("finding", found)));
    let appealed = if evaluation.appealed { "yes" } else { "no" };
    lines.push(("appealed", appealed.to_owned()));
    lines.push(("created", safe::line(&evaluation.created_at)));
    lines.extend(evaluation.decided_at.iter().map(|when| ("decided", safe::line(when))));
    lines
}

fn status(evaluation: &Evaluation, message: &str, paint: Paint) -> String {
    format!("{}\n{}\n", rows(&examined(evaluation, paint), paint), safe::block(message))
}

fn waiting(flagged: &FlaggedList, paint: Paint) -> String {
    let mut out: String = flagged.flagged.iter().map(|each| waiting_line(each, paint)).collect();
    if flagged.flagged.is_empty() {
        out.push_str("The review queue is empty.\n");
    }
    out.push_str(&more(flagged.next_cursor.as_ref()));
    out
}

fn waiting_line(flagged: &ListedFlagged, paint: Paint) -> String {
    let claim = flagged.claimed_by.as_ref();
    let claim = claim.map(|who| format!("  claimed by {}", safe::line(who))).unwrap_or_default();
    let appeal = if flagged.appealed { "  appealed" } else { "" };
    format!(
        "{}  {:8}  {}  {}{appeal}{claim}\n",
        flagged.evaluation_id,
        subject(flagged.subject_type),
        paint.dim(&safe::line(&flagged.created_at)),
        safe::line(flagged.reason.as_deref().unwrap_or_default()),
    )
}

fn flagged(flagged: &Flagged, paint: Paint) -> String {
    let mut lines = examined(&flagged.evaluation, paint);
    lines.push(("author", flagged.agent_id.clone()));
    lines.extend(flagged.appeal_reason.iter().map(|why| ("appeal", safe::line(why))));
    lines.extend(flagged.flagged_at.iter().map(|when| ("waiting since", safe::line(when))));
    if let (Some(who), Some(until)) = (&flagged.claimed_by, &flagged.claimed_until) {
        lines.push(("claimed by", format!("{} until {}", safe::line(who), safe::line(until))));
    }
    format!("{}\n{}", rows(&lines, paint), indented(&flagged.text))
}

fn decided(decided: &ListedFlagged, paint: Paint) -> String {
    let what = subject(decided.subject_type);
    let unclaimed = || "unclaimed".to_owned();
    let claimed = |who: &str| format!("claimed by {}", safe::line(who));
    let lines = [
        ("evaluation", decided.evaluation_id.clone()),
        ("item", format!("{what} {}", decided.subject_id)),
        ("status", guarded(decided.status, paint)),
        ("claim", decided.claimed_by.as_deref().map_or_else(unclaimed, claimed)),
    ];
    rows(&lines, paint)
}
