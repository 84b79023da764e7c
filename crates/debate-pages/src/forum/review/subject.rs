//! The evaluated item, part by part, and its parents.

use debate_app::forum::{EvaluatedItem, Forum, ForumError};
use debate_core::forum::{Exposure, Post, Problem, Solution, Viewer};
use debate_core::{PostId, ProblemId, SolutionId};
use debate_render::visible;
use debate_render::{Html, render_markdown};

use super::view::excerpt;
use crate::forum::evidence::EvidenceAnchor;
use crate::forum::post_entry::StanceLabel;
use crate::forum::view::{author_name, severity_label};

pub(crate) struct Subject {
    /// The title; for a post its stance and author.
    pub(crate) title: String,
    /// Its page in the forum.
    pub(crate) link: String,
    /// The stance or the severity.
    pub(crate) classification: Option<String>,
    pub(crate) parts: Vec<TextPart>,
    pub(crate) links: Vec<EvidenceAnchor>,
    /// The parents, nearest last.
    pub(crate) parents: Vec<ParentItem>,
}

pub(crate) struct TextPart {
    /// None for the only part.
    pub(crate) name: Option<&'static str>,
    pub(crate) content: Html,
}

pub(crate) struct ParentItem {
    pub(crate) what: &'static str,
    pub(crate) link: String,
    pub(crate) title: String,
    pub(crate) excerpt: String,
    pub(crate) is_public: bool,
}

impl Subject {
    pub(super) async fn read(forum: &Forum, item: EvaluatedItem) -> Result<Self, ForumError> {
        match item {
            EvaluatedItem::Problem(problem) => read_problem(forum, problem).await,
            EvaluatedItem::Solution(solution) => read_solution(forum, solution).await,
            EvaluatedItem::Post(solution, post) => read_post(forum, solution, post).await,
        }
    }

    pub(super) fn has_public_parents(&self) -> bool {
        self.parents.iter().all(|parent| parent.is_public)
    }
}

async fn read_problem(forum: &Forum, problem: ProblemId) -> Result<Subject, ForumError> {
    let Problem { title, description, domain, severity, .. } =
        forum.problem(Viewer::Reviewer, problem).await?;
    let mut parts = vec![TextPart::new(Some("Description"), description.as_str())];
    parts.extend(domain.map(|domain| TextPart::new(Some("Domain"), domain.as_str())));
    Ok(Subject {
        title: visible::line(title.as_str()),
        link: problem_link(problem),
        classification: Some(severity_label(severity).to_owned()),
        parts,
        links: Vec::new(),
        parents: Vec::new(),
    })
}

async fn read_solution(forum: &Forum, solution: SolutionId) -> Result<Subject, ForumError> {
    let Solution { problem, title, description, approach, .. } =
        forum.solution(Viewer::Reviewer, solution).await?;
    let problem = forum.problem(Viewer::Reviewer, problem).await?;
    Ok(Subject {
        title: visible::line(title.as_str()),
        link: solution_link(solution),
        classification: None,
        parts: vec![
            TextPart::new(Some("Description"), description.as_str()),
            TextPart::new(Some("Approach"), approach.as_str()),
        ],
        links: Vec::new(),
        parents: vec![ParentItem::problem(&problem)],
    })
}

async fn read_post(
    forum: &Forum,
    solution: SolutionId,
    post: PostId,
) -> Result<Subject, ForumError> {
    let post = forum.one_post(Viewer::Reviewer, solution, post).await?;
    let solution = forum.solution(Viewer::Reviewer, solution).await?;
    let problem = forum.problem(Viewer::Reviewer, solution.problem).await?;
    let mut parents = vec![ParentItem::problem(&problem), ParentItem::solution(&solution)];
    if let Some(parent) = post.parent {
        parents
            .push(ParentItem::post(&forum.one_post(Viewer::Reviewer, solution.id, parent).await?));
    }
    let name = author_name(&post.author.username, post.author.display_name.as_ref());
    let stance = StanceLabel::from(post.stance);
    Ok(Subject {
        title: format!("{} by {name}", stance.label),
        link: post_link(&post),
        classification: Some(format!("{} {}", stance.sign, stance.label)),
        parts: vec![TextPart::new(None, post.content.as_str())],
        links: post.links.iter().map(EvidenceAnchor::new).collect(),
        parents,
    })
}

impl TextPart {
    fn new(name: Option<&'static str>, text: &str) -> Self {
        let under = if name.is_some() { 3 } else { 2 };
        Self { name, content: render_markdown(text, under) }
    }
}

impl ParentItem {
    fn problem(problem: &Problem) -> Self {
        Self {
            what: "Problem",
            link: problem_link(problem.id),
            title: visible::line(problem.title.as_str()),
            excerpt: excerpt(problem.description.as_str()),
            is_public: is_public(problem.guardrail.exposure),
        }
    }

    fn solution(solution: &Solution) -> Self {
        Self {
            what: "Solution",
            link: solution_link(solution.id),
            title: visible::line(solution.title.as_str()),
            excerpt: excerpt(solution.description.as_str()),
            is_public: is_public(solution.guardrail.exposure),
        }
    }

    fn post(post: &Post) -> Self {
        let name = author_name(&post.author.username, post.author.display_name.as_ref());
        Self {
            what: "Parent post",
            link: post_link(post),
            title: format!("{} by {name}", StanceLabel::from(post.stance).label),
            excerpt: excerpt(post.content.as_str()),
            is_public: is_public(post.guardrail.exposure),
        }
    }
}

fn problem_link(problem: ProblemId) -> String {
    format!("/forum/problems/{problem}")
}

fn solution_link(solution: SolutionId) -> String {
    format!("/forum/solutions/{solution}")
}

fn post_link(post: &Post) -> String {
    format!("/forum/solutions/{}/debates/{}", post.solution, post.id)
}

const fn is_public(exposure: Exposure) -> bool {
    match exposure {
        Exposure::Public => true,
        Exposure::Withheld => false,
    }
}
