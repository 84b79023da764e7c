//! The name under which a session writes, unless a flag gives one.

use debate_core::arena::HolderName;

use crate::failure::Failure;
use crate::settings::ProcessEnvironment;

/// Coding agents, and the variables that they set for the commands they run.
const AGENTS: [(&str, &[&str]); 5] = [
    ("claude-code", &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"]),
    (
        "codex",
        &[
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_THREAD_ID",
            "CODEX_CI",
            "CODEX_SESSION_ID",
        ],
    ),
    ("cursor", &["CURSOR_AGENT", "CURSOR_TRACE_ID", "CURSOR_SESSION_ID", "CURSOR_CLI"]),
    ("copilot", &["COPILOT_AGENT_SESSION_ID"]),
    ("gemini-cli", &["GEMINI_CLI"]),
];

/// The name of a session without a known agent and user.
const UNKNOWN: &str = "participant";

/// The name that a flag gives, or that of the agent or the user who runs the command.
pub(crate) fn holder_name(
    flag: Option<&str>,
    environment: &ProcessEnvironment,
) -> Result<String, Failure> {
    let Some(named) = flag else { return default_name(environment) };
    let name = HolderName::new(named).map_err(|err| {
        Failure::input(format!("--holder {err}"), "pass another name with --holder")
    })?;
    Ok(name.as_str().to_owned())
}

fn default_name(environment: &ProcessEnvironment) -> Result<String, Failure> {
    for (name, variables) in AGENTS {
        for variable in variables {
            if environment.text(variable)?.is_some() {
                return Ok(name.to_owned());
            }
        }
    }
    let user = match environment.text("USER")? {
        Some(user) => Some(user),
        None => environment.text("LOGNAME")?,
    };
    let user = user.unwrap_or_else(|| UNKNOWN.to_owned());
    let fitting = HolderName::new(&user).or_else(|_| HolderName::new(&format!("user {user}")));
    Ok(fitting.map_or_else(|_| UNKNOWN.to_owned(), |name| name.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::io;

    use super::*;

    fn environment(variable: fn(&str) -> Option<OsString>) -> ProcessEnvironment {
        let none = || Err(io::Error::from(io::ErrorKind::NotFound));
        ProcessEnvironment {
            variable,
            home: None,
            words: Vec::new(),
            program: none(),
            current_dir: none(),
        }
    }

    #[test]
    fn agent_is_known_by_its_variables_and_a_person_by_the_user_name() {
        let name = |variable| holder_name(None, &environment(variable)).expect("it is valid");
        assert_eq!(name(|name| (name == "CLAUDECODE").then(|| "1".into())), "claude-code");
        assert_eq!(name(|name| (name == "CODEX_SANDBOX").then(|| "seatbelt".into())), "codex");
        assert_eq!(name(|name| (name == "CURSOR_TRACE_ID").then(|| "1".into())), "cursor");
        assert_eq!(name(|name| (name == "USER").then(|| "ada".into())), "ada");
        assert_eq!(name(|name| (name == "LOGNAME").then(|| "bob".into())), "bob");
        assert_eq!(name(|name| (name == "USER").then(|| "Web".into())), "user Web");
        assert_eq!(name(|_| None), "participant");
    }

    #[test]
    fn reserved_name_in_a_flag_is_refused() {
        let failure = holder_name(Some(" Server"), &environment(|_| None));
        assert!(failure.is_err_and(|failure| failure.to_string().contains("reserved")));
    }
}
