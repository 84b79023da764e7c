//! Rule 7: every subscriber sees everything once and in order; rule 5 for the
//! states that it receives.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::log::States;
use super::{Evidence, Rule, Violation};
use crate::history::{Micros, Observation, ObservedEvent, Outcome, Seq};

pub(super) fn check(evidence: &Evidence<'_>, states: &States, violations: &mut Vec<Violation>) {
    let mut by_sub: BTreeMap<u32, Vec<&Observation>> = BTreeMap::new();
    for observation in evidence.observations {
        by_sub.entry(observation.sub).or_default().push(observation);
    }
    for observations in by_sub.values() {
        let Some(first) = observations.first() else { continue };
        let mut follower = SubscriberReplay {
            name: format!("{:?} subscriber {} of {}", first.kind, first.sub, first.debate),
            debate: first.debate,
            position: 0,
            lost: false,
            evidence,
            states,
        };
        // One violation per subscriber: later ones follow from the first.
        let subscription_violation =
            observations.iter().find_map(|observation| follower.apply(observation).err());
        let subscription_violation = subscription_violation.or_else(|| follower.end().err());
        violations.extend(subscription_violation);
    }
}

/// One subscriber, replaying its observations.
struct SubscriberReplay<'c, 'e> {
    name: String,
    debate: Uuid,
    position: Seq,
    /// It asked for a position that does not exist and has not received a reset yet.
    lost: bool,
    evidence: &'c Evidence<'e>,
    states: &'c States,
}

impl SubscriberReplay<'_, '_> {
    fn apply(&mut self, observation: &Observation) -> Result<(), Violation> {
        match &observation.event {
            ObservedEvent::Begin(Some(place)) => self.position = *place,
            ObservedEvent::Begin(None) => self.lost = true,
            ObservedEvent::Argument { .. } if self.lost => {
                return Err(
                    self.subscription_violation("was not told that its position is unknown")
                );
            }
            ObservedEvent::Argument { seq, id, state } => {
                self.check_order(*seq)?;
                self.check_logged(*seq, *id)?;
                if let (Some(told), Some(led)) = (state, self.states.get(&(self.debate, *seq)))
                    && told != led
                {
                    let what = format!("was told {told:?} with {seq}, which leads to {led:?}");
                    return Err(self.violation(Rule::StateMatchesLog, &what));
                }
                self.position = *seq;
            }
            // Every later position of a subscriber is one that the server sent.
            ObservedEvent::Reset if !self.lost => {
                let what = format!("was told to start over, though {} exists", self.position);
                return Err(self.subscription_violation(&what));
            }
            ObservedEvent::Reset => (self.lost, self.position) = (false, 0),
            ObservedEvent::Nothing { after, since, timeout } => {
                self.check_empty_wait(*after, since + timeout, observation.t)?;
            }
            ObservedEvent::Wrong(what) => return Err(self.subscription_violation(what)),
        }
        Ok(())
    }

    fn check_order(&self, seq: Seq) -> Result<(), Violation> {
        let due = self.position + 1;
        if seq == due {
            return Ok(());
        }
        let what = if seq < due { "saw a seq again" } else { "missed a seq" };
        Err(self.subscription_violation(&format!("{what}: {seq} came where {due} was due")))
    }

    fn check_logged(&self, seq: Seq, id: Uuid) -> Result<(), Violation> {
        let debate = self.evidence.debates.get(&self.debate);
        let kept = debate.and_then(|debate| debate.row(seq)).is_some_and(|row| row.id == id);
        if kept {
            return Ok(());
        }
        Err(self.subscription_violation(&format!(
            "was shown {id} at {seq}, which the log does not have"
        )))
    }

    /// A long poll may not end without a result if a newer argument was acknowledged
    /// before its time limit.
    fn check_empty_wait(&self, after: Seq, due: Micros, ended: Micros) -> Result<(), Violation> {
        let Some(debate) = self.evidence.debates.get(&self.debate) else { return Ok(()) };
        let missed = debate.writes.iter().find_map(|(step, _)| match step.outcome {
            Outcome::Ok { seq, .. } if seq > after && step.t_end < due => Some(seq),
            Outcome::Ok { .. } | Outcome::Refused(_) | Outcome::Indefinite(_) => None,
        });
        match missed {
            Some(seq) if ended >= due => {
                Err(self
                    .subscription_violation(&format!("waited its time and was not told of {seq}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn end(&self) -> Result<(), Violation> {
        let debate = self.evidence.debates.get(&self.debate);
        let n = debate.and_then(|debate| debate.rows().iter().map(|row| row.seq).max());
        let n = n.unwrap_or_default();
        if self.position == n {
            return Ok(());
        }
        Err(self.subscription_violation(&format!("got as far as {} of {n}", self.position)))
    }

    fn subscription_violation(&self, what: &str) -> Violation {
        self.violation(Rule::Subscribed, what)
    }

    fn violation(&self, rule: Rule, what: &str) -> Violation {
        Violation { rule, what: format!("{} {what}", self.name) }
    }
}
