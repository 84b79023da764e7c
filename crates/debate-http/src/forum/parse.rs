//! Conversion of the forum's wire types to domain types.

use debate_app::forum::{
    AgentPatch, FlaggedFilter, OldAgentKey, RateLimitChange, Registration, ReviewClaimFilter,
    Visitor,
};
use debate_core::forum::guardrail::{GuardrailStatus, Ruling};
use debate_core::forum::{
    Activity, AppealReason, Content, EvidenceLink, Links, ListCursor, Notes, PageLimit, PostDraft,
    PostOrder, PostQuery, ProblemDraft, ProblemQuery, SolutionDraft, SolutionQuery, SolutionStatus,
    Stance, Text, ThreadPath, Username, Viewer, agent_limit,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, RequestKey, SolutionId};
use debate_wire::forum as wire;
use uuid::Uuid;

use super::extract::ForumBody;
use super::page;
use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, non_empty};

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
            profile: self.description.map(|profile| text("description", profile)).transpose()?,
        })
    }
}

impl ForumBody for wire::Register {
    const VALID_EXAMPLE: &'static str = r#"{"username": "ada"}"#;
}

impl Parse for wire::RotateKey {
    type Domain = OldAgentKey;

    const FIELDS: Fields = &[("revokeNow", "true, false or null")];

    fn parse(self, _: &Settings) -> Result<OldAgentKey, Unacceptable> {
        Ok(if self.revoke_now == Some(true) { OldAgentKey::Revoked } else { OldAgentKey::Expires })
    }
}

impl ForumBody for wire::RotateKey {
    const VALID_EXAMPLE: &'static str = "{}";
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

impl ForumBody for wire::CreateProblem {
    const VALID_EXAMPLE: &'static str = r#"{
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

impl ForumBody for wire::CreateSolution {
    const VALID_EXAMPLE: &'static str = r#"{
        "problemId": "00000000-0000-0000-0000-000000000000",
        "title": "Ten or more",
        "description": "There are fifty characters at the very least in here.",
        "approach": "There are fifty characters at the very least in here."
    }"#;
}

/// The parsed body of a new post.
pub(crate) struct PostBody {
    stance: Stance,
    content: Content,
    links: Links,
    parent: Option<PostId>,
}

impl PostBody {
    /// The draft of the post on a solution.
    pub(super) fn into_draft(self, solution: SolutionId, key: Option<RequestKey>) -> PostDraft {
        let Self { stance, content, links, parent } = self;
        let id = PostId::new(Uuid::now_v7());
        let evaluation = EvaluationId::new(Uuid::now_v7());
        PostDraft { id, evaluation, solution, stance, content, links, parent, key }
    }
}

impl Parse for wire::CreateDebate {
    type Domain = PostBody;

    const FIELDS: Fields = &[
        ("stance", "`support`, `oppose`, `modify` or `question`"),
        ("content", "a string of 50 to 10000 characters"),
        ("evidenceLinks", "a list of at most 10 https addresses, or null"),
        ("parentDebateId", "a UUID, or null"),
    ];

    fn parse(self, _: &Settings) -> Result<PostBody, Unacceptable> {
        let bad_links = |why: &dyn std::fmt::Display| Invalid::new("evidenceLinks", why);
        let links = self.evidence_links.unwrap_or_default();
        let links = links.into_iter().map(EvidenceLink::new).collect::<Result<_, _>>();
        let links =
            links.map_err(|err| bad_links(&format!("has an invalid address: each one {err}")))?;
        let parent = self.parent_debate_id.map(|id| id.parse()).transpose();
        Ok(PostBody {
            stance: self.stance.into(),
            content: text("content", self.content)?,
            links: Links::new(links).map_err(|err| bad_links(&err))?,
            parent: parent.map_err(|err| Invalid::new("parentDebateId", err))?,
        })
    }
}

impl ForumBody for wire::CreateDebate {
    const VALID_EXAMPLE: &'static str = r#"{
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

impl ForumBody for wire::Appeal {
    const VALID_EXAMPLE: &'static str = r#"{"reason": "Ten or more"}"#;
}

impl Parse for wire::Review {
    type Domain = (Ruling, Notes);

    const FIELDS: Fields =
        &[("decision", "`approve` or `reject`"), ("notes", "a string of 10 to 2000 characters")];

    fn parse(self, _: &Settings) -> Result<(Ruling, Notes), Unacceptable> {
        Ok((self.decision.into(), text("notes", self.notes)?))
    }
}

impl ForumBody for wire::Review {
    const VALID_EXAMPLE: &'static str = r#"{"decision": "approve", "notes": "Ten or more"}"#;
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
            Some(wire::RateLimitChange::Usual) => Some(RateLimitChange::Usual),
            Some(wire::RateLimitChange::Set(count)) => {
                let limit = agent_limit(count).map_err(|err| Invalid::new("rateLimit", err))?;
                Some(RateLimitChange::Set(limit))
            }
        };
        Ok(AgentPatch { activity, rate_limit })
    }
}

impl ForumBody for wire::PatchAgent {
    const VALID_EXAMPLE: &'static str = "{}";
}

/// The parameters of a list; the caller is added later.
pub(crate) struct ListRequest<S> {
    mine: bool,
    status: Option<S>,
    problem: Option<ProblemId>,
    after: Option<ListCursor>,
    limit: PageLimit,
}

impl<S> ListRequest<S> {
    /// The author to filter by, if the caller asks for its own items.
    fn author(&self, visitor: &Visitor) -> Result<Option<AgentId>, ErrorResponse> {
        match (self.mine, visitor) {
            (false, _) => Ok(None),
            (true, Visitor::Agent(agent)) => Ok(Some(agent.id)),
            (true, Visitor::Anonymous) => Err(ErrorResponse::key_needed()),
            (true, Visitor::Reviewer(_)) => Err(ErrorResponse::agents_only()),
        }
    }
}

impl ListRequest<GuardrailStatus> {
    pub(crate) fn for_visitor(self, visitor: &Visitor) -> Result<ProblemQuery, ErrorResponse> {
        let (author, viewer) = (self.author(visitor)?, visitor.viewer());
        let Self { status, after, limit, .. } = self;
        Ok(ProblemQuery { viewer, author, status, after, limit })
    }
}

impl ListRequest<SolutionStatus> {
    pub(crate) fn for_visitor(self, visitor: &Visitor) -> Result<SolutionQuery, ErrorResponse> {
        let (author, viewer) = (self.author(visitor)?, visitor.viewer());
        let Self { status, problem, after, limit, .. } = self;
        Ok(SolutionQuery { viewer, author, status, problem, after, limit })
    }
}

fn flag(field: &str, value: Option<String>) -> Result<Option<bool>, Invalid> {
    match non_empty(value).as_deref() {
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
    non_empty(value).map(|id| id.parse().map_err(|err| Invalid::new(field, err))).transpose()
}

impl Parse for wire::ProblemsQuery {
    type Domain = ListRequest<GuardrailStatus>;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<ListRequest<GuardrailStatus>, Unacceptable> {
        let known = GuardrailStatus::ALL.map(GuardrailStatus::name).join(", ");
        let status = non_empty(self.status).map(|name| {
            GuardrailStatus::from_name(&name)
                .ok_or_else(|| Invalid::new("status", format!("must be one of {known}")))
        });
        Ok(ListRequest {
            mine: flag("mine", self.mine)?.unwrap_or(false),
            status: status.transpose()?,
            problem: None,
            limit: page::limit(self.limit)?,
            after: page::list_cursor(self.cursor)?,
        })
    }
}

impl Parse for wire::SolutionsQuery {
    type Domain = ListRequest<SolutionStatus>;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<ListRequest<SolutionStatus>, Unacceptable> {
        let known = SolutionStatus::ALL.map(SolutionStatus::name).join(", ");
        let status = non_empty(self.status).map(|name| {
            SolutionStatus::from_name(&name)
                .ok_or_else(|| Invalid::new("status", format!("must be one of {known}")))
        });
        Ok(ListRequest {
            mine: flag("mine", self.mine)?.unwrap_or(false),
            status: status.transpose()?,
            problem: id("problemId", self.problem_id)?,
            limit: page::limit(self.limit)?,
            after: page::list_cursor(self.cursor)?,
        })
    }
}

/// The parameters of a list of posts; the caller and the solution are added later.
pub(crate) struct PostListRequest {
    pub(super) shape: PostOrder,
    after: ThreadPath,
    limit: PageLimit,
}

impl PostListRequest {
    pub(crate) const fn for_viewer(&self, viewer: Viewer, solution: SolutionId) -> PostQuery {
        let Self { shape, after, limit } = *self;
        PostQuery { viewer, solution, order: shape, after, limit }
    }
}

impl Parse for wire::DebatesQuery {
    type Domain = PostListRequest;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<PostListRequest, Unacceptable> {
        let known = Stance::ALL.map(Stance::name).join(", ");
        let stance = non_empty(self.stance).map(|name| {
            Stance::from_name(&name)
                .ok_or_else(|| Invalid::new("stance", format!("must be one of {known}")))
        });
        let shape = stance.transpose()?.map_or(PostOrder::Threads, PostOrder::Flat);
        let limit = page::limit(self.limit)?;
        Ok(PostListRequest { shape, after: page::post_position(shape, self.cursor)?, limit })
    }
}

impl Parse for wire::FlaggedQuery {
    type Domain = FlaggedFilter;

    const FIELDS: Fields = &[];

    fn parse(self, _: &Settings) -> Result<FlaggedFilter, Unacceptable> {
        let claimed = flag("claimed", self.claimed)?;
        Ok(FlaggedFilter {
            claimed: claimed.map(|claimed| {
                if claimed { ReviewClaimFilter::Claimed } else { ReviewClaimFilter::Unclaimed }
            }),
            author: id("agentId", self.agent_id)?,
            limit: page::limit(self.limit)?,
            after: page::list_cursor(self.cursor)?,
        })
    }
}
