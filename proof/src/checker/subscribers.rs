//! Rule 7: every subscriber sees everything once and in order; rule 5 for the
//! states that it receives.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::log::States;
use super::{Evidence, Rule, Violation};
use crate::history::{Micros, Outcome, Saw, Seq, Sighting};

pub(super) fn check(evidence: &Evidence<'_>, states: &States, violations: &mut Vec<Violation>) {
    let mut by_sub: BTreeMap<u32, Vec<&Sighting>> = BTreeMap::new();
    for sighting in evidence.sightings {
        by_sub.entry(sighting.sub).or_default().push(sighting);
    }
    for sightings in by_sub.values() {
        let Some(first) = sightings.first() else { continue };
        let mut follower = Follower {
            name: format!("{:?} subscriber {} of {}", first.kind, first.sub, first.debate),
            debate: first.debate,
            position: 0,
            lost: false,
            evidence,
            states,
        };
        // One violation per subscriber: later ones follow from the first.
        let breach = sightings.iter().find_map(|sighting| follower.see(sighting).err());
        let breach = breach.or_else(|| follower.end().err());
        violations.extend(breach);
    }
}

/// One subscriber, replaying its observations.
struct Follower<'c, 'e> {
    name: String,
    debate: Uuid,
    position: Seq,
    /// It asked for a position that does not exist and has not received a reset yet.
    lost: bool,
    evidence: &'c Evidence<'e>,
    states: &'c States,
}

impl Follower<'_, '_> {
    fn see(&mut self, sighting: &Sighting) -> Result<(), Violation> {
        match &sighting.saw {
            Saw::Begin(Some(place)) => self.position = *place,
            Saw::Begin(None) => self.lost = true,
            Saw::Argument { .. } if self.lost => {
                return Err(self.breach("was not told that its position is unknown"));
            }
            Saw::Argument { seq, id, state } => {
                self.in_order(*seq)?;
                self.as_logged(*seq, *id)?;
                if let (Some(told), Some(led)) = (state, self.states.get(&(self.debate, *seq)))
                    && told != led
                {
                    let what = format!("was told {told:?} with {seq}, which leads to {led:?}");
                    return Err(self.accusation(Rule::Folded, &what));
                }
                self.position = *seq;
            }
            // Every later position of a subscriber is one that the server sent.
            Saw::Reset if !self.lost => {
                let what = format!("was told to start over, though {} exists", self.position);
                return Err(self.breach(&what));
            }
            Saw::Reset => (self.lost, self.position) = (false, 0),
            Saw::Nothing { after, since, patience } => {
                self.nothing_came(*after, since + patience, sighting.t)?;
            }
            Saw::Wrong(what) => return Err(self.breach(what)),
        }
        Ok(())
    }

    fn in_order(&self, seq: Seq) -> Result<(), Violation> {
        let due = self.position + 1;
        if seq == due {
            return Ok(());
        }
        let what = if seq < due { "saw a seq again" } else { "missed a seq" };
        Err(self.breach(&format!("{what}: {seq} came where {due} was due")))
    }

    fn as_logged(&self, seq: Seq, id: Uuid) -> Result<(), Violation> {
        let debate = self.evidence.debates.get(&self.debate);
        let kept = debate.and_then(|debate| debate.row(seq)).is_some_and(|row| row.id == id);
        if kept {
            return Ok(());
        }
        Err(self.breach(&format!("was shown {id} at {seq}, which the log does not have")))
    }

    /// A long poll may not end without a result if a newer argument was acknowledged
    /// before its time limit.
    fn nothing_came(&self, after: Seq, due: Micros, ended: Micros) -> Result<(), Violation> {
        let Some(debate) = self.evidence.debates.get(&self.debate) else { return Ok(()) };
        let missed = debate.writes.iter().find_map(|(step, _)| match step.outcome {
            Outcome::Ok { seq, .. } if seq > after && step.t_end < due => Some(seq),
            Outcome::Ok { .. } | Outcome::Refused(_) | Outcome::Indefinite(_) => None,
        });
        match missed {
            Some(seq) if ended >= due => {
                Err(self.breach(&format!("waited its time and was not told of {seq}")))
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
        Err(self.breach(&format!("got as far as {} of {n}", self.position)))
    }

    fn breach(&self, what: &str) -> Violation {
        self.accusation(Rule::Subscribed, what)
    }

    fn accusation(&self, rule: Rule, what: &str) -> Violation {
        Violation { rule, what: format!("{} {what}", self.name) }
    }
}
