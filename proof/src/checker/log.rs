//! Rules 4 to 6: the log without the observations.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Debate, Evidence, ReportViolation, Row, Rule, Violation};
use crate::history::Seq;
use crate::rules::{self, Event, Kind, State};

/// The state after each argument of each debate, up to the first that breaks the rules.
pub(super) type States = HashMap<(Uuid, Seq), State>;

pub(super) fn check(evidence: &Evidence<'_>, violations: &mut Vec<Violation>) -> States {
    let mut states = States::new();
    for (id, debate) in &evidence.debates {
        let Some(transcript) = debate.transcript else { continue };
        check_dense(*id, &transcript.rows, violations);
        let Some(last) = replay_log(*id, debate, &mut states, violations) else { continue };
        if last != transcript.state {
            let served = transcript.state;
            violations.report(
                Rule::StateMatchesLog,
                format!("debate {id} is served as {served:?}, but its log leads to {last:?}"),
            );
        }
    }
    states
}

fn check_dense(debate: Uuid, rows: &[Row], violations: &mut Vec<Violation>) {
    let odd = rows.iter().zip(1..).find(|(row, place)| row.seq != *place);
    if let Some((row, place)) = odd {
        violations.report(
            Rule::Dense,
            format!("debate {debate} has seq {} where {place} belongs", row.seq),
        );
    }
}

/// The state after the complete log; none if an argument breaks the rules.
fn replay_log(
    id: Uuid,
    debate: &Debate<'_>,
    states: &mut States,
    violations: &mut Vec<Violation>,
) -> Option<State> {
    let mut state = None;
    let mut previous: Option<&Row> = None;
    for row in debate.rows() {
        let event = Event { kind: row.kind, role: row.role, closes: closes(debate, row, previous) };
        let Some(next) = rules::next_state(state, event) else {
            let (kind, role, seq) = (row.kind, row.role, row.seq);
            violations.report(
                Rule::Legal,
                format!(
                    "debate {id}: the {kind:?} by {role:?} at {seq} is not allowed in {state:?}"
                ),
            );
            return None;
        };
        states.insert((id, row.seq), next);
        state = Some(next);
        previous = Some(row);
    }
    state
}

/// Whether a ruling closed its debate. The log does not show it; the client that requested the
/// ruling knows, and a ruling that the server adds to a resolution always closes.
fn closes(debate: &Debate<'_>, row: &Row, previous: Option<&Row>) -> bool {
    match &row.key {
        None => {
            row.kind == Kind::Ruling && previous.is_some_and(|row| row.kind == Kind::Resolution)
        }
        Some(key) => debate.writes.iter().any(|(step, event)| {
            step.key == *key && step.content_hash == row.content_hash && event.closes
        }),
    }
}
