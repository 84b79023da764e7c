//! Everything that can be asked, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use debate_app::llm::{Answer, Ask, Deltas, Llm, LlmError, UnknownModel};
use debate_app::{Clock, SteadyClock};
use debate_core::{ModelName, Usage};
use tokio::time::timeout_at;

use crate::command;
use crate::config::{ConfigError, Configuration, LocalCommand};
use crate::demo::{self, Pace};
use crate::fault;
use crate::figures::Call;
use crate::remote::Remote;

/// The provider of local commands.
const COMMAND: &str = "command";

/// The provider that needs nothing.
const DEMO: &str = "demo";

/// Everything that can be asked: what is configured, and the demo.
pub struct Registry {
    remotes: BTreeMap<String, Remote>,
    commands: BTreeMap<String, LocalCommand>,
    /// How long calls take.
    clock: SteadyClock,
}

/// Who is meant by a model's name.
enum Found<'r> {
    Remote(&'r Remote),
    Command(&'r LocalCommand),
    Demo(Pace),
}

impl Registry {
    /// What `configuration` says, if it can be used. The clock is for providers that name an
    /// instant until which they want to be left alone.
    pub fn new(configuration: Configuration, clock: &Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let mut remotes = BTreeMap::new();
        for provider in configuration.providers {
            let name = provider.name.clone();
            check_name(&name)?;
            if [COMMAND, DEMO].contains(&name.as_str()) || remotes.contains_key(&name) {
                return Err(ConfigError::NameTaken(name));
            }
            remotes.insert(name, Remote::new(provider, Arc::clone(clock))?);
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
        Ok(Self { remotes, commands, clock: SteadyClock::begin(&**clock) })
    }

    fn find(&self, model: &ModelName) -> Result<Found<'_>, UnknownModel> {
        let found = match model.provider() {
            COMMAND => self.commands.get(model.model()).map(Found::Command),
            DEMO => Pace::named(model.model()).map(Found::Demo),
            name => self.remotes.get(name).map(Found::Remote),
        };
        found.ok_or_else(|| UnknownModel { model: model.clone(), configured: self.configured() })
    }
}

/// A name that stands before a colon, or after `command:`.
fn check_name(name: &str) -> Result<(), ConfigError> {
    let fits = ModelName::new(&format!("{name}:model")).is_ok_and(|model| model.provider() == name);
    if fits { Ok(()) } else { Err(ConfigError::Name(name.to_owned())) }
}

#[async_trait]
impl Llm for Registry {
    fn knows(&self, model: &ModelName) -> Result<(), UnknownModel> {
        self.find(model).map(drop)
    }

    /// The providers first, the demo last.
    fn configured(&self) -> Vec<String> {
        let remotes = self.remotes.keys().map(|name| format!("{name}:MODEL"));
        let commands = self.commands.keys().map(|name| format!("{COMMAND}:{name}"));
        let demos = Pace::ALL.into_iter().map(|pace| format!("{DEMO}:{}", pace.name()));
        remotes.chain(commands).chain(demos).collect()
    }

    async fn ask(&self, ask: Ask, deltas: Deltas) -> Result<Answer, LlmError> {
        let found = self
            .find(&ask.model)
            .map_err(|err| fault::permanent(err.to_string(), Usage::NOTHING))?;
        let (call, bound) = (Call::begin(&ask.model, self.clock), ask.bound());
        let answering = async {
            match found {
                Found::Remote(remote) => remote.ask(&ask, deltas).await,
                Found::Command(command) => command::ask(command, &ask, deltas).await,
                Found::Demo(pace) => demo::ask(pace, &ask, deltas).await,
            }
        };
        let mut answer = timeout_at(ask.deadline, answering).await.unwrap_or_else(|_| {
            let sentence = format!("{} did not answer within the time limit", ask.model);
            Err(fault::transient(sentence, Usage::NOT_TOLD))
        });
        match &mut answer {
            Ok(answer) => answer.usage = answer.usage.clip(bound),
            Err(err) => err.usage = err.usage.clip(bound),
        }
        call.end(&answer);
        answer
    }
}
