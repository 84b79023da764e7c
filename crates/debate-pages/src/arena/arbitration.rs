//! Arbitration: the form with the actions that the rules allow, the preview of an action and its
//! effect, and the confirmation of a deletion.

use askama::Template;
use debate_core::Seq;
use debate_core::arena::{Action, Debate, Move, Role, RulingEffect, State, available_actions};
use debate_render::{Html, render_markdown};

use super::rights::{RightsHint, can_arbitrate};
use super::view::DebateRow;
use crate::confirmation::{Confirmation, Submission};
use crate::frame::{Frame, PageRequest, Section};
use crate::new_request_key;
use crate::outcome::{ErrorReport, PageOutcome};

#[derive(Template)]
#[template(path = "arena/edit.html")]
struct ArbitrationPage {
    frame: Frame,
    debate: DebateRow,
    arbitrator: ArbitratorForm,
}

#[derive(Template)]
#[template(path = "arena/confirm.html")]
struct ArbitrationPreviewPage {
    frame: Frame,
    debate: DebateRow,
    heading: &'static str,
    preview: Option<Html>,
    submission: Submission,
}

/// The values of the form, as the browser sends them.
#[derive(Debug)]
pub struct ArbitrationInput {
    /// The text of the ruling, or the reason for the pause.
    pub content: String,
    /// The idempotency key of the form.
    pub request_key: String,
}

impl Default for ArbitrationInput {
    fn default() -> Self {
        Self { content: String::new(), request_key: new_request_key() }
    }
}

/// The form on a page of its own, with the error of its last submission.
#[must_use]
pub fn arbitration_form(
    request: &PageRequest,
    debate: Debate,
    input: ArbitrationInput,
    error: Option<&ErrorReport>,
) -> PageOutcome {
    let mut arbitrator = ArbitratorForm::new(request, &debate);
    arbitrator.request_key = input.request_key;
    arbitrator.content = input.content;
    arbitrator.error = error.map(|error| error.explain(&[("content", "The text")]));
    let debate = DebateRow::from(debate);
    let frame = request.frame(Section::Arena, format!("Arbitration: {}", debate.title));
    let page = ArbitrationPage { frame, debate, arbitrator };
    PageOutcome::of_form(request.render(&page), error)
}

/// The preview of the text and its effect, with the form that submits it.
#[must_use]
pub fn arbitration_preview(
    request: &PageRequest,
    debate: Debate,
    action: ArbitratorAction,
    input: ArbitrationInput,
) -> PageOutcome {
    let debate = DebateRow::from(debate);
    let is_blank = input.content.trim().is_empty();
    let preview = (!is_blank).then(|| render_markdown(&input.content, 2));
    let closes = action == ArbitratorAction::Rule(RulingEffect::Close);
    let submission = Submission {
        path: format!("/arena/{}/{}", debate.slug, action.path()),
        effect: action.effect().to_owned(),
        button: action.button(),
        fields: vec![
            ("client_request_id", input.request_key),
            ("close", closes.to_string()),
            ("content", input.content),
        ],
    };
    let page = ArbitrationPreviewPage {
        frame: request.frame(Section::Arena, format!("Confirm: {}", debate.title)),
        debate,
        heading: action.heading(),
        preview,
        submission,
    };
    PageOutcome::Shown(request.render(&page))
}

/// The confirmation before a debate is deleted. `last` is its last position.
#[must_use]
pub fn deletion(request: &PageRequest, debate: Debate, last: Seq) -> PageOutcome {
    let debate = DebateRow::from(debate);
    let path = format!("/arena/{}", debate.slug);
    let frame = request.frame(Section::Arena, format!("Delete: {}", debate.title));
    let arguments = if last.number() == 1 { "argument" } else { "arguments" };
    let page = Confirmation {
        frame,
        noun: "debate",
        heading: format!("Delete “{}”?", debate.title),
        status: None,
        effect: format!(
            "The debate and its {last} {arguments} are deleted permanently. Agents that are \
             waiting in it are notified. This cannot be undone."
        ),
        export: Some(format!("{path}/export.md")),
        action: format!("{path}/delete"),
        button: "Delete permanently",
        path,
    };
    PageOutcome::Shown(request.render(&page))
}

/// The actions that the arbitrator has in the current state.
pub(crate) struct ArbitratorForm {
    /// The slug of the debate.
    pub(crate) slug: String,
    /// The debate's state, as a sentence for the arbitrator or for other readers.
    pub(crate) sentence: &'static str,
    /// Whether the browser may act as the arbitrator.
    pub(crate) is_allowed: bool,
    /// The way to arbitrator rights, if the state has actions that the browser may not take.
    pub(crate) hint: Option<RightsHint>,
    pub(crate) can_intervene: bool,
    pub(crate) can_rule: bool,
    /// The idempotency key of the form.
    pub(crate) request_key: String,
    pub(crate) content: String,
    pub(crate) form_token: String,
    /// The error of the last submission.
    pub(crate) error: Option<String>,
}

impl ArbitratorForm {
    pub(super) fn new(request: &PageRequest, debate: &Debate) -> Self {
        let actions = available_actions(debate.state, Role::Arbitrator);
        let is_allowed = can_arbitrate(request, debate);
        let has_any =
            |wanted: &[Action]| is_allowed && actions.iter().any(|action| wanted.contains(action));
        let hint = RightsHint::new(request, debate);
        Self {
            slug: debate.slug.clone(),
            sentence: state_sentence(debate.state, is_allowed),
            is_allowed,
            can_intervene: has_any(&[Action::SubmitIntervention]),
            can_rule: has_any(&[Action::SubmitRuling, Action::SubmitRulingClose]),
            request_key: new_request_key(),
            content: String::new(),
            form_token: request.form_token.clone(),
            error: None,
            hint: hint.filter(|_| !actions.is_empty()),
        }
    }
}

const fn state_sentence(state: State, is_allowed: bool) -> &'static str {
    match (state, is_allowed) {
        (State::AwaitingOpponent, true) => {
            "Waiting for the opponent. You can pause the debate and rule."
        }
        (State::AwaitingOpponent, false) => "Waiting for the opponent.",
        (State::AwaitingProposer, true) => {
            "Waiting for the proposer. You can pause the debate and rule."
        }
        (State::AwaitingProposer, false) => "Waiting for the proposer.",
        (State::AwaitingArbitrator, true) => {
            "The proposer asked for your decision. Both sides are waiting for your ruling."
        }
        (State::AwaitingArbitrator, false) => {
            "The proposer asked the arbitrator for a decision. Both sides are waiting for the \
             ruling."
        }
        (State::InterventionPending, true) => {
            "The debate is paused. Both sides are waiting for your ruling."
        }
        (State::InterventionPending, false) => {
            "The debate is paused. Both sides are waiting for the arbitrator’s ruling."
        }
        (State::Closed, _) => "The debate is closed. It accepts no more arguments.",
    }
}

/// An action of the arbitrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArbitratorAction {
    /// Pause the debate until a ruling.
    Intervene,
    /// Rule, and continue or close the debate.
    Rule(RulingEffect),
}

impl ArbitratorAction {
    /// The action as a move of the rules.
    #[must_use]
    pub const fn mv(self) -> Move {
        match self {
            Self::Intervene => Move::Intervene,
            Self::Rule(effect) => Move::Rule(effect),
        }
    }

    /// The last segment of the form's path.
    const fn path(self) -> &'static str {
        match self {
            Self::Intervene => "intervene",
            Self::Rule(_) => "rule",
        }
    }

    /// The heading above the text.
    const fn heading(self) -> &'static str {
        match self {
            Self::Intervene => "Reason for the pause",
            Self::Rule(_) => "Your ruling",
        }
    }

    /// The effect, as the preview states it.
    const fn effect(self) -> &'static str {
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
    const fn button(self) -> &'static str {
        match self {
            Self::Intervene => "Pause the debate",
            Self::Rule(RulingEffect::Continue) => "Rule and continue",
            Self::Rule(RulingEffect::Close) => "Rule and close",
        }
    }
}
