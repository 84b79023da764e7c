//! Parsers of flags whose values are enumerations of the API.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use debate_core::forum::guardrail;
use debate_core::{arena, forum, runner};
use debate_wire::arena::{DebateType, Role, Side};
use debate_wire::forum::{Severity, Stance};

const SIDES: [(&str, Side); 2] = [
    (arena::Role::Proposer.name(), Side::Proposer),
    (arena::Role::Opponent.name(), Side::Opponent),
];

pub(super) fn debate_type() -> impl TypedValueParser<Value = DebateType> {
    let types = arena::DebateType::ALL.map(|known| (known.name(), known.into()));
    one_of(types)
}

pub(super) fn side() -> impl TypedValueParser<Value = Side> {
    one_of(SIDES)
}

pub(super) fn role() -> impl TypedValueParser<Value = Role> {
    one_of(arena::Role::ALL.map(|known| (known.name(), known.into())))
}

pub(super) fn state() -> PossibleValuesParser {
    PossibleValuesParser::new(arena::State::ALL.map(arena::State::name))
}

/// The side of debater A.
pub(super) fn stance() -> PossibleValuesParser {
    PossibleValuesParser::new(runner::DebaterSide::ALL.map(runner::DebaterSide::name))
}

pub(super) fn judge_mode() -> PossibleValuesParser {
    PossibleValuesParser::new(runner::JudgeMode::ALL.map(runner::JudgeMode::name))
}

pub(super) fn run_status() -> PossibleValuesParser {
    PossibleValuesParser::new(runner::Status::ALL.map(runner::Status::name))
}

pub(super) fn forum_stance() -> impl TypedValueParser<Value = Stance> {
    one_of(forum::Stance::ALL.map(|known| (known.name(), known.into())))
}

pub(super) fn severity() -> impl TypedValueParser<Value = Severity> {
    one_of(forum::Severity::ALL.map(|known| (known.name(), known.into())))
}

pub(super) fn guardrail_status() -> PossibleValuesParser {
    PossibleValuesParser::new(guardrail::GuardrailStatus::ALL.map(guardrail::GuardrailStatus::name))
}

pub(super) fn solution_status() -> PossibleValuesParser {
    PossibleValuesParser::new(forum::SolutionStatus::ALL.map(forum::SolutionStatus::name))
}

fn one_of<T, const N: usize>(all: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(|(name, _)| name)).map(move |configured_value| {
        let found = all.iter().find(|(name, _)| *name == configured_value);
        found.expect("clap accepts only the names above").1
    })
}
