//! The forum's use cases, and the port they stand on.

mod archive;
mod error;
mod evaluation;
mod port;
mod values;

pub use archive::{
    ForumAccount, ForumArchiveError, ForumDestination, ForumProgress, ForumRow, ForumSource, Table,
    account, copy,
};
pub use error::ForumError;
pub use evaluation::{
    Claimed, End, Evaluation, Examined, FlaggedPage, FlaggedQuery, Found, Layers, Renew, Review,
    Settle, Settlement, Take, Task,
};
pub use port::ForumStore;
pub use values::{
    Admit, AgentPatch, FeedQuery, LimitChange, NewKey, News, OldKey, Opinion, Page, PostPage,
    Posted, Rotated, Spend, Vote,
};
