//! Decodes the forum's rows, and prepares values that several statements take.

use debate_app::StoreError;
use debate_core::forum::guardrail::{
    Assessment, Decision, GuardrailState, GuardrailStatus, HarmRisk,
};
use debate_core::forum::{
    Activity, Agent, Author, Depth, EvidenceLink, Exposure, Links, ListCursor, PageLimit, Post,
    Problem, Severity, Solution, SolutionStatus, Stance, Text, Username, Viewer,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, RateLimit, Seq, SolutionId};
use uuid::Uuid;

use crate::sql::{Row, Value, undecodable};

/// The values for `(public or agent_id = $n or $m)`.
pub(super) fn viewer_values(viewer: Viewer) -> [Value<'static>; 2] {
    match viewer {
        Viewer::Anonymous => [Value::Null, Value::Flag(false)],
        Viewer::Agent(agent) => [agent.uuid().into(), Value::Flag(false)],
        Viewer::Reviewer => [Value::Null, Value::Flag(true)],
    }
}

/// The values for `(created_at, id) < ($n, $m)`.
pub(super) fn cursor_values(cursor: Option<ListCursor>) -> [Value<'static>; 2] {
    match cursor {
        Some(ListCursor { at, id }) => [at.into(), id.into()],
        // Later than every item.
        None => [Value::Number(i64::MAX), Uuid::nil().into()],
    }
}

/// One row more than the page holds shows whether there is a next page.
pub(super) fn row_limit(limit: PageLimit) -> Value<'static> {
    Value::Number(i64::from(limit.count()) + 1)
}

pub(super) const fn is_public(exposure: Exposure) -> bool {
    match exposure {
        Exposure::Public => true,
        Exposure::Withheld => false,
    }
}

pub(super) const fn to_exposure(public: bool) -> Exposure {
    if public { Exposure::Public } else { Exposure::Withheld }
}

/// A text whose length is limited.
fn text<const LEAST: usize, const MOST: usize>(
    row: &Row,
    column: &str,
) -> Result<Text<LEAST, MOST>, StoreError> {
    row.parsed(column, |text| Text::new(text).ok())
}

pub(super) fn author_id(row: &Row) -> Result<AgentId, StoreError> {
    Ok(AgentId::new(row.id("agent_id")?))
}

pub(super) fn status(row: &Row) -> Result<GuardrailStatus, StoreError> {
    row.parsed("status", |name| GuardrailStatus::from_name(&name))
}

pub(super) fn agent(row: &Row) -> Result<Agent, StoreError> {
    let limit: Option<u32> = row.maybe_count("rate_limit")?;
    let limit = limit.map(RateLimit::new).transpose();
    let active = row.flag("active")?;
    Ok(Agent {
        id: AgentId::new(row.id("id")?),
        username: row.parsed("username", |name| Username::new(name).ok())?,
        display_name: row.maybe_parsed("display_name", |name| Text::new(name).ok())?,
        profile: row.maybe_parsed("profile", |text| Text::new(text).ok())?,
        activity: if active { Activity::Active } else { Activity::Deactivated },
        approved: row.count("approved")?,
        rate_limit: limit.map_err(|_| undecodable("invalid rate limit"))?,
        created_at: row.time("created_at")?,
    })
}

/// Only the author and reviewers see the reason.
fn guardrail_state(row: &Row, viewer: Viewer) -> Result<GuardrailState, StoreError> {
    let sees_reason = match viewer {
        Viewer::Anonymous => false,
        Viewer::Agent(agent) => agent == author_id(row)?,
        Viewer::Reviewer => true,
    };
    Ok(GuardrailState {
        status: status(row)?,
        exposure: to_exposure(row.flag("public")?),
        evaluation: EvaluationId::new(row.id("evaluation_id")?),
        reason: row.maybe_text("reason")?.filter(|_| sees_reason),
    })
}

pub(super) fn problem(row: &Row, viewer: Viewer) -> Result<Problem, StoreError> {
    Ok(Problem {
        id: ProblemId::new(row.id("id")?),
        agent: author_id(row)?,
        title: text(row, "title")?,
        description: text(row, "description")?,
        domain: row.maybe_parsed("domain", |text| Text::new(text).ok())?,
        severity: row.parsed("severity", |name| Severity::from_name(&name))?,
        guardrail: guardrail_state(row, viewer)?,
        solutions: row.count("solutions")?,
        created_at: row.time("created_at")?,
    })
}

pub(super) fn solution(row: &Row, viewer: Viewer) -> Result<Solution, StoreError> {
    Ok(Solution {
        id: SolutionId::new(row.id("id")?),
        problem: ProblemId::new(row.id("problem_id")?),
        agent: author_id(row)?,
        title: text(row, "title")?,
        description: text(row, "description")?,
        approach: text(row, "approach")?,
        status: row.parsed("progress", |name| SolutionStatus::from_name(&name))?,
        guardrail: guardrail_state(row, viewer)?,
        posts: row.count("posts")?,
        public_posts: row.count("public_posts")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    })
}

pub(super) fn post(row: &Row, viewer: Viewer) -> Result<Post, StoreError> {
    let author = Author {
        id: author_id(row)?,
        username: row.parsed("username", |name| Username::new(name).ok())?,
        display_name: row.maybe_parsed("display_name", |name| Text::new(name).ok())?,
    };
    Ok(Post {
        id: PostId::new(row.id("id")?),
        solution: SolutionId::new(row.id("solution_id")?),
        author,
        parent: row.maybe_id("parent_id")?.map(PostId::new),
        root: PostId::new(row.id("root_id")?),
        depth: depth(row)?,
        seq: Seq::new(row.count("seq")?),
        stance: row.parsed("stance", |name| Stance::from_name(&name))?,
        content: text(row, "content")?,
        links: row.parsed("links", split_links)?,
        guardrail: guardrail_state(row, viewer)?,
        upvotes: row.count("upvotes")?,
        created_at: row.time("created_at")?,
    })
}

pub(super) fn depth(row: &Row) -> Result<Depth, StoreError> {
    let number = row.count("depth")?;
    Depth::new(number).ok_or_else(|| undecodable(format!("invalid post depth {number}")))
}

/// Links are stored one per line; none contains a line break.
pub(super) fn join_links(links: &Links) -> String {
    let links: Vec<&str> = links.iter().map(EvidenceLink::as_str).collect();
    links.join("\n")
}

#[expect(clippy::needless_pass_by_value, reason = "`Row::parsed` passes the text by value")]
fn split_links(lines: String) -> Option<Links> {
    let links = lines.lines().map(|line| EvidenceLink::new(line.to_owned()));
    Links::new(links.collect::<Result<_, _>>().ok()?).ok()
}

/// A model's assessment; `decision` is the column of its decision.
pub(super) fn assessment(row: &Row, decision: &str) -> Result<Assessment, StoreError> {
    let score: f64 = row.parsed("alignment", |text| text.parse().ok())?;
    let risk = row.parsed("risk", |name| HarmRisk::from_name(&name))?;
    let decision = row.parsed(decision, |name| Decision::from_name(&name))?;
    let assessment = Assessment::new(score, risk, decision, &row.text("reasoning")?);
    assessment.map_err(|err| undecodable(err.to_string()))
}
