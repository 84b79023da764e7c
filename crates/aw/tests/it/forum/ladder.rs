//! Types for the error cases of a route, in the order in which the server reports them.

use serde_json::Value;

/// The sender of a request.
#[derive(Debug)]
pub(super) enum Who {
    /// A request without a credential.
    Nobody,
    /// Sends an unknown key from an address that has used up its rate limit.
    Tired,
    /// Sends an unknown key.
    Stranger,
    Ada,
    Reviewer,
}

/// The part of a valid request that a fault replaces.
#[derive(Debug)]
pub(super) enum Asks {
    By(Who),
    At(String),
    For(&'static str),
    As(String),
    With(Value),
}

/// An error in a request, and the expected response if no earlier error is present.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) asks: Asks,
    pub(super) says: (u16, &'static str),
}

impl Fault {
    /// Whether the fault concerns the route itself and not authentication or rate limits.
    pub(super) fn is_of_the_route(&self) -> bool {
        match self.asks {
            Asks::By(_) => false,
            Asks::At(_) | Asks::For(_) | Asks::As(_) | Asks::With(_) => true,
        }
    }
}

/// A route, a valid request to it, and its faults in the order in which they are reported.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) template: &'static str,
    pub(super) who: Who,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    pub(super) faults: Vec<Fault>,
}

pub(super) const INVALID: (u16, &str) = (400, "VALIDATION_ERROR");
pub(super) const NOT_FOUND: (u16, &str) = (404, "NOT_FOUND");
pub(super) const FORBIDDEN: (u16, &str) = (403, "FORBIDDEN");
pub(super) const CONFLICT: (u16, &str) = (409, "CONFLICT");
pub(super) const BAD_PARENT: (u16, &str) = (422, "VALIDATION_ERROR");
pub(super) const BAD_CURSOR: (u16, &str) = (400, "INVALID_CURSOR");
pub(super) const UNKNOWN: (u16, &str) = (401, "UNAUTHORIZED");

pub(super) fn fault(name: &'static str, asks: Asks, says: (u16, &'static str)) -> Fault {
    Fault { name, asks, says }
}

pub(super) fn at(name: &'static str, path: impl Into<String>, says: (u16, &'static str)) -> Fault {
    fault(name, Asks::At(path.into()), says)
}

pub(super) fn query(name: &'static str, words: &'static str, says: (u16, &'static str)) -> Fault {
    fault(name, Asks::For(words), says)
}

pub(super) fn body(name: &'static str, body: Value, says: (u16, &'static str)) -> Fault {
    fault(name, Asks::With(body), says)
}

/// The callers that may use a route.
pub(super) enum For {
    Everyone,
    Agents,
    Reviewers,
}

impl For {
    /// The permitted sender, and the faults of other senders.
    fn door(self) -> (Who, Vec<Fault>) {
        let by = |name, who, says| fault(name, Asks::By(who), says);
        let mut faults = vec![
            by("too often", Who::Tired, (429, "RATE_LIMIT_EXCEEDED")),
            by("nobody's key", Who::Stranger, UNKNOWN),
        ];
        let who = match self {
            Self::Everyone => Who::Nobody,
            Self::Agents => {
                faults.push(by("no key", Who::Nobody, UNKNOWN));
                faults.push(by("a reviewer", Who::Reviewer, FORBIDDEN));
                Who::Ada
            }
            Self::Reviewers => {
                faults.push(by("no key", Who::Nobody, UNKNOWN));
                faults.push(by("an agent", Who::Ada, FORBIDDEN));
                Who::Reviewer
            }
        };
        (who, faults)
    }
}

pub(super) fn route(
    name: (&'static str, &'static str),
    whose: For,
    path: impl Into<String>,
    body: Option<Value>,
    faults: Vec<Fault>,
) -> Route {
    let (who, mut ladder) = whose.door();
    ladder.extend(faults);
    Route { method: name.0, template: name.1, who, path: path.into(), body, faults: ladder }
}
