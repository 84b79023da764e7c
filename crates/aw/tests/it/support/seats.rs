//! Debates with seats, and the credentials of their participants.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Reply, Server, Setup, argument_id, create_body, new_id};

pub(crate) const SEAT: &str = "debate-seat";
pub(crate) const INVITE: &str = "debate-invite";
pub(crate) const ARBITRATOR: &str = "debate-arbitrator";

/// A header with a credential.
pub(crate) type Credential<'c> = (&'static str, &'c str);

/// A new secret with this prefix.
pub(crate) fn new_secret(prefix: &str) -> String {
    let digits: String = [(); 2].map(|()| uuid::Uuid::new_v4().simple().to_string()).concat();
    format!("{prefix}{}", &digits[..43])
}

/// A new token of a seat.
pub(crate) fn new_token() -> String {
    new_secret("aws_")
}

impl Setup {
    /// A server that can create debates with seats on either engine.
    pub(crate) fn with_seats(self) -> Self {
        let file = self.home().path().join(".aweave/arbitrator.token").display().to_string();
        self.env("DEBATE_ARBITRATOR_TOKEN_FILE", &file)
    }
}

impl Server {
    /// A server that can create debates with seats on either engine.
    pub(crate) async fn with_seats() -> Self {
        Setup::new().with_seats().start().await
    }

    /// The arbitrator token that the server created.
    pub(crate) fn arbitrator_token(&self) -> String {
        let file = self.home().path().join(".aweave/arbitrator.token");
        std::fs::read_to_string(file).expect("the server created it").trim().to_owned()
    }

    /// Sends a request with credentials.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        credentials: &[Credential<'_>],
    ) -> Reply {
        let request = with_credentials(self.request(method, path), credentials);
        Reply::receive(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    pub(crate) async fn post_as(
        &self,
        path: &str,
        body: &Value,
        credentials: &[Credential<'_>],
    ) -> Reply {
        self.send(Method::POST, path, Some(body), credentials).await
    }

    pub(crate) async fn delete_as(&self, path: &str, credentials: &[Credential<'_>]) -> Reply {
        self.send(Method::DELETE, path, None, credentials).await
    }
}

pub(crate) fn with_credentials(
    request: RequestBuilder,
    credentials: &[Credential<'_>],
) -> RequestBuilder {
    credentials.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}

/// A body that creates a debate with seats.
pub(crate) fn seated_body(id: &str) -> Value {
    let mut body = create_body(id);
    body["seats"] = json!(true);
    body["holder"] = json!("ada");
    body
}

/// A debate with seats: ada proposes, bob opposes.
pub(crate) struct SeatedDebate<'s> {
    pub(crate) server: &'s Server,
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) motion: String,
    /// The tokens of the present holders.
    pub(crate) proposer: String,
    pub(crate) opponent: String,
    pub(crate) arbitrator: String,
}

impl<'s> SeatedDebate<'s> {
    /// A debate whose opponent's seat is open.
    pub(crate) async fn open(server: &'s Server) -> Self {
        let (id, proposer) = (new_id(), new_token());
        let created = server.post_as("/debates", &seated_body(&id), &[(SEAT, &proposer)]).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let slug = created.data()["debate"]["slug"].as_str().expect("it has one").to_owned();
        Self {
            server,
            id,
            slug,
            motion: argument_id(&created),
            proposer,
            opponent: new_token(),
            arbitrator: server.arbitrator_token(),
        }
    }

    /// A debate with both seats taken.
    pub(crate) async fn start(server: &'s Server) -> Self {
        let debate = Self::open(server).await;
        let taken = debate.take("opponent", "bob", &[(SEAT, &debate.opponent)]).await;
        assert_eq!(taken.status, 201, "{}", taken.text);
        debate
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/debates/{}{rest}", self.id)
    }

    pub(crate) async fn take(
        &self,
        role: &str,
        holder: &str,
        credentials: &[Credential<'_>],
    ) -> Reply {
        let path = self.path(&format!("/seats/{role}"));
        self.server.post_as(&path, &json!({ "holder": holder }), credentials).await
    }

    pub(crate) async fn release(&self, role: &str, credentials: &[Credential<'_>]) -> Reply {
        self.server.delete_as(&self.path(&format!("/seats/{role}")), credentials).await
    }

    /// The credential of a role.
    pub(crate) fn own(&self, role: &str) -> Credential<'_> {
        match role {
            "proposer" => (SEAT, &self.proposer),
            "opponent" => (SEAT, &self.opponent),
            _ => (ARBITRATOR, &self.arbitrator),
        }
    }

    pub(crate) async fn act(
        &self,
        action: Action,
        target: &str,
        key: &str,
        credentials: &[Credential<'_>],
    ) -> Reply {
        action.send(self.server, &self.id, target, key, credentials).await
    }

    /// Leads a new debate to a state; returns the newest argument's id.
    pub(crate) async fn advance_to(&self, state: &str) -> String {
        let mut last = self.motion.clone();
        for (at, action) in way_to(state).iter().enumerate() {
            let own = self.own(action.role());
            let reply = self.act(*action, &last, &format!("lead-{at}"), &[own]).await;
            assert_eq!(reply.status, 201, "{}", reply.text);
            last = argument_id(&reply);
        }
        last
    }
}

/// The actions that lead a new debate to a state.
pub(crate) fn way_to(state: &str) -> &'static [Action] {
    match state {
        "AWAITING_OPPONENT" => &[],
        "AWAITING_PROPOSER" => &[Action::OpponentClaim],
        "AWAITING_ARBITRATOR" => &[Action::OpponentClaim, Action::Appeal],
        "INTERVENTION_PENDING" => &[Action::Intervention],
        "CLOSED" => &[Action::OpponentClaim, Action::Resolution],
        other => panic!("no state is called {other}"),
    }
}

/// An action that a debate with seats accepts from one role only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    ProposerClaim,
    OpponentClaim,
    Appeal,
    Resolution,
    Intervention,
    Ruling,
    Deletion,
}

impl Action {
    pub(crate) const ALL: [Self; 7] = [
        Self::ProposerClaim,
        Self::OpponentClaim,
        Self::Appeal,
        Self::Resolution,
        Self::Intervention,
        Self::Ruling,
        Self::Deletion,
    ];

    pub(crate) const fn role(self) -> &'static str {
        match self {
            Self::ProposerClaim | Self::Appeal | Self::Resolution => "proposer",
            Self::OpponentClaim => "opponent",
            Self::Intervention | Self::Ruling | Self::Deletion => "arbitrator",
        }
    }

    /// Whether the rules of the arena allow it in this state.
    pub(crate) fn is_allowed_in(self, state: &str) -> bool {
        match self {
            Self::ProposerClaim | Self::Appeal | Self::Resolution => state == "AWAITING_PROPOSER",
            Self::OpponentClaim => state == "AWAITING_OPPONENT",
            Self::Intervention => ["AWAITING_OPPONENT", "AWAITING_PROPOSER"].contains(&state),
            Self::Ruling => ["AWAITING_ARBITRATOR", "INTERVENTION_PENDING"].contains(&state),
            Self::Deletion => true,
        }
    }

    pub(crate) async fn send(
        self,
        server: &Server,
        debate: &str,
        target: &str,
        key: &str,
        credentials: &[Credential<'_>],
    ) -> Reply {
        let mut body = json!({ "content": "so be it", "client_request_id": key });
        let route = match self {
            Self::ProposerClaim | Self::OpponentClaim => "/arguments",
            Self::Appeal => "/appeal",
            Self::Resolution => "/resolution",
            Self::Intervention => "/intervention",
            Self::Ruling => "/ruling",
            Self::Deletion => {
                return server.delete_as(&format!("/debates/{debate}"), credentials).await;
            }
        };
        if self.role() != "arbitrator" {
            body["target_id"] = json!(target);
        }
        if route == "/arguments" {
            body["role"] = json!(self.role());
        }
        server.post_as(&format!("/debates/{debate}{route}"), &body, credentials).await
    }
}
