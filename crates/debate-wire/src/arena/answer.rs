//! What the server answers. Keys come in the order in which they are declared.

use debate_core::arena;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Action, ArgumentType, DebateType, Role, State, WaitAction};
use crate::{render_time, schema};

/// A debate as it stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Debate {
    /// Which one.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub debate_type: DebateType,
    /// Where it stands.
    pub state: State,
    /// When it was opened, UTC.
    #[schema(example = "2026-11-15 20:29:30")]
    pub created_at: String,
    /// When its newest argument came, UTC.
    #[schema(example = "2026-11-15 20:29:30")]
    pub updated_at: String,
}

impl From<arena::Debate> for Debate {
    fn from(debate: arena::Debate) -> Self {
        Self {
            id: debate.id.to_string(),
            title: debate.title,
            debate_type: debate.debate_type.into(),
            state: debate.state.into(),
            created_at: render_time(debate.created_at),
            updated_at: render_time(debate.updated_at),
        }
    }
}

/// One entry of a debate's sequence.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Argument {
    /// Which one.
    pub id: String,
    /// Where it belongs.
    pub debate_id: String,
    /// The argument it answers; null for a motion, an intervention and a ruling.
    #[schema(required = true)]
    pub parent_id: Option<String>,
    /// What it is.
    pub r#type: ArgumentType,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub content: String,
    /// The client's name for the write.
    #[schema(required = true)]
    pub client_request_id: Option<String>,
    /// Its place: 1 is the motion.
    pub seq: u32,
    /// When it was said, UTC.
    #[schema(example = "2026-11-15 20:29:30")]
    pub created_at: String,
}

impl From<arena::Argument> for Argument {
    fn from(argument: arena::Argument) -> Self {
        Self {
            id: argument.id.to_string(),
            debate_id: argument.debate.to_string(),
            parent_id: argument.parent.map(|id| id.to_string()),
            r#type: argument.kind.into(),
            role: argument.role.into(),
            content: argument.content,
            client_request_id: argument.request_key,
            seq: argument.seq.number(),
            created_at: render_time(argument.created_at),
        }
    }
}

/// What a write left behind.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Written {
    /// The debate as it stands now.
    pub debate: Debate,
    /// The argument that was asked for.
    pub argument: Argument,
}

/// A page of the list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DebateList {
    /// The debates, last changed first.
    pub debates: Vec<Debate>,
    /// How many there are under the same filter.
    pub total: u64,
    /// The `cursor` of the next page; null on the last page.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A debate and what was said in it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Transcript {
    /// The debate as it stands.
    pub debate: Debate,
    /// What it is about.
    pub motion: Argument,
    /// What was said, oldest first, without the motion.
    pub arguments: Vec<Argument>,
}

/// The debate is gone.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct Deleted {
    /// Always true.
    #[schema(schema_with = schema::always_true)]
    pub deleted: bool,
}

/// The result of a poll or a wait; `has_new_argument` tells which.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Waited {
    /// There are new arguments.
    News(Box<News>),
    /// There are none.
    Nothing(NoNews),
}

/// No argument came after the position asked for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NoNews {
    /// Always false.
    #[schema(schema_with = schema::always_false)]
    pub has_new_argument: bool,
    /// The debate's id.
    pub debate_id: String,
    /// The `seq` of the position asked for; 0 before the motion.
    pub last_seen_seq: u32,
}

/// Arguments came after the position asked for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct News {
    /// Always true.
    #[schema(schema_with = schema::always_true)]
    pub has_new_argument: bool,
    /// What the asking side is to do.
    pub action: WaitAction,
    /// Where the debate stands.
    pub debate_state: State,
    /// The newest argument.
    pub argument: Newer,
    /// All that is new, oldest first, the newest included unless the request says
    /// `missed=earlier`; at most the 500 newest.
    pub arguments: Vec<Newer>,
    /// How many more there are between the position asked for and the first of `arguments`.
    pub arguments_omitted: u32,
    /// What the asking side may do now.
    pub available_actions: Vec<Action>,
}

/// An argument, as a waiting side is told of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Newer {
    /// Which one.
    pub id: String,
    /// Its place.
    pub seq: u32,
    /// What it is.
    pub r#type: ArgumentType,
    /// Who said it.
    pub role: Role,
    /// The argument it answers; null for a motion, an intervention and a ruling.
    #[schema(required = true)]
    pub parent_id: Option<String>,
    /// What was said.
    pub content: String,
    /// When, UTC.
    #[schema(example = "2026-11-15 20:29:30")]
    pub created_at: String,
}

impl From<arena::Argument> for Newer {
    fn from(argument: arena::Argument) -> Self {
        Self {
            id: argument.id.to_string(),
            seq: argument.seq.number(),
            r#type: argument.kind.into(),
            role: argument.role.into(),
            parent_id: argument.parent.map(|id| id.to_string()),
            content: argument.content,
            created_at: render_time(argument.created_at),
        }
    }
}

impl From<Argument> for Newer {
    fn from(argument: Argument) -> Self {
        Self {
            id: argument.id,
            seq: argument.seq,
            r#type: argument.r#type,
            role: argument.role,
            parent_id: argument.parent_id,
            content: argument.content,
            created_at: argument.created_at,
        }
    }
}
