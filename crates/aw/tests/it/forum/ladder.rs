//! A ladder: a request to a route, and what can be wrong with it, in the order in which it is told.

use serde_json::Value;

/// Who asks.
#[derive(Debug)]
pub(super) enum Who {
    /// Without a key.
    Nobody,
    /// With a key that is nobody's, from an address that has asked as often as it may.
    Tired,
    /// With a key that is nobody's.
    Stranger,
    Ada,
    Reviewer,
}

/// What a fault puts in place of what was right.
#[derive(Debug)]
pub(super) enum Asks {
    By(Who),
    At(String),
    For(&'static str),
    As(String),
    With(Value),
}

/// Something wrong with a request, and what is told where nothing before it is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) asks: Asks,
    pub(super) says: (u16, &'static str),
}

impl Fault {
    /// Whether it is more than that someone may not come in.
    pub(super) fn is_of_the_route(&self) -> bool {
        match self.asks {
            Asks::By(_) => false,
            Asks::At(_) | Asks::For(_) | Asks::As(_) | Asks::With(_) => true,
        }
    }
}

/// A route, a request to it that nothing is wrong with, and its ladder.
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

/// For whom a route is.
pub(super) enum For {
    Everyone,
    Agents,
    Reviewers,
}

impl For {
    /// Who asks rightly, and who does not.
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
