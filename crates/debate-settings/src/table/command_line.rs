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
    WAIT_DEADLINE: "DEBATE_WAIT_DEADLINE", Seconds, default "120",
        "Seconds that a command waits or tries to reconnect.";
    RETRY_DEADLINE: "DEBATE_RETRY_DEADLINE", Seconds, default "10",
        "Seconds during which any other request is retried.";
    POLL_INTERVAL: "DEBATE_POLL_INTERVAL", Seconds, default "0.1",
        "Minimum pause between two attempts, in seconds.";
    AUTO_START: "DEBATE_AUTO_START", Bool, default "true",
        "Start a local server if none is running.";
}
