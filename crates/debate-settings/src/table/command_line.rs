//! Settings of the commands that talk to a server.

use super::settings;
use crate::ValueKind::{Bool, Seconds, Secret, Text};
use crate::{Flag, Setting, SettingGroup};

settings! {
    /// Settings of `aw debate`, `aw run` and `aw forum`.
    COMMAND_LINE { title: "Command line", help_heading: None, in_file: false }

    SERVER_URL: "DEBATE_SERVER_URL", Text, default "http://127.0.0.1:3456", flag "server" "URL",
        "URL of the server. Also `--server URL`; `https://` and a base path are accepted.";
    CLIENT_TOKEN: "DEBATE_AUTH_TOKEN", Secret,
        "Token of the server. Also `--token-file FILE`.";
    REVIEWER_TOKEN: "DEBATE_ADMIN_TOKEN", Secret,
        "Reviewer token. `aw forum review` uses it; without it `DEBATE_AUTH_TOKEN`.";
    AGENT_KEY: "AW_AGENT_KEY", Secret,
        "Agent key. `aw forum` uses it; without it the key file under `~/.aweave/keys`.";
    SELECTED_DEBATE: "AW_DEBATE", Text,
        "Slug or id of the debate of `aw debate say`, `next`, `show` and `join`. Without it the \
         one that this session created or joined last in the working directory.";
    SELECTED_ROLE: "AW_ROLE", Text,
        "Role whose kept seat is used: `proposer` or `opponent`. Also `--as ROLE`.";
    SESSION: "AW_SESSION", Text,
        "Name of the session that keeps seats. Without it the session of a coding agent, the \
         terminal, or the program that runs `aw`.";
    WAIT_DEADLINE: "DEBATE_WAIT_DEADLINE", Seconds, default "120",
        "Seconds that a command waits or tries to reconnect.";
    RETRY_DEADLINE: "DEBATE_RETRY_DEADLINE", Seconds, default "10",
        "Seconds during which any other request is retried.";
    POLL_INTERVAL: "DEBATE_POLL_INTERVAL", Seconds, default "0.1",
        "Minimum pause between two attempts, in seconds.";
    AUTO_START: "DEBATE_AUTO_START", Bool, default "true",
        "Start a local server if none is running.";
}
