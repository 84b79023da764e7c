//! Any order of steps, duplicates, crashes, stops and commands: each place is spoken at once, in
//! order, and the cursor is always what the turns say.

use std::time::Duration;

use debate_core::runner::{
    Actor, Command, Cursor, End, Ended, Flight, JudgeMode, Limit, Plan, Progress, Settings,
    SettingsDraft, Standing, Then, completed_rounds, ended, from_turns, next, plan,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::{in_mode, settings};

/// A worker's claim: what it is to bring, under a fencing number.
#[derive(Debug, Clone, Copy)]
struct Claim {
    fence: u32,
    cursor: Cursor,
    then: Then,
}

/// A debate as a store would keep it, with the rules asked where a store would ask them.
struct Kept {
    settings: Settings,
    standing: Standing,
    cursor: Cursor,
    turns: Vec<Cursor>,
    fence: u32,
    held: bool,
    /// Every claim ever made: any worker may still come back with its turn.
    claims: Vec<Claim>,
}

#[derive(Debug, Clone, Copy)]
enum Happening {
    Command(Command),
    /// A worker takes the debate.
    Claim,
    /// A worker comes back with its turn: the one that holds the debate, or one long gone.
    Bring(usize),
    /// The holder's try failed; another is due, or not.
    Fail(bool),
    /// The holder crashed and its lease ran out, or it gave the debate back.
    LetGo,
    /// Something wrote nonsense into the cursor.
    Corrupt(u32),
}

impl Kept {
    fn new(draft: SettingsDraft) -> Self {
        Self {
            settings: settings(draft),
            standing: Standing::Created,
            cursor: Cursor::START,
            turns: Vec::new(),
            fence: 0,
            held: false,
            claims: Vec::new(),
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            last: self.turns.last().copied(),
            completed_rounds: completed_rounds(self.turns.clone(), self.settings.judge_mode),
            ran: Duration::ZERO,
            spent: 0,
            nothing_new: 0,
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Command(command) => {
                let flight = if self.held { Flight::Turn } else { Flight::Idle };
                if let Ok(standing) = next(self.standing, flight, command) {
                    self.standing = standing;
                }
                self.held &= [Standing::Running, Standing::Stopping].contains(&self.standing);
            }
            Happening::Claim => self.claim(),
            Happening::Bring(which) => self.bring(which),
            Happening::Fail(again) => {
                self.end(if again { End::WillRetry } else { End::Failed });
            }
            Happening::LetGo => self.end(End::LetGo),
            // What is over has no further step that could repair it, nor needs one.
            Happening::Corrupt(_) if matches!(self.standing, Standing::Completed(_)) => {}
            Happening::Corrupt(round) => {
                let round = debate_core::runner::Round::new(round).expect("not 0");
                self.cursor = Cursor { round, actor: Actor::Judge };
            }
        }
    }

    fn claim(&mut self) {
        if self.held || self.standing != Standing::Running {
            return;
        }
        self.fence += 1;
        self.held = true;
        match plan(&self.settings, &self.progress()) {
            Plan::Ask { cursor, then, .. } => {
                self.cursor = cursor;
                self.claims.push(Claim { fence: self.fence, cursor, then });
            }
            Plan::Complete { cursor, limit } => {
                self.cursor = cursor;
                self.end(End::Over(limit));
            }
        }
    }

    fn bring(&mut self, which: usize) {
        let Some(claim) = self.claims.get(which % self.claims.len().max(1)).copied() else {
            return;
        };
        let mine = self.held && claim.fence == self.fence && claim.cursor == self.cursor;
        if !mine {
            return;
        }
        if let Ended::Kept(standing) = ended(self.standing, End::Spoke(claim.then)) {
            self.turns.push(claim.cursor);
            self.cursor = claim.cursor.after(self.settings.judge_mode);
            self.standing = standing;
            self.held = false;
        }
    }

    fn end(&mut self, end: End) {
        if !self.held {
            return;
        }
        if let Ended::Kept(standing) = ended(self.standing, end) {
            self.standing = standing;
        }
        self.held = false;
    }
}

/// What the contract says a debate of so many turns consists of.
fn expected(mode: JudgeMode, rounds: u32, turns: usize) -> Vec<Cursor> {
    let mut all = Vec::new();
    for round in 1..=rounds {
        let round = debate_core::runner::Round::new(round).expect("not 0");
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
        10 => Just(Happening::Claim),
        10 => any::<usize>().prop_map(Happening::Bring),
        2 => any::<bool>().prop_map(Happening::Fail),
        2 => Just(Happening::LetGo),
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
        let draft = SettingsDraft { max_rounds: Some(rounds.into()), ..in_mode(mode) };
        let mut debate = Kept::new(draft);
        for happening in happenings {
            debate.happen(happening);
            let spoken = debate.turns.len();
            prop_assert_eq!(&debate.turns, &expected(mode, rounds, spoken));
            prop_assert!(debate.held || debate.standing != Standing::Stopping, "stuck");
        }
        // Left alone from here, it always gets to its end.
        debate.happen(Happening::LetGo);
        for _ in 0..40 {
            for command in [Command::Resume, Command::Start] {
                debate.happen(Happening::Command(command));
            }
            debate.happen(Happening::Claim);
            debate.happen(Happening::Bring(debate.claims.len().saturating_sub(1)));
        }
        prop_assert_eq!(debate.standing, Standing::Completed(Limit::Rounds));
        prop_assert_eq!(&debate.turns, &expected(mode, rounds, usize::MAX));
        prop_assert_eq!(debate.cursor, from_turns(debate.turns.last().copied(), mode));
    }

    #[test]
    fn a_canceled_debate_takes_no_further_turn(
        before in vec(happening(), 0..60), after in vec(happening(), 0..60),
    ) {
        let mut debate = Kept::new(SettingsDraft::default());
        for happening in before {
            debate.happen(happening);
        }
        debate.happen(Happening::Command(Command::Cancel));
        let (standing, turns) = (debate.standing, debate.turns.clone());
        prop_assert!(matches!(standing, Standing::Canceled | Standing::Completed(_)));
        for happening in after {
            debate.happen(happening);
        }
        prop_assert_eq!((debate.standing, debate.turns), (standing, turns));
    }
}
