//! Settings of the server: addresses, database, limits, process.

use super::settings;
use crate::ValueKind::{Bool, Integer, OneOf, Secret, Switch, Text};
use crate::{Flag, Setting, SettingGroup};

/// One day in milliseconds.
const DAY_MS: u64 = 86_400_000;

/// More clients than one process can hold.
const CLIENTS_MAX: u64 = 1_000_000;

/// The largest count per minute or day that a rate limit accepts.
pub(super) const RATE_MAX: u64 = 1_000_000;

settings! {
    /// Addresses, tokens and browsers.
    SERVER { title: "Server", help_heading: None, in_file: true }

    SERVER_HOST: "DEBATE_SERVER_HOST", Text, default "127.0.0.1", flag "host" "ADDRESS",
        "Address to listen on. An address that other machines can reach requires \
         `DEBATE_AUTH_TOKEN`.";
    SERVER_PORT: "DEBATE_SERVER_PORT", Integer(0, 65_535), default "3456", flag "port" "PORT",
        "Port to listen on; 0 selects a free port.";
    AUTH_TOKEN: "DEBATE_AUTH_TOKEN", Secret,
        "Token that clients send as `Authorization: Bearer TOKEN`. It protects everything except \
         `/health` and the forum. In a browser, sign in with it once. At least 16 characters where \
         other machines can connect.";
    ALLOWED_HOSTS: "DEBATE_ALLOWED_HOSTS", Text, flag "allowed-hosts" "NAMES",
        "Further host names under which clients reach the server, separated by commas. A name \
         without a port matches every port. Loopback names are always allowed.";
    ALLOWED_ORIGINS: "DEBATE_ALLOWED_ORIGINS", Text, flag "allowed-origins" "ORIGINS",
        "Origins of web pages on other sites that may call the API, separated by commas.";
    BASE_PATH: "DEBATE_BASE_PATH", Text, flag "base-path" "PATH",
        "Path prefix under which a reverse proxy publishes the server, such as `/debating`.";
    TRUSTED_PROXIES: "TRUSTED_PROXIES", Text, flag "trusted-proxies" "NETWORKS",
        "Addresses or networks of proxies whose `X-Forwarded-For` header names the client.";
}

settings! {
    /// The choice and the treatment of the database.
    DATABASE { title: "Database", help_heading: None, in_file: true }

    DB_PATH: "DEBATE_DB_PATH", Text, default "~/.aweave/db/debate.db", flag "db-path" "FILE",
        "SQLite file. The server creates it, and its folder, readable only by the current user.";
    DB_DIR: "DEBATE_DB_DIR", Text, default "~/.aweave/db",
        "Folder of the SQLite file; ignored when `DEBATE_DB_PATH` is set.";
    DB_NAME: "DEBATE_DB_NAME", Text, default "debate.db",
        "Name of the SQLite file in `DEBATE_DB_DIR`.";
    DATABASE_URL: "DEBATE_DATABASE_URL", Secret, flag "database-url" "URL",
        "Database as a URL: `postgres://…`, `file:PATH` or `sqlite:PATH`. Cannot be combined with \
         `DEBATE_DB_PATH`.";
    DATABASE_TIMEOUT_MS: "DEBATE_DATABASE_TIMEOUT_MS", Integer(1_000, 600_000), default "10000",
        flag "database-timeout-ms" "MS",
        "PostgreSQL: time limit for one statement and for a connection to each host, 1000 to \
         600000.";
    MIN_FREE_MB: "DEBATE_MIN_FREE_MB", Integer(0, 1 << 30), default "64", flag "min-free-mb" "MB",
        "SQLite: the server refuses writes with 507 when less disk space is free; 0 turns the \
         check off.";
    ACCEPT_DATABASE_AS_IS: "DEBATE_ACCEPT_DATABASE_AS_IS", Switch, default "false",
        flag "accept-database-as-is" "true|false",
        "SQLite: open the file although its write-ahead log was removed or replaced after a kill. \
         Commits that were only in that log are lost.";
    CONFIRM_CARRY_OVER: "DEBATE_CONFIRM_CARRY_OVER", Switch, default "false",
        flag "confirm-carry-over" "true|false",
        "SQLite: confirm that the earlier Node server is stopped before its database is migrated. \
         Needed only on systems that do not list open files in `/proc`.";
}

settings! {
    /// Sizes, counts and times of requests.
    LIMITS { title: "Limits", help_heading: None, in_file: true }

    POLL_TIMEOUT_MS: "DEBATE_POLL_TIMEOUT_MS", Integer(1, DAY_MS), default "60000",
        flag "poll-timeout-ms" "MS",
        "Maximum time in milliseconds that `GET /debates/{id}/wait` holds a request.";
    HTTP_TIMEOUT_MS: "DEBATE_HTTP_TIMEOUT_MS", Integer(1, DAY_MS), default "65000",
        flag "http-timeout-ms" "MS",
        "Time limit of ordinary requests and of idle connections. Must exceed \
         `DEBATE_POLL_TIMEOUT_MS`.";
    MAX_CONTENT_LENGTH: "DEBATE_MAX_CONTENT_LENGTH", Integer(1, 1024 * 1024), default "10240",
        flag "max-content-length" "BYTES",
        "Maximum size of an argument, in bytes of UTF-8.";
    MAX_CONNECTIONS: "DEBATE_MAX_CONNECTIONS", Integer(1, CLIENTS_MAX), default "20000",
        flag "max-connections" "COUNT",
        "Concurrent connections; fewer where the system allows fewer open files.";
    MAX_CONNECTIONS_PER_ADDRESS: "DEBATE_MAX_CONNECTIONS_PER_ADDRESS", Integer(1, CLIENTS_MAX),
        default "256", flag "max-connections-per-address" "COUNT",
        "Concurrent connections from one remote network (an IPv4 address or an IPv6 /64). Raise it \
         behind a proxy.";
    MAX_WAITERS: "DEBATE_MAX_WAITERS", Integer(1, CLIENTS_MAX), default "20000",
        flag "max-waiters" "COUNT",
        "Concurrent long polls and streams of the arena, and as many of the runner. The forum has \
         a quarter of this for agents and a quarter for anonymous readers.";
    MAX_WAITERS_PER_DEBATE: "DEBATE_MAX_WAITERS_PER_DEBATE", Integer(1, CLIENTS_MAX),
        default "5000", flag "max-waiters-per-debate" "COUNT",
        "Concurrent long polls and streams of one debate.";
    MAX_SOCKETS: "DEBATE_MAX_SOCKETS", Integer(1, CLIENTS_MAX), default "5000",
        flag "max-sockets" "COUNT",
        "Concurrent WebSockets.";
    WRONG_TOKENS_PER_MINUTE: "DEBATE_WRONG_TOKENS_PER_MINUTE", Integer(1, RATE_MAX), default "10",
        flag "wrong-tokens-per-minute" "COUNT",
        "Wrong tokens that one network may send per minute before the server answers 429. A \
         correct token is never delayed.";
    WRITE_BATCH: "DEBATE_WRITE_BATCH", Integer(1, 4096), default "512", flag "write-batch" "COUNT",
        "Maximum number of writes in one commit; 1 turns group commit off.";
}

settings! {
    /// Settings for the rules of debates.
    DEBATES { title: "Debates", help_heading: None, in_file: true }

    AUTO_RULING: "DEBATE_AUTO_RULING", Bool, default "true", flag "auto-ruling" "true|false",
        "Whether a resolution closes its debate automatically.";
    SEATS: "DEBATE_SEATS", Bool, default "false", flag "seats" "true|false",
        "Whether a debate has seats if `POST /debates` leaves `seats` out. In a debate with seats \
         each role needs its token.";
    ARBITRATOR_TOKEN_FILE: "DEBATE_ARBITRATOR_TOKEN_FILE", Text,
        default "~/.aweave/arbitrator.token", flag "arbitrator-token-file" "FILE",
        "File with the arbitrator token, which rulings in debates with seats need. The server \
         creates it, readable only by the current user. With PostgreSQL all processes need the \
         same token: without this setting such a server creates no debates with seats.";
}

settings! {
    /// The configuration file itself.
    CONFIG { title: "Process", help_heading: None, in_file: true }

    CONFIG_FILE: "AW_CONFIG", Text, default "~/.aweave/config.toml", flag "config" "FILE",
        "Configuration file.";
}

settings! {
    /// Settings that apply before the configuration file is read.
    PROCESS { title: "Process", help_heading: None, in_file: false }

    LOG: "AW_LOG", Text, default "info",
        "Log level: `error`, `warn`, `info`, `debug` or `trace`, also per module as in \
         `info,debate_store=debug`.";
    LOG_FORMAT: "AW_LOG_FORMAT", OneOf(&["text", "json"]),
        "`text` or `json`; without it text on a terminal and JSON elsewhere.";
    LOG_FILE: "AW_LOG_FILE", Text,
        "Write the log to this file instead of standard error. At 4 MB the server copies the file \
         to the same name with the suffix `.1`, replacing the previous copy, and empties it.";
}
