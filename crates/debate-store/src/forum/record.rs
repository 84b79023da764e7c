//! Examinations as rows.

use debate_app::forum::{Evaluation, Examined, Layers, Review};
use debate_core::forum::guardrail::{Appeal, Category, Claim, Decision, Examination, Ruling};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId, Term, Work};
use jiff::Timestamp;
use uuid::Uuid;

use super::rows;
use crate::sql::{Columns, Misfit, Value};

pub(super) const LOCK_EVALUATION: &str =
    "select id from forum_evaluations where id = $1 for update";

pub(super) const ADD_EVALUATION: &str = "insert into forum_evaluations
         (id, problem_id, solution_id, post_id, agent_id, text, status, appealed, refused_by,
          attempts, term, due, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/// Whoever took it last is known until the next one does.
pub(super) const SAVE_EVALUATION: &str = "update forum_evaluations
     set status = $1, appealed = $2, appeal_reason = $3, decision = $4, rules_version = $5,
         refused_by = $6, model = $7, alignment = $8, risk = $9, model_decision = $10,
         reasoning = $11, reason = $12, attempts = $13, term = $14, due = $15, held_since = $16,
         claimed_by = $17, claimed_until = $18, reviewed_by = $19, ruling = $20, notes = $21,
         reviewed_at = $22, decided_at = $23, flagged_at = $24, holder = coalesce($25, holder)
     where id = $26";

/// An examination, as it is kept.
#[derive(Clone)]
pub(super) struct Record {
    pub(super) evaluation: Evaluation,
    pub(super) term: Term,
    pub(super) work: Work,
}

impl Record {
    /// What the rules go by.
    pub(super) fn examination(&self) -> Examination {
        Examination {
            status: self.evaluation.status,
            appeal: self.evaluation.appeal,
            attempts: self.evaluation.attempts,
            term: self.term,
            work: self.work,
            claim: self.evaluation.claim.clone(),
        }
    }

    /// As the rules left it.
    pub(super) fn after(mut self, examination: Examination) -> Self {
        let Examination { status, appeal, attempts, term, work, claim } = examination;
        self.evaluation.status = status;
        self.evaluation.appeal = appeal;
        self.evaluation.attempts = attempts;
        self.evaluation.claim = claim;
        Self { term, work, ..self }
    }

    /// For the author: the text is for reviewers alone, and so is who of them is at it.
    pub(super) fn for_author(self) -> Evaluation {
        Evaluation { text: None, claim: None, ..self.evaluation }
    }

    /// What [`SAVE_EVALUATION`] takes.
    pub(super) fn saved(&self, holder: Option<&str>) -> Vec<Value<'static>> {
        let kept = &self.evaluation;
        let claim = kept.claim.as_ref();
        let review = kept.review.as_ref();
        let mut values = vec![
            kept.status.name().into(),
            is_used(kept.appeal).into(),
            kept.appeal_reason.clone().into(),
            kept.decision.map(Decision::name).into(),
        ];
        values.extend(found_by(&kept.layers));
        values.extend([
            kept.reason.clone().into(),
            kept.attempts.into(),
            number_of(self.term),
            self.work.due().into(),
            self.work.held_since().into(),
            claim.map(|claim| claim.reviewer.clone()).into(),
            claim.map(|claim| claim.until).into(),
            review.map(|review| review.reviewer.clone()).into(),
            review.map(|review| review.ruling.name()).into(),
            review.map(|review| review.notes.clone()).into(),
            review.map(|review| review.at).into(),
            kept.decided_at.into(),
            kept.flagged_at.into(),
            holder.map(str::to_owned).into(),
            kept.id.uuid().into(),
        ]);
        values
    }
}

/// From `rules_version` to `reasoning`.
fn found_by(layers: &Layers) -> [Value<'static>; 7] {
    let rules = layers.refused_by.iter().map(|(category, id)| format!("{} {id}", category.name()));
    let (model, said) = layers
        .model
        .as_ref()
        .map_or((None, None), |(model, said)| (Some(model.clone()), Some(said)));
    [
        layers.rules_version.clone().into(),
        rules.collect::<Vec<_>>().join("\n").into(),
        model.into(),
        said.map(|said| said.alignment.score().to_string()).into(),
        said.map(|said| said.risk.name()).into(),
        said.map(|said| said.decision.name()).into(),
        said.map(|said| said.reasoning.clone()).into(),
    ]
}

fn number_of(term: Term) -> Value<'static> {
    // A term is one more each time it is taken: it never comes near.
    Value::Number(i64::try_from(term.number()).unwrap_or(i64::MAX))
}

const fn is_used(appeal: Appeal) -> bool {
    match appeal {
        Appeal::Unused => false,
        Appeal::Used => true,
    }
}

/// What [`ADD_EVALUATION`] takes.
pub(super) fn asked(
    id: EvaluationId,
    subject: Examined,
    author: AgentId,
    text: String,
    at: Timestamp,
) -> Vec<Value<'static>> {
    let Examination { status, appeal, attempts, term, work, claim: _ } = Examination::asked(at);
    let (problem, solution, post) = match subject {
        Examined::Problem(problem) => (Some(problem.uuid()), None, None),
        Examined::Solution(solution) => (None, Some(solution.uuid()), None),
        Examined::Post(solution, post) => (None, Some(solution.uuid()), Some(post.uuid())),
    };
    vec![
        id.uuid().into(),
        problem.into(),
        solution.into(),
        post.into(),
        author.uuid().into(),
        text.into(),
        status.name().into(),
        is_used(appeal).into(),
        "".into(),
        attempts.into(),
        number_of(term),
        work.due().into(),
        at.into(),
    ]
}

/// What an examination is of.
pub(super) fn subject<C: Columns>(row: &C) -> Result<Examined, C::Fault> {
    let column = |name| -> Result<Option<Uuid>, C::Fault> { row.maybe_id(name) };
    match (column("problem_id")?, column("solution_id")?, column("post_id")?) {
        (Some(problem), None, None) => Ok(Examined::Problem(ProblemId::new(problem))),
        (None, Some(solution), None) => Ok(Examined::Solution(SolutionId::new(solution))),
        (None, Some(solution), Some(post)) => {
            Ok(Examined::Post(SolutionId::new(solution), PostId::new(post)))
        }
        _ => Err(Misfit("evaluation without exactly one item".to_owned()).into()),
    }
}

pub(super) fn record<C: Columns>(row: &C) -> Result<Record, C::Fault> {
    let (due, held_since) = (row.maybe_time("due")?, row.maybe_time("held_since")?);
    let work = Work::of(due, held_since).ok_or_else(|| Misfit("held without due".to_owned()))?;
    let appealed = row.flag("appealed")?;
    let decision = match row.maybe_text("decision")? {
        None => None,
        Some(_) => Some(row.parsed("decision", |name| Decision::named(&name))?),
    };
    let evaluation = Evaluation {
        id: EvaluationId::new(row.id("id")?),
        subject: subject(row)?,
        author: rows::author_id(row)?,
        status: rows::status(row)?,
        appeal: if appealed { Appeal::Used } else { Appeal::Unused },
        appeal_reason: row.maybe_text("appeal_reason")?,
        decision,
        layers: layers(row)?,
        reason: row.maybe_text("reason")?,
        review: review(row)?,
        claim: claim(row)?,
        attempts: row.count("attempts")?,
        created_at: row.time("created_at")?,
        decided_at: row.maybe_time("decided_at")?,
        flagged_at: row.maybe_time("flagged_at")?,
        text: Some(row.text("text")?),
    };
    let term = Term::new(row.count("term")?);
    Ok(Record { evaluation, term, work })
}

fn layers<C: Columns>(row: &C) -> Result<Layers, C::Fault> {
    let rule = |line: &str| {
        let (category, id) = line.split_once(' ')?;
        Some((Category::named(category)?, id.to_owned()))
    };
    let model = match row.maybe_text("model")? {
        None => None,
        Some(model) => Some((model, rows::assessment(row, "model_decision")?)),
    };
    Ok(Layers {
        rules_version: row.maybe_text("rules_version")?,
        refused_by: row.parsed("refused_by", |lines| lines.lines().map(rule).collect())?,
        model,
    })
}

fn review<C: Columns>(row: &C) -> Result<Option<Review>, C::Fault> {
    let Some(reviewer) = row.maybe_text("reviewed_by")? else { return Ok(None) };
    Ok(Some(Review {
        reviewer,
        ruling: row.parsed("ruling", |name| Ruling::named(&name))?,
        notes: row.text("notes")?,
        at: row.time("reviewed_at")?,
    }))
}

fn claim<C: Columns>(row: &C) -> Result<Option<Claim>, C::Fault> {
    let Some(reviewer) = row.maybe_text("claimed_by")? else { return Ok(None) };
    Ok(Some(Claim { reviewer, until: row.time("claimed_until")? }))
}
