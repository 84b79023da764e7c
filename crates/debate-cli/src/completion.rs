//! Values for shell completion: the slugs of debates, with their titles.
//!
//! The shell runs `aw` to complete a line. A server that does not answer at once gives no values,
//! so that the shell never waits.

use std::sync::OnceLock;
use std::time::Duration;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use debate_render::visible;
use debate_wire::arena::{Debate, DebateList};

use crate::args::Common;
use crate::client::{ApiRequest, Attempted, Client};
use crate::commands::wait_for;
use crate::failure::Failure;
use crate::service;
use crate::settings::{ClientSettings, ProcessEnvironment};

/// The time limit for the list of debates.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The most debates that are offered, most recently changed first.
const OFFERED_MAX: u32 = 100;

/// The environment of this process; a completer gets no arguments.
static ENVIRONMENT: OnceLock<ProcessEnvironment> = OnceLock::new();

/// Sets the environment in which completions look for a server. Only the first call counts.
pub fn prepare_completion(environment: ProcessEnvironment) {
    let _ = ENVIRONMENT.set(environment);
}

/// Offers the slugs of the server's debates.
pub(crate) fn debate_completer() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let debates = ENVIRONMENT.get().and_then(|environment| list(environment).ok());
        debates.unwrap_or_default().iter().map(candidate).collect()
    })
}

fn candidate(debate: &Debate) -> CompletionCandidate {
    let name = if debate.slug.is_empty() { &debate.id } else { &debate.slug };
    CompletionCandidate::new(name).help(Some(visible::line(&debate.title).into()))
}

fn list(environment: &ProcessEnvironment) -> Result<Vec<Debate>, Failure> {
    let mut settings = ClientSettings::load(&Common::default(), environment)?;
    if settings.is_default_url
        && let Some(url) = service::find_other(environment, &settings.url)
    {
        settings.url = url;
    }
    let client = Client::new(&settings);
    wait_for(async {
        let request = ApiRequest::get(format!("/debates?limit={OFFERED_MAX}"));
        match client.attempt::<DebateList>(&request, TIME_LIMIT).await {
            Attempted::Success(list) => Ok(list.debates),
            Attempted::Rejected(failure) | Attempted::Retryable(failure, _) => Err(failure),
        }
    })
}
