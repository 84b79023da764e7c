//! Stored evaluations: their rows and the values that are written.

use debate_app::StoreError;
use debate_app::forum::{EvaluatedItem, EvaluationDetails, LayerResults, ReviewDecision};
use debate_core::forum::guardrail::{Appeal, Category, Claim, Decision, Evaluation, Ruling};
use debate_core::{AgentId, EvaluationId, FencingToken, LeaseState, PostId, ProblemId, SolutionId};
use jiff::Timestamp;

use super::rows;
use super::statements::EVALUATION;
use crate::lease::statements::EVALUATIONS;
use crate::sql::{Group, Handle, Row, Statement, Value, undecodable};

pub(super) const ADD_EVALUATION: &str = "insert into forum_evaluations
         (id, problem_id, solution_id, post_id, agent_id, text, status, appealed, refused_by,
          attempts, term, due, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/// Keeps the last holder until another one acquires the evaluation.
pub(super) const SAVE_EVALUATION: &str = "update forum_evaluations
     set status = $1, appealed = $2, appeal_reason = $3, decision = $4, rules_version = $5,
         refused_by = $6, model = $7, alignment = $8, risk = $9, model_decision = $10,
         reasoning = $11, reason = $12, attempts = $13, term = $14, due = $15, held_since = $16,
         claimed_by = $17, claimed_until = $18, reviewed_by = $19, ruling = $20, notes = $21,
         reviewed_at = $22, decided_at = $23, flagged_at = $24, holder = coalesce($25, holder)
     where id = $26";

/// An evaluation with its lease.
#[derive(Clone)]
pub(super) struct StoredEvaluation {
    pub(super) evaluation: EvaluationDetails,
    pub(super) fencing_token: FencingToken,
    pub(super) lease: LeaseState,
}

impl StoredEvaluation {
    /// The part that the rules decide on.
    pub(super) fn rules_state(&self) -> Evaluation {
        Evaluation {
            status: self.evaluation.status,
            appeal: self.evaluation.appeal,
            attempts: self.evaluation.attempts,
            fencing_token: self.fencing_token,
            lease: self.lease,
            claim: self.evaluation.claim.clone(),
        }
    }

    /// The evaluation after a decision of the rules.
    pub(super) fn after(mut self, decided: Evaluation) -> Self {
        let Evaluation { status, appeal, attempts, fencing_token, lease, claim } = decided;
        self.evaluation.status = status;
        self.evaluation.appeal = appeal;
        self.evaluation.attempts = attempts;
        self.evaluation.claim = claim;
        Self { fencing_token, lease, ..self }
    }

    /// Without the text and the claim, which only reviewers see.
    pub(super) fn for_author(self) -> EvaluationDetails {
        EvaluationDetails { text: None, claim: None, ..self.evaluation }
    }

    /// The values of [`SAVE_EVALUATION`]. `holder` is the worker that acquires it, if one does.
    pub(super) fn to_values(&self, holder: Option<&str>) -> Vec<Value<'static>> {
        let evaluation = &self.evaluation;
        let claim = evaluation.claim.as_ref();
        let review = evaluation.review.as_ref();
        let mut values = vec![
            evaluation.status.name().into(),
            is_used(evaluation.appeal).into(),
            evaluation.appeal_reason.clone().into(),
            evaluation.decision.map(Decision::name).into(),
        ];
        values.extend(layer_values(&evaluation.layers));
        values.extend([
            evaluation.reason.clone().into(),
            evaluation.attempts.into(),
            token_value(self.fencing_token),
            self.lease.due().into(),
            self.lease.held_since().into(),
            claim.map(|claim| claim.reviewer.clone()).into(),
            claim.map(|claim| claim.until).into(),
            review.map(|review| review.reviewer.clone()).into(),
            review.map(|review| review.ruling.name()).into(),
            review.map(|review| review.notes.clone()).into(),
            review.map(|review| review.at).into(),
            evaluation.decided_at.into(),
            evaluation.flagged_at.into(),
            holder.map(str::to_owned).into(),
            evaluation.id.uuid().into(),
        ]);
        values
    }
}

/// The columns from `rules_version` to `reasoning`.
fn layer_values(layers: &LayerResults) -> [Value<'static>; 7] {
    let rules = layers.refused_by.iter().map(|(category, id)| format!("{} {id}", category.name()));
    let (model, assessment) = layers
        .model
        .as_ref()
        .map_or((None, None), |(model, assessment)| (Some(model.clone()), Some(assessment)));
    [
        layers.rules_version.clone().into(),
        rules.collect::<Vec<_>>().join("\n").into(),
        model.into(),
        assessment.map(|assessment| assessment.alignment.score().to_string()).into(),
        assessment.map(|assessment| assessment.risk.name()).into(),
        assessment.map(|assessment| assessment.decision.name()).into(),
        assessment.map(|assessment| assessment.reasoning.clone()).into(),
    ]
}

fn token_value(token: FencingToken) -> Value<'static> {
    // It grows by one with each lease and never comes near the limit.
    Value::Number(i64::try_from(token.number()).unwrap_or(i64::MAX))
}

const fn is_used(appeal: Appeal) -> bool {
    match appeal {
        Appeal::Unused => false,
        Appeal::Used => true,
    }
}

pub(super) fn push_evaluation(group: &mut Group<'_>, id: EvaluationId) -> Handle<StoredEvaluation> {
    group.push(Statement::new(EVALUATION, vec![id.uuid().into()]), stored_evaluation)
}

/// Locks an evaluation and loads it.
pub(super) fn lock_evaluation(group: &mut Group<'_>, id: EvaluationId) -> Handle<StoredEvaluation> {
    group.lock(EVALUATIONS.lock, id.uuid());
    push_evaluation(group, id)
}

/// The values of [`ADD_EVALUATION`].
pub(super) fn new_values(
    id: EvaluationId,
    subject: EvaluatedItem,
    author: AgentId,
    text: String,
    at: Timestamp,
) -> Vec<Value<'static>> {
    let Evaluation { status, appeal, attempts, fencing_token, lease, claim: _ } =
        Evaluation::new(at);
    let (problem, solution, post) = match subject {
        EvaluatedItem::Problem(problem) => (Some(problem.uuid()), None, None),
        EvaluatedItem::Solution(solution) => (None, Some(solution.uuid()), None),
        EvaluatedItem::Post(solution, post) => (None, Some(solution.uuid()), Some(post.uuid())),
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
        token_value(fencing_token),
        lease.due().into(),
        at.into(),
    ]
}

pub(super) fn evaluated_item(row: &Row) -> Result<EvaluatedItem, StoreError> {
    match (row.maybe_id("problem_id")?, row.maybe_id("solution_id")?, row.maybe_id("post_id")?) {
        (Some(problem), None, None) => Ok(EvaluatedItem::Problem(ProblemId::new(problem))),
        (None, Some(solution), None) => Ok(EvaluatedItem::Solution(SolutionId::new(solution))),
        (None, Some(solution), Some(post)) => {
            Ok(EvaluatedItem::Post(SolutionId::new(solution), PostId::new(post)))
        }
        _ => Err(undecodable("evaluation without exactly one item")),
    }
}

pub(super) fn stored_evaluation(row: &Row) -> Result<StoredEvaluation, StoreError> {
    let (due, held_since) = (row.maybe_time("due")?, row.maybe_time("held_since")?);
    let lease =
        LeaseState::from_columns(due, held_since).ok_or_else(|| undecodable("held without due"))?;
    let appealed = row.flag("appealed")?;
    let decision = row.maybe_parsed("decision", |name| Decision::from_name(&name))?;
    let evaluation = EvaluationDetails {
        id: EvaluationId::new(row.id("id")?),
        subject: evaluated_item(row)?,
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
    let fencing_token = FencingToken::new(row.count("term")?);
    Ok(StoredEvaluation { evaluation, fencing_token, lease })
}

fn layers(row: &Row) -> Result<LayerResults, StoreError> {
    let rule = |line: &str| {
        let (category, id) = line.split_once(' ')?;
        Some((Category::from_name(category)?, id.to_owned()))
    };
    let model = match row.maybe_text("model")? {
        None => None,
        Some(model) => Some((model, rows::assessment(row, "model_decision")?)),
    };
    Ok(LayerResults {
        rules_version: row.maybe_text("rules_version")?,
        refused_by: row.parsed("refused_by", |lines| lines.lines().map(rule).collect())?,
        model,
    })
}

fn review(row: &Row) -> Result<Option<ReviewDecision>, StoreError> {
    let Some(reviewer) = row.maybe_text("reviewed_by")? else { return Ok(None) };
    Ok(Some(ReviewDecision {
        reviewer,
        ruling: row.parsed("ruling", |name| Ruling::from_name(&name))?,
        notes: row.text("notes")?,
        at: row.time("reviewed_at")?,
    }))
}

fn claim(row: &Row) -> Result<Option<Claim>, StoreError> {
    let Some(reviewer) = row.maybe_text("claimed_by")? else { return Ok(None) };
    Ok(Some(Claim { reviewer, until: row.time("claimed_until")? }))
}
