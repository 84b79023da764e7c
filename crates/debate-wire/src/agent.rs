//! JSON output of the `aw` commands: the envelope, and the data of `aw debate`.
//!
//! Kept small: an agent pays for every token it reads, so no content is echoed to its author.

use debate_core::arena;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::arena::{
    Action, ArgumentType, Debate, DebateType, NewArgument, Seat, Side, State, Transcript,
    WaitAction, WriteResult,
};

/// Envelope of a command's JSON output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Response {
    /// Whether the command succeeded.
    pub success: bool,
    /// Results of the command; after an error, the fields of the server's error.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub content: Vec<Item>,
    /// Reason for the failure. Absent on success.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<CommandError>,
    /// Additional named values. Absent if empty.
    #[serde(skip_serializing_if = "Map::is_empty", default)]
    pub metadata: Map<String, Value>,
    /// Position in a list. Absent if the result is not a page.
    #[serde(flatten, default)]
    pub page: Option<Pagination>,
}

impl Response {
    /// A successful response with `data`.
    ///
    /// # Panics
    /// If `data` cannot be written as JSON, such as a map with keys other than text. The types of
    /// this crate can.
    #[must_use]
    pub fn new(data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("what this crate declares is JSON");
        let content = vec![Item::Json(data)];
        Self { success: true, content, error: None, metadata: Map::new(), page: None }
    }

    /// A failed response, with the fields of the server's error as content.
    #[must_use]
    pub fn failure(problem: CommandError, content: impl IntoIterator<Item = Item>) -> Self {
        let content = content.into_iter().collect();
        Self { success: false, content, error: Some(problem), metadata: Map::new(), page: None }
    }

    /// Adds a named value to the metadata.
    #[must_use]
    pub fn with_metadata(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.to_owned(), value.into());
        self
    }
}

/// One piece of content, tagged with its format.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "lowercase")]
pub enum Item {
    /// Structured data.
    Json(Value),
}

/// Reason why a command failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandError {
    /// Error code of the server or of the command line.
    pub code: String,
    /// Explanation for people. The wording may change between releases.
    pub message: String,
    /// The next step. Absent if the error has no suggestion.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
}

/// Position in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pagination {
    /// Whether another page follows.
    pub has_more: bool,
    /// `--offset` of the next page. Null on the last page.
    pub next_offset: Option<u64>,
    /// Number of items on all pages.
    pub total_count: u64,
}

/// A new UUID.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Generated {
    /// UUID for a new debate.
    pub id: String,
}

/// Result of a write.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Receipt {
    /// UUID of the argument that the command added.
    pub argument_id: String,
    /// Kind of argument, such as a claim or a ruling.
    pub argument_type: ArgumentType,
    /// Position of the argument in the debate. The motion has 1.
    pub argument_seq: u32,
    /// UUID of the debate.
    pub debate_id: String,
    /// State of the debate after the write.
    pub debate_state: State,
    /// Kind of subject of the debate.
    pub debate_type: DebateType,
    /// Idempotency key of the write. Null if it has none.
    pub client_request_id: Option<String>,
}

impl From<WriteResult> for Receipt {
    fn from(WriteResult { debate, argument, .. }: WriteResult) -> Self {
        Self {
            argument_id: argument.id,
            argument_type: argument.r#type,
            argument_seq: argument.seq,
            debate_id: debate.id,
            debate_state: debate.state,
            debate_type: debate.debate_type,
            client_request_id: argument.client_request_id,
        }
    }
}

/// A debate, its arguments, and the actions of each role.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Context {
    /// The debate and its arguments.
    #[serde(flatten)]
    pub transcript: Transcript,
    /// Actions that each role may take now.
    pub available_actions: ActionsByRole,
    /// Seats of the debate. Only `aw debate show` has them, in a debate with seats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seats: Option<Vec<Seat>>,
}

impl From<Transcript> for Context {
    fn from(transcript: Transcript) -> Self {
        let available_actions = transcript.debate.state.into();
        Self { transcript, available_actions, seats: None }
    }
}

/// Actions by role.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ActionsByRole {
    /// Actions of the proposer.
    pub proposer: Vec<Action>,
    /// Actions of the opponent.
    pub opponent: Vec<Action>,
    /// Actions of the arbitrator.
    pub arbitrator: Vec<Action>,
}

impl From<State> for ActionsByRole {
    fn from(state: State) -> Self {
        let of = |role| {
            let actions = arena::available_actions(state.into(), role);
            actions.into_iter().map(Into::into).collect()
        };
        Self {
            proposer: of(arena::Role::Proposer),
            opponent: of(arena::Role::Opponent),
            arbitrator: of(arena::Role::Arbitrator),
        }
    }
}

/// A page of debates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Debates {
    /// Debates on this page, most recently changed first.
    pub debates: Vec<Debate>,
}

/// Result of `aw debate wait`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum WaitEnd {
    /// The debate has new arguments.
    NewArgument {
        /// Next step for the waiting role.
        action: WaitAction,
        /// Current state of the debate.
        debate_state: State,
        /// The newest argument.
        argument: NewArgument,
        /// UUID to pass as `--argument-id` to the next wait.
        next_argument_id_to_wait: String,
        /// Actions that the waiting role may take now.
        available_actions: Vec<Action>,
        /// New arguments before `argument`, oldest first.
        arguments: Vec<NewArgument>,
    },
    /// No argument arrived before the deadline.
    Timeout {
        /// Explanation for people.
        message: String,
        /// UUID of the debate.
        debate_id: String,
        /// UUID of the last argument that the caller has seen. Absent if it named none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        last_argument_id: Option<String>,
        /// `seq` of that argument; 0 if the caller named none.
        last_seen_seq: u32,
        /// Command line that continues the wait.
        retry_command: String,
    },
}

/// A page of the web interface.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Opened {
    /// Address of the page.
    pub url: String,
    /// Whether the command started a browser.
    pub opened: bool,
}

/// A transcript written to a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Path of the file.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of arguments in the file, including the motion.
    pub arguments: u64,
}

/// Status of the background server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Services {
    /// Result of the command.
    pub status: ServiceStatus,
    /// The server's process and health.
    pub server: ServerStatus,
}

/// Result of `aw debate services`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceStatus {
    /// The command started the server.
    Started,
    /// The server was running already.
    AlreadyRunning,
    /// The server is running.
    Running,
    /// The command stopped the server.
    Stopped,
    /// No server is running.
    NotRunning,
}

/// Process and health of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// Process id. Null if this program did not start the server.
    pub pid: Option<u32>,
    /// TCP port of the server.
    pub port: u16,
    /// Whether the server reports that it accepts writes.
    pub healthy: bool,
}

/// Result of `aw debate new`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CreatedDebate {
    /// Short name of the debate, which commands and the opponent use.
    pub slug: String,
    /// UUID of the debate.
    pub debate_id: String,
    /// Title of the debate.
    pub title: String,
    /// Address of the debate's page.
    pub url: String,
    /// Role that the command's session plays.
    pub role: Side,
    /// Name under which the session writes.
    pub holder: String,
    /// State of the debate.
    pub debate_state: State,
    /// File with the invite. Absent if the debate needs none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub invite_file: Option<String>,
    /// Command with which the opponent takes its seat.
    pub join_command: String,
    /// Instructions to give to the agent that opposes.
    pub opponent_prompt: String,
    /// Commands that the session may run now.
    pub moves: Vec<NextMove>,
}

/// Result of `aw debate join`, `say` and `next`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TurnReport {
    /// Whether the session has the turn.
    pub status: TurnStatus,
    /// The result of the command, for people.
    pub message: String,
    /// Short name of the debate.
    pub slug: String,
    /// UUID of the debate.
    pub debate_id: String,
    /// Title of the debate.
    pub title: String,
    /// Role that the session plays.
    pub role: Side,
    /// Name under which the session writes.
    pub holder: String,
    /// State of the debate.
    pub debate_state: State,
    /// The argument that the command added. Absent if it added none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written: Option<Receipt>,
    /// Arguments that were not printed for this seat before, oldest first.
    pub arguments: Vec<NewArgument>,
    /// Commands that the session may run now.
    pub moves: Vec<NextMove>,
}

/// Whether a session may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// The session has the turn.
    YourTurn,
    /// Another participant has the turn.
    Waiting,
    /// The debate is closed.
    Closed,
}

/// A command that a session may run, and its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextMove {
    /// Purpose of the command.
    pub purpose: String,
    /// The command line; words in capital letters are placeholders.
    pub command: String,
}

/// Instructions to paste into an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentPrompt {
    /// The instructions.
    pub prompt: String,
}
