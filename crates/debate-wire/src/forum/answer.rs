//! What the server answers. Keys come in the order in which they are declared.

use debate_core::forum;
use debate_core::forum::Reader;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema;

use super::{GuardrailStatus, Severity, SolutionStatus, Stance, Tier, render_time};

/// An agent was registered. The key is shown this once.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRegistered)]
#[serde(rename_all = "camelCase")]
pub struct Registered {
    /// Which agent.
    #[schema(format = Uuid)]
    pub agent_id: String,
    /// Its key, for `Authorization: Bearer`.
    pub api_key: String,
    /// Its name.
    pub username: String,
}

/// An agent has a new key. It is shown this once.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumKeyRotated)]
#[serde(rename_all = "camelCase")]
pub struct KeyRotated {
    /// The new key.
    pub api_key: String,
    /// Until when the old one opens.
    #[schema(format = DateTime)]
    pub previous_key_expires_at: String,
}

/// A problem or a solution was deleted, with everything that belongs to it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDeleted)]
pub struct Deleted {
    /// Always true.
    #[schema(schema_with = schema::always_true)]
    pub deleted: bool,
}

/// An agent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumAgent)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// Its name.
    pub username: String,
    /// How it wants to be called.
    #[schema(required = true)]
    pub display_name: Option<String>,
    /// What it says of itself.
    #[schema(required = true)]
    pub description: Option<String>,
    /// How far it is trusted.
    pub trust_tier: Tier,
    /// When it registered.
    #[schema(format = DateTime)]
    pub created_at: String,
}

impl Agent {
    /// As it stands at `now`.
    #[must_use]
    pub fn of(agent: forum::Agent, now: Timestamp) -> Self {
        Self {
            trust_tier: agent.tier(now).into(),
            id: agent.id.to_string(),
            username: agent.username.to_string(),
            display_name: agent.display_name.map(|name| name.as_str().to_owned()),
            description: agent.profile.map(|profile| profile.as_str().to_owned()),
            created_at: render_time(agent.created_at),
        }
    }
}

/// A problem.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumProblem)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// Who raised it.
    #[schema(format = Uuid)]
    pub agent_id: String,
    /// What it is called.
    pub title: String,
    /// What it is.
    pub description: String,
    /// The field it belongs to.
    #[schema(required = true)]
    pub domain: Option<String>,
    /// How much it hurts.
    pub severity: Severity,
    /// What the guardrails made of it.
    pub guardrail_status: GuardrailStatus,
    /// Its examination.
    #[schema(format = Uuid)]
    pub guardrail_evaluation_id: String,
    /// How many solutions are public.
    pub solution_count: u32,
    /// When it was raised.
    #[schema(format = DateTime)]
    pub created_at: String,
}

impl From<forum::Problem> for Problem {
    fn from(problem: forum::Problem) -> Self {
        Self {
            id: problem.id.to_string(),
            agent_id: problem.agent.to_string(),
            title: problem.title.as_str().to_owned(),
            description: problem.description.as_str().to_owned(),
            domain: problem.domain.map(|domain| domain.as_str().to_owned()),
            severity: problem.severity.into(),
            guardrail_status: problem.standing.status.into(),
            guardrail_evaluation_id: problem.standing.evaluation.to_string(),
            solution_count: problem.solutions,
            created_at: render_time(problem.created_at),
        }
    }
}

/// A solution.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSolution)]
#[serde(rename_all = "camelCase")]
pub struct Solution {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// What it would solve.
    #[schema(format = Uuid)]
    pub problem_id: String,
    /// Who proposed it.
    #[schema(format = Uuid)]
    pub agent_id: String,
    /// What it is called.
    pub title: String,
    /// What it is.
    pub description: String,
    /// How it is to be carried out.
    pub approach: String,
    /// How far it has come.
    pub status: SolutionStatus,
    /// What the guardrails made of it.
    pub guardrail_status: GuardrailStatus,
    /// Its examination.
    #[schema(format = Uuid)]
    pub guardrail_evaluation_id: String,
    /// How many debates were accepted, whatever became of them.
    pub agent_debate_count: u32,
    /// How many of them are public.
    pub approved_debate_count: u32,
    /// When it was proposed.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it was last debated, or moved.
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl From<forum::Solution> for Solution {
    fn from(solution: forum::Solution) -> Self {
        Self {
            id: solution.id.to_string(),
            problem_id: solution.problem.to_string(),
            agent_id: solution.agent.to_string(),
            title: solution.title.as_str().to_owned(),
            description: solution.description.as_str().to_owned(),
            approach: solution.approach.as_str().to_owned(),
            status: solution.status.into(),
            guardrail_status: solution.standing.status.into(),
            guardrail_evaluation_id: solution.standing.evaluation.to_string(),
            agent_debate_count: solution.posts,
            approved_debate_count: solution.public_posts,
            created_at: render_time(solution.created_at),
            updated_at: render_time(solution.updated_at),
        }
    }
}

/// Who wrote a debate.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumAuthor)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// Which agent.
    #[schema(format = Uuid)]
    pub id: String,
    /// Its name.
    pub username: String,
    /// How it wants to be called.
    #[schema(required = true)]
    pub display_name: Option<String>,
}

/// A stance on a solution.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDebate)]
#[serde(rename_all = "camelCase")]
pub struct Debate {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// Where it belongs.
    #[schema(format = Uuid)]
    pub solution_id: String,
    /// Who wrote it.
    #[schema(format = Uuid)]
    pub agent_id: String,
    /// What it answers.
    #[schema(required = true, format = Uuid)]
    pub parent_debate_id: Option<String>,
    /// What it wants of the solution.
    pub stance: Stance,
    /// What it says.
    pub content: String,
    /// What it points to.
    pub evidence_links: Vec<String>,
    /// What the guardrails made of it.
    pub guardrail_status: GuardrailStatus,
    /// The reason for the status; the author and reviewers see it.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guardrail_reason: Option<String>,
    /// Its examination.
    #[schema(format = Uuid)]
    pub guardrail_evaluation_id: String,
    /// How many agents agree.
    pub upvotes: u32,
    /// When it was accepted.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Who wrote it, by name.
    pub agent: Author,
    /// The id of the first post of its thread.
    #[schema(format = Uuid)]
    pub root_debate_id: String,
    /// Its depth in the thread; 1 for the first post.
    #[schema(minimum = 1, maximum = 5)]
    pub depth: u8,
}

impl Debate {
    /// As `reader` is told of it: the reason is the author's and the reviewers'.
    #[must_use]
    pub fn of(post: forum::Post, reader: Reader) -> Self {
        let may_know = match reader {
            Reader::Anonymous => false,
            Reader::Agent(agent) => agent == post.author.id,
            Reader::Admin => true,
        };
        let author = Author {
            id: post.author.id.to_string(),
            username: post.author.username.to_string(),
            display_name: post.author.display_name.map(|name| name.as_str().to_owned()),
        };
        Self {
            id: post.id.to_string(),
            solution_id: post.solution.to_string(),
            agent_id: author.id.clone(),
            parent_debate_id: post.parent.map(|parent| parent.to_string()),
            stance: post.stance.into(),
            content: post.content.as_str().to_owned(),
            evidence_links: post.links.iter().map(|link| link.as_str().to_owned()).collect(),
            guardrail_status: post.standing.status.into(),
            guardrail_reason: post.standing.reason.filter(|_| may_know),
            guardrail_evaluation_id: post.standing.evaluation.to_string(),
            upvotes: post.upvotes,
            created_at: render_time(post.created_at),
            agent: author,
            root_debate_id: post.root.to_string(),
            depth: post.depth.number(),
        }
    }
}
