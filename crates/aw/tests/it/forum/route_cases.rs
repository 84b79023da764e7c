//! Types for the error cases of a route, in the order in which the server reports them.

use serde_json::Value;

/// The sender of a request.
#[derive(Debug)]
pub(super) enum Sender {
    /// A request without a credential.
    Anonymous,
    /// Sends an unknown key from an address that has used up its rate limit.
    RateLimited,
    /// Sends an unknown key.
    UnknownKey,
    Ada,
    Reviewer,
}

/// The part of a valid request that a fault replaces.
#[derive(Debug)]
pub(super) enum Change {
    Sender(Sender),
    Path(String),
    Query(&'static str),
    Key(String),
    Body(Value),
}

/// An error in a request, and the expected response if no earlier error is present.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) change: Change,
    pub(super) expected: (u16, &'static str),
}

impl Fault {
    /// Whether the fault concerns the route itself and not authentication or rate limits.
    pub(super) fn is_route_specific(&self) -> bool {
        match self.change {
            Change::Sender(_) => false,
            Change::Path(_) | Change::Query(_) | Change::Key(_) | Change::Body(_) => true,
        }
    }
}

/// A route, a valid request to it, and its faults in the order in which they are reported.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) template: &'static str,
    pub(super) who: Sender,
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
pub(super) const UNAUTHORIZED: (u16, &str) = (401, "UNAUTHORIZED");

pub(super) fn fault(name: &'static str, change: Change, expected: (u16, &'static str)) -> Fault {
    Fault { name, change, expected }
}

pub(super) fn bad_path(
    name: &'static str,
    path: impl Into<String>,
    expected: (u16, &'static str),
) -> Fault {
    fault(name, Change::Path(path.into()), expected)
}

pub(super) fn bad_query(
    name: &'static str,
    words: &'static str,
    expected: (u16, &'static str),
) -> Fault {
    fault(name, Change::Query(words), expected)
}

pub(super) fn bad_body(name: &'static str, body: Value, expected: (u16, &'static str)) -> Fault {
    fault(name, Change::Body(body), expected)
}

/// The callers that may use a route.
pub(super) enum Access {
    Everyone,
    Agents,
    Reviewers,
}

impl Access {
    /// The permitted sender, and the faults of other senders.
    fn sender_and_access_faults(self) -> (Sender, Vec<Fault>) {
        let by = |name, who, expected| fault(name, Change::Sender(who), expected);
        let mut faults = vec![
            by("too often", Sender::RateLimited, (429, "RATE_LIMIT_EXCEEDED")),
            by("an unknown key", Sender::UnknownKey, UNAUTHORIZED),
        ];
        let who = match self {
            Self::Everyone => Sender::Anonymous,
            Self::Agents => {
                faults.push(by("no key", Sender::Anonymous, UNAUTHORIZED));
                faults.push(by("a reviewer", Sender::Reviewer, FORBIDDEN));
                Sender::Ada
            }
            Self::Reviewers => {
                faults.push(by("no key", Sender::Anonymous, UNAUTHORIZED));
                faults.push(by("an agent", Sender::Ada, FORBIDDEN));
                Sender::Reviewer
            }
        };
        (who, faults)
    }
}

pub(super) fn route(
    name: (&'static str, &'static str),
    access: Access,
    path: impl Into<String>,
    body: Option<Value>,
    faults: Vec<Fault>,
) -> Route {
    let (who, mut route_faults) = access.sender_and_access_faults();
    route_faults.extend(faults);
    Route { method: name.0, template: name.1, who, path: path.into(), body, faults: route_faults }
}
