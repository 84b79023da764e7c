//! The arbitrator's seat: what may be done from it is what the rules allow, and nothing else.

use debate_core::DebateId;
use debate_core::arena::{Action, Debate, Move, Role, State, Verdict, available_actions};

use crate::web::form::new_key;

/// What the arbitrator can do where the debate stands.
pub(crate) struct Seat {
    pub(crate) debate: DebateId,
    /// Where the debate stands, as a sentence to whoever sits here.
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
        State::AwaitingOpponent => "The opponent is to answer. You can stop the debate and rule.",
        State::AwaitingProposer => "The proposer is to answer. You can stop the debate and rule.",
        State::AwaitingArbitrator => {
            "The proposer has turned to you. Both sides wait until you have ruled."
        }
        State::InterventionPending => {
            "You have stopped the debate. Both sides wait until you have ruled."
        }
        State::Closed => "The debate is closed. Nobody can add to it.",
    }
}

/// What the arbitrator can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Stop the debate.
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

    /// What exactly comes of it.
    pub(super) const fn effect(self) -> &'static str {
        match self {
            Self::Intervene => {
                "The debate stops. Neither side can speak until you have ruled; the ruling is \
                 yours to write next. This can’t be taken back."
            }
            Self::Rule(Verdict::Continue) => {
                "Your ruling stands in the debate, and it goes on: the proposer speaks next and \
                 is told to align with the ruling. This can’t be taken back."
            }
            Self::Rule(Verdict::Close) => {
                "Your ruling is the last word: the debate is closed for good, and nobody can add \
                 to it. This can’t be taken back."
            }
        }
    }

    /// What the button says that does it.
    pub(super) const fn button(self) -> &'static str {
        match self {
            Self::Intervene => "Stop the debate",
            Self::Rule(Verdict::Continue) => "Rule, and let it go on",
            Self::Rule(Verdict::Close) => "Rule, and close it for good",
        }
    }
}
