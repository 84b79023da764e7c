//! The history checker: compares the observations of all clients with the final log.
//!
//! A pure function from evidence to violations. The rules are
//! those of promises-threats-faults.md, 3.1.

mod log;
mod subscribers;
#[cfg(test)]
mod tests;
mod writes;

use std::collections::HashMap;
use std::fmt;

use uuid::Uuid;

use crate::history::{ContentHash, Observation, Operation, Seq, Step};
use crate::rules::{Event, Kind, Role, State};

/// A debate as the server shows it at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The id of the debate.
    pub debate: Uuid,
    /// The state that the server reports.
    pub state: State,
    /// Its arguments in the order of the response.
    pub rows: Vec<Row>,
}

/// One argument of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its sequence number in the debate.
    pub seq: Seq,
    /// The id of the argument.
    pub id: Uuid,
    /// The kind of argument.
    pub kind: Kind,
    /// The role of its author.
    pub role: Role,
    /// The idempotency key; none for an argument that the server adds.
    pub key: Option<String>,
    /// The hash of the content.
    pub content_hash: ContentHash,
}

/// The rules, numbered as in the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// 1: an acknowledged key occurs exactly once, at that sequence number, with that content.
    Acknowledged,
    /// 2: a refused write does not occur.
    Refused,
    /// 3: a write of unknown outcome occurs at most once, and as its retry was answered.
    Indefinite,
    /// 4: the sequence numbers of a log are 1..n.
    Dense,
    /// 5: a reported state is the state after the log.
    StateMatchesLog,
    /// 6: no argument breaks the rules of the debate.
    Legal,
    /// 7: every subscriber sees everything once and in order, or receives a reset.
    Subscribed,
    /// 8: a request that ended before another began precedes it in the log.
    RealTime,
    /// 9: an acknowledged write is in every later read.
    ReadYourWrites,
}

/// One violation of one rule.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The rule that is violated.
    pub rule: Rule,
    /// A sentence that describes the violation.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match self.rule {
            Rule::Acknowledged => 1,
            Rule::Refused => 2,
            Rule::Indefinite => 3,
            Rule::Dense => 4,
            Rule::StateMatchesLog => 5,
            Rule::Legal => 6,
            Rule::Subscribed => 7,
            Rule::RealTime => 8,
            Rule::ReadYourWrites => 9,
        };
        write!(f, "rule {number}: {}", self.what)
    }
}

/// Every violation in the evidence.
#[must_use]
pub fn check(
    steps: &[Step],
    observations: &[Observation],
    transcripts: &[Transcript],
) -> Vec<Violation> {
    let evidence = Evidence::new(steps, observations, transcripts);
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
    observations: &'e [Observation],
}

#[derive(Default)]
struct Debate<'e> {
    /// Write requests in the order of recording.
    writes: Vec<(&'e Step, Event)>,
    reads: Vec<&'e Step>,
    transcript: Option<&'e Transcript>,
}

impl<'e> Evidence<'e> {
    fn new(
        steps: &'e [Step],
        observations: &'e [Observation],
        transcripts: &'e [Transcript],
    ) -> Self {
        let mut debates: HashMap<Uuid, Debate<'e>> = HashMap::new();
        for step in steps {
            let debate = debates.entry(step.debate).or_default();
            match step.op {
                Operation::Write(event) => debate.writes.push((step, event)),
                Operation::Read => debate.reads.push(step),
            }
        }
        for transcript in transcripts {
            debates.entry(transcript.debate).or_default().transcript = Some(transcript);
        }
        Self { debates, observations }
    }
}

impl<'e> Debate<'e> {
    fn rows(&self) -> &'e [Row] {
        self.transcript.map_or(&[], |transcript| &transcript.rows)
    }

    /// The argument with this sequence number.
    fn row(&self, seq: Seq) -> Option<&'e Row> {
        let index = usize::try_from(seq).ok()?.checked_sub(1)?;
        let at_its_index = self.rows().get(index).filter(|row| row.seq == seq);
        at_its_index.or_else(|| self.rows().iter().find(|row| row.seq == seq))
    }
}

/// Adds violations to a list.
trait ReportViolation {
    fn report(&mut self, rule: Rule, what: String);
}

impl ReportViolation for Vec<Violation> {
    fn report(&mut self, rule: Rule, what: String) {
        self.push(Violation { rule, what });
    }
}
