//! A run for the output tests.

use debate_wire::runner::{
    Actor, Attempt, CallOutcome, Cost, Debate, JudgeMode, ListedDebate, Metadata, ModelCost, Money,
    Outcome, Settings, Stance, Status, StopReason, Story, Turn, Usage, Verdict, Winner,
};

pub(crate) const ID: &str = "00000000-0000-7000-8000-000000000001";
const TIME: &str = "2026-11-16T06:40:00.123456Z";

pub(crate) fn settings(model: &str) -> Settings {
    Settings {
        debater_a_side: Stance::Pro,
        output_language: "en".to_owned(),
        judge_mode: JudgeMode::Round,
        max_rounds: 2,
        max_runtime_seconds: 600,
        max_total_output_tokens: 8000,
        max_tokens_debater: 600,
        max_tokens_judge: 400,
        model_debater: model.to_owned(),
        model_debater_a: model.to_owned(),
        model_debater_b: model.to_owned(),
        model_judge: model.to_owned(),
        prompt_version: "v1".to_owned(),
    }
}

pub(crate) fn debate(status: Status, stop_reason: Option<StopReason>) -> Debate {
    Debate {
        id: ID.to_owned(),
        topic: "Tabs are \u{1b}[31mbetter".to_owned(),
        status,
        settings: settings("openai:gpt-5"),
        next_round: 2,
        next_actor: Actor::DebaterB,
        stop_reason,
        last_error: None,
        created_at: TIME.to_owned(),
        updated_at: TIME.to_owned(),
        completed_rounds: 1,
        spent_tokens: 1234,
        ran_seconds: 42,
    }
}

pub(crate) fn listed(status: Status) -> ListedDebate {
    let debate = debate(status, None);
    ListedDebate {
        id: debate.id,
        topic: debate.topic,
        status,
        next_round: debate.next_round,
        next_actor: debate.next_actor,
        stop_reason: None,
        last_error: None,
        created_at: debate.created_at,
        updated_at: debate.updated_at,
        completed_rounds: debate.completed_rounds,
    }
}

pub(crate) fn turn(seq: u32, round: u32, actor: Actor, content: &str) -> Turn {
    Turn {
        id: format!("00000000-0000-7000-8000-0000000001{seq:02}"),
        debate_id: ID.to_owned(),
        seq,
        round,
        actor,
        content: content.to_owned(),
        model: Some("gpt-5-2026".to_owned()),
        usage: Usage { prompt_tokens: Some(200), completion_tokens: Some(120) },
        metadata: Metadata {
            outcome: Outcome::Ok,
            verdict: None,
            duration_ms: None,
            usage_clipped: false,
        },
        created_at: TIME.to_owned(),
    }
}

pub(crate) fn judged(seq: u32, round: u32, winner: Winner, valid: bool) -> Turn {
    let mut turn = turn(seq, round, Actor::Judge, "Winner: A\nScores: A=7, B=5\n\nA was clearer.");
    turn.metadata.verdict = Some(Verdict {
        summary: "A was clearer.\n\u{1b}[2JB had no numbers.".to_owned(),
        score_a: if valid { 7 } else { 0 },
        score_b: if valid { 5 } else { 0 },
        winner,
        no_new_substantive_arguments: false,
        verdict_valid: valid,
    });
    turn
}

pub(crate) fn story(debate: Debate) -> Story {
    let mut cut = turn(4, 2, Actor::DebaterA, "And besides");
    cut.metadata.outcome = Outcome::Truncated;
    let mut declined = turn(5, 2, Actor::DebaterB, "I'd rather not.");
    declined.metadata.outcome = Outcome::Refused;
    (declined.model, declined.usage.completion_tokens) = (None, None);
    let turns = vec![
        turn(1, 1, Actor::DebaterA, "Tabs adapt.\n\n> ## not a heading\n\u{1b}[2J\u{202e}over"),
        turn(2, 1, Actor::DebaterB, "Spaces are the same everywhere."),
        judged(3, 1, Winner::A, true),
        cut,
        declined,
        judged(6, 2, Winner::Tie, false),
    ];
    let money = Some(Money { amount: "0.012345".to_owned(), currency: "USD".to_owned() });
    let of_model = ModelCost {
        model: "openai:gpt-5".to_owned(),
        prompt_tokens: 1400,
        completion_tokens: 1234,
        calls: 7,
        unknown_calls: 1,
        money: money.clone(),
    };
    let cost = Cost {
        prompt_tokens: 1400,
        completion_tokens: 1234,
        calls: 7,
        unknown_calls: 1,
        by_model: vec![of_model],
        money,
    };
    Story { debate, turns, cost }
}

pub(crate) fn attempts() -> Vec<Attempt> {
    let attempt = |number: u32, outcome, in_flight, tokens| Attempt {
        id: format!("00000000-0000-7000-8000-0000000002{number:02}"),
        round: 1,
        actor: if in_flight { Actor::Judge } else { Actor::DebaterA },
        attempt: number,
        model: "openai:gpt-5".to_owned(),
        started_at: TIME.to_owned(),
        finished_at: (!in_flight).then(|| TIME.to_owned()),
        outcome,
        usage: Usage { prompt_tokens: tokens, completion_tokens: tokens },
        in_flight,
        max_tokens: 600,
        usage_clipped: false,
    };
    vec![
        attempt(1, CallOutcome::Error, false, None),
        attempt(2, CallOutcome::Unknown, false, None),
        attempt(3, CallOutcome::Ok, false, Some(1120)),
        attempt(1, CallOutcome::Unknown, true, None),
    ]
}
