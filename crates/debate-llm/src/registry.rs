//! The configured models, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use debate_app::llm::{Answer, DeltaSender, Llm, LlmError, LlmRequest, UnknownModel};
use debate_app::{Clock, MonotonicClock};
use debate_core::{ModelName, Usage};
use tokio::time::timeout_at;

use crate::call_metrics::CallMetrics;
use crate::command;
use crate::config::{ConfigError, Configuration, LocalCommand};
use crate::demo::{self, Pace};
use crate::error;
use crate::remote::RemoteProvider;

/// The provider of local commands.
const COMMAND: &str = "command";

/// The provider that needs no configuration.
const DEMO: &str = "demo";

/// The configured providers and commands, and the demo.
pub struct Registry {
    remotes: BTreeMap<String, RemoteProvider>,
    commands: BTreeMap<String, LocalCommand>,
    /// For the duration of calls.
    clock: MonotonicClock,
}

/// The target of a model's name.
enum Target<'r> {
    Remote(&'r RemoteProvider),
    Command(&'r LocalCommand),
    Demo(Pace),
}

impl Registry {
    /// Checks and prepares the configuration. The clock is for a `Retry-After` that is a date.
    pub fn new(configuration: Configuration, clock: &Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let mut remotes = BTreeMap::new();
        for provider in configuration.providers {
            let name = provider.name.clone();
            check_name(&name)?;
            if [COMMAND, DEMO].contains(&name.as_str()) || remotes.contains_key(&name) {
                return Err(ConfigError::NameTaken(name));
            }
            remotes.insert(name, RemoteProvider::new(provider, Arc::clone(clock))?);
        }
        let mut commands = BTreeMap::new();
        for command in configuration.commands {
            let name = command.name.clone();
            check_name(&name)?;
            if command.argv.first().is_none_or(String::is_empty) {
                return Err(ConfigError::Argv(name));
            }
            if commands.insert(name.clone(), command).is_some() {
                return Err(ConfigError::NameTaken(format!("{COMMAND}:{name}")));
            }
        }
        Ok(Self { remotes, commands, clock: MonotonicClock::start(&**clock) })
    }

    fn find(&self, model: &ModelName) -> Result<Target<'_>, UnknownModel> {
        let found = match model.provider() {
            COMMAND => self.commands.get(model.model()).map(Target::Command),
            DEMO => Pace::from_name(model.model()).map(Target::Demo),
            name => self.remotes.get(name).map(Target::Remote),
        };
        found.ok_or_else(|| UnknownModel {
            model: model.clone(),
            configured: self.configured_models(),
        })
    }
}

/// Checks a name that precedes a colon or follows `command:`.
fn check_name(name: &str) -> Result<(), ConfigError> {
    let fits = ModelName::new(&format!("{name}:model")).is_ok_and(|model| model.provider() == name);
    if fits { Ok(()) } else { Err(ConfigError::Name(name.to_owned())) }
}

#[async_trait]
impl Llm for Registry {
    fn check_model(&self, model: &ModelName) -> Result<(), UnknownModel> {
        self.find(model).map(drop)
    }

    /// The providers first, the demo last.
    fn configured_models(&self) -> Vec<String> {
        let remotes = self.remotes.keys().map(|name| format!("{name}:MODEL"));
        let commands = self.commands.keys().map(|name| format!("{COMMAND}:{name}"));
        let demos = Pace::ALL.into_iter().map(|pace| format!("{DEMO}:{}", pace.name()));
        remotes.chain(commands).chain(demos).collect()
    }

    async fn call(&self, request: LlmRequest, deltas: DeltaSender) -> Result<Answer, LlmError> {
        let found = self
            .find(&request.model)
            .map_err(|err| error::permanent(err.to_string(), Usage::ZERO))?;
        let (metrics, max_usage) =
            (CallMetrics::start(&request.model, self.clock), request.max_usage());
        let answering = async {
            match found {
                Target::Remote(remote) => remote.call(&request, deltas).await,
                Target::Command(command) => command::call(command, &request, deltas).await,
                Target::Demo(pace) => demo::call(pace, &request, deltas).await,
            }
        };
        let mut answer = timeout_at(request.deadline, answering).await.unwrap_or_else(|_| {
            let message = format!("{} did not answer within the time limit", request.model);
            Err(error::transient(message, Usage::UNREPORTED))
        });
        match &mut answer {
            Ok(answer) => answer.usage = answer.usage.clip(max_usage),
            Err(err) => err.usage = err.usage.clip(max_usage),
        }
        metrics.finish(&answer);
        answer
    }
}
