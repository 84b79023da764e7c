//! The server that runs at an address: its process, its age, and whether `aw` can stop it.

use std::net::SocketAddr;

use debate_net::BaseUrl;
use debate_render::{count, visible};

use super::probe::{ProbeResult, probe};
use super::run_dir::RunDir;
use super::{address_record, process};
use crate::client::{Client, HttpClient};
use crate::settings::ProcessEnvironment;
use crate::shell;

/// A server that responds on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunningServer {
    /// The process, as far as this user can see it.
    pub(crate) pid: Option<u32>,
    /// Seconds since its start.
    age: Option<u64>,
    /// Whether `aw` started it in the background.
    pub(crate) is_background: bool,
}

/// The known facts about the server on a port of this machine.
pub(crate) fn running(environment: &ProcessEnvironment, port: u16) -> RunningServer {
    let recorded = address_record::on_port(environment, port);
    let background = RunDir::at(environment, port).ok().and_then(|folder| folder.running_process());
    let background = background.map(|record| record.pid);
    let age = recorded.as_ref().and_then(|server| server.age);
    let recorded = recorded.map(|server| server.pid);
    let listener = || process::listener(port).map(|owner| owner.pid);
    let pid = background.or(recorded).or_else(listener);
    RunningServer { pid, age, is_background: background.is_some() }
}

impl RunningServer {
    /// `process 4711, started 2 minutes ago`; none if nothing is known.
    pub(crate) fn description(&self) -> Option<String> {
        let pid = self.pid.map(|pid| format!("process {pid}"));
        let age = self.age.map(|seconds| format!("started {}", ago(seconds)));
        let known: Vec<_> = pid.into_iter().chain(age).collect();
        (!known.is_empty()).then(|| known.join(", "))
    }
}

/// `2 minutes ago`
pub(crate) fn ago(seconds: u64) -> String {
    let (number, unit) = match seconds {
        0..5 => return "just now".to_owned(),
        5..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", count(number, unit))
}

/// The message of `aw serve` if an aweave server uses its address; none for another program.
pub async fn already_running(
    environment: &ProcessEnvironment,
    address: SocketAddr,
) -> Option<String> {
    let url = BaseUrl::parse(&format!("http://{address}"))?;
    let client = Client::without_retries(HttpClient::new(url.clone(), None));
    match probe(&client).await {
        ProbeResult::Healthy | ProbeResult::Unhealthy => {}
        ProbeResult::OtherProgram(_) | ProbeResult::Unresponsive(_) | ProbeResult::NotListening => {
            return None;
        }
    }
    let server = running(environment, address.port());
    let pid = server.pid.map(|pid| format!("process {pid}, ")).unwrap_or_default();
    let command = |name: &str| {
        let words = ["aw", name, "--server", &url.to_string()].map(str::to_owned);
        let is_default = crate::settings::is_default_url(&url);
        let words = if is_default { words.get(..2) } else { words.get(..) };
        shell::join(words.unwrap_or_default().iter().map(String::as_str))
    };
    let open = format!("open it with `{}`", command("open"));
    let advice = if server.is_background {
        format!("{open}, or stop it with `{}`", command("stop"))
    } else {
        open
    };
    Some(visible::line(&format!("aweave is already running ({pid}{url}); {advice}")))
}
