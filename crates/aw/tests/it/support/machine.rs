//! A user's machine on which commands start servers in the background.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Cli, free_port};

/// A machine without a server. Dropping it stops the server that a test started on it.
pub(crate) struct Machine {
    pub(crate) home: TempDir,
    pub(crate) port: u16,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { home: TempDir::new().expect("there is room"), port: free_port() }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn cli(&self) -> Cli {
        Cli::with_home(self.home.path()).env("DEBATE_SERVER_URL", &self.url())
    }

    pub(crate) fn record(&self) -> PathBuf {
        self.home.path().join(format!(".aweave/run/server-{}.json", self.port))
    }

    pub(crate) fn pid(&self) -> Option<i32> {
        let record = std::fs::read_to_string(self.record()).ok()?;
        let record: Value = serde_json::from_str(&record).expect("it is JSON");
        Some(i32::try_from(record["pid"].as_i64()?).expect("ids of processes are small"))
    }

    /// The number of server processes for this port.
    pub(crate) fn servers(&self) -> usize {
        let port = format!("\0{}\0", self.port);
        let processes = std::fs::read_dir("/proc").expect("it is Linux").flatten();
        let lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        lines.filter(|line| line.contains("serve") && line.contains(&port)).count()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Stops the server even if the test failed.
        let _ = std::process::Command::new(env!("CARGO_BIN_EXE_aw"))
            .args(["debate", "services", "stop", "--server", &self.url()])
            .env_clear()
            .env("HOME", self.home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
