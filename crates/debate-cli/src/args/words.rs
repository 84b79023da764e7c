//! The contract's own words as values of flags, so that no word is defined twice.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use debate_core::forum::guardrail;
use debate_core::{arena, forum, runner};
use debate_wire::arena::{DebateType, Side};
use debate_wire::forum::{Severity, Stance};
use serde::Serialize;

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

/// Stays a word: that is what the server takes.
pub(super) fn state() -> PossibleValuesParser {
    PossibleValuesParser::new(arena::State::ALL.map(arena::State::name))
}

/// What A argues; stays a word, as the next two do.
pub(super) fn stance() -> PossibleValuesParser {
    PossibleValuesParser::new(runner::Stance::ALL.map(runner::Stance::name))
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
    PossibleValuesParser::new(guardrail::Status::ALL.map(guardrail::Status::name))
}

pub(super) fn solution_status() -> PossibleValuesParser {
    PossibleValuesParser::new(forum::SolutionStatus::ALL.map(forum::SolutionStatus::name))
}

fn one_of<T, const N: usize>(all: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(|(name, _)| name)).map(move |given| {
        let found = all.iter().find(|(name, _)| *name == given);
        found.expect("clap passes on none but the names above").1
    })
}

/// A word of the contract as it is written there.
pub(crate) fn name(word: &impl Serialize) -> String {
    let value = serde_json::to_value(word).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
