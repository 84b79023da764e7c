//! A command to a run, with what the client sends along.

use jiff::Timestamp;

use super::budget::{Budget, Unpriced};
use super::language::Language;
use super::run::Record;
use super::status::{Command, Refusal, Standing};

/// A command to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The command.
    pub command: Command,
    /// The language of the client's user interface, if the client sent one. A run whose creation
    /// left `output_language` out continues in it.
    pub ui_language: Option<Language>,
}

impl From<Command> for Order {
    fn from(command: Command) -> Self {
        Self { command, ui_language: None }
    }
}

/// Why an order changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotObeyed {
    /// The run's status does not allow the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The day's cost is limited, and the run asks a model without a price in USD.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
}

impl Record {
    /// The record after an order.
    pub fn ordered(
        &self,
        order: &Order,
        budget: &Budget,
        at: Timestamp,
    ) -> Result<Self, NotObeyed> {
        let mut after = self.commanded(order.command, at)?;
        if after.run.standing == Standing::Running {
            let settings = &mut after.run.settings;
            budget.check_prices(settings)?;
            if let Some(language) = &order.ui_language
                && !settings.output_language_given
            {
                settings.output_language = language.clone();
            }
        }
        Ok(after)
    }
}
