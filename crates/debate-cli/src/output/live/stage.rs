//! What there is to show of a debate that is followed, event by event: each turn once, and an
//! answer that is being given as far as it counts.
//!
//! A pure function over events. A server tells an answer from its beginning to whoever comes anew,
//! so the first piece after a reconnect repeats what was heard before.

use debate_wire::runner::{Actor, Delta, Status, StatusEvent, Turn};

use crate::client::RunEvent;

/// Something to show.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Someone begins to speak.
    Begins(Place),
    /// And says more.
    Says(Delta),
    /// What was heard of this answer counts for nothing: another try begins.
    Voided,
    /// A turn, and how much of it was shown already.
    Turn(Box<Turn>, Heard),
    /// Where the debate stands, when that has changed.
    Stands(StatusEvent),
}

/// A turn's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) round: u32,
    order: u8,
}

impl Place {
    pub(crate) const fn new(round: u32, actor: Actor) -> Self {
        let order = match actor {
            Actor::DebaterA => 0,
            Actor::DebaterB => 1,
            Actor::Judge => 2,
        };
        Self { round, order }
    }

    pub(crate) const fn actor(self) -> Actor {
        match self.order {
            0 => Actor::DebaterA,
            1 => Actor::DebaterB,
            _ => Actor::Judge,
        }
    }
}

/// How much of a turn was heard while it was being given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing.
    Nothing,
    /// Every word.
    Whole,
    /// Something else, or a part.
    Otherwise,
}

/// An answer that is being given.
#[derive(Debug)]
struct Speaking {
    place: Place,
    attempt: u32,
    text: String,
}

/// What has been shown.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// The last turn: its number, its id, its place.
    last: Option<(u32, String, Place)>,
    speaking: Option<Speaking>,
    /// Whether the next piece may repeat what was heard.
    anew: bool,
    told: Option<(Status, Option<String>)>,
}

impl Stage {
    /// The id of the last turn that was shown: where to go on.
    pub(crate) fn position(&self) -> Option<&str> {
        self.last.as_ref().map(|(_, id, _)| id.as_str())
    }

    /// The connection was opened once more.
    pub(crate) const fn reconnected(&mut self) {
        self.anew = true;
    }

    /// What an event brings.
    pub(crate) fn hear(&mut self, event: RunEvent) -> Vec<Step> {
        match event {
            RunEvent::Turn(turn) => self.turn(turn).into_iter().collect(),
            RunEvent::Delta(delta) => self.delta(delta),
            RunEvent::Status(status) => self.status(status).into_iter().collect(),
            RunEvent::Reset => {
                *self = Self::default();
                Vec::new()
            }
            RunEvent::End(_) | RunEvent::Lost(_) => Vec::new(),
        }
    }

    fn turn(&mut self, turn: Box<Turn>) -> Option<Step> {
        if self.last.as_ref().is_some_and(|(seq, ..)| turn.seq <= *seq) {
            return None;
        }
        let place = Place::new(turn.round, turn.actor);
        let heard = match self.speaking.take() {
            Some(speaking) if speaking.place == place => {
                let same = speaking.text.trim() == turn.content.trim();
                if same { Heard::Whole } else { Heard::Otherwise }
            }
            Some(_) => Heard::Otherwise,
            None => Heard::Nothing,
        };
        self.last = Some((turn.seq, turn.id.clone(), place));
        Some(Step::Turn(turn, heard))
    }

    fn delta(&mut self, delta: Delta) -> Vec<Step> {
        let place = Place::new(delta.round, delta.actor);
        // A piece of what is a turn already came late.
        if self.last.as_ref().is_some_and(|(_, _, last)| place <= *last) {
            return Vec::new();
        }
        let anew = std::mem::take(&mut self.anew);
        let Some(speaking) = self.speaking.as_mut().filter(|speaking| speaking.place == place)
        else {
            let was_heard = self.speaking.is_some();
            return self.begin(place, delta, was_heard);
        };
        if delta.attempt < speaking.attempt {
            return Vec::new();
        }
        if delta.attempt > speaking.attempt {
            return self.begin(place, delta, true);
        }
        if !anew {
            speaking.text.push_str(&delta.text);
            return vec![Step::Says(delta)];
        }
        match delta.text.strip_prefix(&speaking.text) {
            Some("") => Vec::new(),
            Some(rest) => {
                let delta = Delta { text: rest.to_owned(), ..delta.clone() };
                speaking.text.push_str(&delta.text);
                vec![Step::Says(delta)]
            }
            None => self.begin(place, delta, true),
        }
    }

    fn begin(&mut self, place: Place, delta: Delta, was_heard: bool) -> Vec<Step> {
        self.speaking = Some(Speaking { place, attempt: delta.attempt, text: delta.text.clone() });
        let voided = was_heard.then_some(Step::Voided);
        voided.into_iter().chain([Step::Begins(place), Step::Says(delta)]).collect()
    }

    fn status(&mut self, status: StatusEvent) -> Option<Step> {
        let told = (status.status, status.last_error.clone());
        let is_news = self.told.as_ref() != Some(&told);
        self.told = Some(told);
        is_news.then_some(Step::Stands(status))
    }
}
