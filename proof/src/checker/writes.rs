//! Rules 1 to 3, 8 and 9: the responses to writers and readers, compared with the log.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Debate, Evidence, ReportViolation, Row, Rule, Violation};
use crate::history::{ContentHash, Micros, Outcome, Seq, Step};

pub(super) fn check(evidence: &Evidence<'_>, violations: &mut Vec<Violation>) {
    for (id, debate) in &evidence.debates {
        for ((key, content_hash), steps) in requests(debate) {
            Request { debate: *id, key, content_hash, steps }.check(debate, violations);
        }
        check_one_new(*id, debate, violations);
        check_requested(*id, debate, violations);
        check_real_time(*id, debate, violations);
        check_read_your_writes(*id, debate, violations);
    }
}

/// All attempts with the same key and the same content.
struct Request<'e> {
    debate: Uuid,
    key: &'e str,
    content_hash: &'e ContentHash,
    steps: Vec<&'e Step>,
}

fn requests<'e>(debate: &Debate<'e>) -> HashMap<(&'e str, &'e ContentHash), Vec<&'e Step>> {
    let mut requests: HashMap<_, Vec<_>> = HashMap::new();
    for (step, _) in &debate.writes {
        requests.entry((step.key.as_str(), &step.content_hash)).or_default().push(*step);
    }
    requests
}

/// The result of all attempts together.
enum WriteResult {
    /// The write is in the log at these positions; more than one is a violation.
    Written(Vec<(Seq, Uuid)>),
    /// The write is not in the log.
    Refused,
    /// The outcome is unknown.
    Open,
}

impl Request<'_> {
    fn result(&self) -> WriteResult {
        let places = self.steps.iter().filter_map(|step| match &step.outcome {
            Outcome::Ok { seq, id, .. } => Some((*seq, *id)),
            Outcome::Refused(_) | Outcome::Indefinite(_) => None,
        });
        let places: Vec<_> = places.collect();
        if !places.is_empty() {
            return WriteResult::Written(places);
        }
        // A refusal settles only attempts that began before it.
        let last_refused = self.steps.iter().filter(|step| is_refused(step)).map(|s| s.t_start);
        let last_unknown = self.steps.iter().filter(|step| is_unknown(step)).map(|s| s.t_end);
        match (last_refused.max(), last_unknown.max()) {
            (Some(_), None) => WriteResult::Refused,
            (Some(refused), Some(unknown)) if refused >= unknown => WriteResult::Refused,
            (Some(_) | None, _) => WriteResult::Open,
        }
    }

    fn check(&self, debate: &Debate<'_>, violations: &mut Vec<Violation>) {
        let Self { debate: id, key, content_hash, steps } = self;
        let with_key: Vec<_> =
            debate.rows().iter().filter(|row| row.key.as_deref() == Some(*key)).collect();
        let found = with_key.iter().filter(|row| row.content_hash == **content_hash).count();
        let was_unknown = steps.iter().any(|step| is_unknown(step));
        match self.result() {
            WriteResult::Written(places) => {
                let rule = if was_unknown { Rule::Indefinite } else { Rule::Acknowledged };
                if with_key.len() != 1 || found != 1 {
                    let all = with_key.len();
                    violations.report(
                        rule,
                        format!(
                            "debate {id}: {key} was acknowledged, and its words occur {found} \
                             times, its key {all} times"
                        ),
                    );
                } else if let Some(odd) = places.iter().find(|place| !is_at(&with_key, place)) {
                    let (seq, argument) = odd;
                    violations.report(
                        rule,
                        format!(
                            "debate {id}: {key} was acknowledged as {argument} at {seq}, where \
                             it is not"
                        ),
                    );
                }
            }
            WriteResult::Refused if found > 0 => violations.report(
                if was_unknown { Rule::Indefinite } else { Rule::Refused },
                format!("debate {id}: {key} was refused, and is in the log"),
            ),
            WriteResult::Refused => {}
            WriteResult::Open => violations.report(
                Rule::Indefinite,
                format!("debate {id}: {key} was never settled, and occurs {found} times"),
            ),
        }
    }
}

fn is_at(rows: &[&Row], place: &(Seq, Uuid)) -> bool {
    rows.iter().any(|row| (row.seq, row.id) == *place)
}

fn is_refused(step: &Step) -> bool {
    matches!(step.outcome, Outcome::Refused(_))
}

fn is_unknown(step: &Step) -> bool {
    matches!(step.outcome, Outcome::Indefinite(_))
}

/// Of concurrent duplicates and retries at most one is acknowledged as new.
fn check_one_new(id: Uuid, debate: &Debate<'_>, violations: &mut Vec<Violation>) {
    let mut fresh: HashMap<&str, u32> = HashMap::new();
    for (step, _) in &debate.writes {
        if matches!(step.outcome, Outcome::Ok { fresh: true, .. }) {
            *fresh.entry(&step.key).or_default() += 1;
        }
    }
    for (key, times) in fresh.into_iter().filter(|(_, times)| *times > 1) {
        violations.report(
            Rule::Acknowledged,
            format!("debate {id}: {key} was acknowledged as new {times} times"),
        );
    }
}

/// A client requested every argument of the log, except those that the server adds.
fn check_requested(id: Uuid, debate: &Debate<'_>, violations: &mut Vec<Violation>) {
    let known = requests(debate);
    let strange = debate.rows().iter().find(|row| {
        row.key.as_ref().is_some_and(|key| !known.contains_key(&(key.as_str(), &row.content_hash)))
    });
    if let Some(row) = strange {
        violations.report(
            Rule::Acknowledged,
            format!("debate {id}: no client sent the argument at seq {}: {:?}", row.seq, row.key),
        );
    }
}

/// An acknowledged request: its position, its first start and its first acknowledgement.
struct Span {
    seq: Seq,
    begun: Micros,
    known: Micros,
}

fn spans(debate: &Debate<'_>) -> Vec<Span> {
    let spans = requests(debate).into_values().filter_map(|steps| {
        let oks = steps.iter().filter_map(|step| match step.outcome {
            Outcome::Ok { seq, .. } => Some((step.t_end, seq)),
            Outcome::Refused(_) | Outcome::Indefinite(_) => None,
        });
        let (known, seq) = oks.min()?;
        let begun = steps.iter().map(|step| step.t_start).min()?;
        Some(Span { seq, begun, known })
    });
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by_key(|span| span.seq);
    spans
}

fn check_real_time(id: Uuid, debate: &Debate<'_>, violations: &mut Vec<Violation>) {
    // From the end: the earliest acknowledgement of any later argument.
    let mut earliest: Option<(Micros, Seq)> = None;
    for span in spans(debate).iter().rev() {
        if let Some((known, later)) = earliest
            && known < span.begun
        {
            let seq = span.seq;
            violations.report(
                Rule::RealTime,
                format!(
                    "debate {id}: what stands at {later} was acknowledged before what stands at \
                     {seq} was asked"
                ),
            );
            return;
        }
        let this = (span.known, span.seq);
        earliest = Some(earliest.map_or(this, |other| other.min(this)));
    }
}

fn check_read_your_writes(id: Uuid, debate: &Debate<'_>, violations: &mut Vec<Violation>) {
    let spans = spans(debate);
    for read in &debate.reads {
        let due = spans.iter().filter(|span| span.known < read.t_start).map(|span| span.seq).max();
        let seen = match &read.outcome {
            Outcome::Ok { seq, id: newest, .. } => {
                let kept = debate.row(*seq).is_some_and(|row| row.id == *newest);
                if !kept {
                    violations.report(
                        Rule::ReadYourWrites,
                        format!("debate {id}: a read saw {newest} at {seq}, and it is not there"),
                    );
                }
                *seq
            }
            Outcome::Refused(_) => 0,
            Outcome::Indefinite(_) => continue,
        };
        if let Some(due) = due
            && seen < due
        {
            violations.report(
                Rule::ReadYourWrites,
                format!("debate {id}: {due} was acknowledged, and a later read ended at {seen}"),
            );
        }
    }
}
