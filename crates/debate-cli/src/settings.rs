//! The settings of a command that talks to a server, from the rows of `debate_settings::table`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use debate_core::forum::AgentKey;
use debate_net::BaseUrl;
use debate_settings::table::{
    AUTO_START, CLIENT_TOKEN, POLL_INTERVAL, RETRY_DEADLINE, REVIEWER_TOKEN, SERVER_URL,
    WAIT_DEADLINE,
};
use debate_settings::{FlagValues, SettingError, Sources, VariableReader};

use crate::args::Common;
use crate::failure::Failure;

/// The environment of the process. It is a parameter, so that tests can replace it.
#[derive(Debug)]
pub struct ProcessEnvironment {
    /// Reads an environment variable.
    pub variable: VariableReader,
    /// The home folder of the user.
    pub home: Option<PathBuf>,
    /// The words of the command line, beginning with the name of the program.
    pub words: Vec<String>,
    /// The file of this program.
    pub program: io::Result<PathBuf>,
    /// The working directory.
    pub current_dir: io::Result<PathBuf>,
}

impl ProcessEnvironment {
    /// An environment variable. An empty value counts as absent.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let sources = Sources::new(FlagValues::new(), self.variable, None);
        Ok(sources.environment(name)?.map(|found| found.text))
    }

    /// The working directory, with symbolic links resolved; empty if it is unknown.
    pub(crate) fn folder(&self) -> String {
        let Ok(path) = &self.current_dir else { return String::new() };
        let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        resolved.to_string_lossy().into_owned()
    }

    /// The name by which this program was called: `aw`, or a path.
    pub(crate) fn invocation(&self) -> String {
        let path = self.words.first().filter(|word| word.contains('/'));
        path.cloned().unwrap_or_else(|| "aw".to_owned())
    }
}

/// The settings of a command that talks to a server.
pub(crate) struct ClientSettings {
    pub(crate) url: BaseUrl,
    /// Whether neither a flag nor the environment names the server.
    pub(crate) is_default_url: bool,
    pub(crate) token: Option<Token>,
    /// The time limit of `wait`, and of reconnects of `watch`.
    pub(crate) wait_deadline: Duration,
    /// The time limit for retries of a request.
    pub(crate) retry_deadline: Duration,
    /// The minimum pause between two attempts.
    pub(crate) pause_min: Duration,
    pub(crate) auto_start: bool,
    pub(crate) quiet: bool,
    pub(crate) when_refused: WhenRefused,
}

/// The reaction to a refused connection on this machine, where no server listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhenRefused {
    /// Fail at once: for commands that read once.
    Fail,
    /// Retry until the deadline: for writes and for commands that wait.
    Retry,
}

/// The server's token, a reviewer's token, an agent's key, or a secret of the arena. It has no
/// Debug and no Display, because it belongs in one header only.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) const fn new(secret: String) -> Self {
        Self(secret)
    }

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

impl ClientSettings {
    pub(crate) fn load(common: &Common, environment: &ProcessEnvironment) -> Result<Self, Failure> {
        let server = common.server.iter().map(|url| (SERVER_URL.variable, url.clone()));
        let sources = Sources::new(server.collect(), environment.variable, None);
        Ok(Self {
            url: parse_url(&sources)?,
            is_default_url: sources.configured_value(&SERVER_URL)?.is_none(),
            token: token(common.token_file.as_deref(), environment.text(CLIENT_TOKEN.variable)?)?,
            wait_deadline: sources.seconds(&WAIT_DEADLINE)?,
            retry_deadline: sources.seconds(&RETRY_DEADLINE)?,
            pause_min: sources.seconds(&POLL_INTERVAL)?,
            auto_start: sources.is_on(&AUTO_START)?,
            quiet: common.quiet,
            when_refused: WhenRefused::Retry,
        })
    }
}

/// Whether commands use this URL without `--server` and `DEBATE_SERVER_URL`.
pub(crate) fn is_default_url(url: &BaseUrl) -> bool {
    SERVER_URL.default == Some(url.to_string().as_str())
}

fn parse_url(sources: &Sources) -> Result<BaseUrl, SettingError> {
    let found = sources.find(&SERVER_URL)?.expect("the URL of the server has a default");
    BaseUrl::parse(&found.text).ok_or_else(|| found.invalid("a URL such as http://127.0.0.1:3456"))
}

impl From<SettingError> for Failure {
    fn from(err: SettingError) -> Self {
        Self::input(err.to_string(), "correct the value, or leave it out")
    }
}

fn token(file: Option<&Path>, by_variable: Option<String>) -> Result<Option<Token>, Failure> {
    let text = match file {
        Some(path) => Some(read_private(path, "token")?),
        None => by_variable,
    };
    let Some(text) = text else { return Ok(None) };
    let word = text.trim();
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_graphic()) {
        // The value is not shown, because it may be a real token with a mistake.
        let message = "the token must consist of printable ASCII characters without spaces";
        return Err(Failure::input(message, "check DEBATE_AUTH_TOKEN or the file of --token-file"));
    }
    Ok(Some(Token(word.to_owned())))
}

/// The token of a reviewer of the forum: its own, or else the server's.
pub(crate) fn reviewer_token(
    common: &Common,
    environment: &ProcessEnvironment,
) -> Result<Option<Token>, Failure> {
    let by_variable = match environment.text(REVIEWER_TOKEN.variable)? {
        Some(text) => Some(only_reviewer(&text)?),
        None => environment.text(CLIENT_TOKEN.variable)?,
    };
    token(common.token_file.as_deref(), by_variable)
}

/// The token in `name:token`. A server accepts several of these, a command only one.
fn only_reviewer(text: &str) -> Result<String, Failure> {
    let mut entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let (first, second) = (entries.next().unwrap_or_default(), entries.next());
    let Some((_, token)) = first.split_once(':') else { return Ok(text.to_owned()) };
    if second.is_some() {
        let message = "DEBATE_ADMIN_TOKEN has the tokens of several reviewers";
        return Err(Failure::input(message, "set it to your own token only"));
    }
    Ok(token.to_owned())
}

/// The most bytes that are read of a file with a secret.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// Reads a file with a secret. A file that other users can read is refused.
pub(crate) fn read_private(path: &Path, what: &str) -> Result<String, Failure> {
    let failed = |cause| Failure::from_file(path, cause);
    let about = fs::metadata(path).map_err(failed)?;
    if about.is_file() && about.permissions().mode() & 0o077 != 0 {
        let path = path.display();
        let message = format!("{path} contains a {what} and other users can read it");
        return Err(Failure::input(message, format!("run chmod 600 {path}")));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(SECRET_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}
