//! Any order of steps, duplicates, crashes, stops and commands: each turn is stored once and in
//! order, and the cursor always matches the turns.

use std::time::Duration;

use debate_core::runner::{
    Acquired, Actor, AfterTurn, BeginCall, Call, CallDraft, CallResult, CallStatus, Charge,
    Command, Cursor, DailyLimits, JudgeMode, NewRun, Plan, Round, RunLimit, RunProgress, RunRecord,
    RunSettingsDraft, RunState, StepResult, Turn, TurnDraft, UnknownOutcomePolicy, create_run,
    next_cursor, plan,
};
use debate_core::{CallId, FencingToken, RunId, TurnId, Usage};
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

use super::support::{in_mode, settings, topic, turn};
use crate::support::instant;

const LEASE: SignedDuration = SignedDuration::from_secs(15);

/// A worker's step: its cursor and its fencing token.
#[derive(Debug, Clone, Copy)]
struct Claim {
    term: FencingToken,
    cursor: Cursor,
    then: AfterTurn,
    call: CallId,
}

/// A store of one run that works like the real ones: load, apply the rules, save the result.
struct StoredRun {
    record: RunRecord,
    turns: Vec<Turn>,
    calls: Vec<Call>,
    now: Timestamp,
    /// Every claim so far: any worker may still return with its turn.
    claims: Vec<Claim>,
    /// Whether a worker with an expired lease wrote something.
    written_late: bool,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Command(Command),
    /// A worker takes the run and begins a call.
    Take,
    /// A worker returns with its turn: the one with the lease, or an earlier one.
    Finish(usize),
    /// A worker's attempt failed; another is due, or not.
    Fail(usize, bool),
    /// A worker releases the run.
    Release(usize),
    /// This many seconds pass without a renewal.
    Wait(u8),
    /// A worker renews its lease.
    Renew(usize),
    /// The cursor is overwritten with a wrong value.
    Corrupt(u32),
}

impl StoredRun {
    fn new(draft: RunSettingsDraft) -> Self {
        let run = RunId::new(Uuid::from_u128(7));
        let opening = NewRun { run, topic: topic("Tea"), settings: settings(draft) };
        let now = instant(0);
        let record = create_run(&opening, now);
        let (turns, calls, claims) = (Vec::new(), Vec::new(), Vec::new());
        Self { record, turns, calls, now, claims, written_late: false }
    }

    fn cursors(&self) -> Vec<Cursor> {
        self.turns.iter().map(|turn| turn.cursor).collect()
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Command(command) => {
                if let Ok(record) = self.record.apply_command(command, self.now) {
                    self.record = record;
                }
            }
            Event::Take => self.take(),
            Event::Finish(which) => self.finish(which),
            Event::Fail(which, again) => {
                let sentence = "it did not answer".to_owned();
                let wait = Duration::from_secs(1);
                let end = if again {
                    StepResult::Retry { error: sentence, wait }
                } else {
                    StepResult::Failed { error: sentence }
                };
                self.settle(which, CallStatus::Error, Usage::ZERO, end);
            }
            Event::Release(which) => {
                self.settle(which, CallStatus::Unknown, Usage::UNREPORTED, StepResult::Released);
            }
            Event::Wait(seconds) => {
                self.now += SignedDuration::from_secs(seconds.into());
            }
            Event::Renew(which) => {
                if let Some(claim) = self.claim(which)
                    && let Some(record) = self.record.renew(claim.term, self.now, LEASE)
                {
                    self.record = record;
                }
            }
            // A completed run has no further step that could repair the cursor, and needs none.
            Event::Corrupt(_) if matches!(self.record.run.state, RunState::Completed(_)) => {}
            Event::Corrupt(round) => {
                let round = Round::new(round).expect("not 0");
                self.record.run.cursor = Cursor { round, actor: Actor::Judge };
            }
        }
    }

    fn take(&mut self) {
        if !self.record.lease.is_due(self.now) {
            return;
        }
        let in_flight = self.calls.iter_mut().filter(|call| call.status == CallStatus::InFlight);
        let interrupted = in_flight.map(|call| call.status = CallStatus::Unknown).count();
        let interrupted = u32::try_from(interrupted).expect("few");
        let taken = self.record.acquire(interrupted, UnknownOutcomePolicy::Retry, self.now, LEASE);
        let Acquired::Step(record) = taken else {
            let Acquired::Cleaned(record) = taken else { unreachable!("there are two") };
            self.record = record;
            return;
        };
        self.record = record;
        let run = &self.record.run;
        let mode = run.settings.judge_mode;
        let progress = RunProgress::from_turns(&self.turns, mode, Duration::ZERO, 0);
        match plan(&run.settings, &progress) {
            Plan::Complete { cursor, limit } => {
                let end = StepResult::LimitReached { cursor, limit };
                let last = self.turns.last().map(|turn| (turn.cursor, turn.seq));
                let settled =
                    self.record.finish_step(self.record.fencing_token, end, last, self.now);
                self.record = settled.expect("it is held").0;
            }
            Plan::Call { cursor, allowed, then } => self.begin(cursor, allowed, then),
        }
    }

    fn begin(&mut self, cursor: Cursor, allowed: debate_core::CallTokens, then: AfterTurn) {
        let id = CallId::new(Uuid::from_u128(u128::try_from(self.calls.len()).expect("few")));
        let model = self.record.run.settings.model_judge.clone();
        let call =
            CallDraft { id, cursor, model, allowed, prompt_bytes: 100, rates: None, at: self.now };
        let limits = DailyLimits::default();
        let begin =
            BeginCall { fencing_token: self.record.fencing_token, after: None, call, limits };
        let (record, call) =
            self.record.begin_call(&begin, Charge::default(), 0).expect("it was just taken");
        self.record = record;
        self.calls.push(call);
        self.claims.push(Claim { term: self.record.fencing_token, cursor, then, call: id });
    }

    fn claim(&self, which: usize) -> Option<Claim> {
        // Often the newest claim, sometimes any other.
        let back = (which % 4).saturating_sub(2) * (which / 4);
        let newest = self.claims.len().checked_sub(1)?;
        self.claims.get(newest.saturating_sub(back % self.claims.len())).copied()
    }

    fn finish(&mut self, which: usize) {
        let Some(Claim { cursor, then, .. }) = self.claim(which) else { return };
        let usage = Usage::reported(1, 1);
        let Turn { content, model, metadata, .. } = turn(1, cursor, "said");
        let id = TurnId::new(Uuid::from_u128(u128::try_from(which).expect("it fits")));
        let arguments = TurnDraft { id, cursor, content, model, usage, metadata };
        self.settle(which, CallStatus::Ok, usage, StepResult::Turn { draft: arguments, then });
    }

    fn settle(&mut self, which: usize, called: CallStatus, usage: Usage, end: StepResult) {
        let Some(claim) = self.claim(which) else { return };
        let call = self.calls.iter_mut().find(|call| call.id == claim.call).expect("recorded");
        let ended = CallResult { call: claim.call, status: called, usage };
        if let Some((record, known)) = self.record.finish_call(call, &ended, self.now) {
            (self.record, *call) = (record, known);
        }
        let last = self.turns.last().map(|turn| (turn.cursor, turn.seq));
        if let Some((record, turn)) = self.record.finish_step(claim.term, end, last, self.now) {
            let newest = self.claims.last().map(|newest| newest.term);
            self.written_late |= newest != Some(claim.term);
            self.record = record;
            self.turns.extend(turn);
        }
    }

    /// The invariants after every event.
    fn check(&self) -> Result<(), TestCaseError> {
        prop_assert!(!self.written_late, "a worker wrote whose debate was another's");
        let RunRecord { run, last_seq, lease: work, .. } = &self.record;
        let charged: u64 = self.calls.iter().map(|call| u64::from(call.charged_tokens())).sum();
        prop_assert_eq!(run.spent, charged, "what is shown is the sum of all calls");
        let seqs: Vec<u32> = self.turns.iter().map(|turn| turn.seq.number()).collect();
        prop_assert!(seqs.iter().copied().eq(1..=last_seq.number()), "a gap or a double");
        let wants_work = matches!(run.state, RunState::Running | RunState::Stopping);
        prop_assert_eq!(wants_work, work.due().is_some(), "stuck, or worked on for nothing");
        if run.state == RunState::Stopping {
            prop_assert!(work.held_since().is_some(), "a stopping run has a worker");
        }
        Ok(())
    }
}

/// The cursors of a run with this many turns by the contract.
fn expected(mode: JudgeMode, rounds: u32, turns: usize) -> Vec<Cursor> {
    let mut all = Vec::new();
    for round in 1..=rounds {
        let round = Round::new(round).expect("not 0");
        all.push(Cursor { round, actor: Actor::DebaterA });
        all.push(Cursor { round, actor: Actor::DebaterB });
        if mode == JudgeMode::Round || round.number() == rounds {
            all.push(Cursor { round, actor: Actor::Judge });
        }
    }
    all.truncate(turns);
    all
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        10 => Just(Event::Take),
        10 => any::<usize>().prop_map(Event::Finish),
        2 => any::<(usize, bool)>().prop_map(|(which, again)| Event::Fail(which, again)),
        2 => any::<usize>().prop_map(Event::Release),
        3 => (0_u8..20).prop_map(Event::Wait),
        1 => any::<usize>().prop_map(Event::Renew),
        1 => (1_u32..9).prop_map(Event::Corrupt),
        3 => prop_oneof![
            Just(Command::Start), Just(Command::Resume), Just(Command::Retry), Just(Command::Stop)
        ].prop_map(Event::Command),
    ]
}

proptest! {
    #[test]
    fn each_turn_is_stored_once_and_in_order_for_any_events(
        end: bool, rounds in 1_u32..6, events in vec(event(), 0..300),
    ) {
        let mode = if end { JudgeMode::End } else { JudgeMode::Round };
        let draft = RunSettingsDraft { max_rounds: Some(rounds.into()), ..in_mode(mode) };
        let mut debate = StoredRun::new(draft);
        for event in events {
            debate.apply(event);
            debate.check()?;
            prop_assert_eq!(debate.cursors(), expected(mode, rounds, debate.turns.len()));
        }
        // Without further faults the run always reaches its end.
        for _ in 0..40 {
            debate.apply(Event::Wait(20));
            debate.apply(Event::Take);
            debate.apply(Event::Command(Command::Resume));
            debate.apply(Event::Take);
            debate.apply(Event::Finish(0));
        }
        prop_assert_eq!(debate.record.run.state, RunState::Completed(RunLimit::Rounds));
        prop_assert_eq!(debate.cursors(), expected(mode, rounds, usize::MAX));
        let last = debate.turns.last().map(|turn| turn.cursor);
        prop_assert_eq!(debate.record.run.cursor, next_cursor(last, mode));
        prop_assert_eq!(debate.record.run.completed_rounds, rounds);
    }

    #[test]
    fn canceled_run_accepts_no_turn(
        before in vec(event(), 0..60), after in vec(event(), 0..60),
    ) {
        let mut debate = StoredRun::new(RunSettingsDraft::default());
        for event in before {
            debate.apply(event);
        }
        debate.apply(Event::Command(Command::Cancel));
        let (standing, turns) = (debate.record.run.state, debate.turns.clone());
        prop_assert!(matches!(standing, RunState::Canceled | RunState::Completed(_)));
        for event in after {
            debate.apply(event);
            debate.check()?;
        }
        prop_assert_eq!((debate.record.run.state, debate.turns), (standing, turns));
    }
}
