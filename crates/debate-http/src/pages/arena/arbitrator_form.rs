//! The arbitrator's form: it offers the actions that the rules allow.

use debate_core::DebateId;
use debate_core::arena::{Action, Debate, Move, Role, RulingEffect, State, available_actions};

use crate::pages::form::new_key;

/// The actions that the arbitrator has in the current state.
pub(crate) struct ArbitratorForm {
    pub(crate) debate: DebateId,
    /// The debate's state, as a sentence for the arbitrator.
    pub(crate) words: &'static str,
    pub(crate) can_intervene: bool,
    pub(crate) can_rule: bool,
    /// The idempotency key of the form.
    pub(crate) request_key: String,
    /// The text in the form.
    pub(crate) content: String,
    pub(crate) form_token: String,
    /// The error of the last submission.
    pub(crate) error: Option<String>,
}

impl ArbitratorForm {
    pub(super) fn new(debate: &Debate, form_token: &str) -> Self {
        let actions = available_actions(debate.state, Role::Arbitrator);
        let may = |params: &[Action]| actions.iter().any(|action| params.contains(action));
        Self {
            debate: debate.id,
            words: state_sentence(debate.state),
            can_intervene: may(&[Action::SubmitIntervention]),
            can_rule: may(&[Action::SubmitRuling, Action::SubmitRulingClose]),
            request_key: new_key(),
            content: String::new(),
            form_token: form_token.to_owned(),
            error: None,
        }
    }
}

const fn state_sentence(state: State) -> &'static str {
    match state {
        State::AwaitingOpponent => "Waiting for the opponent. You can pause the debate and rule.",
        State::AwaitingProposer => "Waiting for the proposer. You can pause the debate and rule.",
        State::AwaitingArbitrator => {
            "The proposer asked for your decision. Both sides are waiting for your ruling."
        }
        State::InterventionPending => {
            "The debate is paused. Both sides are waiting for your ruling."
        }
        State::Closed => "The debate is closed. It accepts no more arguments.",
    }
}

/// An action of the arbitrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArbitratorAction {
    /// Pause the debate.
    Intervene,
    /// Rule, and continue or close the debate.
    Rule(RulingEffect),
}

impl ArbitratorAction {
    /// The move of the rules.
    pub(super) const fn mv(self) -> Move {
        match self {
            Self::Intervene => Move::Intervene,
            Self::Rule(verdict) => Move::Rule(verdict),
        }
    }

    /// The last segment of the form's address.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::Intervene => "intervene",
            Self::Rule(_) => "rule",
        }
    }

    /// The effect, as the confirmation page states it.
    pub(super) const fn effect(self) -> &'static str {
        match self {
            Self::Intervene => {
                "The debate pauses. Neither side can add an argument until you rule; you write \
                 the ruling next. This cannot be undone."
            }
            Self::Rule(RulingEffect::Continue) => {
                "Your ruling is added to the debate, and the debate continues. The proposer \
                 answers next and must follow the ruling. This cannot be undone."
            }
            Self::Rule(RulingEffect::Close) => {
                "Your ruling is added as the last argument, and the debate closes permanently. \
                 This cannot be undone."
            }
        }
    }

    /// The label of the confirming button.
    pub(super) const fn button(self) -> &'static str {
        match self {
            Self::Intervene => "Pause the debate",
            Self::Rule(RulingEffect::Continue) => "Rule and continue",
            Self::Rule(RulingEffect::Close) => "Rule and close",
        }
    }
}
