//! The hardware, the system and the commit of a measurement, without anything
//! that identifies the machine.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub(crate) struct Machine {
    date: String,
    commit: String,
    rustc: String,
    kernel: String,
    processor: String,
    cores: usize,
    memory_mib: usize,
    /// CPU time of other programs during the run, in percent; it distorts the figures.
    others_percent: f64,
}

impl Machine {
    /// Reads the machine at the end of a run that began with `watch`.
    pub(crate) fn read(watch: &Watch) -> anyhow::Result<Self> {
        Ok(Self {
            date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            commit: commit(),
            rustc: command_output("rustc", &["--version"]).unwrap_or_else(unknown),
            kernel: first_line("/proc/sys/kernel/osrelease").unwrap_or_else(unknown),
            processor: processor().unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_mib: memory_mib().unwrap_or_default(),
            others_percent: watch.others_percent()?,
        })
    }

    pub(crate) fn sentence(&self) -> String {
        let Self { date, commit, rustc, kernel, processor, cores, memory_mib, .. } = self;
        format!(
            "{date}; commit {commit}; {rustc}; Linux {kernel}; {cores} cores ({processor}), \
             {memory_mib} MiB. Other programs had {:.0} % of the processors during the run.",
            self.others_percent
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "date": self.date,
            "commit": self.commit,
            "rustc": self.rustc,
            "kernel": self.kernel,
            "processor": self.processor,
            "cores": self.cores,
            "memory_mib": self.memory_mib,
            "others_percent": self.others_percent,
        })
    }
}

/// Whether `folder` is on tmpfs, where a sync costs nothing and measures nothing.
pub(crate) fn is_in_memory(folder: &Path) -> anyhow::Result<bool> {
    const TMPFS_MAGIC: i128 = 0x0102_1994;
    Ok(i128::from(rustix::fs::statfs(folder)?.f_type) == TMPFS_MAGIC)
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// The commit of the checkout, marked if the tree has changes.
fn commit() -> String {
    let Some(head) = command_output("git", &["rev-parse", "--short=12", "HEAD"]) else {
        return unknown();
    };
    match command_output("git", &["status", "--porcelain", "--untracked-files=no"]) {
        Some(changes) if changes.is_empty() => head,
        Some(_) | None => format!("{head} with changes"),
    }
}

fn command_output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn first_line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, after) = text.split_once("model name")?;
    let name = after.lines().next()?.trim_start_matches([' ', '\t', ':']);
    Some(name.trim().to_owned())
}

fn memory_mib() -> Option<usize> {
    let text = first_line("/proc/meminfo")?;
    let kib: usize = text.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib / 1024)
}

/// The machine's CPU time at the beginning of a run, in the kernel's ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch(Ticks);

impl Watch {
    pub(crate) fn begin() -> anyhow::Result<Self> {
        Ticks::now().map(Self)
    }

    fn others_percent(&self) -> anyhow::Result<f64> {
        Ok(self.0.others_percent_until(Ticks::now()?))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    all: u32,
    idle: u32,
    /// Ticks of this process and of the servers that have ended.
    own: u32,
}

impl Ticks {
    fn now() -> anyhow::Result<Self> {
        let (machine, own) = ("/proc/stat", "/proc/self/stat");
        Self::read(&std::fs::read_to_string(machine)?, &std::fs::read_to_string(own)?)
            .context("/proc is not as documented")
    }

    /// The fields of the machine's line are user, nice, system, idle, iowait and so on.
    fn read(machine: &str, own: &str) -> Option<Self> {
        let machine = machine.lines().next()?.strip_prefix("cpu ")?;
        let machine: Vec<u32> =
            machine.split_ascii_whitespace().take(8).map_while(|tick| tick.parse().ok()).collect();
        let idle = machine.get(3)? + machine.get(4)?;
        let (_, after_name) = own.rsplit_once(')')?;
        let own = after_name.split_ascii_whitespace().skip(11).take(4);
        let own = own.map(str::parse::<u32>).sum::<Result<u32, _>>().ok()?;
        Some(Self { all: machine.iter().sum(), idle, own })
    }

    fn others_percent_until(self, end: Self) -> f64 {
        let [all, idle, own] = [
            end.all.saturating_sub(self.all),
            end.idle.saturating_sub(self.idle),
            end.own.saturating_sub(self.own),
        ]
        .map(f64::from);
        100.0 * ((all - idle - own) / all.max(1.0)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_percent_excludes_idle_and_client_ticks() {
        let own = |ticks: u32| format!("7 (aw-bench) S 1 7 7 0 -1 0 1 0 0 0 {ticks} 5 20 5 20 0 1");
        let begin = Ticks::read("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1\n", &own(10)).unwrap();
        assert_eq!(begin, Ticks { all: 1000, idle: 850, own: 40 });
        let end = Ticks::read("cpu  300 0 150 1400 150 0 0 0 0 0\n", &own(110)).unwrap();
        assert!((begin.others_percent_until(end) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn others_percent_is_zero_without_ticks() {
        let ticks = Ticks { all: 1, idle: 1, own: 0 };
        assert!(ticks.others_percent_until(ticks).abs() < 1e-9);
    }
}
