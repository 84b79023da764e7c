//! The processes above this one: names, terminals and start times.
//!
//! Linux has them in `/proc`. Other systems are asked with `ps`, which does not name the leader of
//! a session; the topmost ancestor on the same terminal stands for it.

use std::fs;
use std::process::Command;

/// The most ancestors that are read.
const ANCESTORS_MAX: usize = 64;

/// A process, as far as the detection of a session needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessInfo {
    pub(super) pid: u32,
    pub(super) parent: u32,
    /// The name of its program, without a path.
    pub(super) name: String,
    /// The controlling terminal, in the system's own form; none without one.
    pub(super) terminal: Option<String>,
    /// The leader of its session; none if the system does not tell.
    pub(super) leader: Option<u32>,
    /// The start time in the system's own form. With the process id it names a process for good.
    pub(super) started: String,
}

/// This process and its ancestors, nearest first.
pub(super) fn ancestry() -> Vec<ProcessInfo> {
    let mut found: Vec<ProcessInfo> = Vec::new();
    let mut next = Some(std::process::id());
    while let Some(process) = next.filter(|_| found.len() < ANCESTORS_MAX).and_then(read) {
        next = Some(process.parent).filter(|parent| *parent > 0);
        found.push(process);
    }
    found
}

/// A process; none if it has ended or cannot be read.
pub(super) fn read(pid: u32) -> Option<ProcessInfo> {
    if cfg!(target_os = "linux") {
        parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    } else {
        let columns = "ppid=,tty=,lstart=,comm=";
        let output = Command::new("ps").args(["-o", columns, "-p", &pid.to_string()]).output();
        parse_ps(pid, &String::from_utf8(output.ok()?.stdout).ok()?)
    }
}

/// The number of a boot of this machine; start times count from it.
pub(super) fn boot() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    boot.trim().to_owned()
}

/// Parses `/proc/PID/stat`. The name may contain anything, so fields are counted after its closing
/// bracket.
fn parse_stat(stat: &str) -> Option<ProcessInfo> {
    let (head, rest) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once('(')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // After the name: state, parent, group, session, terminal, …, start time.
    let field = |index: usize| fields.get(index).copied();
    let terminal = field(4).filter(|number| *number != "0").map(str::to_owned);
    Some(ProcessInfo {
        pid: pid.trim().parse().ok()?,
        parent: field(1)?.parse().ok()?,
        name: name.to_owned(),
        terminal,
        leader: field(3)?.parse().ok(),
        started: field(19)?.to_owned(),
    })
}

/// Parses a line of `ps` with the parent, the terminal, the start time and the program.
fn parse_ps(pid: u32, line: &str) -> Option<ProcessInfo> {
    let mut words = line.split_whitespace();
    let parent = words.next()?.parse().ok()?;
    let terminal = words.next().filter(|name| !name.starts_with('?')).map(str::to_owned);
    let started: Vec<&str> = words.by_ref().take(5).collect();
    let program = words.collect::<Vec<_>>().join(" ");
    let name = program.rsplit('/').next().unwrap_or_default().trim_start_matches('-').to_owned();
    Some(ProcessInfo { pid, parent, name, terminal, leader: None, started: started.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_parsed_whatever_the_name_of_the_program_is() {
        let stat = "4711 (a) b (c)) S 17 4711 4700 34816 4711 4194304 1 2 3 4 5 6 7 8 20 0 1 0 \
                    987654 1 2 3";
        let process = parse_stat(stat).expect("it is complete");
        assert_eq!((process.pid, process.parent), (4711, 17));
        assert_eq!(process.name, "a) b (c)");
        assert_eq!(process.terminal.as_deref(), Some("34816"));
        assert_eq!((process.leader, process.started.as_str()), (Some(4700), "987654"));
        let without = stat.replace(" 34816 ", " 0 ");
        assert_eq!(parse_stat(&without).expect("it is complete").terminal, None);
        assert_eq!(parse_stat("4711 (x) S 1"), None);
    }

    #[test]
    fn line_of_ps_is_parsed() {
        let line = "  501 ttys003  Wed Nov 18 14:25:24 2026 /bin/-zsh\n";
        let process = parse_ps(9, line).expect("it is complete");
        assert_eq!((process.parent, process.terminal.as_deref()), (501, Some("ttys003")));
        assert_eq!((process.name.as_str(), process.leader), ("zsh", None));
        assert_eq!(process.started, "Wed Nov 18 14:25:24 2026");
        let without = parse_ps(9, "1 ?? Wed Nov 18 14:25:24 2026 node").expect("it is complete");
        assert_eq!(without.terminal, None);
    }

    #[test]
    fn ancestry_begins_with_this_process() {
        let ancestry = ancestry();
        let pids: Vec<_> = ancestry.iter().map(|process| process.pid).collect();
        assert_eq!(pids.first(), Some(&std::process::id()));
        assert!(pids.len() > 1, "{ancestry:?}");
        let parents: Vec<_> = ancestry.iter().map(|process| process.parent).collect();
        assert_eq!(pids.get(1..), parents.get(..parents.len() - 1), "each is the next one's child");
    }
}
