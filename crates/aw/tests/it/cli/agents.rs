//! Agents in plain shell, by the letter of docs/agents.md, in every branch of the state machine,
//! over a server that dies under them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

use crate::support::{Cli, Event, Events, HANG, Server, Setup, free_port, until};

const HANDBOOK: &str = include_str!("../../../../../docs/agents.md");

/// What stands for a model: it looks up the newest argument's number, and has nothing to say where
/// its plan has no line for it.
const THINK: &str = r#"#!/bin/sh
SEQ=$(sed -n 's/.*"seq": *\([0-9]*\).*/\1/p' | head -n 1)
LINE=$(grep "^$SEQ " plan) || { echo wait; exit 0; }
LINE=${LINE#* }
printf '%s\n%s' "${LINE%% *}" "${LINE#* }"
"#;

/// One debate: what each does when it sees the argument of a number, and what becomes of it.
struct ScriptStep {
    auto_ruling: &'static str,
    proposer: &'static str,
    opponent: &'static str,
    arbitrator: &'static str,
    /// After which arguments the server is killed.
    kills: [usize; 2],
    transcript: &'static [&'static str],
    states: &'static [&'static str],
}

#[tokio::test]
async fn claims_an_appeal_and_a_resolution_that_closes_by_itself() {
    let play = ScriptStep {
        auto_ruling: "true",
        proposer: "2 submit Only the hot keys.\n4 appeal How much memory may we use?\n\
                   6 submit One gigabyte it is.\n8 request-completion Agreed.\n",
        opponent: "1 submit It will not fit.\n3 submit Which keys are hot?\n\
                   7 submit Then I have no more.\n",
        arbitrator: "5 ruling One gigabyte.\n",
        kills: [3, 6],
        transcript: &[
            "MOTION proposer: We keep the index in memory.",
            "CLAIM opponent: It will not fit.",
            "CLAIM proposer: Only the hot keys.",
            "CLAIM opponent: Which keys are hot?",
            "APPEAL proposer: How much memory may we use?",
            "RULING arbitrator: One gigabyte.",
            "CLAIM proposer: One gigabyte it is.",
            "CLAIM opponent: Then I have no more.",
            "RESOLUTION proposer: Agreed.",
            "RULING arbitrator: Closed automatically: the proposer declared the debate resolved.",
        ],
        states: &["AO", "AP", "AO", "AP", "AA", "AP", "AO", "AP", "AA", "C"],
    };
    play.run().await;
}

#[tokio::test]
async fn interventions_whoever_is_awaited_and_a_ruling_that_closes() {
    let play = ScriptStep {
        auto_ruling: "true",
        proposer: "4 submit Within the new budget.\n7 submit With less, then.\n\
                   9 appeal Is this still worth it?\n",
        opponent: "1 submit It will not fit.\n8 submit It still does not fit.\n",
        arbitrator: "2 intervention The budget has changed.\n3 ruling Half of it is left.\n\
                     5 intervention Stop once more.\n6 ruling Go on with less.\n\
                     10 close No. Take the simpler plan.\n",
        kills: [3, 8],
        transcript: &[
            "MOTION proposer: We keep the index in memory.",
            "CLAIM opponent: It will not fit.",
            "INTERVENTION arbitrator: The budget has changed.",
            "RULING arbitrator: Half of it is left.",
            "CLAIM proposer: Within the new budget.",
            "INTERVENTION arbitrator: Stop once more.",
            "RULING arbitrator: Go on with less.",
            "CLAIM proposer: With less, then.",
            "CLAIM opponent: It still does not fit.",
            "APPEAL proposer: Is this still worth it?",
            "RULING arbitrator: No. Take the simpler plan.",
        ],
        states: &["AO", "AP", "IP", "AP", "AO", "IP", "AP", "AO", "AP", "AA", "C"],
    };
    play.run().await;
}

#[tokio::test]
async fn an_intervention_that_ends_it() {
    let play = ScriptStep {
        auto_ruling: "true",
        proposer: "",
        opponent: "",
        arbitrator: "1 intervention Not this again.\n2 close It was decided last year.\n",
        kills: [1, 2],
        transcript: &[
            "MOTION proposer: We keep the index in memory.",
            "INTERVENTION arbitrator: Not this again.",
            "RULING arbitrator: It was decided last year.",
        ],
        states: &["AO", "IP", "C"],
    };
    play.run().await;
}

#[tokio::test]
async fn resolutions_that_wait_for_the_arbitrator() {
    let play = ScriptStep {
        auto_ruling: "false",
        proposer: "2 request-completion Nobody minds.\n4 submit The hot keys.\n\
                   6 request-completion Agreed.\n",
        opponent: "1 submit Which keys?\n5 submit Good.\n",
        arbitrator: "3 ruling Name the keys first.\n7 close So be it.\n",
        kills: [2, 5],
        transcript: &[
            "MOTION proposer: We keep the index in memory.",
            "CLAIM opponent: Which keys?",
            "RESOLUTION proposer: Nobody minds.",
            "RULING arbitrator: Name the keys first.",
            "CLAIM proposer: The hot keys.",
            "CLAIM opponent: Good.",
            "RESOLUTION proposer: Agreed.",
            "RULING arbitrator: So be it.",
        ],
        states: &["AO", "AP", "AA", "AP", "AO", "AP", "AA", "C"],
    };
    play.run().await;
}

impl ScriptStep {
    async fn run(&self) {
        let port = free_port();
        let setup = Setup::bare()
            .env("DEBATE_SERVER_PORT", &port.to_string())
            .env("DEBATE_AUTO_RULING", self.auto_ruling);
        let mut server = setup.start().await;
        let cli = Cli::at(&server).env("DEBATE_RETRY_DEADLINE", "60");
        let stage = TempDir::new().expect("there is room for temporary files");

        let mut proposer = enter(&cli, stage.path(), "proposer", self.proposer, "Cache the index");
        let stdout = proposer.stdout.take().expect("it was piped");
        let id = BufReader::new(stdout).lines().next_line().await.expect("it prints text");
        let id = id.expect("the proposer tells the debate's id");
        let opponent = enter(&cli, stage.path(), "opponent", self.opponent, &id);
        let arbitrator = enter(&cli, stage.path(), "arbitrator", self.arbitrator, &id);

        for said in self.kills {
            until("so much has been said", || async { heard(&server, &id).await.len() >= said })
                .await;
            server.kill().await;
            server = setup.start().await;
        }
        for (name, agent) in
            [("proposer", proposer), ("opponent", opponent), ("arbitrator", arbitrator)]
        {
            let ended = tokio::time::timeout(HANG, agent.wait_with_output()).await;
            let ended = ended.expect("it ends").expect("it is our own child");
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "{name}: {said}");
        }
        let heard = heard(&server, &id).await;
        let said: Vec<_> = heard.iter().map(line).collect();
        assert_eq!(said, self.transcript);
        assert_eq!(states(&server, &id).await, self.states);
    }
}

/// Starts a script of the handbook, as it stands there, in a folder of its own.
fn enter(cli: &Cli, stage: &Path, name: &str, plan: &str, argument: &str) -> Child {
    let folder = stage.join(name);
    fs::create_dir(&folder).expect("the stage is ours");
    let script = HANDBOOK.split(&format!("### {name}.sh")).nth(1).expect("the handbook has it");
    let script = script.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    fs::write(folder.join("plan"), plan).expect("the stage is ours");
    fs::write(folder.join("motion.md"), "We keep the index in memory.").expect("it is ours");
    for (file, text) in [("think", THINK), ("agent.sh", script.expect("it is a script"))] {
        fs::write(folder.join(file), text).expect("the stage is ours");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.join(file), executable).expect("the file is ours");
    }
    let path = cli.variable("PATH");
    cli.program("sh")
        .args(["agent.sh", argument])
        .env("PATH", format!("{}:{path}", folder.display()))
        .current_dir(&folder)
        .stdin(Stdio::null())
        .spawn()
        .expect("there is a shell")
}

/// Everything that was said.
async fn heard(server: &Server, id: &str) -> Vec<Value> {
    let data = server.get(&format!("/debates/{id}")).await.data();
    let arguments = data["arguments"].as_array().expect("a list").clone();
    std::iter::once(data["motion"].clone()).chain(arguments).collect()
}

fn line(argument: &Value) -> String {
    let text = |field: &str| argument[field].as_str().expect("it is text").to_owned();
    format!("{} {}: {}", text("type"), text("role"), text("content"))
}

/// Where the debate stood after each argument, in initials.
async fn states(server: &Server, id: &str) -> Vec<String> {
    let path = format!("/debates/{id}/events");
    let events = Events::open(server, &path, None).await.rest().await;
    let arguments = events.iter().filter(|event| event.name == "argument");
    let initials = |event: &Event| {
        let state = event.data["debate"]["state"].as_str().expect("it has a state");
        state.split('_').filter_map(|word| word.chars().next()).collect()
    };
    arguments.map(initials).collect()
}
