//! Processes of this machine: start times, signals, and the owner of a port.

use std::fmt;
use std::fs;
use std::io;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use debate_render::visible::line as one_line;

/// The start time in the system's own form; none if the process has ended.
pub(super) fn start_time(pid: u32) -> Option<String> {
    if cfg!(target_os = "linux") {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain anything, so fields are counted after its closing bracket.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let is_dead = matches!(fields.next()?, "Z" | "X");
        let ticks = fields.nth(18)?;
        // Ticks since boot; the boot id tells two boots apart.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        return if is_dead { None } else { Some(format!("{} {ticks}", boot.trim())) };
    }
    let output =
        Command::new("ps").args(["-o", "lstart=", "-p", &pid.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Sends SIGTERM to the process.
pub(super) fn terminate(pid: u32) -> io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process(pid, Signal::TERM)?)
}

/// A process that listens on a port, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PortOwner {
    pub(super) pid: u32,
    name: String,
}

/// The format is `nginx, process 4711`.
impl fmt::Display for PortOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, process {}", self.name, self.pid)
    }
}

/// The process that listens on a port of this machine, as far as this user can see it.
pub(super) fn listener(port: u16) -> Option<PortOwner> {
    let sockets: Vec<String> =
        ["/proc/net/tcp", "/proc/net/tcp6"].iter().flat_map(|table| inodes(table, port)).collect();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let number = entry.file_name().into_string().unwrap_or_default();
        let Ok(pid) = number.parse() else { continue };
        let Ok(files) = fs::read_dir(entry.path().join("fd")) else { continue };
        let mut links = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
        if links.any(|link| sockets.iter().any(|socket| link.as_os_str() == &**socket)) {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            return Some(PortOwner { pid, name: one_line(name.trim()) });
        }
    }
    None
}

/// The sockets that listen on a port, as links in `/proc/*/fd` name them.
fn inodes(table: &str, port: u16) -> Vec<String> {
    const LISTENING: &str = "0A";
    let table = fs::read_to_string(table).unwrap_or_default();
    let local = format!(":{port:04X}");
    let listening = table.lines().filter_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (address, state) = (fields.next()?, fields.nth(1)?);
        let inode = fields.nth(5)?;
        (address.ends_with(&local) && state == LISTENING).then(|| format!("socket:[{inode}]"))
    });
    listening.collect()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process::{Command, Stdio};

    use super::{listener, start_time};

    #[test]
    fn process_has_one_start_time_and_none_after_its_end() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat runs");
        let started = start_time(child.id());
        assert!(started.is_some());
        assert_eq!(started, start_time(child.id()));
        child.kill().expect("it is our own");
        child.wait().expect("it is our own");
        assert_eq!(start_time(child.id()), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn owner_of_a_port_has_name_and_process_id() {
        let listening = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listening.local_addr().expect("it is bound").port();
        let who = listener(port).expect("it is ourselves");
        assert_eq!(who.pid, std::process::id());
        assert!(who.to_string().ends_with(&format!("process {}", who.pid)), "{who}");
    }
}
