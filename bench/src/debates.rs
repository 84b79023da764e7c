//! Debates from a client's side: opened over HTTP, continued turn by turn.

use std::time::Duration;

use anyhow::Context;
use serde_json::json;
use uuid::Uuid;

use crate::client::{Request, envelope_data};
use crate::load::{self, LoadResult, SCRIPT_TIME_MAX, Script};
use crate::server::Server;

/// The number of connections that prepare data.
const PREPARING_CONNECTIONS: usize = 64;

/// An argument of 1,024 bytes, the size of all figures.
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

/// A debate and the side whose turn it is.
#[derive(Debug, Clone)]
pub(crate) struct Debate {
    pub(crate) id: Uuid,
    pub(crate) motion: Uuid,
    turn: Side,
    has_seats: bool,
}

/// The token of a seat. Made from the id of its debate, so that nothing has to be stored.
fn seat_token(debate: Uuid, side: Side) -> String {
    format!("aws_{}{:-<11}", debate.simple(), side.name())
}

const SEAT_HEADER: &str = "debate-seat";

impl Debate {
    /// A debate that contains only its motion.
    pub(crate) const fn fresh(id: Uuid, motion: Uuid) -> Self {
        Self { id, motion, turn: Side::Opponent, has_seats: false }
    }

    /// The next claim, by the side whose turn it is. The caller must send it.
    pub(crate) fn claim(&mut self) -> Request {
        let side = self.turn;
        let role = side.name();
        self.turn = side.other();
        let body = format!(
            r#"{{"role":"{role}","target_id":"{}","content":"{}","client_request_id":"{}"}}"#,
            self.motion,
            kilobyte(),
            Uuid::now_v7()
        );
        let request = Request::post(format!("/debates/{}/arguments", self.id), body);
        if self.has_seats {
            return request.with_header(SEAT_HEADER, &seat_token(self.id, side));
        }
        request
    }

    /// The request that takes the opponent's seat.
    fn take_opponent_seat(&self) -> Request {
        let body = r#"{"holder":"opponent of the bench"}"#.to_owned();
        Request::post(self.path("/seats/opponent"), body)
            .with_header(SEAT_HEADER, &seat_token(self.id, Side::Opponent))
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/debates/{}{rest}", self.id)
    }
}

/// One connection's debates. It claims in each by turns; no two connections share a debate.
pub(crate) struct Share {
    debates: Vec<Debate>,
    next: usize,
    /// The number of claims left.
    left: usize,
}

impl Share {
    /// Distributes the debates over connections that claim without end.
    pub(crate) fn distribute(debates: Vec<Debate>, connections: usize) -> Vec<Self> {
        Self::distribute_for(debates, connections, usize::MAX)
    }

    /// Distributes the debates for `rounds` claims in each.
    fn distribute_for(debates: Vec<Debate>, connections: usize, rounds: usize) -> Vec<Self> {
        let mut groups: Vec<Vec<Debate>> = vec![Vec::new(); connections];
        for (index, debate) in debates.into_iter().enumerate() {
            if let Some(group) = groups.get_mut(index % connections) {
                group.push(debate);
            }
        }
        let share = |debates: Vec<Debate>| {
            let left = rounds.saturating_mul(debates.len());
            Self { debates, next: 0, left }
        };
        groups.into_iter().map(share).collect()
    }

    pub(crate) fn collect(shares: Vec<Self>) -> Vec<Debate> {
        shares.into_iter().flat_map(|share| share.debates).collect()
    }
}

impl Script for Share {
    fn next(&mut self) -> Option<Request> {
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
    has_seats: bool,
    opened: Vec<Vec<u8>>,
}

impl Opening {
    /// Scripts that open debates without end.
    pub(crate) fn endless(connections: usize) -> Vec<Self> {
        (0..connections)
            .map(|_| Self {
                left: usize::MAX,
                motion: kilobyte(),
                has_seats: false,
                opened: Vec::new(),
            })
            .collect()
    }
}

impl Script for Opening {
    fn next(&mut self) -> Option<Request> {
        self.left = self.left.checked_sub(1)?;
        let id = Uuid::new_v4();
        let mut body = json!({
            "debate_id": id.to_string(),
            "title": "On the plan",
            "debate_type": "general_debate",
            "motion_content": self.motion,
            "client_request_id": Uuid::now_v7().to_string(),
        });
        if self.has_seats {
            if let Some(fields) = body.as_object_mut() {
                fields.insert("seats".to_owned(), true.into());
            }
            let request = Request::post("/debates", body.to_string());
            return Some(request.with_header(SEAT_HEADER, &seat_token(id, Side::Proposer)));
        }
        Some(Request::post("/debates", body.to_string()))
    }

    fn answered(&mut self, body: &[u8]) {
        self.opened.push(body.to_vec());
    }
}

/// Opens `count` debates over [`PREPARING_CONNECTIONS`] connections.
pub(crate) async fn open(server: &Server, count: usize) -> anyhow::Result<Vec<Debate>> {
    open_all(server, count, false).await
}

/// Opens `count` debates with both seats taken.
pub(crate) async fn open_with_seats(server: &Server, count: usize) -> anyhow::Result<Vec<Debate>> {
    let mut debates = open_all(server, count, true).await?;
    for debate in &mut debates {
        debate.has_seats = true;
    }
    let takes: Vec<Request> = debates.iter().map(Debate::take_opponent_seat).collect();
    load::run(server, vec![takes.into_iter()], SCRIPT_TIME_MAX).await?;
    Ok(debates)
}

async fn open_all(server: &Server, count: usize, has_seats: bool) -> anyhow::Result<Vec<Debate>> {
    let connections = PREPARING_CONNECTIONS.min(count);
    let share = |number: usize| (count / connections) + usize::from(number < count % connections);
    let scripts = (0..connections)
        .map(|number| Opening {
            left: share(number),
            motion: "Let us go on.",
            has_seats,
            opened: Vec::new(),
        })
        .collect();
    let (_, scripts) = load::run(server, scripts, SCRIPT_TIME_MAX).await?;
    scripts.iter().flat_map(|script| &script.opened).map(|body| parse_opened(body)).collect()
}

fn parse_opened(body: &[u8]) -> anyhow::Result<Debate> {
    let data = envelope_data(body)?;
    let id = |pointer: &str| -> anyhow::Result<Uuid> {
        let text = data.pointer(pointer).and_then(|id| id.as_str());
        Ok(text.context("an opened debate without ids")?.parse()?)
    };
    Ok(Debate::fresh(id("/debate/id")?, id("/argument/id")?))
}

/// Makes `rounds` claims in each debate.
pub(crate) async fn claim_rounds(
    server: &Server,
    debates: Vec<Debate>,
    rounds: usize,
) -> anyhow::Result<Vec<Debate>> {
    let connections = PREPARING_CONNECTIONS.min(debates.len());
    let (_, shares) =
        load::run(server, Share::distribute_for(debates, connections, rounds), SCRIPT_TIME_MAX)
            .await?;
    Ok(Share::collect(shares))
}

/// Claims from `connections` connections for `span`.
pub(crate) async fn claim(
    server: &Server,
    debates: &mut Vec<Debate>,
    connections: usize,
    span: Duration,
) -> anyhow::Result<LoadResult> {
    let shares = Share::distribute(std::mem::take(debates), connections);
    let (result, shares) = load::run(server, shares, span).await?;
    *debates = Share::collect(shares);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_debates(count: usize) -> Vec<Debate> {
        (0..count).map(|_| Debate::fresh(Uuid::new_v4(), Uuid::new_v4())).collect()
    }

    #[test]
    fn kilobyte_has_1024_bytes() {
        assert_eq!(kilobyte().len(), 1024);
    }

    #[test]
    fn sides_alternate_and_the_opponent_begins() {
        let mut debate = open_debates(1).remove(0);
        let exchange_with = |debate: &mut Debate| format!("{:?}", debate.claim());
        assert!(exchange_with(&mut debate).contains("opponent"));
        assert!(exchange_with(&mut debate).contains("proposer"));
        assert!(exchange_with(&mut debate).contains("opponent"));
    }

    #[test]
    fn distribute_gives_each_debate_to_one_connection() {
        let debates = open_debates(10);
        let shares = Share::distribute(debates.clone(), 4);
        assert_eq!(shares.iter().map(|share| share.debates.len()).max(), Some(3));
        let mut dealt: Vec<Uuid> = Share::collect(shares).iter().map(|debate| debate.id).collect();
        let mut all: Vec<Uuid> = debates.iter().map(|debate| debate.id).collect();
        dealt.sort_unstable();
        all.sort_unstable();
        assert_eq!(dealt, all);
    }

    #[test]
    fn share_for_two_rounds_claims_twice_in_each_debate_and_ends() {
        let mut shares = Share::distribute_for(open_debates(3), 1, 2);
        let share = shares.first_mut().unwrap();
        assert_eq!(std::iter::from_fn(|| share.next()).count(), 6);
    }
}
