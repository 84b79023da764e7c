//! The results of commands.

use debate_wire::agent::{
    Context, Debates, Exported, Generated, Opened, Page, Receipt, Response, Services, WaitEnd,
};
use debate_wire::arena::Deleted;
use serde_json::Value;

use super::forum::ForumDone;
use super::runs::RunDone;

/// The result of a command that worked.
pub(crate) enum Done {
    Id(Generated),
    Written(Receipt, About),
    Context(Box<Context>),
    List(Debates, Page),
    Waited(Box<WaitEnd>),
    Deleted(Deleted),
    Opened(Opened),
    Exported(Exported),
    /// The background server, and what else there is to say of it.
    Services(Services, Option<String>),
    /// What `aw run` came to.
    Run(RunDone),
    /// What `aw forum` came to.
    Forum(ForumDone),
    /// It is on standard output already.
    Shown,
}

/// What is worth knowing about a write, beside its receipt.
pub(crate) enum About {
    /// A debate was opened; what to do next.
    Opening(String),
    /// A ruling, and whether it closed the debate.
    Ruling { closed: bool },
    /// Anything else.
    Argument,
}

impl Done {
    pub(crate) fn response(&self) -> Response {
        match self {
            Self::Id(id) => Response::of(id),
            Self::Written(receipt, about) => {
                let response = Response::of(receipt);
                match about {
                    About::Opening(message) => response.with("message", message.as_str()),
                    About::Ruling { closed } => response.with("closed", *closed),
                    About::Argument => response,
                }
            }
            Self::Context(context) => Response::of(context),
            Self::List(debates, page) => Response { page: Some(*page), ..Response::of(debates) },
            Self::Waited(end) => Response::of(end),
            Self::Deleted(deleted) => Response::of(deleted),
            Self::Opened(opened) => Response::of(opened),
            Self::Exported(exported) => Response::of(exported),
            Self::Services(services, message) => match message {
                Some(message) => Response::of(services).with("message", message.as_str()),
                None => Response::of(services),
            },
            Self::Run(done) => done.response(),
            Self::Forum(done) => done.response(),
            Self::Shown => Response::of(&Value::Null),
        }
    }
}
