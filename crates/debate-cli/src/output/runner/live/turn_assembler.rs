//! Turns the events of a run into updates of the display: each turn once, and the parts of an
//! unsaved answer.
//!
//! After a reconnect the server sends the unsaved answer from its beginning, so the first part
//! repeats text that is already shown.

use debate_wire::runner::{Actor, Delta, Status, StatusEvent, Turn};

use crate::client::RunEvent;

/// A change of the display.
#[derive(Debug, Clone)]
pub(crate) enum DisplayUpdate {
    /// The answer of a turn begins.
    TurnStarted(TurnPosition),
    /// More text of the answer.
    Text(Delta),
    /// The text of the answer so far is void, because another attempt begins.
    Discarded,
    /// A saved turn, and how much of it is already shown.
    Turn(Box<Turn>, ShownText),
    /// A new status or error.
    Status(StatusEvent),
}

/// The round and the actor of a turn, in the order of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TurnPosition {
    pub(crate) round: u32,
    order: u8,
}

impl TurnPosition {
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

/// The part of a saved turn that is already shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownText {
    None,
    All,
    /// A part, or another text.
    Different,
}

/// The text of an unsaved answer.
#[derive(Debug)]
struct PartialAnswer {
    position: TurnPosition,
    attempt: u32,
    text: String,
}

/// The part of a run that is already shown.
#[derive(Debug, Default)]
pub(crate) struct TurnAssembler {
    /// `seq`, ID and position of the latest turn.
    last: Option<(u32, String, TurnPosition)>,
    answer: Option<PartialAnswer>,
    /// Whether the next part may repeat text that is already shown.
    is_repeat_possible: bool,
    latest_status: Option<(Status, Option<String>)>,
}

impl TurnAssembler {
    /// The ID of the latest turn, after which a new stream starts.
    pub(crate) fn last_turn_id(&self) -> Option<&str> {
        self.last.as_ref().map(|(_, id, _)| id.as_str())
    }

    /// Prepares for the events of a new connection.
    pub(crate) const fn reconnect(&mut self) {
        self.is_repeat_possible = true;
    }

    /// The updates that an event causes.
    pub(crate) fn apply(&mut self, event: RunEvent) -> Vec<DisplayUpdate> {
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

    fn turn(&mut self, turn: Box<Turn>) -> Option<DisplayUpdate> {
        if self.last.as_ref().is_some_and(|(seq, ..)| turn.seq <= *seq) {
            return None;
        }
        let position = TurnPosition::new(turn.round, turn.actor);
        let shown = match self.answer.take() {
            Some(answer) if answer.position == position => {
                let same = answer.text.trim() == turn.content.trim();
                if same { ShownText::All } else { ShownText::Different }
            }
            Some(_) => ShownText::Different,
            None => ShownText::None,
        };
        self.last = Some((turn.seq, turn.id.clone(), position));
        Some(DisplayUpdate::Turn(turn, shown))
    }

    fn delta(&mut self, delta: Delta) -> Vec<DisplayUpdate> {
        let position = TurnPosition::new(delta.round, delta.actor);
        // A late part of a saved turn.
        if self.last.as_ref().is_some_and(|(_, _, last)| position <= *last) {
            return Vec::new();
        }
        let is_repeat_possible = std::mem::take(&mut self.is_repeat_possible);
        let Some(answer) = self.answer.as_mut().filter(|answer| answer.position == position) else {
            let had_answer = self.answer.is_some();
            return self.begin(position, delta, had_answer);
        };
        if delta.attempt < answer.attempt {
            return Vec::new();
        }
        if delta.attempt > answer.attempt {
            return self.begin(position, delta, true);
        }
        if !is_repeat_possible {
            answer.text.push_str(&delta.text);
            return vec![DisplayUpdate::Text(delta)];
        }
        match delta.text.strip_prefix(&answer.text) {
            Some("") => Vec::new(),
            Some(rest) => {
                let delta = Delta { text: rest.to_owned(), ..delta.clone() };
                answer.text.push_str(&delta.text);
                vec![DisplayUpdate::Text(delta)]
            }
            None => self.begin(position, delta, true),
        }
    }

    fn begin(
        &mut self,
        position: TurnPosition,
        delta: Delta,
        had_answer: bool,
    ) -> Vec<DisplayUpdate> {
        self.answer =
            Some(PartialAnswer { position, attempt: delta.attempt, text: delta.text.clone() });
        let discarded = had_answer.then_some(DisplayUpdate::Discarded);
        discarded
            .into_iter()
            .chain([DisplayUpdate::TurnStarted(position), DisplayUpdate::Text(delta)])
            .collect()
    }

    fn status(&mut self, status: StatusEvent) -> Option<DisplayUpdate> {
        let latest = (status.status, status.last_error.clone());
        let is_new = self.latest_status.as_ref() != Some(&latest);
        self.latest_status = Some(latest);
        is_new.then_some(DisplayUpdate::Status(status))
    }
}
