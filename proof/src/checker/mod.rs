//! The history checker: whether what clients were told and saw agrees with the log that is left.
//!
//! Pure: evidence in, sentences out. The rules are those of promises-threats-faults.md, 3.1.

mod log;
mod subscribers;
#[cfg(test)]
mod tests;
mod writes;

use std::collections::HashMap;
use std::fmt;

use uuid::Uuid;

use crate::fold::{Event, Kind, Role, State};
use crate::history::{Op, Payload, Seq, Sighting, Step};

/// A debate as the server shows it at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Which debate.
    pub debate: Uuid,
    /// The state it is said to be in.
    pub state: State,
    /// Its arguments, as listed.
    pub rows: Vec<Row>,
}

/// One argument of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its place.
    pub seq: Seq,
    /// Its name.
    pub id: Uuid,
    /// What is said.
    pub kind: Kind,
    /// By whom.
    pub role: Role,
    /// The idempotency key; none for what the server adds by itself.
    pub key: Option<String>,
    /// The words.
    pub payload: Payload,
}

/// What must hold; numbered as in the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// 1: an acknowledged key occurs exactly once, at that place, with those words.
    Acknowledged,
    /// 2: a refused one does not occur.
    Refused,
    /// 3: one whose outcome was unknown occurs at most once, and after its retry as told.
    Indefinite,
    /// 4: a log's places are 1..n.
    Dense,
    /// 5: a state that is served is what the log leads to.
    Folded,
    /// 6: no argument breaks the rules where it stands.
    Legal,
    /// 7: every subscriber sees everything once and in order, or is told to start over.
    Subscribed,
    /// 8: what ended before another began stands before it.
    RealTime,
    /// 9: what was acknowledged is in every later read.
    ReadYourWrites,
}

/// One breach of one rule.
#[derive(Debug, Clone)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// A plain sentence.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match self.rule {
            Rule::Acknowledged => 1,
            Rule::Refused => 2,
            Rule::Indefinite => 3,
            Rule::Dense => 4,
            Rule::Folded => 5,
            Rule::Legal => 6,
            Rule::Subscribed => 7,
            Rule::RealTime => 8,
            Rule::ReadYourWrites => 9,
        };
        write!(f, "rule {number}: {}", self.what)
    }
}

/// Every breach that the evidence shows.
#[must_use]
pub fn check(steps: &[Step], sightings: &[Sighting], transcripts: &[Transcript]) -> Vec<Violation> {
    let evidence = Evidence::new(steps, sightings, transcripts);
    let mut violations = Vec::new();
    writes::check(&evidence, &mut violations);
    let states = log::check(&evidence, &mut violations);
    subscribers::check(&evidence, &states, &mut violations);
    violations.sort_by_key(|violation| violation.rule);
    violations
}

/// The evidence, by debate.
struct Evidence<'e> {
    debates: HashMap<Uuid, Debate<'e>>,
    sightings: &'e [Sighting],
}

#[derive(Default)]
struct Debate<'e> {
    /// Requests to add something, in the order they were recorded.
    writes: Vec<(&'e Step, Event)>,
    reads: Vec<&'e Step>,
    transcript: Option<&'e Transcript>,
}

impl<'e> Evidence<'e> {
    fn new(steps: &'e [Step], sightings: &'e [Sighting], transcripts: &'e [Transcript]) -> Self {
        let mut debates: HashMap<Uuid, Debate<'e>> = HashMap::new();
        for step in steps {
            let debate = debates.entry(step.debate).or_default();
            match step.op {
                Op::Write(event) => debate.writes.push((step, event)),
                Op::Read => debate.reads.push(step),
            }
        }
        for transcript in transcripts {
            debates.entry(transcript.debate).or_default().transcript = Some(transcript);
        }
        Self { debates, sightings }
    }
}

impl<'e> Debate<'e> {
    fn rows(&self) -> &'e [Row] {
        self.transcript.map_or(&[], |transcript| &transcript.rows)
    }

    /// The argument at a place.
    fn row(&self, seq: Seq) -> Option<&'e Row> {
        let index = usize::try_from(seq).ok()?.checked_sub(1)?;
        let at_its_index = self.rows().get(index).filter(|row| row.seq == seq);
        at_its_index.or_else(|| self.rows().iter().find(|row| row.seq == seq))
    }
}

/// Collects breaches in a readable way.
trait Accuse {
    fn accuse(&mut self, rule: Rule, what: String);
}

impl Accuse for Vec<Violation> {
    fn accuse(&mut self, rule: Rule, what: String) {
        self.push(Violation { rule, what });
    }
}
