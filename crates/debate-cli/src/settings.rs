//! The settings of a command: flags first, then the environment.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use debate_core::forum::AgentKey;

use crate::address::{EXPECTED, ServerUrl};
use crate::args::Common;
use crate::fault::Fault;

/// What the process finds around it. Handed in, so that nothing in here looks for itself.
#[derive(Debug)]
pub struct Surroundings {
    /// The environment.
    pub variable: fn(&str) -> Option<OsString>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The words of the command line, the program's own name first.
    pub words: Vec<String>,
    /// This program's own file.
    pub program: io::Result<PathBuf>,
}

impl Surroundings {
    /// A variable that says something. One that is no text is not passed over in silence.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        let Some(value) = (self.variable)(name) else { return Ok(None) };
        let value = value.into_string().map_err(|_| bad(name, "UTF-8 text"))?;
        Ok(Some(value).filter(|text| !text.trim().is_empty()))
    }

    /// How this program was called: by its name, or by a path that is still there in a minute.
    pub(crate) fn invocation(&self) -> String {
        let called = self.words.first().filter(|word| word.contains('/'));
        called.cloned().unwrap_or_else(|| "aw".to_owned())
    }
}

/// What a command is run with.
pub(crate) struct Settings {
    pub(crate) url: ServerUrl,
    pub(crate) token: Option<Token>,
    /// How long `wait` waits, and how long `watch` puts up with silence.
    pub(crate) wait_deadline: Duration,
    /// How long a request is tried again.
    pub(crate) retry_deadline: Duration,
    /// The shortest pause between two tries.
    pub(crate) pause_floor: Duration,
    pub(crate) auto_start: bool,
    pub(crate) quiet: bool,
}

/// The server's token, a reviewer's, or an agent's key. It has no Debug and no Display: it is for
/// one header alone.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl From<AgentKey> for Token {
    fn from(key: AgentKey) -> Self {
        Self(key.reveal().to_owned())
    }
}

const URL_DEFAULT: &str = "http://127.0.0.1:3456";
const WAIT_DEFAULT: Duration = Duration::from_mins(2);
const RETRY_DEFAULT: Duration = Duration::from_secs(10);
const PAUSE_DEFAULT: Duration = Duration::from_millis(100);

/// A day: nobody waits longer for one command.
const SECONDS_MAX: f64 = 86_400.0;

impl Settings {
    pub(crate) fn load(common: &Common, around: &Surroundings) -> Result<Self, Fault> {
        let found = |name: &str| around.text(name);
        let span = |name: &str, usual: Duration| match found(name)? {
            None => Ok(usual),
            Some(text) => seconds(&text).ok_or_else(|| {
                bad(&format!("{name}={text}"), "a number of seconds from 0 to 86400")
            }),
        };
        Ok(Self {
            url: url(common.server.as_deref(), found("DEBATE_SERVER_URL")?)?,
            token: token(common.token_file.as_deref(), found("DEBATE_AUTH_TOKEN")?)?,
            wait_deadline: span("DEBATE_WAIT_DEADLINE", WAIT_DEFAULT)?,
            retry_deadline: span("DEBATE_RETRY_DEADLINE", RETRY_DEFAULT)?,
            pause_floor: span("DEBATE_POLL_INTERVAL", PAUSE_DEFAULT)?,
            auto_start: flag(found("DEBATE_AUTO_START")?)?,
            quiet: common.quiet,
        })
    }
}

fn bad(given: &str, accepted: &str) -> Fault {
    Fault::input(format!("{given}: expected {accepted}"), "correct the value, or leave it out")
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    let fits = (0.0..=SECONDS_MAX).contains(&seconds);
    fits.then(|| Duration::from_secs_f64(seconds))
}

fn url(by_flag: Option<&str>, by_variable: Option<String>) -> Result<ServerUrl, Fault> {
    let (origin, text) = match (by_flag, by_variable) {
        (Some(text), _) => ("--server", text.to_owned()),
        (None, Some(text)) => ("DEBATE_SERVER_URL", text),
        (None, None) => ("the default", URL_DEFAULT.to_owned()),
    };
    ServerUrl::parse(&text).ok_or_else(|| bad(&format!("{origin}={text}"), EXPECTED))
}

fn flag(found: Option<String>) -> Result<bool, Fault> {
    let Some(text) = found else { return Ok(true) };
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(bad(&format!("DEBATE_AUTO_START={text}"), "true or false")),
    }
}

fn token(file: Option<&Path>, by_variable: Option<String>) -> Result<Option<Token>, Fault> {
    let text = match file {
        Some(path) => Some(read_private(path, "token")?),
        None => by_variable,
    };
    let Some(text) = text else { return Ok(None) };
    let word = text.trim();
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_graphic()) {
        // What it is stays untold: it is a secret all the same.
        let message = "the token must consist of printable ASCII characters without spaces";
        return Err(Fault::input(message, "check DEBATE_AUTH_TOKEN or the file of --token-file"));
    }
    Ok(Some(Token(word.to_owned())))
}

/// What a reviewer of the forum shows: its own token, or else the server's.
pub(crate) fn reviewer(common: &Common, around: &Surroundings) -> Result<Option<Token>, Fault> {
    let by_variable = match around.text("DEBATE_ADMIN_TOKEN")? {
        Some(text) => Some(one_reviewer(&text)?),
        None => around.text("DEBATE_AUTH_TOKEN")?,
    };
    token(common.token_file.as_deref(), by_variable)
}

/// A server is given `name:token` for each of its reviewers; here there is one.
fn one_reviewer(text: &str) -> Result<String, Fault> {
    let mut entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let (first, second) = (entries.next().unwrap_or_default(), entries.next());
    let Some((_, token)) = first.split_once(':') else { return Ok(text.to_owned()) };
    if second.is_some() {
        let message = "DEBATE_ADMIN_TOKEN has the tokens of several reviewers";
        return Err(Fault::input(message, "set it to your own token only"));
    }
    Ok(token.to_owned())
}

/// More than any secret has.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// A file that others can read is no place for a secret.
pub(crate) fn read_private(path: &Path, what: &str) -> Result<String, Fault> {
    let failed = |cause| Fault::of_file(path, cause);
    let about = fs::metadata(path).map_err(failed)?;
    if about.is_file() && about.permissions().mode() & 0o077 != 0 {
        let path = path.display();
        let message = format!("{path} contains a {what} and other users can read it");
        return Err(Fault::input(message, format!("run chmod 600 {path}")));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(SECRET_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = include_str!("../../../docs/configuration.md");

    #[test]
    fn the_reference_page_lists_the_defaults_of_the_command_line() {
        let around = Surroundings {
            variable: |_| None,
            home: None,
            words: Vec::new(),
            program: Ok(PathBuf::new()),
        };
        let Ok(settings) = Settings::load(&Common::default(), &around) else {
            panic!("the defaults can be used")
        };
        let section = DOCUMENT.split("\n## Command line").nth(1).expect("the section exists");
        let rows = [
            ("DEBATE_SERVER_URL", settings.url.to_string()),
            ("DEBATE_WAIT_DEADLINE", settings.wait_deadline.as_secs_f64().to_string()),
            ("DEBATE_RETRY_DEADLINE", settings.retry_deadline.as_secs_f64().to_string()),
            ("DEBATE_POLL_INTERVAL", settings.pause_floor.as_secs_f64().to_string()),
            ("DEBATE_AUTO_START", settings.auto_start.to_string()),
        ];
        for (name, default) in rows {
            assert!(section.contains(&format!("| `{name}` | `{default}` |")), "{name} {default}");
        }
        assert!(settings.token.is_none() && section.contains("| `DEBATE_AUTH_TOKEN` | none |"));
    }
}
