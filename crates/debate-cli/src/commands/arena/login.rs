//! Links that sign a browser in as the arbitrator, with a one-time code.

use std::io::{self, IsTerminal};
use std::time::Duration;

use debate_wire::LoginCode;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::arbitrate::local_rights;
use crate::client::{ApiRequest, Attempted};
use crate::commands::CommandContext;

/// The time limit for a code: the pages can be opened without one.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The characters that a value of a query keeps.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'/');

/// A link that signs in and then shows the page at `path`. None without a terminal, and where the
/// server does not prove to have the arbitrator token of this machine.
pub(in crate::commands) async fn link(path: &str, context: &CommandContext<'_>) -> Option<String> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return None;
    }
    let rights = local_rights(context)?;
    let request = ApiRequest::command("/session/codes").with_credentials(rights);
    match context.client.attempt::<LoginCode>(&request, TIME_LIMIT).await {
        Attempted::Success(LoginCode { code, .. }) => {
            let code = utf8_percent_encode(&code, ENCODED);
            let next = utf8_percent_encode(path, ENCODED);
            Some(format!("{}/login?code={code}&next={next}", context.settings.url))
        }
        Attempted::Rejected(failure) | Attempted::Retryable(failure, _) => {
            context
                .client
                .notes
                .print(format_args!("opening without arbitrator rights: {failure}"));
            None
        }
    }
}
