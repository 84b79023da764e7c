//! Any order of steps, duplicates, crashes, stops and commands: each place is spoken at once, in
//! order, and the cursor is always what the turns say.

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

/// A worker's claim: what it is to bring, in which term.
#[derive(Debug, Clone, Copy)]
struct Claim {
    term: FencingToken,
    place: Cursor,
    then: AfterTurn,
    call: CallId,
}

/// A store of one debate, which does what the stores do: load, ask the rules, keep the answer.
struct Kept {
    record: RunRecord,
    turns: Vec<Turn>,
    calls: Vec<Call>,
    now: Timestamp,
    /// Every claim ever made: any worker may still come back with its turn.
    claims: Vec<Claim>,
    /// Whether one wrote whose term was over.
    written_late: bool,
}

#[derive(Debug, Clone, Copy)]
enum Happening {
    Command(Command),
    /// A worker takes the debate and begins a call.
    Take,
    /// A worker comes back with its turn: the one that holds the debate, or one long gone.
    Bring(usize),
    /// A worker's try failed; another is due, or not.
    Fail(usize, bool),
    /// A worker gives the debate back.
    LetGo(usize),
    /// So many seconds pass, in which nobody gives a sign of life.
    Silence(u8),
    /// A worker gives a sign of life.
    Renew(usize),
    /// Something wrote nonsense into the cursor.
    Corrupt(u32),
}

impl Kept {
    fn new(draft: RunSettingsDraft) -> Self {
        let run = RunId::new(Uuid::from_u128(7));
        let opening = NewRun { run, topic: topic("Tea"), settings: settings(draft) };
        let now = instant(0);
        let record = create_run(&opening, now);
        let (turns, calls, claims) = (Vec::new(), Vec::new(), Vec::new());
        Self { record, turns, calls, now, claims, written_late: false }
    }

    fn places(&self) -> Vec<Cursor> {
        self.turns.iter().map(|turn| turn.cursor).collect()
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Command(command) => {
                if let Ok(record) = self.record.apply_command(command, self.now) {
                    self.record = record;
                }
            }
            Happening::Take => self.take(),
            Happening::Bring(which) => self.bring(which),
            Happening::Fail(which, again) => {
                let sentence = "it did not answer".to_owned();
                let wait = Duration::from_secs(1);
                let end = if again {
                    StepResult::Retry { error: sentence, wait }
                } else {
                    StepResult::Failed { error: sentence }
                };
                self.settle(which, CallStatus::Error, Usage::ZERO, end);
            }
            Happening::LetGo(which) => {
                self.settle(which, CallStatus::Unknown, Usage::UNREPORTED, StepResult::Released);
            }
            Happening::Silence(seconds) => {
                self.now += SignedDuration::from_secs(seconds.into());
            }
            Happening::Renew(which) => {
                if let Some(claim) = self.claim(which)
                    && let Some(record) = self.record.renew(claim.term, self.now, LEASE)
                {
                    self.record = record;
                }
            }
            // What is over has no further step that could repair it, nor needs one.
            Happening::Corrupt(_) if matches!(self.record.run.state, RunState::Completed(_)) => {}
            Happening::Corrupt(round) => {
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
            Plan::Ask { cursor, allowed, then } => self.begin(cursor, allowed, then),
        }
    }

    fn begin(&mut self, place: Cursor, allowed: debate_core::CallTokens, then: AfterTurn) {
        let id = CallId::new(Uuid::from_u128(u128::try_from(self.calls.len()).expect("few")));
        let model = self.record.run.settings.model_judge.clone();
        let call = CallDraft {
            id,
            cursor: place,
            model,
            allowed,
            prompt_bytes: 100,
            rates: None,
            at: self.now,
        };
        let limits = DailyLimits::default();
        let begin =
            BeginCall { fencing_token: self.record.fencing_token, after: None, call, limits };
        let (record, call) =
            self.record.begin_call(&begin, Charge::default(), 0).expect("it was just taken");
        self.record = record;
        self.calls.push(call);
        self.claims.push(Claim { term: self.record.fencing_token, place, then, call: id });
    }

    fn claim(&self, which: usize) -> Option<Claim> {
        // The newest often enough, any other now and then.
        let back = (which % 4).saturating_sub(2) * (which / 4);
        let newest = self.claims.len().checked_sub(1)?;
        self.claims.get(newest.saturating_sub(back % self.claims.len())).copied()
    }

    fn bring(&mut self, which: usize) {
        let Some(Claim { place, then, .. }) = self.claim(which) else { return };
        let usage = Usage::reported(1, 1);
        let Turn { content, model, metadata, .. } = turn(1, place, "said");
        let id = TurnId::new(Uuid::from_u128(u128::try_from(which).expect("it fits")));
        let said = TurnDraft { id, cursor: place, content, model, usage, metadata };
        self.settle(which, CallStatus::Ok, usage, StepResult::Turn { draft: said, then });
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

    /// What holds whatever happened.
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
            prop_assert!(work.held_since().is_some(), "nobody will ever stop it");
        }
        Ok(())
    }
}

/// What the contract says a debate of so many turns consists of.
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

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        10 => Just(Happening::Take),
        10 => any::<usize>().prop_map(Happening::Bring),
        2 => any::<(usize, bool)>().prop_map(|(which, again)| Happening::Fail(which, again)),
        2 => any::<usize>().prop_map(Happening::LetGo),
        3 => (0_u8..20).prop_map(Happening::Silence),
        1 => any::<usize>().prop_map(Happening::Renew),
        1 => (1_u32..9).prop_map(Happening::Corrupt),
        3 => prop_oneof![
            Just(Command::Start), Just(Command::Resume), Just(Command::Retry), Just(Command::Stop)
        ].prop_map(Happening::Command),
    ]
}

proptest! {
    #[test]
    fn each_place_is_spoken_at_once_and_in_order_whatever_happens(
        end: bool, rounds in 1_u32..6, happenings in vec(happening(), 0..300),
    ) {
        let mode = if end { JudgeMode::End } else { JudgeMode::Round };
        let draft = RunSettingsDraft { max_rounds: Some(rounds.into()), ..in_mode(mode) };
        let mut debate = Kept::new(draft);
        for happening in happenings {
            debate.happen(happening);
            debate.check()?;
            prop_assert_eq!(debate.places(), expected(mode, rounds, debate.turns.len()));
        }
        // Left alone from here, it always gets to its end.
        for _ in 0..40 {
            debate.happen(Happening::Silence(20));
            debate.happen(Happening::Take);
            debate.happen(Happening::Command(Command::Resume));
            debate.happen(Happening::Take);
            debate.happen(Happening::Bring(0));
        }
        prop_assert_eq!(debate.record.run.state, RunState::Completed(RunLimit::Rounds));
        prop_assert_eq!(debate.places(), expected(mode, rounds, usize::MAX));
        let last = debate.turns.last().map(|turn| turn.cursor);
        prop_assert_eq!(debate.record.run.cursor, next_cursor(last, mode));
        prop_assert_eq!(debate.record.run.completed_rounds, rounds);
    }

    #[test]
    fn a_canceled_debate_takes_no_further_turn(
        before in vec(happening(), 0..60), after in vec(happening(), 0..60),
    ) {
        let mut debate = Kept::new(RunSettingsDraft::default());
        for happening in before {
            debate.happen(happening);
        }
        debate.happen(Happening::Command(Command::Cancel));
        let (standing, turns) = (debate.record.run.state, debate.turns.clone());
        prop_assert!(matches!(standing, RunState::Canceled | RunState::Completed(_)));
        for happening in after {
            debate.happen(happening);
            debate.check()?;
        }
        prop_assert_eq!((debate.record.run.state, debate.turns), (standing, turns));
    }
}
