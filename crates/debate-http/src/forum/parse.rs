//! What the forum's wire types mean.

use debate_app::forum::{
    AgentPatch, Claimed, FlaggedFilter, LimitChange, OldKey, Registration, Visitor,
};
use debate_core::forum::guardrail::{Ruling, Status};
use debate_core::forum::{
    Activity, AppealReason, Content, EvidenceLink, Links, ListCursor, Notes, PageLimit, PostDraft,
    PostQuery, ProblemDraft, ProblemQuery, Reader, Shape, SolutionDraft, SolutionQuery,
    SolutionStatus, Stance, Text, ThreadPath, Username, agent_limit,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, RequestKey, SolutionId};
use debate_wire::forum as wire;
use uuid::Uuid;

use super::form::Form;
use super::page;
use crate::edge::Settings;
use crate::parsed::{Parse, given};
use crate::problem::{Invalid, Problem, Unacceptable};

type Fields = &'static [(&'static str, &'static str)];

fn text<const LEAST: usize, const MOST: usize>(
    field: &str,
    text: String,
) -> Result<Text<LEAST, MOST>, Invalid> {
    Text::new(text).map_err(|err| Invalid::new(field, err))
}

impl Parse for wire::Register {
    type Domain = Registration;

    const FIELDS: Fields = &[
        ("username", "a string of 3 to 100 lower-case letters, digits and underscores"),
        ("displayName", "a string of 1 to 100 characters, or null"),
        ("description", "a string of 1 to 1000 characters, or null"),
    ];

    fn parse(self, _: &Settings) -> Result<Registration, Unacceptable> {
        let username = Username::new(self.username);
        Ok(Registration {
            username: username.map_err(|err| Invalid::new("username", err))?,
            display_name: self.display_name.map(|name| text("displayName", name)).transpose()?,
            profile: self.description.map(|words| text("description", words)).transpose()?,
        })
    }
}

impl Form for wire::Register {
    const SOUND: &'static str = r#"{"username": "ada"}"#;
}

impl Parse for wire::RotateKey {
    type Domain = OldKey;

    const FIELDS: Fields = &[("revokeNow", "true, false or null")];

    fn parse(self, _: &Settings) -> Result<OldKey, Unacceptable> {
        Ok(if self.revoke_now == Some(true) { OldKey::Revoked } else { OldKey::Expires })
    }
}

impl Form for wire::RotateKey {
    const SOUND: &'static str = "{}";
}

impl Parse for wire::CreateProblem {
    type Domain = ProblemDraft;

    const FIELDS: Fields = &[
        ("title", "a string of 10 to 500 characters"),
        ("description", "a string of 50 to 10000 characters"),
        ("domain", "a string of 1 to 50 characters, or null"),
        ("severity", "`low`, `medium`, `high` or `critical`"),
    ];

    fn parse(self, _: &Settings) -> Result<ProblemDraft, Unacceptable> {
        Ok(ProblemDraft {
            id: ProblemId::new(Uuid::now_v7()),
            evaluation: EvaluationId::new(Uuid::now_v7()),
            title: text("title", self.title)?,
            description: text("description", self.description)?,
            domain: self.domain.map(|domain| text("domain", domain)).transpose()?,
            severity: self.severity.into(),
        })
    }
}

impl Form for wire::CreateProblem {
    const SOUND: &'static str = r#"{
        "title": "Ten or more",
        "description": "There are fifty characters at the very least in here.",
        "severity": "low"
    }"#;
}

impl Parse for wire::CreateSolution {
    type Domain = SolutionDraft;

    const FIELDS: Fields = &[
        ("problemId", "a UUID"),
        ("title", "a string of 10 to 500 characters"),
        ("description", "a string of 50 to 10000 characters"),
        ("approach", "a string of 50 to 20000 characters"),
    ];

    fn parse(self, _: &Settings) -> Result<SolutionDraft, Unacceptable> {
        let problem = self.problem_id.parse();
        Ok(SolutionDraft {
            id: SolutionId::new(Uuid::now_v7()),
            evaluation: EvaluationId::new(Uuid::now_v7()),
            problem: problem.map_err(|err| Invalid::new("problemId", err))?,
            title: text("title", self.title)?,
            description: text("description", self.description)?,
            approach: text("approach", self.approach)?,
        })
    }
}

impl Form for wire::CreateSolution {
    const SOUND: &'static str = r#"{
        "problemId": "00000000-0000-0000-0000-000000000000",
        "title": "Ten or more",
        "description": "There are fifty characters at the very least in here.",
        "approach": "There are fifty characters at the very least in here."
    }"#;
}

/// What an agent wants to say.
pub(crate) struct Words {
    stance: Stance,
    content: Content,
    links: Links,
    parent: Option<PostId>,
}

impl Words {
    /// The draft of a post that says so of a solution.
    pub(super) fn about(self, solution: SolutionId, key: Option<RequestKey>) -> PostDraft {
        let Self { stance, content, links, parent } = self;
        let id = PostId::new(Uuid::now_v7());
        let evaluation = EvaluationId::new(Uuid::now_v7());
        PostDraft { id, evaluation, solution, stance, content, links, parent, key }
    }
}

impl Parse for wire::CreateDebate {
    type Domain = Words;

    const FIELDS: Fields = &[
        ("stance", "`support`, `oppose`, `modify` or `question`"),
        ("content", "a string of 50 to 10000 characters"),
        ("evidenceLinks", "a list of at most 10 https addresses, or null"),
        ("parentDebateId", "a UUID, or null"),
    ];

    fn parse(self, _: &Settings) -> Result<Words, Unacceptable> {
        let bad_links = |why: &dyn std::fmt::Display| Invalid::new("evidenceLinks", why);
        let links = self.evidence_links.unwrap_or_default();
        let links = links.into_iter().map(EvidenceLink::new).collect::<Result<_, _>>();
        let links =
            links.map_err(|err| bad_links(&format!("has an invalid address: each one {err}")))?;
        let parent = self.parent_debate_id.map(|id| id.parse()).transpose();
        Ok(Words {
            stance: self.stance.into(),
            content: text("content", self.content)?,
            links: Links::new(links).map_err(|err| bad_links(&err))?,
            parent: parent.map_err(|err| Invalid::new("parentDebateId", err))?,
        })
    }
}

impl Form for wire::CreateDebate {
    const SOUND: &'static str = r#"{
        "stance": "support",
        "content": "There are fifty characters at the very least in here."
    }"#;
}

impl Parse for wire::Appeal {
    type Domain = AppealReason;

    const FIELDS: Fields = &[("reason", "a string of 10 to 2000 characters")];

    fn parse(self, _: &Settings) -> Result<AppealReason, Unacceptable> {
        Ok(text("reason", self.reason)?)
    }
}

impl Form for wire::Appeal {
    const SOUND: &'static str = r#"{"reason": "Ten or more"}"#;
}

impl Parse for wire::Review {
    type Domain = (Ruling, Notes);

    const FIELDS: Fields =
        &[("decision", "`approve` or `reject`"), ("notes", "a string of 10 to 2000 characters")];

    fn parse(self, _: &Settings) -> Result<(Ruling, Notes), Unacceptable> {
        Ok((self.decision.into(), text("notes", self.notes)?))
    }
}

impl Form for wire::Review {
    const SOUND: &'static str = r#"{"decision": "approve", "notes": "Ten or more"}"#;
}

impl Parse for wire::PatchAgent {
    type Domain = AgentPatch;

    const FIELDS: Fields = &[
        ("active", "true or false"),
        ("rateLimit", "a whole number from 1 to 1000, or null for the limit of the trust tier"),
    ];

    fn parse(self, _: &Settings) -> Result<AgentPatch, Unacceptable> {
        let activity =
            self.active.map(|active| if active { Activity::Active } else { Activity::Deactivated });
        let rate_limit = match self.rate_limit {
            None => None,
            Some(wire::LimitChange::Usual) => Some(LimitChange::Usual),
            Some(wire::LimitChange::Set(count)) => {
                let limit = agent_limit(count).map_err(|err| Invalid::new("rateLimit", err))?;
                Some(LimitChange::Set(limit))
            }
        };
        Ok(AgentPatch { activity, rate_limit })
    }
}

impl Form for wire::PatchAgent {
    const SOUND: &'static str = "{}";
}

/// What a list is asked for, before it is known by whom.
pub(crate) struct Wish<S> {
    mine: bool,
    status: Option<S>,
    problem: Option<ProblemId>,
    after: Option<ListCursor>,
    limit: PageLimit,
}

impl<S> Wish<S> {
    /// Whose things alone are wanted.
    fn author(&self, visitor: &Visitor) -> Result<Option<AgentId>, Problem> {
        match (self.mine, visitor) {
            (false, _) => Ok(None),
            (true, Visitor::Agent(agent)) => Ok(Some(agent.id)),
            (true, Visitor::Anonymous) => Err(Problem::key_needed()),
            (true, Visitor::Reviewer(_)) => Err(Problem::agents_only()),
        }
    }
}

impl Wish<Status> {
    pub(crate) fn of(self, visitor: &Visitor) -> Result<ProblemQuery, Problem> {
        let (author, reader) = (self.author(visitor)?, visitor.reader());
        let Self { status, after, limit, .. } = self;
        Ok(ProblemQuery { reader, author, status, after, limit })
    }
}

impl Wish<SolutionStatus> {
    pub(crate) fn of(self, visitor: &Visitor) -> Result<SolutionQuery, Problem> {
        let (author, reader) = (self.author(visitor)?, visitor.reader());
        let Self { status, problem, after, limit, .. } = self;
        Ok(SolutionQuery { reader, author, status, problem, after, limit })
    }
}

fn flag(field: &str, value: Option<String>) -> Result<Option<bool>, Invalid> {
    match given(value).as_deref() {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err(Invalid::new(field, "must be true or false")),
    }
}

fn id<I: std::str::FromStr<Err: std::fmt::Display>>(
    field: &str,
    value: Option<String>,
) -> Result<Option<I>, Invalid> {
    given(value).map(|id| id.parse().map_err(|err| Invalid::new(field, err))).transpose()
}

impl Parse for wire::ProblemsQuery {
    type Domain = Wish<Status>;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<Wish<Status>, Unacceptable> {
        let known = Status::ALL.map(Status::name).join(", ");
        let status = given(self.status).map(|name| {
            Status::named(&name)
                .ok_or_else(|| Invalid::new("status", format!("must be one of {known}")))
        });
        Ok(Wish {
            mine: flag("mine", self.mine)?.unwrap_or(false),
            status: status.transpose()?,
            problem: None,
            limit: page::limit(self.limit)?,
            after: page::list_cursor(self.cursor)?,
        })
    }
}

impl Parse for wire::SolutionsQuery {
    type Domain = Wish<SolutionStatus>;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<Wish<SolutionStatus>, Unacceptable> {
        let known = SolutionStatus::ALL.map(SolutionStatus::name).join(", ");
        let status = given(self.status).map(|name| {
            SolutionStatus::named(&name)
                .ok_or_else(|| Invalid::new("status", format!("must be one of {known}")))
        });
        Ok(Wish {
            mine: flag("mine", self.mine)?.unwrap_or(false),
            status: status.transpose()?,
            problem: id("problemId", self.problem_id)?,
            limit: page::limit(self.limit)?,
            after: page::list_cursor(self.cursor)?,
        })
    }
}

/// Which posts, before it is known of what and by whom.
pub(crate) struct PostWish {
    pub(super) shape: Shape,
    after: ThreadPath,
    limit: PageLimit,
}

impl PostWish {
    pub(crate) const fn of(&self, reader: Reader, solution: SolutionId) -> PostQuery {
        let Self { shape, after, limit } = *self;
        PostQuery { reader, solution, shape, after, limit }
    }
}

impl Parse for wire::DebatesQuery {
    type Domain = PostWish;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<PostWish, Unacceptable> {
        let known = Stance::ALL.map(Stance::name).join(", ");
        let stance = given(self.stance).map(|name| {
            Stance::named(&name)
                .ok_or_else(|| Invalid::new("stance", format!("must be one of {known}")))
        });
        let shape = stance.transpose()?.map_or(Shape::Threads, Shape::Flat);
        let limit = page::limit(self.limit)?;
        Ok(PostWish { shape, after: page::post_position(shape, self.cursor)?, limit })
    }
}

impl Parse for wire::FlaggedQuery {
    type Domain = FlaggedFilter;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<FlaggedFilter, Unacceptable> {
        let claimed = flag("claimed", self.claimed)?;
        Ok(FlaggedFilter {
            claimed: claimed.map(|claimed| if claimed { Claimed::Yes } else { Claimed::No }),
            author: id("agentId", self.agent_id)?,
            limit: page::limit(self.limit)?,
            after: page::list_cursor(self.cursor)?,
        })
    }
}
