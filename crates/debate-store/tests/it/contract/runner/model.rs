//! Any history has the same result in a store and in plain lists in memory, which apply the same
//! rules without loading, locking or writing.

use std::collections::BTreeMap;
use std::time::Duration;

use debate_app::runner::{RunTask, RunnerError, StepReport};
use debate_app::{Lease, LeaseRequest, Settlement, StreamPosition, WorkOffer};
use debate_core::runner::{
    Acquired, AfterTurn, BeginCall, BeginCallError, Call, CallDraft, CallResult, CallStatus,
    Charge, Command, Cursor, DailyLimits, NanoUsd, Plan, Run, RunLimit, RunProgress, RunQuery,
    RunRecord, Status, StepResult, Turn, UnknownOutcomePolicy, create_run, plan, replay,
};
use debate_core::{FencingToken, RunId, Seq};
use jiff::{SignedDuration, Timestamp};

use super::fixture::{
    LEASE, a_rate, allowed, call_id, create, model, request, run_id, tokens, turn_draft, turn_id,
};
use crate::engine::Engine;
use crate::support::{Dice, micros};

struct Kept {
    record: RunRecord,
    turns: Vec<Turn>,
    calls: Vec<Call>,
}

/// The view of a worker that may have lost its lease: the run and its call.
#[derive(Clone)]
struct Belief {
    run: RunId,
    term: FencingToken,
    place: Cursor,
    then: AfterTurn,
    call: Option<u32>,
}

#[derive(Default)]
struct Model {
    runs: BTreeMap<RunId, Kept>,
    /// The charge of the calls of deleted runs.
    gone: Charge,
    beliefs: Vec<Belief>,
}

/// The daily limits of a history.
fn daily() -> DailyLimits {
    DailyLimits { tokens: Some(12_000), cost: Some(NanoUsd::new(8_000_000)) }
}

fn sum(charges: impl Iterator<Item = Charge>) -> Charge {
    charges.fold(Charge::default(), |sum, charge| Charge {
        tokens: sum.tokens + charge.tokens,
        cost: NanoUsd::new(sum.cost.nanos() + charge.cost.nanos()),
    })
}

impl Kept {
    fn last(&self) -> Option<(Cursor, Seq)> {
        self.turns.last().map(|turn| (turn.cursor, turn.seq))
    }

    fn booked(&self) -> Charge {
        sum(self.calls.iter().map(Call::charge))
    }

    /// Replaces the reservation of a call by its cost.
    fn pay(&mut self, end: &CallResult, at: Timestamp) {
        let Some(call) = self.calls.iter_mut().find(|call| call.id == end.call) else { return };
        if let Some((record, known)) = self.record.finish_call(call, end, at) {
            (self.record, *call) = (record, known);
        }
    }

    fn plan(&self) -> Plan {
        let run = &self.record.run;
        let mode = run.settings.judge_mode;
        plan(&run.settings, &RunProgress::from_turns(&self.turns, mode, run.ran, run.spent))
    }
}

impl Model {
    /// A history stays within one day.
    fn spent_today(&self) -> Charge {
        sum(self.runs.values().map(Kept::booked).chain([self.gone]))
    }

    fn take(&mut self, take: &LeaseRequest, on_unknown: UnknownOutcomePolicy) -> Outcome {
        let due = |kept: &&mut Kept| kept.record.lease.due();
        let oldest = self
            .runs
            .values_mut()
            .filter(|kept| kept.record.lease.is_due(take.at))
            .min_by_key(|kept| (due(kept), kept.record.run.id));
        let Some(kept) = oldest else {
            let next = self.runs.values().filter_map(|kept| kept.record.lease.due()).min();
            return Outcome::Nothing(next);
        };
        let mut interrupted = 0;
        for call in kept.calls.iter_mut().filter(|call| call.status == CallStatus::InFlight) {
            call.status = CallStatus::Unknown;
            interrupted += 1;
        }
        match kept.record.acquire(interrupted, on_unknown, take.at, take.duration) {
            Acquired::Step(record) => {
                kept.record = record;
                Outcome::Step(kept.record.run.id)
            }
            Acquired::Cleaned(record) => {
                kept.record = record;
                Outcome::Tidied
            }
        }
    }

    fn begin(&mut self, run: RunId, begin: &BeginCall) -> Result<Call, BeginCallError> {
        let today = self.spent_today();
        let kept = self.runs.get_mut(&run).ok_or(BeginCallError::Lost)?;
        let earlier = kept.calls.iter().filter(|call| call.cursor == begin.call.cursor).count();
        let earlier = u32::try_from(earlier).expect("histories are short");
        let (record, call) = kept.record.begin_call(begin, today, earlier)?;
        kept.record = record;
        kept.calls.push(call.clone());
        kept.calls.sort_by_key(|call| (call.cursor, call.number));
        Ok(call)
    }

    fn settle(&mut self, lease: Lease<RunId>, report: &StepReport, at: Timestamp) -> Settlement {
        let Some(kept) = self.runs.get_mut(&lease.item) else { return Settlement::Discarded };
        if let Some(end) = &report.call {
            kept.pay(end, at);
        }
        let settled =
            kept.record.finish_step(lease.fencing_token, report.end.clone(), kept.last(), at);
        if let Some((record, turn)) = settled {
            kept.record = record;
            kept.turns.extend(turn);
            return Settlement::Saved;
        }
        let is_there = |id| kept.turns.iter().any(|turn| turn.id == id);
        match &report.end {
            StepResult::Turn { draft: said, .. } if is_there(said.id) => Settlement::Saved,
            StepResult::Turn { .. }
            | StepResult::LimitReached { .. }
            | StepResult::Retry { .. }
            | StepResult::Failed { .. }
            | StepResult::Released => Settlement::Discarded,
        }
    }

    fn delete(&mut self, run: RunId) -> bool {
        let gone = self.runs.remove(&run);
        self.gone = sum(gone.iter().map(Kept::booked).chain([self.gone]));
        gone.is_some()
    }
}

/// The result of an acquisition in a form that can be compared.
#[derive(Debug, PartialEq)]
enum Outcome {
    Step(RunId),
    Tidied,
    Nothing(Option<Timestamp>),
}

fn outcome(found: &WorkOffer<RunTask>) -> Outcome {
    match found {
        WorkOffer::Task(task) => Outcome::Step(task.record.run.id),
        WorkOffer::Cleaned => Outcome::Tidied,
        WorkOffer::Nothing { next_due: next } => Outcome::Nothing(*next),
    }
}

/// Few debates, so that requests often concern the same one.
const DEBATES: u32 = 5;
const STEPS: u32 = 400;

/// One operation on the store and on the model, which must have the same answer.
async fn one_step(on: &Engine, paper: &mut Model, step: u32, at: Timestamp, dice: &mut Dice) {
    let number = 1 + dice.roll(DEBATES);
    match dice.roll(30) {
        0..=2 => create_next(on, paper, number, at).await,
        3..=9 => command_next(on, paper, run_id(number), dice.one_of(&COMMANDS), at).await,
        10 => {
            let outcome = on.runs.delete(run_id(number)).await;
            assert_eq!(outcome.is_ok(), paper.delete(run_id(number)), "step {step}");
        }
        11..=17 => acquire(on, paper, at, dice).await,
        18..=22 => begin_next(on, paper, step, at, dice).await,
        23..=24 => renew_next(on, paper, at, dice).await,
        _ => settle_next(on, paper, step, at, dice).await,
    }
}

const COMMANDS: [Command; 8] = [
    Command::Start,
    Command::Start,
    Command::Resume,
    Command::Resume,
    Command::Retry,
    Command::Retry,
    Command::Stop,
    Command::Cancel,
];

async fn create_next(on: &Engine, paper: &mut Model, number: u32, at: Timestamp) {
    let mut create = create(number);
    create.at = at;
    if paper.runs.contains_key(&create.opening.run) {
        return;
    }
    let record = create_run(&create.opening, at);
    let run = on.create_run_as(create).await;
    assert_eq!(run, record.run);
    paper.runs.insert(run.id, Kept { record, turns: Vec::new(), calls: Vec::new() });
}

async fn command_next(on: &Engine, paper: &mut Model, run: RunId, command: Command, at: Timestamp) {
    let answer = on.runs.command(request(run, command, at)).await;
    let Some(kept) = paper.runs.get_mut(&run) else {
        assert!(matches!(answer, Err(RunnerError::UnknownRun(_))), "{answer:?}");
        return;
    };
    match (answer, kept.record.apply_command(command, at)) {
        (Ok(run), Ok(record)) => {
            assert_eq!(run, record.run);
            kept.record = record;
        }
        (Err(RunnerError::Refused(told)), Err(refusal)) => assert_eq!(told, refusal),
        (answer, expected) => panic!("{answer:?}, {expected:?}"),
    }
}

async fn acquire(on: &Engine, paper: &mut Model, at: Timestamp, dice: &mut Dice) {
    let on_unknown = dice.one_of(&[
        UnknownOutcomePolicy::Retry,
        UnknownOutcomePolicy::Retry,
        UnknownOutcomePolicy::Fail,
    ]);
    let request = LeaseRequest { holder: "somebody".to_owned(), at, duration: LEASE };
    let expected = paper.take(&request, on_unknown);
    let found = on.runs.acquire(request, on_unknown).await.expect("the store is well");
    assert_eq!(outcome(&found), expected);
    let WorkOffer::Task(task) = found else { return };
    let kept = paper.runs.get(&task.record.run.id).expect("it is there");
    assert_eq!((&task.record, &task.turns), (&kept.record, &kept.turns));
    let (run, term) = (task.record.run.id, task.record.fencing_token);
    let (place, then) = match kept.plan() {
        Plan::Call { cursor, then, .. } => (cursor, then),
        Plan::Complete { cursor, limit } => (cursor, AfterTurn::Complete(limit)),
    };
    paper.beliefs.push(Belief { run, term, place, then, call: None });
}

fn any_belief<'p>(paper: &'p mut Model, dice: &mut Dice) -> Option<&'p mut Belief> {
    // Mostly the newest, which holds the current lease.
    let back = usize::try_from(dice.one_of(&[0, 0, 0, 0, 1, 1, 2, 5])).expect("it is small");
    paper.beliefs.iter_mut().rev().nth(back)
}

async fn begin_next(on: &Engine, paper: &mut Model, step: u32, at: Timestamp, dice: &mut Dice) {
    let Some(belief) = any_belief(paper, dice) else { return };
    let after = belief.call.map(|call| any_result(call, dice));
    let draft = CallDraft {
        id: call_id(step),
        cursor: belief.place,
        model: model(dice.one_of(&["demo:paced", "demo:fast", "openai:gpt-4.1"])),
        allowed: allowed(dice.one_of(&[1, 300, 600])),
        prompt_bytes: dice.one_of(&[0, 7, 900]),
        rates: dice.one_of(&[None, Some(a_rate()), Some(a_rate())]),
        at,
    };
    let limits = dice.one_of(&[DailyLimits::default(), daily()]);
    let begin = BeginCall { fencing_token: belief.term, after, call: draft, limits };
    let is_limited = begin.is_limited();
    belief.call = Some(step);
    let run = belief.run;
    if let (Some(end), Some(kept)) = (&begin.after, paper.runs.get_mut(&run)) {
        kept.pay(end, at);
    }
    let expected = paper.begin(run, &begin);
    let outcome = on.runs.begin_call(run, begin).await.expect("the store is well");
    assert_eq!(outcome, expected, "step {step}");
    if is_limited && outcome.is_ok() {
        let Charge { tokens, cost } = paper.spent_today();
        assert!(
            tokens <= 12_000 && cost <= NanoUsd::new(8_000_000),
            "step {step}: {tokens} {cost}"
        );
    }
}

fn any_result(call: u32, dice: &mut Dice) -> CallResult {
    let called = dice.one_of(&[CallStatus::Ok, CallStatus::Ok, CallStatus::Error]);
    let usage = dice.one_of(&[
        tokens(7, 40),
        tokens(7, 0),
        tokens(u32::MAX, 7),
        tokens(7, u32::MAX),
        debate_core::Usage::UNREPORTED,
        debate_core::Usage::ZERO,
    ]);
    CallResult { call: call_id(call), status: called, usage }
}

async fn renew_next(on: &Engine, paper: &mut Model, at: Timestamp, dice: &mut Dice) {
    let Some(belief) = any_belief(paper, dice) else { return };
    let lease = Lease { item: belief.run, fencing_token: belief.term };
    let kept = paper.runs.get_mut(&lease.item);
    let renewed = kept.and_then(|kept| {
        kept.record = kept.record.renew(lease.fencing_token, at, LEASE)?;
        Some(Settlement::Saved)
    });
    let expected = renewed.unwrap_or(Settlement::Discarded);
    assert_eq!(on.runs.renew(lease, at, LEASE).await.expect("the store is well"), expected);
}

async fn settle_next(on: &Engine, paper: &mut Model, step: u32, at: Timestamp, dice: &mut Dice) {
    let Some(belief) = any_belief(paper, dice).cloned() else { return };
    let wait = Duration::from_micros(u64::from(dice.roll(9_000_000)));
    let sentence = || format!("it went wrong at step {step}");
    let end = match dice.roll(10) {
        0 => StepResult::Released,
        1 => StepResult::Retry { error: sentence(), wait },
        2 => StepResult::Failed { error: sentence() },
        3 => StepResult::LimitReached { cursor: belief.place, limit: RunLimit::Runtime },
        // A repeated result of an earlier step.
        4 => StepResult::Turn {
            draft: turn_draft(step.saturating_sub(1), belief.place),
            then: belief.then,
        },
        _ => StepResult::Turn { draft: turn_draft(step, belief.place), then: belief.then },
    };
    if let StepResult::Turn { draft: said, .. } = &end
        && paper.runs.values().any(|kept| {
            kept.record.run.id != belief.run && kept.turns.iter().any(|turn| turn.id == said.id)
        })
    {
        return; // ids are random: no two debates have the same turn
    }
    let call = belief.call.map(|call| any_result(call, dice));
    let lease = Lease { item: belief.run, fencing_token: belief.term };
    let report = StepReport { call, end };
    let expected = paper.settle(lease, &report, at);
    let outcome = on.runs.settle(lease, report, at).await.expect("the store is well");
    assert_eq!(outcome, expected, "step {step}");
}

/// Asserts that every read equals the model, and that every run replays to its state.
async fn assert_alike(on: &Engine, paper: &Model) {
    let mut listed: Vec<Run> = paper.runs.values().map(|kept| kept.record.run.clone()).collect();
    listed.sort_by_key(|run| std::cmp::Reverse((run.updated_at, run.id)));
    let limit = debate_core::Limit::DEFAULT;
    for status in Status::ALL.map(Some).into_iter().chain([None]) {
        let query = RunQuery { status, after: None, limit };
        let page = on.runs.list(query).await.expect("a list is always there");
        let stands_so = |run: &&Run| status.is_none_or(|status| run.state.status() == status);
        let expected: Vec<Run> = listed.iter().filter(stands_so).cloned().collect();
        assert_eq!(page.runs, expected);
    }
    for (run, Kept { record, turns, calls }) in &paper.runs {
        let story = on.runs.story(*run).await.expect("it is there");
        assert_eq!((&story.run, &story.turns), (&record.run, turns));
        let news = on.runs.newer_than(*run, StreamPosition::Start).await.expect("it is there");
        assert_eq!((&news.newer, news.last), (turns, record.last_seq));
        assert_eq!(&on.runs.calls(*run).await.expect("it is there"), calls);
        assert_eq!(replay(record, turns, calls), Ok(()));
        let spent: u64 = story.costs.iter().map(|cost| cost.completion_tokens).sum();
        let unknown: u64 = story.costs.iter().map(|cost| cost.unknown).sum();
        let really = calls.iter().filter(|call| call.status == CallStatus::Unknown).count();
        assert_eq!((spent, usize::try_from(unknown)), (record.run.spent, Ok(really)));
        assert!(story.costs.is_sorted_by_key(|cost| cost.model.to_string()));
    }
}

pub(crate) async fn random_history_matches_the_in_memory_model(on: &Engine) {
    for seed in 0..6 {
        println!("the history of seed {seed}");
        let (mut paper, mut dice) = (Model::default(), Dice::new(seed));
        // Each history has a day of its own, because charges are counted per day.
        let day = SignedDuration::from_hours(24 * i64::try_from(seed).expect("they are few"));
        let mut micro = 0;
        for step in 0..STEPS {
            micro += i64::from(dice.roll(4_000_000));
            one_step(on, &mut paper, step, micros(micro) + day, &mut dice).await;
            if step % 50 == 49 {
                assert_alike(on, &paper).await;
            }
        }
        let runs: Vec<RunId> = paper.runs.keys().copied().collect();
        for run in runs {
            on.runs.delete(run).await.expect("it is there");
        }
        assert_alike(on, &Model::default()).await;
        let turn = turn_id(STEPS);
        on.runs.newer_than(run_id(1), StreamPosition::Item(turn)).await.expect_err("all are gone");
    }
}
