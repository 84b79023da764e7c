//! The form for a new run, with the maximum cost that its values determine.

use askama::Template;
use debate_app::runner::Runner;
use debate_core::ModelName;
use debate_core::runner::{Prices, RunDefaults, TotalTokens};
use debate_wire::runner as wire;

use crate::frame::{Frame, PageRequest, Section};
use crate::new_request_key;
use crate::outcome::{ErrorReport, PageOutcome};

/// The labels of the fields in error messages.
const LABELS: [(&str, &str); 12] = [
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
#[template(path = "runner/new.html")]
struct NewRunPage {
    frame: Frame,
    form: RunForm,
    /// Models by their whole name.
    models: Vec<String>,
    /// Providers that accept any model name.
    providers: Vec<String>,
    error: Option<String>,
    /// The field that the error is about.
    field: String,
    cost_limit: CostLimit,
}

/// The form that starts a demo run.
pub(crate) struct DemoForm {
    pub(crate) form_token: String,
    pub(crate) request_key: String,
}

impl DemoForm {
    pub(crate) fn new(form_token: &str) -> Self {
        Self { form_token: form_token.to_owned(), request_key: new_request_key() }
    }
}

/// The maximum cost of the run, as far as the form determines it.
struct CostLimit {
    tokens: Option<u32>,
    money: Option<String>,
    is_demo: bool,
}

/// The values of the form, as the browser sends them.
#[derive(Debug)]
pub struct RunForm {
    /// The idempotency key of the form.
    pub request_key: String,
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

impl RunForm {
    /// The form with the server's defaults.
    #[must_use]
    pub fn with_defaults(defaults: &RunDefaults) -> Self {
        Self {
            request_key: new_request_key(),
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

    /// The submitted values. `text` returns the value of a field.
    pub fn from_fields(request_key: String, text: impl Fn(&str) -> String) -> Self {
        Self {
            request_key,
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

    /// The values as a body of the API, so that the page accepts exactly what the API accepts. The
    /// server chooses a default for each empty value.
    pub fn body(&self) -> Result<wire::CreateDebate, NotANumber> {
        let text = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        let number = |field: &'static str, value: &str| {
            let digits = text(value);
            digits.map(|digits| digits.parse::<i64>().map_err(|_| NotANumber(field))).transpose()
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

/// The name of a field whose value is not a whole number.
#[derive(Debug)]
pub struct NotANumber(pub &'static str);

impl CostLimit {
    /// The cost if the most expensive of the three models writes all tokens.
    fn new(form: &RunForm, defaults: &RunDefaults, prices: &Prices) -> Self {
        let model = |text: &str, default: &ModelName| match text.trim() {
            "" => Some(default.clone()),
            name => ModelName::new(name).ok(),
        };
        let models = [
            model(&form.model_debater_a, &defaults.model_debater),
            model(&form.model_debater_b, &defaults.model_debater),
            model(&form.model_judge, &defaults.model_judge),
        ];
        let tokens = match form.max_total_output_tokens.trim() {
            "" => Some(defaults.max_total_output_tokens),
            digits => digits.parse().ok().and_then(|number| TotalTokens::new(number).ok()),
        };
        let tokens = tokens.map(TotalTokens::number);
        let price =
            |model: &Option<ModelName>| Some(prices.find(model.as_ref()?)?.cost(0, tokens?.into()));
        let mut amounts = models.iter().map(price);
        let first = amounts.next().flatten();
        let money =
            first.and_then(|first| amounts.try_fold(first, |max, amount| max.max(&amount?)));
        Self {
            tokens,
            money: money.map(|money| format!("{money} {}", money.currency().code())),
            is_demo: models.iter().all(|model| model.as_ref().is_some_and(ModelName::is_demo)),
        }
    }
}

/// The form with its values, and with the error of its last submission.
#[must_use]
pub fn new_run(
    request: &PageRequest,
    runner: &Runner,
    prices: &Prices,
    form: RunForm,
    error: Option<&ErrorReport>,
) -> PageOutcome {
    let (providers, models) =
        runner.models().into_iter().partition(|model| model.ends_with(":MODEL"));
    let page = NewRunPage {
        frame: request.frame(Section::Runner, "New run"),
        cost_limit: CostLimit::new(&form, runner.defaults(), prices),
        form,
        models,
        providers,
        error: error.map(|error| error.explain(&LABELS)),
        field: ErrorReport::field_name(error),
    };
    PageOutcome::of_form(request.render(&page), error)
}
