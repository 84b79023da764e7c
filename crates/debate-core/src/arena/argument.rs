//! Debates and arguments, and the requests that create them.

use jiff::Timestamp;

use super::rules::{Move, Role, RulingEffect, State};
use super::seat::HolderName;
use super::secret::SecretDigest;
use crate::{ArgumentId, Content, DebateId, Fingerprint, RequestKey, Seq, Title};

/// The type of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DebateType {
    /// A plan for a change to code.
    CodingPlan,
    /// A debate about any other subject.
    General,
}

impl DebateType {
    /// All types, in declaration order.
    pub const ALL: [Self; 2] = [Self::CodingPlan, Self::General];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CodingPlan => "coding_plan_debate",
            Self::General => "general_debate",
        }
    }

    /// The type with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|debate_type| debate_type.name() == name)
    }
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentType {
    /// The first argument of a debate.
    Motion,
    /// An answer to the other side.
    Claim,
    /// The proposer's request for a ruling.
    Appeal,
    /// The arbitrator's decision about the debate.
    Ruling,
    /// The arbitrator's pause of the debate.
    Intervention,
    /// The proposer's request to finish.
    Resolution,
}

impl ArgumentType {
    /// All types, in declaration order.
    pub const ALL: [Self; 6] = [
        Self::Motion,
        Self::Claim,
        Self::Appeal,
        Self::Ruling,
        Self::Intervention,
        Self::Resolution,
    ];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Motion => "MOTION",
            Self::Claim => "CLAIM",
            Self::Appeal => "APPEAL",
            Self::Ruling => "RULING",
            Self::Intervention => "INTERVENTION",
            Self::Resolution => "RESOLUTION",
        }
    }

    /// The type with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl From<Move> for ArgumentType {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Claim(_) => Self::Claim,
            Move::Appeal => Self::Appeal,
            Move::Resolve => Self::Resolution,
            Move::Intervene => Self::Intervention,
            Move::Rule(_) => Self::Ruling,
        }
    }
}

/// A debate in its current state, or in its state after one of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debate {
    /// The id of the debate.
    pub id: DebateId,
    /// The title. Not validated: earlier servers accepted other titles.
    pub title: String,
    /// The type of the debate.
    pub debate_type: DebateType,
    /// The state, which names the role that acts next.
    pub state: State,
    /// The time of its motion.
    pub created_at: Timestamp,
    /// The time of its newest argument.
    pub updated_at: Timestamp,
    /// The short name, unique among present and deleted debates.
    pub slug: String,
    /// The number of changes of its seats; none if it has no seats.
    pub seat_changes: Option<u32>,
}

/// A stored entry of a debate. It never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Argument {
    /// The id of the argument.
    pub id: ArgumentId,
    /// The debate that it belongs to.
    pub debate: DebateId,
    /// The argument that it answers.
    pub parent: Option<ArgumentId>,
    /// The type of the argument.
    pub kind: ArgumentType,
    /// The role of its author.
    pub role: Role,
    /// The text as Markdown, unchanged.
    pub content: String,
    /// The idempotency key of its request.
    pub request_key: Option<String>,
    /// The position in the debate.
    pub seq: Seq,
    /// The time of its commit, by the server's clock.
    pub created_at: Timestamp,
    /// The state of the debate after it.
    pub state_after: State,
    /// The name of its author; none if that is not known, as in debates without seats.
    pub by: Option<String>,
}

/// Leaves the text out: content must not reach a log.
impl std::fmt::Debug for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Argument")
            .field("id", &self.id)
            .field("debate", &self.debate)
            .field("kind", &self.kind)
            .field("role", &self.role)
            .field("seq", &self.seq)
            .field("state_after", &self.state_after)
            .finish_non_exhaustive()
    }
}

/// An argument with the fingerprint of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredArgument {
    /// The argument without its fingerprint.
    pub argument: Argument,
    /// The fingerprint; none for an automatic ruling, which has no request.
    pub fingerprint: Option<Fingerprint>,
}

/// A request to open a debate.
#[derive(Debug, Clone)]
pub struct NewDebate {
    /// The id, chosen by the client.
    pub debate: DebateId,
    /// The id of the motion.
    pub motion_id: ArgumentId,
    /// The title as the author wrote it.
    pub title: Title,
    /// The type of the debate.
    pub debate_type: DebateType,
    /// The text of the motion.
    pub motion: Content,
    /// Whether a resolution closes the debate automatically; the server's
    /// setting applies if absent.
    pub auto_ruling: Option<bool>,
    /// The idempotency key of the request.
    pub key: RequestKey,
    /// The seats; none for a debate without.
    pub seats: Option<NewSeats>,
    /// The fields about seats as the client sent them, for the fingerprint.
    pub seat_fields: SeatFields,
}

/// The seats of a new debate.
#[derive(Debug, Clone)]
pub struct NewSeats {
    /// The creator, who holds the proposer's seat: name and digest of the token. None if both seats
    /// are open, as after the form for a new debate.
    pub creator: Option<(HolderName, SecretDigest)>,
    /// The digest of the invite, if only invited participants may take a seat.
    pub invite: Option<SecretDigest>,
}

/// The fields about seats of a request to open a debate, as the client sent them.
#[derive(Debug, Clone, Default)]
pub struct SeatFields {
    /// The field `seats`.
    pub seats: Option<bool>,
    /// The field `invite_only`.
    pub invite_only: Option<bool>,
    /// The field `holder`.
    pub holder: Option<String>,
    /// The digest of the header `Debate-Seat`.
    pub token: Option<SecretDigest>,
    /// The digest of the header `Debate-Invite`.
    pub invite: Option<SecretDigest>,
}

impl SeatFields {
    /// The fingerprint of the present fields; none if there are none. It is stored with the debate,
    /// so that a check can recompute the fingerprint of the request.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let Self { seats, invite_only, holder, token, invite } = self;
        let values: [(&[u8], Option<&[u8]>); 5] = [
            (b"seats", seats.map(|flag| flag_name(flag).as_bytes())),
            (b"invite_only", invite_only.map(|flag| flag_name(flag).as_bytes())),
            (b"holder", holder.as_deref().map(str::as_bytes)),
            (b"token", token.as_ref().map(|digest| digest.as_bytes().as_slice())),
            (b"invite", invite.as_ref().map(|digest| digest.as_bytes().as_slice())),
        ];
        let present = values.into_iter().filter_map(|(name, value)| Some([name, value?]));
        let fields: Vec<&[u8]> = present.flatten().collect();
        (!fields.is_empty()).then(|| Fingerprint::from_fields(&fields))
    }
}

const fn flag_name(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

impl NewDebate {
    /// The fingerprint of the request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::for_debate(
            self.title.as_str(),
            self.debate_type,
            self.motion.as_str(),
            self.auto_ruling,
            self.seat_fields.fingerprint().as_ref(),
        )
    }
}

/// A request to add an argument.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The id of the argument.
    pub id: ArgumentId,
    /// The id of the automatic ruling that may follow a resolution.
    pub closing_id: ArgumentId,
    /// The move that the argument makes.
    pub mv: Move,
    /// The argument that it answers; none for rulings and interventions.
    pub target: Option<ArgumentId>,
    /// The text as Markdown, unchanged.
    pub content: Content,
    /// The idempotency key of the request.
    pub key: RequestKey,
}

impl Draft {
    /// The fingerprint of the request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::for_move(self.mv, self.target, self.content.as_str())
    }
}

impl Fingerprint {
    /// The fingerprint of an argument: action, role, target, content, and whether a ruling closes.
    #[must_use]
    pub fn for_move(mv: Move, target: Option<ArgumentId>, content: &str) -> Self {
        let target = target.map(ArgumentId::uuid);
        let closes = match mv {
            Move::Rule(RulingEffect::Close) => "close",
            Move::Rule(RulingEffect::Continue)
            | Move::Claim(_)
            | Move::Appeal
            | Move::Resolve
            | Move::Intervene => "",
        };
        Self::from_fields(&[
            mv.name().as_bytes(),
            mv.role().name().as_bytes(),
            target.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            content.as_bytes(),
            closes.as_bytes(),
        ])
    }

    /// The fingerprint of a new debate. `auto_ruling` counts as the client sent it, so that a retry
    /// is recognised also after a change of the server's setting. `seat_fields` is the fingerprint
    /// of the fields about seats, if the request had any.
    #[must_use]
    pub fn for_debate(
        title: &str,
        debate_type: DebateType,
        motion: &str,
        auto_ruling: Option<bool>,
        seat_fields: Option<&Self>,
    ) -> Self {
        let mut fields: Vec<&[u8]> = vec![
            b"open",
            title.as_bytes(),
            debate_type.name().as_bytes(),
            motion.as_bytes(),
            auto_ruling.map(flag_name).unwrap_or_default().as_bytes(),
        ];
        // Requests without fields about seats keep the fingerprints that earlier releases stored.
        fields.extend(seat_fields.map(|fields| fields.as_bytes().as_slice()));
        Self::from_fields(&fields)
    }
}
