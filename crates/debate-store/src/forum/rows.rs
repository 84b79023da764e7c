//! Rows to values, by the names of their columns, and readers to what statements take.

use debate_core::forum::guardrail::{Assessment, Decision, HarmRisk, Standing, Status};
use debate_core::forum::{
    Activity, Agent, Author, Depth, EvidenceLink, Exposure, Links, ListCursor, PageLimit, Post,
    Problem, Reader, Severity, Solution, SolutionStatus, Stance, Text, Username,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, RateLimit, Seq, SolutionId};
use uuid::Uuid;

use crate::sql::{Columns, Misfit, Value};

/// Who looks, as `(public or agent_id = $n or $m)` takes it.
pub(super) fn eyes(reader: Reader) -> [Value<'static>; 2] {
    match reader {
        Reader::Anonymous => [Value::Null, Value::Flag(false)],
        Reader::Agent(agent) => [agent.uuid().into(), Value::Flag(false)],
        Reader::Admin => [Value::Null, Value::Flag(true)],
    }
}

/// Everything whose place in a list comes before this one.
pub(super) fn before(place: Option<ListCursor>) -> [Value<'static>; 2] {
    match place {
        Some(ListCursor { at, id }) => [at.into(), id.into()],
        // Before the end of time: everything.
        None => [Value::Number(i64::MAX), Uuid::nil().into()],
    }
}

/// One more than asked for tells whether there is a next page.
pub(super) fn one_more(limit: PageLimit) -> Value<'static> {
    Value::Number(i64::from(limit.count()) + 1)
}

pub(super) const fn is_public(exposure: Exposure) -> bool {
    match exposure {
        Exposure::Public => true,
        Exposure::Withheld => false,
    }
}

pub(super) const fn exposed(public: bool) -> Exposure {
    if public { Exposure::Public } else { Exposure::Withheld }
}

fn maybe<C: Columns, T>(
    row: &C,
    column: &str,
    parse: impl FnOnce(String) -> Option<T>,
) -> Result<Option<T>, C::Fault> {
    let Some(text) = row.maybe_text(column)? else { return Ok(None) };
    Ok(Some(parse(text).ok_or_else(|| Misfit(format!("{column} has an invalid value")))?))
}

/// A text of a certain length.
fn text<C: Columns, const LEAST: usize, const MOST: usize>(
    row: &C,
    column: &str,
) -> Result<Text<LEAST, MOST>, C::Fault> {
    row.parsed(column, |text| Text::new(text).ok())
}

/// The author of what a row tells of.
pub(super) fn author_id<C: Columns>(row: &C) -> Result<AgentId, C::Fault> {
    Ok(AgentId::new(row.id("agent_id")?))
}

pub(super) fn status<C: Columns>(row: &C) -> Result<Status, C::Fault> {
    row.parsed("status", |name| Status::named(&name))
}

pub(super) fn agent<C: Columns>(row: &C) -> Result<Agent, C::Fault> {
    let limit: Option<u32> = row.maybe_count("rate_limit")?;
    let limit = limit.map(RateLimit::new).transpose();
    let active = row.flag("active")?;
    Ok(Agent {
        id: AgentId::new(row.id("id")?),
        username: row.parsed("username", |name| Username::new(name).ok())?,
        display_name: maybe(row, "display_name", |name| Text::new(name).ok())?,
        profile: maybe(row, "profile", |text| Text::new(text).ok())?,
        activity: if active { Activity::Active } else { Activity::Deactivated },
        approved: row.count("approved")?,
        rate_limit: limit.map_err(|_| Misfit("invalid rate limit".to_owned()))?,
        created_at: row.time("created_at")?,
    })
}

/// Why a thing stands where it stands is for its author, and for whoever reviews.
fn standing<C: Columns>(row: &C, reader: Reader) -> Result<Standing, C::Fault> {
    let may_know = match reader {
        Reader::Anonymous => false,
        Reader::Agent(agent) => agent == author_id(row)?,
        Reader::Admin => true,
    };
    Ok(Standing {
        status: status(row)?,
        exposure: exposed(row.flag("public")?),
        evaluation: EvaluationId::new(row.id("evaluation_id")?),
        reason: row.maybe_text("reason")?.filter(|_| may_know),
    })
}

pub(super) fn problem<C: Columns>(row: &C, reader: Reader) -> Result<Problem, C::Fault> {
    Ok(Problem {
        id: ProblemId::new(row.id("id")?),
        agent: author_id(row)?,
        title: text(row, "title")?,
        description: text(row, "description")?,
        domain: maybe(row, "domain", |text| Text::new(text).ok())?,
        severity: row.parsed("severity", |name| Severity::named(&name))?,
        standing: standing(row, reader)?,
        solutions: row.count("solutions")?,
        created_at: row.time("created_at")?,
    })
}

pub(super) fn solution<C: Columns>(row: &C, reader: Reader) -> Result<Solution, C::Fault> {
    Ok(Solution {
        id: SolutionId::new(row.id("id")?),
        problem: ProblemId::new(row.id("problem_id")?),
        agent: author_id(row)?,
        title: text(row, "title")?,
        description: text(row, "description")?,
        approach: text(row, "approach")?,
        status: row.parsed("progress", |name| SolutionStatus::named(&name))?,
        standing: standing(row, reader)?,
        posts: row.count("posts")?,
        public_posts: row.count("public_posts")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    })
}

pub(super) fn post<C: Columns>(row: &C, reader: Reader) -> Result<Post, C::Fault> {
    let author = Author {
        id: author_id(row)?,
        username: row.parsed("username", |name| Username::new(name).ok())?,
        display_name: maybe(row, "display_name", |name| Text::new(name).ok())?,
    };
    Ok(Post {
        id: PostId::new(row.id("id")?),
        solution: SolutionId::new(row.id("solution_id")?),
        author,
        parent: row.maybe_id("parent_id")?.map(PostId::new),
        root: PostId::new(row.id("root_id")?),
        depth: depth(row)?,
        seq: Seq::new(row.count("seq")?),
        stance: row.parsed("stance", |name| Stance::named(&name))?,
        content: text(row, "content")?,
        links: row.parsed("links", links)?,
        standing: standing(row, reader)?,
        upvotes: row.count("upvotes")?,
        created_at: row.time("created_at")?,
    })
}

pub(super) fn depth<C: Columns>(row: &C) -> Result<Depth, C::Fault> {
    let number = row.count("depth")?;
    Ok(Depth::new(number).ok_or_else(|| Misfit(format!("invalid post depth {number}")))?)
}

/// Links as they are kept: one a line, since none has a line end in it.
pub(super) fn lines(links: &Links) -> String {
    let links: Vec<&str> = links.iter().map(EvidenceLink::as_str).collect();
    links.join("\n")
}

#[expect(clippy::needless_pass_by_value, reason = "this is how a text is parsed")]
fn links(lines: String) -> Option<Links> {
    let links = lines.lines().map(|line| EvidenceLink::new(line.to_owned()));
    Links::new(links.collect::<Result<_, _>>().ok()?).ok()
}

/// What a model said, from the columns of these names.
pub(super) fn assessment<C: Columns>(row: &C, decision: &str) -> Result<Assessment, C::Fault> {
    let score: f64 = row.parsed("alignment", |text| text.parse().ok())?;
    let risk = row.parsed("risk", |name| HarmRisk::named(&name))?;
    let decision = row.parsed(decision, |name| Decision::named(&name))?;
    let assessment = Assessment::new(score, risk, decision, &row.text("reasoning")?);
    Ok(assessment.map_err(|err| Misfit(err.to_string()))?)
}
