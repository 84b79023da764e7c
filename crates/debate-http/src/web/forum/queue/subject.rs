//! What was examined, part by part, and what it hangs on.

use debate_app::forum::{Examined, Forum, ForumError};
use debate_core::forum::{Exposure, Post, Problem, Reader, Solution};
use debate_core::{PostId, ProblemId, SolutionId};

use super::view::excerpt;
use crate::web::forum::entry::Says;
use crate::web::forum::evidence::Evidence;
use crate::web::forum::view::{called, severity as words_of};
use crate::web::markdown::{self, Html};
use crate::web::signs;

/// What was examined.
pub(crate) struct Subject {
    /// What it is called; a post is called by what it wants and who wrote it.
    pub(crate) title: String,
    /// Its page in the forum.
    pub(crate) link: String,
    /// What it wants or how much it hurts, in a word.
    pub(crate) mark: Option<String>,
    pub(crate) parts: Vec<Written>,
    pub(crate) links: Vec<Evidence>,
    /// What stands above it, nearest last.
    pub(crate) above: Vec<Above>,
}

/// A part of what was written.
pub(crate) struct Written {
    /// What it is called; the only one has no name.
    pub(crate) name: Option<&'static str>,
    pub(crate) content: Html,
}

/// Something that it hangs on.
pub(crate) struct Above {
    pub(crate) what: &'static str,
    pub(crate) link: String,
    pub(crate) title: String,
    pub(crate) excerpt: String,
    pub(crate) is_public: bool,
}

impl Subject {
    /// Reads it, as a reviewer sees it.
    pub(super) async fn read(forum: &Forum, examined: Examined) -> Result<Self, ForumError> {
        match examined {
            Examined::Problem(problem) => of_problem(forum, problem).await,
            Examined::Solution(solution) => of_solution(forum, solution).await,
            Examined::Post(solution, post) => of_post(forum, solution, post).await,
        }
    }

    /// Whether everyone would see it if it were approved.
    pub(super) fn has_public_ground(&self) -> bool {
        self.above.iter().all(|above| above.is_public)
    }
}

async fn of_problem(forum: &Forum, problem: ProblemId) -> Result<Subject, ForumError> {
    let Problem { title, description, domain, severity, .. } =
        forum.problem(Reader::Admin, problem).await?;
    let mut parts = vec![Written::new(Some("Description"), description.as_str())];
    parts.extend(domain.map(|domain| Written::new(Some("Domain"), domain.as_str())));
    Ok(Subject {
        title: signs::line(title.as_str()),
        link: problem_link(problem),
        mark: Some(words_of(severity).to_owned()),
        parts,
        links: Vec::new(),
        above: Vec::new(),
    })
}

async fn of_solution(forum: &Forum, solution: SolutionId) -> Result<Subject, ForumError> {
    let Solution { problem, title, description, approach, .. } =
        forum.solution(Reader::Admin, solution).await?;
    let problem = forum.problem(Reader::Admin, problem).await?;
    Ok(Subject {
        title: signs::line(title.as_str()),
        link: solution_link(solution),
        mark: None,
        parts: vec![
            Written::new(Some("Description"), description.as_str()),
            Written::new(Some("Approach"), approach.as_str()),
        ],
        links: Vec::new(),
        above: vec![Above::problem(&problem)],
    })
}

async fn of_post(forum: &Forum, solution: SolutionId, post: PostId) -> Result<Subject, ForumError> {
    let post = forum.one_post(Reader::Admin, solution, post).await?;
    let solution = forum.solution(Reader::Admin, solution).await?;
    let problem = forum.problem(Reader::Admin, solution.problem).await?;
    let mut above = vec![Above::problem(&problem), Above::solution(&solution)];
    if let Some(parent) = post.parent {
        above.push(Above::post(&forum.one_post(Reader::Admin, solution.id, parent).await?));
    }
    let name = called(&post.author.username, post.author.display_name.as_ref());
    let says = Says::from(post.stance);
    Ok(Subject {
        title: format!("{} by {name}", says.words),
        link: post_link(&post),
        mark: Some(format!("{} {}", says.sign, says.words)),
        parts: vec![Written::new(None, post.content.as_str())],
        links: post.links.iter().map(Evidence::new).collect(),
        above,
    })
}

impl Written {
    fn new(name: Option<&'static str>, text: &str) -> Self {
        let under = if name.is_some() { 3 } else { 2 };
        Self { name, content: markdown::render(text, under) }
    }
}

impl Above {
    fn problem(problem: &Problem) -> Self {
        Self {
            what: "Problem",
            link: problem_link(problem.id),
            title: signs::line(problem.title.as_str()),
            excerpt: excerpt(problem.description.as_str()),
            is_public: is_public(problem.standing.exposure),
        }
    }

    fn solution(solution: &Solution) -> Self {
        Self {
            what: "Solution",
            link: solution_link(solution.id),
            title: signs::line(solution.title.as_str()),
            excerpt: excerpt(solution.description.as_str()),
            is_public: is_public(solution.standing.exposure),
        }
    }

    fn post(post: &Post) -> Self {
        let name = called(&post.author.username, post.author.display_name.as_ref());
        Self {
            what: "Parent post",
            link: post_link(post),
            title: format!("{} by {name}", Says::from(post.stance).words),
            excerpt: excerpt(post.content.as_str()),
            is_public: is_public(post.standing.exposure),
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
