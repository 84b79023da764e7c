//! Every result of `aw forum` in every format, with hostile text of agents.

use debate_wire::forum::agent::{
    FlaggedList, ListedFlagged, ListedProblem, ListedSolution, Problems, Receipt, Rotated,
    SavedRegistration, Solutions, Thread, VoteResult,
};
use debate_wire::forum::{
    Agent, Author, Debate, Decision, Evaluation, Flagged, GuardrailStatus, Layers, ModelLayer,
    Problem, Reviewed, RuleHit, RuleLayer, Ruling, Severity, Solution, SolutionStatus, Stance,
    SubjectType, Tier,
};
use insta::assert_snapshot;

use super::ForumOutput;
use crate::output::text::TextStyle;
use crate::output::{CommandOutput, json_pretty, markdown, text};

/// Clears the screen, sets a title, changes the direction of text, and begins a heading.
const HOSTILE: &str =
    "worse\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m \u{202e}thgir\n# Not yours\r\n> nor";
const WHEN: &str = "2026-01-01T00:00:00.000Z";

fn id(number: u8) -> String {
    format!("01890a5d-ac96-774b-bcce-b302099a80{number:02}")
}

fn hostile() -> String {
    HOSTILE.to_owned()
}

fn in_every_format(done: ForumOutput) -> String {
    let done = CommandOutput::Forum(done);
    let plain = text::text(&done, TextStyle::PLAIN);
    let json = json_pretty(&done.response());
    for shown in [&plain, &markdown::markdown(&done), &json] {
        let obeyed = |c: char| debate_core::is_misleading(c) && c != '\n';
        assert!(!shown.contains(obeyed), "nothing that was said is obeyed: {shown:?}");
    }
    format!("# json\n{json}# markdown\n{}# text\n{plain}", markdown::markdown(&done))
}

fn author() -> Author {
    Author { id: id(1), username: "ada".to_owned(), display_name: Some(hostile()) }
}

fn debate(number: u8, depth: u8, stance: Stance) -> Debate {
    Debate {
        id: id(number),
        solution_id: id(3),
        agent_id: id(1),
        parent_debate_id: (depth > 1).then(|| id(number - 1)),
        root_debate_id: id(10),
        depth,
        stance,
        content: hostile(),
        evidence_links: vec!["https://example.org/rain".to_owned(), hostile()],
        guardrail_status: GuardrailStatus::Approved,
        guardrail_reason: None,
        guardrail_evaluation_id: id(90),
        upvotes: u32::from(number) - 10,
        created_at: WHEN.to_owned(),
        agent: author(),
    }
}

fn problem() -> Problem {
    Problem {
        id: id(2),
        agent_id: id(1),
        title: hostile(),
        description: hostile(),
        domain: Some(hostile()),
        severity: Severity::High,
        guardrail_status: GuardrailStatus::Flagged,
        guardrail_evaluation_id: id(91),
        solution_count: 1,
        created_at: WHEN.to_owned(),
    }
}

fn solution() -> Solution {
    Solution {
        id: id(3),
        problem_id: id(2),
        agent_id: id(1),
        title: hostile(),
        description: hostile(),
        approach: hostile(),
        status: SolutionStatus::Debating,
        guardrail_status: GuardrailStatus::Approved,
        guardrail_evaluation_id: id(92),
        agent_debate_count: 4,
        approved_debate_count: 3,
        created_at: WHEN.to_owned(),
        updated_at: WHEN.to_owned(),
    }
}

fn evaluation() -> Evaluation {
    let hit = RuleHit { category: "weapons".to_owned(), rule_id: "weapons.arms".to_owned() };
    let model = ModelLayer {
        model: "openai:gpt-5".to_owned(),
        alignment_score: 0.25,
        harm_risk: "high".to_owned(),
        decision: Decision::Flag,
        reasoning: hostile(),
    };
    let rules = RuleLayer { version: "1".to_owned(), refused_by: vec![hit] };
    Evaluation {
        id: id(90),
        subject_type: SubjectType::Debate,
        subject_id: id(10),
        status: GuardrailStatus::Rejected,
        decision: Some(Decision::Reject),
        layers: Layers { rules: Some(rules), model: Some(model) },
        reason: Some(hostile()),
        review: Some(Reviewed {
            decision: Ruling::Reject,
            notes: hostile(),
            reviewed_at: WHEN.to_owned(),
        }),
        appealed: true,
        attempts: 1,
        created_at: WHEN.to_owned(),
        decided_at: Some(WHEN.to_owned()),
    }
}

fn flagged() -> Flagged {
    Flagged {
        evaluation: evaluation(),
        agent_id: id(1),
        text: hostile(),
        appeal_reason: Some(hostile()),
        flagged_at: Some(WHEN.to_owned()),
        claimed_by: Some("eve".to_owned()),
        claimed_until: Some(WHEN.to_owned()),
    }
}

#[test]
fn thread_is_printed_as_a_tree_of_posts() {
    let mut debates = vec![
        debate(10, 1, Stance::Support),
        debate(11, 2, Stance::Question),
        debate(12, 3, Stance::Modify),
        debate(13, 2, Stance::Oppose),
        debate(14, 1, Stance::Oppose),
    ];
    let own = debates.last_mut().expect("there are some");
    own.guardrail_status = GuardrailStatus::Rejected;
    own.guardrail_reason = Some(hostile());
    let thread = Thread {
        solution: ListedSolution::from(solution()),
        debates,
        stance: None,
        next_cursor: Some("t10".to_owned()),
    };
    assert_snapshot!(in_every_format(ForumOutput::Thread(Box::new(thread))));
}

#[test]
fn posts_of_one_stance_are_a_flat_list() {
    let thread = Thread {
        solution: ListedSolution::from(solution()),
        debates: vec![debate(13, 2, Stance::Oppose)],
        stance: Some(Stance::Oppose),
        next_cursor: None,
    };
    let shown = in_every_format(ForumOutput::Thread(Box::new(thread)));
    assert!(shown.contains(&format!("reply to {}", id(12))), "{shown}");
    assert!(!shown.contains('└'), "{shown}");
}

#[test]
fn problems_and_solutions_are_printed_in_every_format() {
    let problems =
        Problems { problems: vec![ListedProblem::from(problem())], next_cursor: Some(hostile()) };
    let solutions =
        Solutions { solutions: vec![ListedSolution::from(solution())], next_cursor: None };
    let none = Problems { problems: Vec::new(), next_cursor: None };
    let all = [
        ForumOutput::Problems(problems),
        ForumOutput::Problems(none),
        ForumOutput::Problem(Box::new(problem())),
        ForumOutput::Solutions(solutions),
        ForumOutput::Solution(Box::new(solution())),
    ];
    assert_snapshot!(all.map(in_every_format).join("\n"));
}

#[test]
fn agents_keys_and_writes_are_printed_in_every_format() {
    let agent = Agent {
        id: id(1),
        username: "ada".to_owned(),
        display_name: Some(hostile()),
        description: Some(hostile()),
        trust_tier: Tier::New,
        created_at: WHEN.to_owned(),
    };
    let enrolled = SavedRegistration {
        agent_id: id(1),
        username: "ada".to_owned(),
        key_file: "/home/ada/.aweave/keys/http-127.0.0.1:3456.key".to_owned(),
        api_key: None,
    };
    let rotated = Rotated {
        key_file: None,
        previous_key_expires_at: WHEN.to_owned(),
        api_key: Some("awk_shown".to_owned()),
    };
    let receipt = Receipt {
        client_request_id: Some("k-1".to_owned()),
        guardrail_reason: Some(hostile()),
        ..Receipt::from(debate(11, 2, Stance::Question))
    };
    let message = || "What to do next.".to_owned();
    let all = [
        ForumOutput::Agent(agent),
        ForumOutput::SavedRegistration(enrolled, message()),
        ForumOutput::Rotated(rotated),
        ForumOutput::Written(Box::new(receipt), message()),
        ForumOutput::VoteResult(VoteResult { id: id(10), upvotes: 1 }),
    ];
    assert_snapshot!(all.map(in_every_format).join("\n"));
}

#[test]
fn evaluations_are_printed_for_authors_and_reviewers() {
    let list = FlaggedList { flagged: vec![ListedFlagged::from(flagged())], next_cursor: None };
    let all = [
        ForumOutput::Status(Box::new(evaluation()), "What to do next.".to_owned()),
        ForumOutput::Waiting(list),
        ForumOutput::Flagged(Box::new(flagged())),
        ForumOutput::Decided(ListedFlagged::from(flagged())),
    ];
    assert_snapshot!(all.map(in_every_format).join("\n"));
}
