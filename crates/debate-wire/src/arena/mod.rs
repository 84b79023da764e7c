//! The arena's bodies.

mod answer;
mod live;
mod query;
mod request;
mod vocabulary;

pub use answer::{Argument, Debate, DebateList, Deleted, Newer, News, Transcript, Waited, Written};
pub use live::{Addressed, ClientFrame, EventsQuery, Notice, Reason, ServerFrame, SocketQuery};
pub use query::{DebatePath, DebateQuery, ListQuery, PollQuery, WaitQuery};
pub use request::{
    CreateDebate, SubmitAppeal, SubmitClaim, SubmitIntervention, SubmitResolution, SubmitRuling,
};
pub use vocabulary::{Action, ArgumentType, DebateType, Role, Side, State, WaitAction};
