//! Every credential with every action in every state of debates with and without seats.

use crate::support::seats::{
    ARBITRATOR, Action, Credential, SEAT, SeatedDebate, new_token, way_to,
};
use crate::support::{Debate, Reply, Server, argument_id};

const STATES: [&str; 5] = [
    "AWAITING_OPPONENT",
    "AWAITING_PROPOSER",
    "AWAITING_ARBITRATOR",
    "INTERVENTION_PENDING",
    "CLOSED",
];

/// The credential of a request, in relation to the role of its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    None,
    Own,
    OtherSide,
    Released,
    OtherDebate,
    Garbage,
}

const TOKENS: [Token; 6] = [
    Token::None,
    Token::OtherSide,
    Token::Released,
    Token::OtherDebate,
    Token::Garbage,
    // The last one, because it changes the debate.
    Token::Own,
];

/// Status and code of a response; the code of a success is empty.
type Outcome = (u16, String);

fn outcome(reply: &Reply) -> Outcome {
    let code = if reply.status < 300 { String::new() } else { reply.code() };
    (reply.status, code)
}

/// The outcome by the rules of the arena alone.
fn by_rules(action: Action, state: &str) -> Outcome {
    match (action, action.is_allowed_in(state)) {
        (Action::Deletion, _) => (200, String::new()),
        (_, true) => (201, String::new()),
        (_, false) => (403, "ACTION_NOT_ALLOWED".to_owned()),
    }
}

fn in_debate_with_seats(token: Token, action: Action, state: &str) -> Outcome {
    match (token, action.role()) {
        (Token::Own, _) => by_rules(action, state),
        // A seat token is no arbitrator token.
        (Token::None, _) | (Token::OtherSide, "arbitrator") => (401, "SEAT_REQUIRED".to_owned()),
        (_, _) => (403, "SEAT_INVALID".to_owned()),
    }
}

/// A debate with seats whose first holders have left.
struct Occupied<'s> {
    debate: SeatedDebate<'s>,
    /// The tokens of the proposer and the opponent that left.
    released: [String; 2],
    target: String,
}

impl<'s> Occupied<'s> {
    async fn in_state(server: &'s Server, state: &str) -> Self {
        let mut debate = SeatedDebate::start(server).await;
        let released = [debate.proposer.clone(), debate.opponent.clone()];
        for role in ["proposer", "opponent"] {
            let token = new_token();
            assert_eq!(debate.release(role, &[debate.own(role)]).await.status, 200);
            let by_arbitrator = [(SEAT, token.as_str()), debate.own("arbitrator")];
            assert_eq!(debate.take(role, "carol", &by_arbitrator).await.status, 201);
            match role {
                "proposer" => debate.proposer = token,
                _ => debate.opponent = token,
            }
        }
        let target = debate.advance_to(state).await;
        Self { debate, released, target }
    }

    fn credential<'c>(
        &'c self,
        token: Token,
        role: &str,
        other: &'c SeatedDebate<'_>,
    ) -> Option<Credential<'c>> {
        let is_proposer = role == "proposer";
        let header = if role == "arbitrator" { ARBITRATOR } else { SEAT };
        match token {
            Token::None => None,
            Token::Own => Some(self.debate.own(role)),
            Token::OtherSide => {
                Some(self.debate.own(if is_proposer { "opponent" } else { "proposer" }))
            }
            Token::Released => Some((header, &self.released[usize::from(!is_proposer)])),
            Token::OtherDebate => {
                Some((header, other.own(if is_proposer { role } else { "opponent" }).1))
            }
            Token::Garbage => Some((header, "garbage")),
        }
    }
}

#[tokio::test]
async fn debate_with_seats_accepts_each_action_only_with_the_credential_of_its_role() {
    let server = Server::with_seats().await;
    let other = SeatedDebate::start(&server).await;
    for state in STATES {
        for action in Action::ALL {
            let occupied = Occupied::in_state(&server, state).await;
            for token in TOKENS {
                let credential = occupied.credential(token, action.role(), &other);
                let credentials: Vec<_> = credential.into_iter().collect();
                let reply =
                    occupied.debate.act(action, &occupied.target, "try", &credentials).await;
                let expected = in_debate_with_seats(token, action, state);
                assert_eq!(outcome(&reply), expected, "{token:?} {action:?} {state}");
                check_body(&reply, token, action);
            }
        }
    }
}

/// A refusal names the role and the present holder; an argument names its author.
fn check_body(reply: &Reply, token: Token, action: Action) {
    match outcome(reply) {
        (_, code) if code == "SEAT_REQUIRED" || code == "SEAT_INVALID" => {
            let error = reply.error();
            assert_eq!(error["role"], action.role(), "{token:?} {action:?}");
            assert!(error["suggestion"].is_string());
            let names_holder = code == "SEAT_INVALID" && action.role() != "arbitrator";
            assert_eq!(error["holder"] == "carol", names_holder, "{token:?} {action:?}");
        }
        (201, _) => {
            let author = if action.role() == "arbitrator" { "arbitrator" } else { "carol" };
            assert_eq!(reply.data()["argument"]["by"], author, "{action:?}");
        }
        _ => {}
    }
}

#[tokio::test]
async fn debate_without_seats_ignores_every_credential() {
    let server = Server::with_seats().await;
    let other = SeatedDebate::start(&server).await;
    for state in STATES {
        for action in Action::ALL {
            let (mut debate, mut target) = open_in_state(&server, state).await;
            for token in TOKENS {
                let credentials: Vec<Credential<'_>> = match token {
                    Token::None => Vec::new(),
                    Token::Own | Token::OtherSide | Token::Released => {
                        vec![(SEAT, &other.proposer), (ARBITRATOR, &other.arbitrator)]
                    }
                    Token::OtherDebate => vec![other.own("opponent")],
                    Token::Garbage => vec![(SEAT, "garbage"), (ARBITRATOR, "garbage")],
                };
                let reply = action.send(&server, &debate.id, &target, "try", &credentials).await;
                let expected = by_rules(action, state);
                assert_eq!(outcome(&reply), expected, "{token:?} {action:?} {state}");
                if reply.status == 201 {
                    assert!(reply.data()["argument"]["by"].is_null());
                }
                if reply.status < 300 {
                    (debate, target) = open_in_state(&server, state).await;
                }
            }
        }
    }
}

async fn open_in_state<'s>(server: &'s Server, state: &str) -> (Debate<'s>, String) {
    let debate = Debate::open(server).await;
    let mut last = debate.motion.clone();
    for (at, action) in way_to(state).iter().enumerate() {
        let reply = action.send(server, &debate.id, &last, &format!("lead-{at}"), &[]).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        last = argument_id(&reply);
    }
    (debate, last)
}
