//! The way to the server: one HTTP connection a request, tried again where that can help.

mod events;
mod line;
mod retry;
#[cfg(test)]
mod tests;
mod tls;

pub(crate) use events::{Event, Follower};
pub(crate) use line::{Answer, Broken, Line};
pub(crate) use retry::Patience;

use std::time::Duration;

use debate_wire::Success;
use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fault::Fault;
use crate::output::Notes;
use crate::settings::Settings;

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

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, authorized: true }
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    pub(crate) fn post(path: impl Into<String>, body: &impl Serialize) -> Result<Self, Fault> {
        let body = serde_json::to_vec(body).map_err(|err| Fault::Local(err.to_string()))?;
        Ok(Self { method: Method::POST, body: Some(body), ..Self::get(path) })
    }
}

impl Client {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            line: Line::new(settings.url.clone(), settings.token.clone()),
            notes: Notes { quiet: settings.quiet },
            retry_deadline: settings.retry_deadline,
            pause_floor: settings.pause_floor,
        }
    }

    /// Asks until there is an answer, or it has taken too long.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, request: &Request) -> Result<T, Fault> {
        let mut patience = self.patience(self.retry_deadline);
        loop {
            match self.try_once(request, REQUEST_TIME).await {
                Tried::Done(data) => return Ok(data),
                Tried::Refused(fault) => return Err(fault),
                Tried::Again(fault, after) => patience.pause(fault, after, self.notes).await?,
            }
        }
    }

    /// Asks once; the answer must come in `time`.
    pub(crate) async fn try_once<T>(&self, request: &Request, time: Duration) -> Tried<T>
    where
        T: DeserializeOwned,
    {
        match self.line.send(request, time).await {
            Ok(answer) => self.judge(&answer),
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
            Broken::NoConnection(_) | Broken::Cut(_) | Broken::Slow => {
                Tried::Again(self.unreachable(broken.to_string()), None)
            }
        }
    }

    /// What is told of a server that does not answer.
    pub(crate) fn unreachable(&self, cause: String) -> Fault {
        Fault::Unreachable { url: self.line.url().to_string(), cause, again: None }
    }

    pub(crate) fn judge<T: DeserializeOwned>(&self, answer: &Answer) -> Tried<T> {
        if (200..300).contains(&answer.status) {
            return match serde_json::from_slice::<Success<T>>(&answer.body) {
                Ok(success) => Tried::Done(success.data),
                Err(_) => Tried::Refused(self.stranger(answer)),
            };
        }
        let refusal = error_of(answer).map(Fault::Refused);
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

/// The server's own error object, if that is what the answer holds.
pub(crate) fn error_of(answer: &Answer) -> Option<Value> {
    let mut body: Value = serde_json::from_slice(&answer.body).ok()?;
    let error = body.get_mut("error")?.take();
    error.get("code")?.as_str()?;
    Some(error)
}
