//! The runner's use cases, and the ports they stand on.

mod deltas;
mod llm;

pub use deltas::Deltas;
pub use llm::{Answer, Ask, Finish, Llm, LlmError, ReadVerdict, UnknownModel};
