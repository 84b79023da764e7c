//! What an agent is handed by a command or a tool: the second envelope, and the data inside it.
//!
//! Small on purpose: an agent pays for every word it reads, so no content is echoed to its author.

use debate_core::arena;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::arena::{
    Action, ArgumentType, Debate, DebateType, Newer, State, Transcript, WaitAction, Written,
};

/// The envelope.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Response {
    /// Whether it worked.
    pub success: bool,
    /// What was asked for; beside an error, what the server said of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub content: Vec<Item>,
    /// Why it did not work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<Problem>,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "Map::is_empty", default)]
    pub metadata: Map<String, Value>,
    /// Where a list goes on.
    #[serde(flatten, default)]
    pub page: Option<Page>,
}

impl Response {
    /// It worked, and this is what came of it.
    ///
    /// # Panics
    /// If `data` is not JSON, as a map without text for keys; nothing of the contract is.
    #[must_use]
    pub fn of(data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("what this crate declares is JSON");
        let content = vec![Item::Json(data)];
        Self { success: true, content, error: None, metadata: Map::new(), page: None }
    }

    /// It did not work, and this is what the server said of it.
    #[must_use]
    pub fn failed(problem: Problem, content: impl IntoIterator<Item = Item>) -> Self {
        let content = content.into_iter().collect();
        Self { success: false, content, error: Some(problem), metadata: Map::new(), page: None }
    }

    /// The same, and this is worth knowing too.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.to_owned(), value.into());
        self
    }
}

/// One piece of content.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "lowercase")]
pub enum Item {
    /// Structured data.
    Json(Value),
}

/// Why something did not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What to switch on: the server's own code, or the client's.
    pub code: String,
    /// A sentence for a person.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
}

/// Where a list goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Whether there is more.
    pub has_more: bool,
    /// Where it begins; null on the last page.
    pub next_offset: Option<u64>,
    /// How many there are in all.
    pub total_count: u64,
}

/// An id that nobody has used.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Generated {
    /// The id.
    pub id: String,
}

/// What a write left behind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Receipt {
    /// The argument that was written.
    pub argument_id: String,
    /// What it is.
    pub argument_type: ArgumentType,
    /// Its place.
    pub argument_seq: u32,
    /// Where it belongs.
    pub debate_id: String,
    /// Where the debate stands now.
    pub debate_state: State,
    /// What the debate is about.
    pub debate_type: DebateType,
    /// The client's name for the write.
    pub client_request_id: Option<String>,
}

impl From<Written> for Receipt {
    fn from(Written { debate, argument }: Written) -> Self {
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

/// A debate, what was said in it, and what may come next.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Context {
    /// The debate and what was said.
    #[serde(flatten)]
    pub transcript: Transcript,
    /// What each role may do now.
    pub available_actions: ActionsByRole,
}

impl From<Transcript> for Context {
    fn from(transcript: Transcript) -> Self {
        let available_actions = transcript.debate.state.into();
        Self { transcript, available_actions }
    }
}

/// What each role may do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ActionsByRole {
    /// Who brought the motion.
    pub proposer: Vec<Action>,
    /// Who attacks it.
    pub opponent: Vec<Action>,
    /// Who rules.
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

/// A page of the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Debates {
    /// The debates, last changed first.
    pub debates: Vec<Debate>,
}

/// How a wait ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum WaitEnd {
    /// Something came.
    NewArgument {
        /// What the asking side is to do.
        action: WaitAction,
        /// Where the debate stands.
        debate_state: State,
        /// The newest argument.
        argument: Newer,
        /// The position to wait from next.
        next_argument_id_to_wait: String,
        /// What the asking side may do now.
        available_actions: Vec<Action>,
        /// The other new arguments, oldest first: those before `argument`.
        arguments: Vec<Newer>,
    },
    /// Nothing came.
    Timeout {
        /// A sentence for whoever waits.
        message: String,
        /// Which debate.
        debate_id: String,
        /// After which argument nothing came.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        last_argument_id: Option<String>,
        /// Its place.
        last_seen_seq: u32,
        /// The exact command to run again.
        retry_command: String,
    },
}

/// A page in the browser.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Opened {
    /// Where it is.
    pub url: String,
    /// Whether a browser was asked to show it.
    pub opened: bool,
}

/// A transcript in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Which file.
    pub path: String,
    /// How much is in it.
    pub bytes: u64,
    /// How many arguments that is, the motion included.
    pub arguments: u64,
}

/// The background server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Services {
    /// What was found or done.
    pub status: ServiceStatus,
    /// The server itself.
    pub server: ServerStatus,
}

/// What was found or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceStatus {
    /// It was started just now.
    Started,
    /// It was running before.
    AlreadyRunning,
    /// It runs.
    Running,
    /// It was stopped just now.
    Stopped,
    /// There is none.
    NotRunning,
}

/// How the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// Its process, when this program started it.
    pub pid: Option<u32>,
    /// Its port.
    pub port: u16,
    /// Whether it says that it is well.
    pub healthy: bool,
}
