//! The form for a new run.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::runner::{CreatedRun, Runner, RunnerError};
use debate_core::ModelName;
use debate_core::RequestKey;
use debate_core::runner::{Command, Prices, RunDefaults, RunState, TotalTokens};
use debate_wire::runner as wire;

use crate::app_state::Settings;
use crate::extract::Parse;
use crate::pages::error_page::explain;
use crate::pages::form::{Form, new_key};
use crate::pages::page::{Frame, Section, Visitor};
use crate::problem::{Invalid, Problem};

/// The labels of the fields in error messages.
const NAMES: [(&str, &str); 12] = [
    ("topic", "The topic"),
    ("debater_a_side", "The side of debater A"),
    ("output_language", "The output language"),
    ("judge_mode", "The verdict setting"),
    ("model_debater_a", "Debater A’s model"),
    ("model_debater_b", "Debater B’s model"),
    ("model_judge", "The judge’s model"),
    ("max_rounds", "The maximum number of rounds"),
    ("max_runtime_seconds", "The maximum running time"),
    ("max_total_output_tokens", "The maximum number of output tokens per run"),
    ("max_tokens_debater", "The maximum number of tokens per debater turn"),
    ("max_tokens_judge", "The maximum number of tokens per judge turn"),
];

#[derive(Template)]
#[template(path = "pages/runner/new.html")]
struct NewPage {
    frame: Frame,
    form_values: NewRunForm,
    /// Models by their whole name.
    models: Vec<String>,
    /// Providers that accept any model name.
    providers: Vec<String>,
    error: Option<String>,
    /// The field that the error is about.
    field: String,
    cost_limit: CostLimit,
}

/// The button that shows everything without a model, a key or a question.
pub(crate) struct Demo {
    pub(crate) form_token: String,
    pub(crate) request_key: String,
}

impl Demo {
    pub(in crate::pages) fn new(form_token: &str) -> Self {
        Self { form_token: form_token.to_owned(), request_key: new_key() }
    }
}

/// The maximum cost of the run, as far as the form determines it.
struct CostLimit {
    tokens: Option<u32>,
    money: Option<String>,
    is_demo: bool,
}

/// The values of the form.
struct NewRunForm {
    request_key: String,
    topic: String,
    debater_a_side: String,
    output_language: String,
    judge_mode: String,
    model_debater_a: String,
    model_debater_b: String,
    model_judge: String,
    max_rounds: String,
    max_runtime_seconds: String,
    max_total_output_tokens: String,
    max_tokens_debater: String,
    max_tokens_judge: String,
}

impl NewRunForm {
    fn by_default(defaults: &RunDefaults) -> Self {
        Self {
            request_key: new_key(),
            topic: String::new(),
            debater_a_side: "pro".to_owned(),
            output_language: "en".to_owned(),
            judge_mode: "round".to_owned(),
            model_debater_a: defaults.model_debater.to_string(),
            model_debater_b: defaults.model_debater.to_string(),
            model_judge: defaults.model_judge.to_string(),
            max_rounds: defaults.max_rounds.to_string(),
            max_runtime_seconds: defaults.max_runtime_seconds.to_string(),
            max_total_output_tokens: defaults.max_total_output_tokens.to_string(),
            max_tokens_debater: defaults.max_tokens_debater.to_string(),
            max_tokens_judge: defaults.max_tokens_judge.to_string(),
        }
    }

    fn of(form: &Form) -> Self {
        let text = |name| form.text(name);
        Self {
            request_key: form.request_key(),
            topic: text("topic"),
            debater_a_side: text("debater_a_side"),
            output_language: text("output_language"),
            judge_mode: text("judge_mode"),
            model_debater_a: text("model_debater_a"),
            model_debater_b: text("model_debater_b"),
            model_judge: text("model_judge"),
            max_rounds: text("max_rounds"),
            max_runtime_seconds: text("max_runtime_seconds"),
            max_total_output_tokens: text("max_total_output_tokens"),
            max_tokens_debater: text("max_tokens_debater"),
            max_tokens_judge: text("max_tokens_judge"),
        }
    }

    /// The contract's body, so that a page takes exactly what the API takes. What is left empty is
    /// the server's choice.
    fn body(&self) -> Result<wire::CreateDebate, Invalid> {
        let text = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        let number = |field: &str, value: &str| {
            let wrong = |_| Invalid::new(field, "must be a whole number");
            text(value).map(|digits| digits.parse::<i64>().map_err(wrong)).transpose()
        };
        let settings = wire::SettingsDraft {
            debater_a_side: text(&self.debater_a_side),
            output_language: text(&self.output_language),
            judge_mode: text(&self.judge_mode),
            model_debater_a: text(&self.model_debater_a),
            model_debater_b: text(&self.model_debater_b),
            model_judge: text(&self.model_judge),
            max_rounds: number("max_rounds", &self.max_rounds)?,
            max_runtime_seconds: number("max_runtime_seconds", &self.max_runtime_seconds)?,
            max_total_output_tokens: number(
                "max_total_output_tokens",
                &self.max_total_output_tokens,
            )?,
            max_tokens_debater: number("max_tokens_debater", &self.max_tokens_debater)?,
            max_tokens_judge: number("max_tokens_judge", &self.max_tokens_judge)?,
            ..wire::SettingsDraft::default()
        };
        Ok(wire::CreateDebate { topic: self.topic.clone(), settings: Some(settings) })
    }
}

impl CostLimit {
    /// As if the dearest of the three said everything.
    fn of(form_values: &NewRunForm, defaults: &RunDefaults, prices: &Prices) -> Self {
        let model = |text: &str, default: &ModelName| match text.trim() {
            "" => Some(default.clone()),
            name => ModelName::new(name).ok(),
        };
        let models = [
            model(&form_values.model_debater_a, &defaults.model_debater),
            model(&form_values.model_debater_b, &defaults.model_debater),
            model(&form_values.model_judge, &defaults.model_judge),
        ];
        let tokens = match form_values.max_total_output_tokens.trim() {
            "" => Some(defaults.max_total_output_tokens),
            digits => digits.parse().ok().and_then(|number| TotalTokens::new(number).ok()),
        };
        let tokens = tokens.map(TotalTokens::number);
        let price =
            |model: &Option<ModelName>| Some(prices.find(model.as_ref()?)?.cost(0, tokens?.into()));
        let mut amounts = models.iter().map(price);
        let first = amounts.next().flatten();
        let money = first.and_then(|first| amounts.try_fold(first, |most, one| most.max(&one?)));
        Self {
            tokens,
            money: money.map(|money| format!("{money} {}", money.currency().code())),
            is_demo: models.iter().all(|model| model.as_ref().is_some_and(ModelName::is_demo)),
        }
    }
}

fn page(
    visitor: &Visitor,
    runner: &Runner,
    settings: &Settings,
    form_values: NewRunForm,
    wrong: Option<Problem>,
) -> Response {
    let status = wrong.as_ref().map_or(StatusCode::OK, Problem::status);
    let field = wrong.as_ref().and_then(Problem::field).unwrap_or_default().to_owned();
    let (providers, models) =
        runner.models().into_iter().partition(|model| model.ends_with(":MODEL"));
    let new = NewPage {
        frame: visitor.frame(Section::Runner, "New run"),
        cost_limit: CostLimit::of(&form_values, runner.defaults(), &settings.prices),
        form_values,
        models,
        providers,
        error: wrong.map(|problem| explain(&problem, &NAMES)),
        field,
    };
    visitor.page_with(status, &new)
}

/// `GET /runs/new`
pub(crate) async fn draft(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    visitor: Visitor,
) -> Response {
    page(&visitor, &runner, &settings, NewRunForm::by_default(runner.defaults()), None)
}

/// `POST /runs/new`
pub(crate) async fn begin(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    form: Form,
) -> Response {
    let mut form_values = NewRunForm::of(&form);
    if form.text("step") == "cost" {
        return page(&form.visitor, &runner, &settings, form_values, None);
    }
    match create_and_start(&runner, &settings, &form_values).await {
        Ok(place) => Redirect::to(&place).into_response(),
        Err(problem) => {
            form_values.forget_used_key(&problem);
            page(&form.visitor, &runner, &settings, form_values, Some(problem))
        }
    }
}

impl NewRunForm {
    /// With the used key the form would be refused again.
    fn forget_used_key(&mut self, problem: &Problem) {
        if problem.is_key_reused() {
            self.request_key = new_key();
        }
    }
}

/// Makes the debate and starts it. Sent again, it is the same debate, and started if it was not.
async fn create_and_start(
    runner: &Runner,
    settings: &Settings,
    form_values: &NewRunForm,
) -> Result<String, Problem> {
    let wish = form_values.body()?.parse(settings)?;
    let key = RequestKey::new(form_values.request_key.clone())
        .map_err(|err| Invalid::new("client_request_id", err))?;
    let (CreatedRun::Fresh(run) | CreatedRun::Replayed(run)) =
        runner.create(wish.topic, wish.settings, Some(key)).await?;
    // Sent again after it was stopped, it stays so.
    if run.state == RunState::Created {
        match runner.command(run.id, Command::Start).await {
            Ok(_) | Err(RunnerError::Refused(_)) => {}
            Err(err) => return Err(err.into()),
        }
    }
    Ok(format!("/runs/{}", run.id))
}
