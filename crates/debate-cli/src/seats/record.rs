//! A kept seat and its file.

use debate_net::BaseUrl;
use debate_render::wire_name;
use debate_wire::arena::Side;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::settings::Token;

/// The version of the file's layout. A file of another version is left alone.
const VERSION: u64 = 1;

/// A role of a debate that a session plays. In a debate with seats it has the token.
#[derive(Clone)]
pub(crate) struct KeptSeat {
    pub(crate) server: BaseUrl,
    /// UUID of the debate.
    pub(crate) debate: String,
    /// None until the server has answered the creation.
    pub(crate) slug: Option<String>,
    pub(crate) role: Side,
    /// The session that created or joined the debate; empty if it had none.
    pub(crate) session: String,
    /// The working directory of that command.
    pub(crate) folder: String,
    pub(crate) holder: String,
    /// None in a debate without seats.
    pub(crate) token: Option<Token>,
    /// The newest argument that was printed or written for this seat.
    pub(crate) seen: Option<SeenArgument>,
    pub(crate) status: SeatStatus,
    /// When the debate was created or joined, in milliseconds since 1970.
    pub(crate) joined: u64,
    /// When a command last used the seat, in milliseconds since 1970.
    pub(crate) used: u64,
    /// The request that takes the seat, until its answer is known.
    pub(crate) pending: Option<PendingRequest>,
}

/// A position in a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeenArgument {
    pub(crate) id: String,
    pub(crate) seq: u32,
}

/// The state of the debate when a command last used the seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeatStatus {
    Open,
    Closed,
    /// The server did not know the debate.
    Unknown,
}

/// A creation or a taking of a seat whose answer may be lost. Repeating it needs the same secrets.
#[derive(Clone)]
pub(crate) struct PendingRequest {
    /// The idempotency key of a creation.
    pub(crate) key: String,
    /// A digest of the creation's fields: another creation does not repeat this one.
    pub(crate) digest: String,
    /// The invite of the new debate.
    pub(crate) invite: Option<Token>,
}

/// The server of a URL as the store compares it: loopback names with the same port are one server.
pub(crate) fn server_key(url: &BaseUrl) -> String {
    let scheme = if url.tls { "https" } else { "http" };
    let host = if url.is_loopback() { "loopback" } else { &url.host };
    format!("{scheme}://{}:{}{}", host.to_ascii_lowercase(), url.port, url.path)
}

impl KeptSeat {
    /// The name of the seat's file: a digest of server, debate, role and session.
    pub(super) fn file_name(&self) -> String {
        let role = wire_name(&self.role);
        let server = server_key(&self.server);
        let key = format!("{server}\n{}\n{role}\n{}", self.debate, self.session);
        let digest = debate_wire::hex(&Sha256::digest(key));
        format!("{}.json", digest.get(..40).unwrap_or(&digest))
    }

    /// The name of the debate for commands: its slug, or its UUID.
    pub(crate) fn debate_name(&self) -> &str {
        self.slug.as_deref().unwrap_or(&self.debate)
    }

    /// Whether a text names the debate: its slug, its UUID or a beginning of it.
    pub(crate) fn is_of_debate(&self, name: &str) -> bool {
        let name = name.trim().to_ascii_lowercase();
        let is_prefix = name.len() >= 4 && self.debate.starts_with(&name);
        self.slug.as_deref() == Some(name.as_str()) || is_prefix
    }

    /// `opponent of cache-the-index-k3f7 at http://127.0.0.1:3456`
    pub(crate) fn describe(&self) -> String {
        let role = wire_name(&self.role);
        format!("{role} of {} at {}", self.debate_name(), self.server)
    }

    pub(super) fn to_json(&self) -> Value {
        let secret = |token: &Option<Token>| token.as_ref().map(|token| token.secret().to_owned());
        json!({
            "version": VERSION,
            "server": self.server.to_string(),
            "debate": self.debate,
            "slug": self.slug,
            "role": wire_name(&self.role),
            "session": self.session,
            "folder": self.folder,
            "holder": self.holder,
            "token": secret(&self.token),
            "seen": self.seen.as_ref().map(|seen| json!({ "id": seen.id, "seq": seen.seq })),
            "status": self.status.name(),
            "joined": self.joined,
            "used": self.used,
            "pending": self.pending.as_ref().map(|pending| json!({
                "key": pending.key, "digest": pending.digest, "invite": secret(&pending.invite),
            })),
        })
    }

    /// Parses a file; none if it is damaged or of another version.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let text = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
        if value.get("version")?.as_u64()? != VERSION {
            return None;
        }
        let seen = value.get("seen").filter(|seen| seen.is_object());
        let seen = seen.and_then(|seen| {
            let seq = u32::try_from(seen.get("seq")?.as_u64()?).ok()?;
            Some(SeenArgument { id: text(seen, "id")?, seq })
        });
        let pending = value.get("pending").filter(|pending| pending.is_object());
        let pending = pending.and_then(|pending| {
            let invite = text(pending, "invite").map(Token::new);
            Some(PendingRequest {
                key: text(pending, "key")?,
                digest: text(pending, "digest")?,
                invite,
            })
        });
        Some(Self {
            server: BaseUrl::parse(value.get("server")?.as_str()?)?,
            debate: text(value, "debate")?,
            slug: text(value, "slug"),
            role: serde_json::from_value(value.get("role")?.clone()).ok()?,
            session: text(value, "session")?,
            folder: text(value, "folder")?,
            holder: text(value, "holder")?,
            token: text(value, "token").map(Token::new),
            seen,
            status: SeatStatus::from_name(value.get("status")?.as_str()?)?,
            joined: value.get("joined")?.as_u64()?,
            used: value.get("used")?.as_u64()?,
            pending,
        })
    }
}

impl SeatStatus {
    const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Unknown => "unknown",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Open, Self::Closed, Self::Unknown].into_iter().find(|known| known.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names_with_the_same_port_are_one_server() {
        let key = |text: &str| server_key(&BaseUrl::parse(text).expect(text));
        let same = ["http://127.0.0.1:3456", "http://localhost:3456/", "http://[::1]:3456"];
        assert!(same.iter().all(|url| key(url) == key(same[0])), "{}", key(same[0]));
        for other in [
            "http://127.0.0.1:3457",
            "https://127.0.0.1:3456",
            "http://127.0.0.1:3456/team",
            "http://debates.example:3456",
        ] {
            assert_ne!(key(other), key(same[0]), "{other}");
        }
        assert_eq!(key("http://DEBATES.example"), key("http://debates.example:80"));
    }
}
