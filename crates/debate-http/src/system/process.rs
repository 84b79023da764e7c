//! Figures of the server's process, under the names that Prometheus' client libraries use.
//!
//! They come from `/proc`; a figure that the system does not report is omitted.

use std::fmt::Write;
use std::fs::{read_dir, read_to_string};

/// The unit in which the kernel counts a process's time, on every system Linux runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// One figure in the text format of Prometheus.
struct Figure {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    value: Option<f64>,
}

/// All figures in the text format of Prometheus.
pub(super) fn render() -> String {
    let mut text = String::new();
    for Figure { name, kind, help, value } in figures() {
        if let Some(value) = value {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        }
    }
    text
}

fn figures() -> [Figure; 7] {
    let stat = read_to_string("/proc/self/stat").unwrap_or_default();
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let boot = read_to_string("/proc/stat").unwrap_or_default();
    let limits = read_to_string("/proc/self/limits").unwrap_or_default();
    let gauge = |name, help, value| Figure { name, kind: "gauge", help, value };
    let cpu_ticks = stat_field(&stat, 14).zip(stat_field(&stat, 15)).map(|(u, s)| u + s);
    let started = word_after(&boot, "btime").zip(stat_field(&stat, 22));
    let kib = |field| word_after(&status, field).map(|kib| kib * 1024.0);
    [
        Figure {
            name: "process_cpu_seconds_total",
            kind: "counter",
            help: "User and system CPU time, in seconds.",
            value: cpu_ticks.map(|ticks| ticks / TICKS_PER_SECOND),
        },
        gauge("process_resident_memory_bytes", "Resident memory size, in bytes.", kib("VmRSS:")),
        gauge("process_virtual_memory_bytes", "Virtual memory size, in bytes.", kib("VmSize:")),
        gauge("process_open_fds", "Open file descriptors.", open_descriptors()),
        gauge(
            "process_max_fds",
            "Maximum number of open file descriptors.",
            word_after(&limits, "Max open files"),
        ),
        gauge("process_threads", "Number of threads.", word_after(&status, "Threads:")),
        gauge(
            "process_start_time_seconds",
            "Start time of the process, in seconds since the Unix epoch.",
            started.map(|(boot, ticks)| boot + ticks / TICKS_PER_SECOND),
        ),
    ]
}

/// A field of `/proc/self/stat` by its number in proc(5). The second, the program's
/// name, may contain spaces and parentheses.
fn stat_field(stat: &str, number: usize) -> Option<f64> {
    let (_, from_third) = stat.rsplit_once(')')?;
    from_third.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

/// The number that follows a line's name.
fn word_after(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

fn open_descriptors() -> Option<f64> {
    let count = read_dir("/proc/self/fd").ok()?.count();
    u32::try_from(count).ok().map(f64::from)
}

#[cfg(test)]
mod tests {
    use super::{stat_field, word_after};

    #[test]
    fn stat_field_is_found_behind_any_program_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 0 0 0 150 25 0 0 20 0 4 0 99 1 1";
        let fields = [14, 15, 20, 22].map(|number| stat_field(stat, number));
        assert_eq!(fields, [Some(150.0), Some(25.0), Some(4.0), Some(99.0)]);
        assert_eq!(stat_field("7 (aw) S", 14), None);
    }

    #[test]
    fn word_after_a_name_is_the_first_number_of_its_line() {
        let text = "Name:\taw\nVmRSS:\t   12 kB\nMax open files   1024   4096   files\n";
        assert_eq!(word_after(text, "VmRSS:"), Some(12.0));
        assert_eq!(word_after(text, "Max open files"), Some(1024.0));
        assert_eq!(word_after(text, "Threads:"), None);
    }
}
