//! Models, asked: the port that every context asks through, and how an answer is watched.

mod deltas;
mod port;

pub use deltas::Deltas;
pub use port::{Answer, Ask, Finish, Llm, LlmError, UnknownModel};
