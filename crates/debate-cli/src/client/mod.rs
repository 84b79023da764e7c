//! The way to the server: one HTTP connection a request, tried again where that can help.

mod events;
mod forum;
mod line;
mod proof;
mod retry;
mod runs;
#[cfg(test)]
mod tests;
mod tls;

pub(crate) use events::{Event, Follower, Streamed};
pub(crate) use forum::{ForumEvent, Leaf, leaf, told};
pub(crate) use line::{Answer, Broken, Line};
pub(crate) use retry::Patience;
pub(crate) use runs::{RunEvent, bare, deletion, nothing, page};

use std::time::Duration;

use debate_wire::Success;
use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fault::Fault;
use crate::output::Notes;
use crate::settings::{Settings, Token};

/// How long one plain request may take; longer than the server allows itself.
const REQUEST_TIME: Duration = Duration::from_secs(70);

/// A server, and how much is put up with.
pub(crate) struct Client {
    pub(crate) line: Line,
    pub(crate) notes: Notes,
    retry_deadline: Duration,
    pause_floor: Duration,
}

/// What is asked for. Sent again as it is, request id and all.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// With the query, without the base.
    pub(crate) path: String,
    pub(crate) body: Option<Vec<u8>>,
    /// The caller's name for a write whose body has no room for one.
    pub(crate) key: Option<String>,
    /// Whether the token goes with it; not to whoever may be there.
    pub(crate) authorized: bool,
}

/// What a try came to.
pub(crate) enum Tried<T> {
    /// What was asked for.
    Done(T),
    /// No, and asking again would change nothing.
    Refused(Fault),
    /// Not this time; how long the server wants to be left alone.
    Again(Fault, Option<Duration>),
}

/// What all tries together came to.
pub(crate) struct Asked<T> {
    pub(crate) outcome: Result<T, Fault>,
    /// Whether an earlier try may have done it already, and only its answer was lost.
    pub(crate) repeated: bool,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, key: None, authorized: true }
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    pub(crate) fn post(path: impl Into<String>, body: &impl Serialize) -> Result<Self, Fault> {
        let body = serde_json::to_vec(body).map_err(|err| Fault::Local(err.to_string()))?;
        Ok(Self { method: Method::POST, body: Some(body), ..Self::get(path) })
    }

    pub(crate) fn put(path: impl Into<String>) -> Self {
        Self { method: Method::PUT, ..Self::get(path) }
    }

    /// A POST whose path says it all.
    pub(crate) fn command(path: impl Into<String>) -> Self {
        Self { method: Method::POST, ..Self::get(path) }
    }

    /// The same under a name: however often it is sent, it is done once.
    pub(crate) fn under(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }
}

impl Client {
    pub(crate) fn new(settings: &Settings) -> Self {
        let client = Self::bearing(settings.token.clone(), settings);
        Self { line: client.line.with_proof(), ..client }
    }

    /// The same for a caller that shows something else than the server's token, or nothing.
    pub(crate) fn bearing(token: Option<Token>, settings: &Settings) -> Self {
        Self {
            line: Line::new(settings.url.clone(), token),
            notes: Notes { quiet: settings.quiet },
            retry_deadline: settings.retry_deadline,
            pause_floor: settings.pause_floor,
        }
    }

    /// Asks until there is an answer, or it has taken too long.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, request: &Request) -> Result<T, Fault> {
        self.ask_for(request, enveloped).await.outcome
    }

    /// The same for an answer that is read in its own way.
    pub(crate) async fn ask_for<T>(&self, request: &Request, reading: Reading<T>) -> Asked<T> {
        let mut patience = self.patience(self.retry_deadline);
        let mut repeated = false;
        loop {
            let (fault, after) = match self.try_for(request, REQUEST_TIME, reading).await {
                Tried::Done(data) => return Asked { outcome: Ok(data), repeated },
                Tried::Refused(fault) => return Asked { outcome: Err(fault), repeated },
                Tried::Again(fault, after) => (fault, after),
            };
            repeated = true;
            if let Err(fault) = patience.pause(fault, after, self.notes).await {
                return Asked { outcome: Err(fault), repeated };
            }
        }
    }

    /// Asks once; the answer must come in `time`.
    pub(crate) async fn try_once<T>(&self, request: &Request, time: Duration) -> Tried<T>
    where
        T: DeserializeOwned,
    {
        self.try_for(request, time, enveloped).await
    }

    /// The same for an answer that is read in its own way.
    pub(crate) async fn try_for<T>(
        &self,
        request: &Request,
        time: Duration,
        reading: Reading<T>,
    ) -> Tried<T> {
        match self.line.send(request, time).await {
            Ok(answer) => self.judge(&answer, reading),
            Err(broken) => self.broken(&broken),
        }
    }

    pub(crate) fn patience(&self, deadline: Duration) -> Patience {
        Patience::new(deadline, self.pause_floor)
    }

    pub(crate) fn broken<T>(&self, broken: &Broken) -> Tried<T> {
        match broken {
            Broken::NoHttp(what) => {
                let url = self.line.url().to_string();
                Tried::Refused(Fault::Stranger { url, what: what.clone() })
            }
            Broken::Untrusted(_) => Tried::Refused(self.unreachable(broken.to_string())),
            Broken::Unproven => {
                Tried::Refused(Fault::Unproven { url: self.line.url().to_string() })
            }
            Broken::NoConnection(_) | Broken::Cut(_) | Broken::Slow => {
                Tried::Again(self.unreachable(broken.to_string()), None)
            }
        }
    }

    /// What is told of a server that does not answer.
    pub(crate) fn unreachable(&self, cause: String) -> Fault {
        Fault::Unreachable { url: self.line.url().to_string(), cause, again: None }
    }

    fn judge<T>(&self, answer: &Answer, reading: Reading<T>) -> Tried<T> {
        if (200..300).contains(&answer.status) {
            return match reading(answer) {
                Some(data) => Tried::Done(data),
                None => Tried::Refused(self.stranger(answer)),
            };
        }
        let refusal = refusal_of(answer);
        match answer.status {
            429 | 502..=504 => {
                // A proxy in front of a server that restarts has words of its own.
                let away = || self.unreachable(answer.describe());
                Tried::Again(refusal.unwrap_or_else(away), answer.retry_after)
            }
            _ => Tried::Refused(refusal.unwrap_or_else(|| self.stranger(answer))),
        }
    }

    pub(crate) fn stranger(&self, answer: &Answer) -> Fault {
        Fault::Stranger { url: self.line.url().to_string(), what: answer.describe() }
    }
}

/// How an answer that went well is understood; none if it makes no sense.
pub(crate) type Reading<T> = fn(&Answer) -> Option<T>;

/// The arena's answers, in their envelope.
pub(crate) fn enveloped<T: DeserializeOwned>(answer: &Answer) -> Option<T> {
    serde_json::from_slice::<Success<T>>(&answer.body).ok().map(|success| success.data)
}

/// What the server says no with: the forum says it in a way of its own.
fn refusal_of(answer: &Answer) -> Option<Fault> {
    let error = error_of(answer)?;
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    let is_forum = body.get("ok").and_then(Value::as_bool) == Some(false);
    Some(if is_forum { Fault::declined(error) } else { Fault::Refused(error) })
}

/// The server's own error object, if that is what the answer holds.
pub(crate) fn error_of(answer: &Answer) -> Option<Value> {
    let mut body: Value = serde_json::from_slice(&answer.body).ok()?;
    let mut error = body.get_mut("error")?.take();
    error.get("code")?.as_str()?;
    // Beside the envelope the runner says why in a sentence, for clients that know no envelope.
    let detail = body.get_mut("detail").map(Value::take).filter(Value::is_string);
    if let (Some(detail), Some(fields)) = (detail, error.as_object_mut())
        && fields.get("message") != Some(&detail)
    {
        fields.insert("detail".to_owned(), detail);
    }
    Some(error)
}
