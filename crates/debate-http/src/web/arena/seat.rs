//! The arbitrator's seat: what may be done from it is what the rules allow, and nothing else.

use debate_core::DebateId;
use debate_core::arena::{Action, Debate, Move, Role, State, Verdict, available_actions};

use crate::web::form::new_key;

/// What the arbitrator can do where the debate stands.
pub(crate) struct Seat {
    pub(crate) debate: DebateId,
    /// The debate's state, as a sentence for the arbitrator.
    pub(crate) words: &'static str,
    pub(crate) can_intervene: bool,
    pub(crate) can_rule: bool,
    /// The name under which the form is sent.
    pub(crate) request_key: String,
    /// What was written so far.
    pub(crate) content: String,
    pub(crate) form_token: String,
    /// What was wrong with it.
    pub(crate) error: Option<String>,
}

impl Seat {
    pub(super) fn new(debate: &Debate, form_token: &str) -> Self {
        let actions = available_actions(debate.state, Role::Arbitrator);
        let may = |wanted: &[Action]| actions.iter().any(|action| wanted.contains(action));
        Self {
            debate: debate.id,
            words: words(debate.state),
            can_intervene: may(&[Action::SubmitIntervention]),
            can_rule: may(&[Action::SubmitRuling, Action::SubmitRulingClose]),
            request_key: new_key(),
            content: String::new(),
            form_token: form_token.to_owned(),
            error: None,
        }
    }
}

const fn words(state: State) -> &'static str {
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

/// What the arbitrator can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Pause the debate.
    Intervene,
    /// Decide.
    Rule(Verdict),
}

impl Act {
    /// What the rules call it.
    pub(super) const fn mv(self) -> Move {
        match self {
            Self::Intervene => Move::Intervene,
            Self::Rule(verdict) => Move::Rule(verdict),
        }
    }

    /// Where its form leads.
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
            Self::Rule(Verdict::Continue) => {
                "Your ruling is added to the debate, and the debate continues. The proposer \
                 answers next and must follow the ruling. This cannot be undone."
            }
            Self::Rule(Verdict::Close) => {
                "Your ruling is added as the last argument, and the debate closes permanently. \
                 This cannot be undone."
            }
        }
    }

    /// The label of the confirming button.
    pub(super) const fn button(self) -> &'static str {
        match self {
            Self::Intervene => "Pause the debate",
            Self::Rule(Verdict::Continue) => "Rule and continue",
            Self::Rule(Verdict::Close) => "Rule and close",
        }
    }
}
