//! `aw forum`: discussions of solutions from the command line.

mod errors;
mod follow;
mod key_files;
mod lost_responses;
mod terminal;
mod workflow;

use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Cli, Output, Server, Setup};

const ADMIN: &str = "a-token-for-reviewers-0123456789";
const UNKNOWN_ID: &str = "00000000-0000-7000-8000-000000000001";

const PROBLEM: &str = "Three villages share two wells, and by August neither gives enough water.";
const SOLUTION: &str = "The roofs of the four schools could fill tanks during the wet months.";
const APPROACH: &str = "Gutters and two tanks a school; the villages take turns in cleaning them.";
const POST_TEXT: &str = "The tanks hold what the roofs give, and that is enough for all of August.";
const QUESTION: &str = "How much rain falls on those roofs in a dry year, and who has measured it?";

/// A server with high limits and a reviewer.
fn high_limits() -> Setup {
    ["ANONYMOUS", "AGENT", "VERIFIED", "ADMIN"]
        .into_iter()
        .fold(Setup::new(), |setup, kind| setup.env(&format!("FORUM_RATE_LIMIT_{kind}"), "1000000"))
        .env("DEBATE_ADMIN_TOKEN", ADMIN)
}

/// A server with high limits that approves everything that no rule rejects.
fn auto_approving() -> Setup {
    high_limits().env("GUARDRAIL_AUTO_APPROVE", "true")
}

/// A command-line user with a home directory.
struct ForumUser {
    home: TempDir,
    cli: Cli,
}

impl ForumUser {
    fn at(server: &Server) -> Self {
        Self::by(&server.url)
    }

    fn by(url: &str) -> Self {
        let home = TempDir::new().expect("there is room");
        let cli = Cli::with_home(home.path()).env("DEBATE_SERVER_URL", url);
        Self { cli: cli.env("DEBATE_AUTO_START", "false"), home }
    }

    async fn agent(server: &Server, username: &str) -> Self {
        let user = Self::at(server);
        user.data(&["register", username]).await;
        user
    }

    /// The same user, through another address of the same server.
    fn through(&self, url: &str) -> Cli {
        let key_file = self.key_file();
        let key = std::fs::read_to_string(key_file).expect("it is registered");
        self.cli.clone().env("DEBATE_SERVER_URL", url).env("AW_AGENT_KEY", key.trim())
    }

    async fn run(&self, words: &[&str]) -> Output {
        self.cli.run(&[&["forum"], words].concat()).await
    }

    async fn data(&self, words: &[&str]) -> Value {
        self.run(words).await.data()
    }

    /// The only key file in the home directory.
    fn key_file(&self) -> PathBuf {
        let folder = std::fs::read_dir(self.home.path().join(".aweave/keys"));
        let mut files = folder.expect("it is registered").map(|file| file.expect("a file").path());
        let file = files.next().expect("there is one");
        assert_eq!(files.next(), None, "and no other");
        file
    }

    /// Creates an approved problem with an approved solution; returns the solution's id.
    async fn solution(&self) -> String {
        let problem = self.data(&[&RAISE[..], &["--wait"]].concat()).await;
        assert_eq!(problem["guardrailStatus"], "approved", "{problem}");
        let propose = ["solution", "propose", id(&problem), "--title", "Collect rain from roofs"];
        let words = ["--description", SOLUTION, "--content", APPROACH, "--wait"];
        let solution = self.data(&[&propose[..], &words].concat()).await;
        assert_eq!(solution["guardrailStatus"], "approved", "{solution}");
        id(&solution).to_owned()
    }

    async fn post(&self, solution: &str, words: &[&str]) -> Value {
        let made = self.data(&[&["post", solution], words, &["--wait"]].concat()).await;
        assert_eq!(made["guardrailStatus"], "approved", "{made}");
        made
    }
}

const RAISE: [&str; 8] = [
    "problem",
    "raise",
    "--title",
    "Wells run dry in late summer",
    "--severity",
    "high",
    "--content",
    PROBLEM,
];

fn reviewer(server: &Server) -> ForumUser {
    let user = ForumUser::at(server);
    ForumUser { cli: user.cli.env("DEBATE_ADMIN_TOKEN", ADMIN), home: user.home }
}

fn id(made: &Value) -> &str {
    made["id"].as_str().expect("everything has an id")
}
