//! A random history has the same result in a store and in lists in memory.
//!
//! The model implements the contract without SQL: it compares whole requests instead of
//! fingerprints, and counts and sorts in memory.

use std::collections::BTreeMap;

use debate_app::StreamPosition;
use debate_app::arena::{
    AppendArgument, ArenaError, ArgumentSelection, TranscriptLimit, WriteOutcome, WrittenArgument,
};
use debate_core::arena::{
    Argument, ArgumentType, Credentials, Debate, DebateType, Draft, ListFilter, ListQuery,
    ListStart, Move, NewDebate, Role, RulingEffect, State, next, slug_candidates,
};
use debate_core::{ArgumentId, DebateId, Offset, Seq};
use jiff::Timestamp;

use crate::contract::list::{FILTERS, list_all, listed, query};
use crate::engine::Engine;
use crate::support::{
    Dice, OPPOSE, PROPOSE, RULE, argument_id, content, debate_id, draft, key, micros, motion_id,
    opening, title,
};

/// The fields of a write that a client chooses.
#[derive(Clone, PartialEq, Eq)]
enum Request {
    Open(String, DebateType, String, Option<bool>),
    Append(Move, Option<ArgumentId>, String),
}

/// A debate of the model.
struct Kept {
    debate: Debate,
    auto_ruling: Option<bool>,
    log: Vec<Argument>,
    requests: BTreeMap<String, (Request, usize)>,
}

#[derive(Default)]
struct Model {
    debates: BTreeMap<DebateId, Kept>,
    deleted: Vec<DebateId>,
    /// The slugs of all debates, also of deleted ones.
    slugs: Vec<String>,
    /// The number of the first id that this history uses.
    first: u32,
}

/// An answer in a form that can be compared; an error is its message.
type Answer = Result<(Debate, Argument, WriteOutcome), String>;

fn answer(outcome: Result<WrittenArgument, ArenaError>) -> Answer {
    outcome
        .map(|written| (written.debate, written.argument, written.outcome))
        .map_err(|err| err.to_string())
}

impl Kept {
    fn replay(&self, request: &Request, key: &str) -> Option<Answer> {
        let (first, place) = self.requests.get(key)?;
        if first != request {
            return Some(Err(ArenaError::KeyReused.to_string()));
        }
        let argument = self.log.get(*place).expect("every request left its argument").clone();
        Some(Ok((self.debate.clone(), argument, WriteOutcome::Replayed)))
    }

    fn push(&mut self, argument: Argument) {
        self.debate.state = argument.state_after;
        self.debate.updated_at = argument.created_at;
        self.log.push(argument);
    }

    fn next_seq(&self) -> Seq {
        Seq::new(u32::try_from(self.log.len() + 1).expect("histories are short"))
    }
}

impl Model {
    fn open(&mut self, opening: &NewDebate, at: Timestamp) -> Answer {
        let request = Request::Open(
            opening.title.as_str().to_owned(),
            opening.debate_type,
            opening.motion.as_str().to_owned(),
            opening.auto_ruling,
        );
        let name = opening.key.as_str();
        if self.deleted.contains(&opening.debate) {
            return Err(ArenaError::DebateDeleted(opening.debate).to_string());
        }
        if let Some(kept) = self.debates.get(&opening.debate) {
            let exists = || Err(ArenaError::DebateExists(opening.debate).to_string());
            return kept.replay(&request, name).unwrap_or_else(exists);
        }
        let debate = Debate {
            id: opening.debate,
            title: opening.title.as_str().to_owned(),
            debate_type: opening.debate_type,
            state: State::AwaitingOpponent,
            created_at: at,
            updated_at: at,
            slug: self.free_slug(opening),
            seat_changes: None,
        };
        let motion = Argument {
            id: opening.motion_id,
            debate: opening.debate,
            parent: None,
            kind: ArgumentType::Motion,
            role: Role::Proposer,
            content: opening.motion.as_str().to_owned(),
            request_key: Some(name.to_owned()),
            seq: Seq::FIRST,
            created_at: at,
            state_after: State::AwaitingOpponent,
            by: None,
        };
        let kept = Kept {
            debate: debate.clone(),
            auto_ruling: opening.auto_ruling,
            log: vec![motion.clone()],
            requests: BTreeMap::from([(name.to_owned(), (request, 0))]),
        };
        self.debates.insert(opening.debate, kept);
        Ok((debate, motion, WriteOutcome::Fresh))
    }

    /// Slugs of deleted debates stay in use.
    fn free_slug(&mut self, opening: &NewDebate) -> String {
        let candidates = slug_candidates(opening.title.as_str(), opening.debate);
        let free = candidates.into_iter().find(|slug| !self.slugs.contains(slug));
        let slug = free.expect("few debates have the same words");
        self.slugs.push(slug.clone());
        slug
    }

    fn append(&mut self, id: DebateId, draft: &Draft, at: Timestamp, custom: bool) -> Answer {
        let said = draft.content.as_str().to_owned();
        let request = Request::Append(draft.mv, draft.target, said.clone());
        let name = draft.key.as_str();
        let home = draft.target.map(|target| (target, self.home_of(target)));
        let kept = self.debates.get_mut(&id);
        let kept = kept.ok_or_else(|| ArenaError::UnknownDebate(id).to_string())?;
        if let Some(replay) = kept.replay(&request, name) {
            return replay;
        }
        match home {
            Some((target, None)) => return Err(ArenaError::UnknownArgument(target).to_string()),
            Some((argument, Some(home))) if home != id => {
                return Err(ArenaError::ForeignArgument { argument, debate: id }.to_string());
            }
            Some((_, Some(_))) | None => {}
        }
        let state_after = next(kept.debate.state, draft.mv).map_err(|err| err.to_string())?;
        let argument = Argument {
            id: draft.id,
            debate: id,
            parent: draft.target,
            kind: draft.mv.into(),
            role: draft.mv.role(),
            content: said,
            request_key: Some(name.to_owned()),
            seq: kept.next_seq(),
            created_at: at,
            state_after,
            by: None,
        };
        kept.requests.insert(name.to_owned(), (request, kept.log.len()));
        kept.push(argument.clone());
        if draft.mv == Move::Resolve && kept.auto_ruling.unwrap_or(custom) {
            let ruling = Argument {
                id: draft.closing_id,
                parent: None,
                kind: ArgumentType::Ruling,
                role: Role::Arbitrator,
                content: debate_core::arena::AUTO_RULING_CONTENT.to_owned(),
                request_key: None,
                seq: kept.next_seq(),
                state_after: State::Closed,
                by: Some("server".to_owned()),
                ..argument.clone()
            };
            kept.push(ruling);
        }
        Ok((kept.debate.clone(), argument, WriteOutcome::Fresh))
    }

    fn delete(&mut self, id: DebateId) -> Result<(), String> {
        let gone = self.debates.remove(&id);
        gone.ok_or_else(|| ArenaError::UnknownDebate(id).to_string())?;
        self.deleted.push(id);
        Ok(())
    }

    /// The current debate with this number. After a deletion the number gets a new id.
    fn current(&self, number: u32) -> DebateId {
        let is_deleted = |id: &DebateId| self.deleted.contains(id);
        let ids = (self.first + number..).step_by(usize::try_from(DEBATES).expect("a u32 fits"));
        ids.map(debate_id).find(|id| !is_deleted(id)).expect("there are ids without end")
    }

    fn home_of(&self, argument: ArgumentId) -> Option<DebateId> {
        let holds = |kept: &&Kept| kept.log.iter().any(|said| said.id == argument);
        self.debates.values().find(holds).map(|kept| kept.debate.id)
    }

    /// The list under a filter, ordered by time; no two times of a history are equal.
    fn list(&self, filter: ListFilter) -> Vec<Debate> {
        let mut debates: Vec<Debate> = self
            .debates
            .values()
            .filter(|kept| match filter {
                ListFilter::Any => true,
                ListFilter::In(state) => kept.debate.state == state,
                ListFilter::PendingFirstOpponent => kept.log.len() == 1,
            })
            .map(|kept| kept.debate.clone())
            .collect();
        debates.sort_by_key(|debate| std::cmp::Reverse(debate.updated_at));
        debates
    }
}

/// Few debates, so that requests often concern the same one.
const DEBATES: u32 = 6;
const STEPS: u32 = 250;
/// More ids than a history uses, so that the next one on the same store has ids of its own.
const IDS_PER_HISTORY: u32 = 10_000;

/// A time that no other step has. The clock is uneven and sometimes runs backwards.
fn at(step: u32, dice: &mut Dice) -> Timestamp {
    micros(i64::from(step + dice.roll(30)) * 4096 + i64::from(step))
}

fn any_opening(debate: DebateId, dice: &mut Dice) -> NewDebate {
    NewDebate {
        debate,
        motion_id: motion_id(1000 + dice.roll(u32::MAX - 1000)),
        title: title(dice.one_of(&["Tabs", "Spaces"])),
        auto_ruling: dice.one_of(&[None, None, Some(true), Some(false)]),
        key: key(dice.one_of(&["open", "open", "open", "k1"])),
        ..opening(1)
    }
}

fn any_draft(step: u32, model: &Model, id: DebateId, dice: &mut Dice) -> Draft {
    let close = Move::Rule(RulingEffect::Close);
    let mv = dice.one_of(&[
        OPPOSE,
        OPPOSE,
        OPPOSE,
        PROPOSE,
        PROPOSE,
        PROPOSE,
        Move::Appeal,
        Move::Intervene,
        RULE,
        RULE,
        close,
        Move::Resolve,
    ]);
    let newest = |id| model.debates.get(&id).and_then(|kept| kept.log.last()).map(|said| said.id);
    let target = match dice.roll(8) {
        0 => None,
        1 => newest(model.current(dice.roll(DEBATES))),
        2 => Some(argument_id(u32::MAX)),
        _ => newest(id),
    };
    let name = match dice.roll(6) {
        0 => format!("k{}", dice.roll(4)),
        _ => format!("key-{step}"),
    };
    let said = content(dice.one_of(&["", "Yes.", "No.", "ß 🦀"]));
    Draft { target, key: key(&name), content: said, ..draft(step, mv) }
}

/// One write to the store and to the model, which must have the same answer.
async fn one_step(on: &Engine, model: &mut Model, step: u32, dice: &mut Dice) {
    let id = model.current(dice.roll(DEBATES));
    // Sometimes a request for a deleted debate.
    let late = model.deleted.last().copied().filter(|_| dice.roll(10) == 0);
    let (id, at) = (late.unwrap_or(id), at(step, dice));
    match dice.roll(20) {
        0..=3 => {
            let opening = any_opening(id, dice);
            let expected = model.open(&opening, at);
            let open = debate_app::arena::OpenDebate { opening, at };
            assert_eq!(answer(on.store.open(open).await), expected, "step {step}");
        }
        4 => {
            let expected = model.delete(id);
            let outcome = on.delete(id).await.map_err(|err| err.to_string());
            assert_eq!(outcome, expected, "step {step}");
        }
        _ => {
            let draft = any_draft(step, model, id, dice);
            let auto_ruling = dice.roll(2) == 0;
            let expected = model.append(id, &draft, at, auto_ruling);
            let credentials = Credentials::default();
            let append = AppendArgument { debate: id, draft, at, auto_ruling, credentials };
            assert_eq!(answer(on.store.append(append).await), expected, "step {step}");
        }
    }
}

async fn assert_alike(on: &Engine, model: &Model, dice: &mut Dice) {
    for number in 0..DEBATES {
        let id = model.current(number);
        let Some(kept) = model.debates.get(&id) else {
            on.store
                .transcript(id, TranscriptLimit::All)
                .await
                .expect_err("there is no such debate");
            continue;
        };
        assert_eq!(on.arguments(id).await, kept.log);
        assert_eq!(on.transcript(id).await.debate, kept.debate);
        let (seen, most) = (dice.roll(40), dice.roll(40));
        let news = on
            .store
            .newer_than(id, StreamPosition::Seq(Seq::new(seen)), ArgumentSelection::Newest(most))
            .await;
        let news = news.expect("it exists");
        let mut newer: Vec<_> =
            kept.log.iter().filter(|said| said.seq > Seq::new(seen)).cloned().collect();
        let omitted = newer.len().saturating_sub(usize::try_from(most).expect("a u32 fits"));
        newer.drain(..omitted);
        assert_eq!((news.newer, news.debate.state), (newer, kept.debate.state));
        assert_eq!(usize::try_from(news.omitted), Ok(omitted));
    }
    for id in &model.deleted {
        on.store.transcript(*id, TranscriptLimit::All).await.expect_err("it was deleted");
    }
    for filter in FILTERS {
        let expected = model.list(filter);
        assert_eq!(list_all(on, query(filter, 2)).await, expected, "{filter:?}");
        let start = ListStart::At(Offset::new(1).expect("it is in range"));
        let page = listed(on, ListQuery { start, ..query(filter, 3) }).await;
        assert_eq!(page.debates, expected.iter().skip(1).take(3).cloned().collect::<Vec<_>>());
        assert_eq!(u64::try_from(expected.len()), Ok(page.total), "{filter:?}");
    }
}

/// Executes one history, and compares all reads from time to time.
pub(crate) async fn live_through(on: &Engine, seed: u64) {
    println!("the history of seed {seed}");
    let first = u32::try_from(seed).expect("seeds are small") * IDS_PER_HISTORY;
    let (mut model, mut dice) = (Model { first, ..Model::default() }, Dice::new(seed));
    for step in 0..STEPS {
        one_step(on, &mut model, step, &mut dice).await;
        if step % 50 == 49 {
            assert_alike(on, &model, &mut dice).await;
        }
    }
}

pub(crate) async fn random_history_matches_the_in_memory_model(on: &Engine) {
    for seed in 0..8 {
        live_through(on, seed).await;
        for debate in listed(on, query(ListFilter::Any, 500)).await.debates {
            on.delete(debate.id).await.expect("it was listed");
        }
        assert_alike(on, &Model::default(), &mut Dice::new(seed)).await;
    }
}
