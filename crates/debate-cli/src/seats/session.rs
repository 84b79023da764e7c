//! The session of a command: a terminal or an agent, so that two of them in one folder do not use
//! each other's seats.
//!
//! In this order: `AW_SESSION`; the session of a coding agent that sets a variable; the controlling
//! terminal of this process or of its nearest ancestor that has one, with the start time of its
//! session leader; the nearest ancestor that is neither a shell nor a wrapper, with its start time.
//! Coding agents run each command in a new shell without a terminal, so the shell itself does not
//! name a session.

use debate_settings::table::SESSION;
use sha2::{Digest, Sha256};

use super::process_tree::{self, ProcessInfo};
use crate::failure::Failure;
use crate::settings::ProcessEnvironment;

/// The variable that names a session.
const SESSION_VARIABLE: &str = SESSION.variable;

/// The variables in which coding agents put their session.
const AGENT_VARIABLES: [&str; 2] = ["CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID"];

/// Programs that run one command each.
const SHELLS: [&str; 16] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "csh", "tcsh", "elvish",
    "nu", "xonsh", "pwsh", "rbash",
];

/// Programs that start one other program.
const WRAPPERS: [&str; 13] = [
    "env", "timeout", "nice", "xargs", "sudo", "setsid", "nohup", "stdbuf", "ionice", "doas",
    "time", "su", "runuser",
];

/// Programs that adopt the processes of others.
const INITS: [&str; 10] = [
    "init",
    "systemd",
    "launchd",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "s6-svscan",
    "runit",
    "containerd-shim",
];

/// The characters of a session's digest, in hexadecimal.
const DIGEST_CHARS: usize = 32;

/// The name of a session: a digest of what identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session(String);

impl Session {
    /// The session of this process; none if nothing identifies it.
    pub(crate) fn detect(environment: &ProcessEnvironment) -> Result<Option<Self>, Failure> {
        for name in [SESSION_VARIABLE].iter().chain(&AGENT_VARIABLES) {
            if let Some(value) = environment.text(name)? {
                return Ok(Some(Self::new(&format!("{name}={value}"))));
            }
        }
        let ancestry = process_tree::ancestry();
        let named = by_terminal(&ancestry, process_tree::read).or_else(|| by_ancestor(&ancestry));
        Ok(named.map(|named| Self::new(&format!("{} {named}", process_tree::boot()))))
    }

    fn new(text: &str) -> Self {
        let digest = debate_wire::hex(&Sha256::digest(text));
        Self(digest.chars().take(DIGEST_CHARS).collect())
    }

    /// A session with this name.
    #[cfg(test)]
    pub(super) fn from_name(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The nearest controlling terminal, with the leader of its session. A terminal's name is used
/// again after its end; the start time of the leader tells the two apart.
fn by_terminal(
    ancestry: &[ProcessInfo],
    read: impl Fn(u32) -> Option<ProcessInfo>,
) -> Option<String> {
    let nearest = ancestry.iter().find(|process| process.terminal.is_some())?;
    let terminal = nearest.terminal.as_ref()?;
    let on_terminal = |process: &&ProcessInfo| process.terminal.as_ref() == Some(terminal);
    let topmost = || ancestry.iter().rev().find(on_terminal).cloned();
    // A leader that has ended leaves its number, which no other process gets while the session
    // exists.
    let leader = match nearest.leader {
        Some(pid) => read(pid).map_or_else(|| format!("{pid}"), |leader| identify(&leader)),
        None => identify(&topmost()?),
    };
    Some(format!("terminal {terminal} {leader}"))
}

/// The nearest ancestor that is neither a shell nor a wrapper.
fn by_ancestor(ancestry: &[ProcessInfo]) -> Option<String> {
    let is_transient = |process: &&ProcessInfo| {
        let name = process.name.as_str();
        SHELLS.contains(&name) || WRAPPERS.contains(&name)
    };
    let nearest = ancestry.iter().skip(1).find(|process| !is_transient(process))?;
    // A process that lost its parent says nothing about the session that it came from.
    let is_init = INITS.contains(&nearest.name.as_str());
    (!is_init).then(|| format!("process {}", identify(nearest)))
}

fn identify(process: &ProcessInfo) -> String {
    format!("{} {}", process.pid, process.started)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of processes, nearest first: name and terminal. The number of a process is its
    /// distance from the end.
    fn chain(entries: &[(&str, Option<&str>)]) -> Vec<ProcessInfo> {
        let count = u32::try_from(entries.len()).expect("it is short");
        let process = |(index, (name, terminal)): (u32, &(&str, Option<&str>))| ProcessInfo {
            pid: count - index,
            parent: count - index - 1,
            name: (*name).to_owned(),
            terminal: terminal.map(str::to_owned),
            leader: Some(if terminal.is_some() { 2 } else { count - index }),
            started: format!("t{}", count - index),
        };
        (0..).zip(entries).map(process).collect()
    }

    fn session(ancestry: &[ProcessInfo]) -> Option<String> {
        let read = |pid| ancestry.iter().find(|process| process.pid == pid).cloned();
        by_terminal(ancestry, read).or_else(|| by_ancestor(ancestry))
    }

    #[test]
    fn nearest_terminal_and_its_leader_name_the_session() {
        let tty = Some("34816");
        let direct = chain(&[("aw", tty), ("bash", tty), ("sshd", None)]);
        assert_eq!(session(&direct).as_deref(), Some("terminal 34816 2 t2"));
        // An agent on that terminal runs each command in a new session without a terminal.
        let by_agent =
            chain(&[("aw", None), ("bash", None), ("node", tty), ("bash", tty), ("sshd", None)]);
        assert_eq!(session(&by_agent).as_deref(), Some("terminal 34816 2 t2"));
    }

    #[test]
    fn terminal_whose_leader_restarted_is_another_session() {
        let tty = Some("34816");
        let before = chain(&[("aw", tty), ("bash", tty), ("sshd", None)]);
        let mut after = before.clone();
        after[1].started = "later".to_owned();
        assert_ne!(session(&before), session(&after));
    }

    #[test]
    fn nearest_program_names_a_session_without_a_terminal() {
        let agent = chain(&[
            ("aw", None),
            ("bash", None),
            ("timeout", None),
            ("setsid", None),
            ("sh", None),
            ("codex", None),
            ("node", None),
            ("systemd", None),
        ]);
        assert_eq!(session(&agent).as_deref(), Some("process 3 t3"));
    }

    #[test]
    fn process_without_its_parent_has_no_session() {
        let adopted = chain(&[("aw", None), ("bash", None), ("systemd", None)]);
        assert_eq!(session(&adopted), None);
        let only_shells = chain(&[("aw", None), ("bash", None), ("sh", None)]);
        assert_eq!(session(&only_shells), None);
    }

    #[test]
    fn system_that_names_no_leader_uses_the_topmost_process_of_the_terminal() {
        let tty = Some("ttys003");
        let mut ancestry = chain(&[("aw", tty), ("zsh", tty), ("login", tty), ("Terminal", None)]);
        for process in &mut ancestry {
            process.leader = None;
        }
        assert_eq!(session(&ancestry).as_deref(), Some("terminal ttys003 2 t2"));
    }
}
