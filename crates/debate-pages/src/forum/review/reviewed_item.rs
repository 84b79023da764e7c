//! The evaluated item as reviewers see it: its texts, part by part, and its ancestors.

use debate_app::forum::{EvaluatedItem, Forum, ForumError};
use debate_core::forum::{Exposure, Post, Problem, Solution, Viewer};
use debate_core::{PostId, ProblemId, SolutionId};
use debate_render::visible;
use debate_render::{Html, render_markdown};

use super::view::excerpt;
use crate::forum::evidence::EvidenceLinkView;
use crate::forum::post_entry::StanceLabel;
use crate::forum::view::{author_name, severity_label};

pub(crate) struct ReviewedItem {
    /// The title; for a post its stance and author.
    pub(crate) title: String,
    /// The path of its page in the forum.
    pub(crate) path: String,
    /// The stance or the severity.
    pub(crate) classification: Option<String>,
    pub(crate) parts: Vec<TextPart>,
    pub(crate) evidence_links: Vec<EvidenceLinkView>,
    /// The problem, the solution and the parent post that the item belongs to, outermost first.
    pub(crate) ancestors: Vec<AncestorItem>,
}

pub(crate) struct TextPart {
    /// The heading; none if the item has only one part.
    pub(crate) name: Option<&'static str>,
    pub(crate) content: Html,
}

pub(crate) struct AncestorItem {
    pub(crate) kind_label: &'static str,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) excerpt: String,
    pub(crate) is_public: bool,
}

impl ReviewedItem {
    pub(super) async fn load(forum: &Forum, item: EvaluatedItem) -> Result<Self, ForumError> {
        match item {
            EvaluatedItem::Problem(problem) => load_problem(forum, problem).await,
            EvaluatedItem::Solution(solution) => load_solution(forum, solution).await,
            EvaluatedItem::Post(solution, post) => load_post(forum, solution, post).await,
        }
    }

    pub(super) fn has_only_public_ancestors(&self) -> bool {
        self.ancestors.iter().all(|ancestor| ancestor.is_public)
    }
}

async fn load_problem(forum: &Forum, problem: ProblemId) -> Result<ReviewedItem, ForumError> {
    let Problem { title, description, domain, severity, .. } =
        forum.problem(Viewer::Reviewer, problem).await?;
    let mut parts = vec![TextPart::new(Some("Description"), description.as_str())];
    parts.extend(domain.map(|domain| TextPart::new(Some("Domain"), domain.as_str())));
    Ok(ReviewedItem {
        title: visible::line(title.as_str()),
        path: problem_path(problem),
        classification: Some(severity_label(severity).to_owned()),
        parts,
        evidence_links: Vec::new(),
        ancestors: Vec::new(),
    })
}

async fn load_solution(forum: &Forum, solution: SolutionId) -> Result<ReviewedItem, ForumError> {
    let Solution { problem, title, description, approach, .. } =
        forum.solution(Viewer::Reviewer, solution).await?;
    let problem = forum.problem(Viewer::Reviewer, problem).await?;
    Ok(ReviewedItem {
        title: visible::line(title.as_str()),
        path: solution_path(solution),
        classification: None,
        parts: vec![
            TextPart::new(Some("Description"), description.as_str()),
            TextPart::new(Some("Approach"), approach.as_str()),
        ],
        evidence_links: Vec::new(),
        ancestors: vec![AncestorItem::problem(&problem)],
    })
}

async fn load_post(
    forum: &Forum,
    solution: SolutionId,
    post: PostId,
) -> Result<ReviewedItem, ForumError> {
    let post = forum.post(Viewer::Reviewer, solution, post).await?;
    let solution = forum.solution(Viewer::Reviewer, solution).await?;
    let problem = forum.problem(Viewer::Reviewer, solution.problem).await?;
    let mut ancestors = vec![AncestorItem::problem(&problem), AncestorItem::solution(&solution)];
    if let Some(parent) = post.parent {
        ancestors
            .push(AncestorItem::post(&forum.post(Viewer::Reviewer, solution.id, parent).await?));
    }
    let name = author_name(&post.author.username, post.author.display_name.as_ref());
    let stance = StanceLabel::from(post.stance);
    Ok(ReviewedItem {
        title: format!("{} by {name}", stance.label),
        path: post_path(&post),
        classification: Some(format!("{} {}", stance.symbol, stance.label)),
        parts: vec![TextPart::new(None, post.content.as_str())],
        evidence_links: post.links.iter().map(EvidenceLinkView::new).collect(),
        ancestors,
    })
}

impl TextPart {
    fn new(name: Option<&'static str>, text: &str) -> Self {
        let parent_level = if name.is_some() { 3 } else { 2 };
        Self { name, content: render_markdown(text, parent_level) }
    }
}

impl AncestorItem {
    fn problem(problem: &Problem) -> Self {
        Self {
            kind_label: "Problem",
            path: problem_path(problem.id),
            title: visible::line(problem.title.as_str()),
            excerpt: excerpt(problem.description.as_str()),
            is_public: is_public(problem.guardrail.exposure),
        }
    }

    fn solution(solution: &Solution) -> Self {
        Self {
            kind_label: "Solution",
            path: solution_path(solution.id),
            title: visible::line(solution.title.as_str()),
            excerpt: excerpt(solution.description.as_str()),
            is_public: is_public(solution.guardrail.exposure),
        }
    }

    fn post(post: &Post) -> Self {
        let name = author_name(&post.author.username, post.author.display_name.as_ref());
        Self {
            kind_label: "Parent post",
            path: post_path(post),
            title: format!("{} by {name}", StanceLabel::from(post.stance).label),
            excerpt: excerpt(post.content.as_str()),
            is_public: is_public(post.guardrail.exposure),
        }
    }
}

fn problem_path(problem: ProblemId) -> String {
    format!("/forum/problems/{problem}")
}

fn solution_path(solution: SolutionId) -> String {
    format!("/forum/solutions/{solution}")
}

fn post_path(post: &Post) -> String {
    format!("/forum/solutions/{}/debates/{}", post.solution, post.id)
}

const fn is_public(exposure: Exposure) -> bool {
    match exposure {
        Exposure::Public => true,
        Exposure::Withheld => false,
    }
}
