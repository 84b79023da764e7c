//! Debates as a client knows them: opened over HTTP, carried on by turns.

use std::time::Duration;

use anyhow::Context;
use serde_json::json;
use uuid::Uuid;

use crate::client::{Ask, data_of};
use crate::load::{self, AGES, Script, Tally};
use crate::server::Server;

/// How many connections prepare things.
const HANDS: usize = 64;

/// An argument of a thousand and twenty-four bytes, the size all figures are about.
pub(crate) fn kilobyte() -> &'static str {
    const SENTENCE: &str = "We hold that the plan stands, for reasons given before: it is tested. ";
    static TEXT: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| SENTENCE.chars().cycle().take(1024).collect());
    &TEXT
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Opponent,
    Proposer,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Opponent => "opponent",
            Self::Proposer => "proposer",
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Opponent => Self::Proposer,
            Self::Proposer => Self::Opponent,
        }
    }
}

/// A debate, and whose turn it is.
#[derive(Debug, Clone)]
pub(crate) struct Debate {
    pub(crate) id: Uuid,
    pub(crate) motion: Uuid,
    turn: Side,
}

impl Debate {
    /// One that has nothing but its motion.
    pub(crate) const fn fresh(id: Uuid, motion: Uuid) -> Self {
        Self { id, motion, turn: Side::Opponent }
    }

    /// The next claim, by the side whose turn it is; it must be sent.
    pub(crate) fn claim(&mut self) -> Ask {
        let role = self.turn.name();
        self.turn = self.turn.other();
        let body = format!(
            r#"{{"role":"{role}","target_id":"{}","content":"{}","client_request_id":"{}"}}"#,
            self.motion,
            kilobyte(),
            Uuid::now_v7()
        );
        Ask::post(format!("/debates/{}/arguments", self.id), body)
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/debates/{}{rest}", self.id)
    }
}

/// One connection's debates: it makes a claim in each, by turns, so that no two connections ever
/// meet in one.
pub(crate) struct Share {
    debates: Vec<Debate>,
    next: usize,
    /// How many more claims to make.
    left: usize,
}

impl Share {
    /// Deals the debates out, to be claimed in without an end.
    pub(crate) fn deal(debates: Vec<Debate>, connections: usize) -> Vec<Self> {
        Self::deal_for(debates, connections, usize::MAX)
    }

    /// Deals them out for `rounds` claims in each.
    fn deal_for(debates: Vec<Debate>, connections: usize, rounds: usize) -> Vec<Self> {
        let mut hands: Vec<Vec<Debate>> = vec![Vec::new(); connections];
        for (index, debate) in debates.into_iter().enumerate() {
            if let Some(hand) = hands.get_mut(index % connections) {
                hand.push(debate);
            }
        }
        let share = |debates: Vec<Debate>| {
            let left = rounds.saturating_mul(debates.len());
            Self { debates, next: 0, left }
        };
        hands.into_iter().map(share).collect()
    }

    pub(crate) fn gather(shares: Vec<Self>) -> Vec<Debate> {
        shares.into_iter().flat_map(|share| share.debates).collect()
    }
}

impl Script for Share {
    fn next(&mut self) -> Option<Ask> {
        self.left = self.left.checked_sub(1)?;
        let index = self.next % self.debates.len();
        self.next += 1;
        self.debates.get_mut(index).map(Debate::claim)
    }
}

/// Opens debates one after the other.
pub(crate) struct Opening {
    left: usize,
    motion: &'static str,
    opened: Vec<Vec<u8>>,
}

impl Opening {
    /// Without an end.
    pub(crate) fn endless(connections: usize) -> Vec<Self> {
        (0..connections)
            .map(|_| Self { left: usize::MAX, motion: kilobyte(), opened: Vec::new() })
            .collect()
    }
}

impl Script for Opening {
    fn next(&mut self) -> Option<Ask> {
        self.left = self.left.checked_sub(1)?;
        let body = json!({
            "debate_id": Uuid::new_v4().to_string(),
            "title": "On the plan",
            "debate_type": "general_debate",
            "motion_content": self.motion,
            "client_request_id": Uuid::now_v7().to_string(),
        });
        Some(Ask::post("/debates", body.to_string()))
    }

    fn answered(&mut self, body: &[u8]) {
        self.opened.push(body.to_vec());
    }
}

/// Opens `count` debates.
pub(crate) async fn open(server: &Server, count: usize) -> anyhow::Result<Vec<Debate>> {
    let hands = HANDS.min(count);
    let share = |hand: usize| (count / hands) + usize::from(hand < count % hands);
    let scripts = (0..hands)
        .map(|hand| Opening { left: share(hand), motion: "Let us go on.", opened: Vec::new() })
        .collect();
    let (_, scripts) = load::run(server, scripts, AGES).await?;
    scripts.iter().flat_map(|script| &script.opened).map(|body| read_opened(body)).collect()
}

fn read_opened(body: &[u8]) -> anyhow::Result<Debate> {
    let data = data_of(body)?;
    let id = |pointer: &str| -> anyhow::Result<Uuid> {
        let text = data.pointer(pointer).and_then(|id| id.as_str());
        Ok(text.context("an opened debate without ids")?.parse()?)
    };
    Ok(Debate::fresh(id("/debate/id")?, id("/argument/id")?))
}

/// Makes `rounds` claims in each debate.
pub(crate) async fn carry_on(
    server: &Server,
    debates: Vec<Debate>,
    rounds: usize,
) -> anyhow::Result<Vec<Debate>> {
    let hands = HANDS.min(debates.len());
    let (_, shares) = load::run(server, Share::deal_for(debates, hands, rounds), AGES).await?;
    Ok(Share::gather(shares))
}

/// Claims from `connections` connections for `span`.
pub(crate) async fn claim(
    server: &Server,
    debates: &mut Vec<Debate>,
    connections: usize,
    span: Duration,
) -> anyhow::Result<Tally> {
    let shares = Share::deal(std::mem::take(debates), connections);
    let (tally, shares) = load::run(server, shares, span).await?;
    *debates = Share::gather(shares);
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: usize) -> Vec<Debate> {
        (0..count).map(|_| Debate::fresh(Uuid::new_v4(), Uuid::new_v4())).collect()
    }

    #[test]
    fn a_kilobyte_is_one() {
        assert_eq!(kilobyte().len(), 1024);
    }

    #[test]
    fn sides_take_turns_and_the_opponent_begins() {
        let mut debate = some(1).remove(0);
        let asked = |debate: &mut Debate| format!("{:?}", debate.claim());
        assert!(asked(&mut debate).contains("opponent"));
        assert!(asked(&mut debate).contains("proposer"));
        assert!(asked(&mut debate).contains("opponent"));
    }

    #[test]
    fn every_debate_is_dealt_to_exactly_one_connection() {
        let debates = some(10);
        let shares = Share::deal(debates.clone(), 4);
        assert_eq!(shares.iter().map(|share| share.debates.len()).max(), Some(3));
        let mut dealt: Vec<Uuid> = Share::gather(shares).iter().map(|debate| debate.id).collect();
        let mut all: Vec<Uuid> = debates.iter().map(|debate| debate.id).collect();
        dealt.sort_unstable();
        all.sort_unstable();
        assert_eq!(dealt, all);
    }

    #[test]
    fn a_share_for_two_rounds_claims_twice_in_each_debate_and_ends() {
        let mut shares = Share::deal_for(some(3), 1, 2);
        let share = shares.first_mut().unwrap();
        assert_eq!(std::iter::from_fn(|| share.next()).count(), 6);
    }
}
