//! Explains that the server lacks the key of a model's provider, and restarts the server with it.

use debate_wire::ErrorCode;
use serde_json::Value;

use crate::args::StartArgs;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::prompt::{self, DefaultAnswer};
use crate::service::{self, RunningServer};

/// Handles the refusal of a model. Returns normally if the server was restarted with the missing
/// key, so that the request can be sent again.
pub(super) async fn restart_with_key(
    failure: Failure,
    args: &StartArgs,
    context: &CommandContext<'_>,
) -> Result<(), Failure> {
    let Some(model) = unconfigured_model(&failure, args) else { return Err(failure) };
    let Some((provider, _)) = model.split_once(':') else { return Err(failure) };
    let Some(variable) = service::key_variable(provider, context)? else { return Err(failure) };
    let port = context.settings.url.port;
    let server = if context.settings.url.is_loopback() {
        service::running(context.environment, port)
    } else {
        RunningServer::default()
    };
    let has_key = context.environment.text(&variable)?.is_some();
    let known = server.description().map(|known| format!(" ({known})")).unwrap_or_default();
    let message = format!("the server{known} has no {variable}, which {model} needs");
    if has_key && server.is_background && prompt::can_ask() {
        context.client.notes.print(format_args!("{message}"));
        let question = format!("Restart the server with {variable} from this environment?");
        if prompt::ask(&question, DefaultAnswer::Yes)? {
            return service::restart(context).await.map(|_| ());
        }
    }
    let restart = context.command(&["restart"]);
    let suggestion = match (has_key, server.is_background) {
        (true, true) => format!("run `{restart}`, which passes {variable} to the server"),
        (true, false) => format!("stop the server and start it again with {variable} set"),
        (false, true) => format!(
            "set {variable}, or save the key with `aw config set-key {provider}`; then run \
             `{restart}`"
        ),
        (false, false) => format!("set {variable} where the server starts, and restart the server"),
    };
    Err(with_text(failure, message, suggestion))
}

/// The model that the server refused because its provider is not configured.
fn unconfigured_model<'a>(failure: &Failure, args: &'a StartArgs) -> Option<&'a str> {
    let Failure::Rejected(error) = failure else { return None };
    if !failure.has_code(ErrorCode::InvalidInput) {
        return None;
    }
    let model = match error.get("field")?.as_str()? {
        "model_debater" => args.model.as_deref(),
        "model_debater_a" => args.model_a.as_deref(),
        "model_debater_b" => args.model_b.as_deref(),
        "model_judge" => args.judge.as_deref(),
        _ => None,
    }?;
    let is_refused = error.get("message")?.as_str()?.contains("is not configured");
    is_refused.then_some(model)
}

fn with_text(failure: Failure, message: String, suggestion: String) -> Failure {
    let Failure::Rejected(Value::Object(mut error)) = failure else { return failure };
    error.insert("message".to_owned(), message.into());
    error.insert("suggestion".to_owned(), suggestion.into());
    Failure::Rejected(error.into())
}
