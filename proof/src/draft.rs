//! A write request as a client composes it.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::history::ContentHash;
use crate::rules::{Event, Kind};

/// Everything that identifies one write; sent again, it is the same write.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) debate: Uuid,
    pub(crate) event: Event,
    pub(crate) key: String,
    /// The answered argument; motions, rulings and interventions answer none.
    pub(crate) target: Option<Uuid>,
    pub(crate) content: String,
    /// For a motion: whether a resolution closes the debate automatically.
    pub(crate) auto_ruling: bool,
}

impl Draft {
    pub(crate) fn path(&self) -> String {
        let verb = match self.event.kind {
            Kind::Motion => return "/debates".to_owned(),
            Kind::Claim => "arguments",
            Kind::Appeal => "appeal",
            Kind::Ruling => "ruling",
            Kind::Intervention => "intervention",
            Kind::Resolution => "resolution",
        };
        format!("/debates/{}/{verb}", self.debate)
    }

    pub(crate) fn body(&self) -> Value {
        let Self { debate, event, key, target, content, auto_ruling } = self;
        match event.kind {
            Kind::Motion => json!({
                "debate_id": debate, "title": "A debate under fire", "client_request_id": key,
                "debate_type": "general_debate", "motion_content": content,
                "auto_ruling": auto_ruling,
            }),
            Kind::Claim => json!({
                "role": event.role, "target_id": target, "content": content,
                "client_request_id": key,
            }),
            Kind::Appeal | Kind::Resolution => {
                json!({ "target_id": target, "content": content, "client_request_id": key })
            }
            Kind::Ruling => {
                json!({ "content": content, "close": event.closes, "client_request_id": key })
            }
            Kind::Intervention => json!({ "content": content, "client_request_id": key }),
        }
    }

    pub(crate) fn content_hash(&self) -> ContentHash {
        ContentHash::new(self.event.kind, self.event.role, self.target, &self.content)
    }

    /// The same key with other content, which a server must not accept as the same request.
    pub(crate) fn with_other_content(&self) -> Self {
        Self { content: format!("not {}", self.content), ..self.clone() }
    }
}

/// Whether an argument of this kind names the argument that it answers.
pub(crate) const fn has_target(kind: Kind) -> bool {
    match kind {
        Kind::Claim | Kind::Appeal | Kind::Resolution => true,
        Kind::Motion | Kind::Ruling | Kind::Intervention => false,
    }
}
