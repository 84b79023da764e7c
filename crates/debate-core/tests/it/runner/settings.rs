//! Settings: defaults, bounds, and errors that name the field.

use debate_core::ModelName;
use debate_core::runner::{
    DebaterSide, JudgeMode, Language, PromptVersion, RunSettings, RunSettingsDraft,
};

use super::support::{defaults, model, settings};

fn refused(draft: RunSettingsDraft) -> String {
    RunSettings::merge(draft, &defaults()).expect_err("it is out of bounds").to_string()
}

#[test]
fn absent_setting_gets_the_server_default() {
    let settings = settings(RunSettingsDraft::default());
    let expected = RunSettings {
        debater_a_side: DebaterSide::Pro,
        output_language: Language::english(),
        output_language_given: false,
        judge_mode: JudgeMode::Round,
        max_rounds: defaults().max_rounds,
        max_runtime_seconds: defaults().max_runtime_seconds,
        max_total_output_tokens: defaults().max_total_output_tokens,
        max_tokens_debater: defaults().max_tokens_debater,
        max_tokens_judge: defaults().max_tokens_judge,
        model_debater: model("demo:paced"),
        model_debater_a: model("demo:paced"),
        model_debater_b: model("demo:paced"),
        model_judge: model("demo:fast"),
        prompt_version: PromptVersion::V2,
    };
    assert_eq!(settings, expected);
    let numbers = [
        settings.max_rounds.number(),
        settings.max_runtime_seconds.number(),
        settings.max_total_output_tokens.number(),
        settings.max_tokens_debater.number(),
        settings.max_tokens_judge.number(),
    ];
    assert_eq!(numbers, [5, 600, 8000, 600, 400]);
}

#[test]
fn setting_overrides_default_and_a_model_for_one_debater_overrides_both() {
    let text = |text: &str| Some(text.to_owned());
    let prompt_for = settings(RunSettingsDraft {
        debater_a_side: text("con"),
        output_language: text("pt-BR"),
        judge_mode: text("end"),
        max_rounds: Some(100),
        model_debater: text("openai:gpt-4.1"),
        model_debater_b: text("ollama:llama3.2:3b"),
        model_judge: text("anthropic:claude"),
        prompt_version: text("v1"),
        ..RunSettingsDraft::default()
    });
    assert_eq!(prompt_for.debater_a_side, DebaterSide::Con);
    assert_eq!(prompt_for.output_language.tag(), "pt-BR");
    assert_eq!(prompt_for.prompt_version, PromptVersion::V1);
    assert_eq!((prompt_for.judge_mode, prompt_for.max_rounds.number()), (JudgeMode::End, 100));
    let models = prompt_for.models().map(|(field, model)| format!("{field}={model}"));
    let expected = [
        "model_debater=openai:gpt-4.1",
        "model_debater_a=openai:gpt-4.1",
        "model_debater_b=ollama:llama3.2:3b",
        "model_judge=anthropic:claude",
    ];
    assert_eq!(models, expected);
}

/// A number's field, its setter, and its maximum; the minimum is always 1.
type Bounded = (&'static str, fn(&mut RunSettingsDraft) -> &mut Option<i64>, i64);

#[test]
fn number_is_accepted_at_its_bounds_and_refused_with_its_field_beyond() {
    let table: [Bounded; 5] = [
        ("max_rounds", |draft| &mut draft.max_rounds, 100),
        ("max_runtime_seconds", |draft| &mut draft.max_runtime_seconds, 86_400),
        ("max_total_output_tokens", |draft| &mut draft.max_total_output_tokens, 2_000_000),
        ("max_tokens_debater", |draft| &mut draft.max_tokens_debater, 20_000),
        ("max_tokens_judge", |draft| &mut draft.max_tokens_judge, 20_000),
    ];
    for (field, set, most) in table {
        let with = |number| {
            let mut draft = RunSettingsDraft::default();
            *set(&mut draft) = Some(number);
            draft
        };
        for fine in [1, most] {
            assert!(RunSettings::merge(with(fine), &defaults()).is_ok(), "{field} = {fine}");
        }
        for beyond in [i64::MIN, -1, 0, most + 1, i64::from(u32::MAX) + 2, i64::MAX] {
            let expected = format!("`{field}` must be a whole number from 1 to {most}");
            assert_eq!(refused(with(beyond)), expected, "{beyond}");
        }
    }
}

#[test]
fn unknown_choice_is_refused_with_the_valid_ones() {
    let text = |text: &str| Some(text.to_owned());
    let draft = RunSettingsDraft::default;
    let table = [
        (
            RunSettingsDraft { debater_a_side: text("PRO"), ..draft() },
            "`debater_a_side` must be one of pro, con",
        ),
        (
            RunSettingsDraft { judge_mode: text(""), ..draft() },
            "`judge_mode` must be one of round, end",
        ),
        (
            RunSettingsDraft { prompt_version: text("v3"), ..draft() },
            "`prompt_version` must be one of v1, v2",
        ),
        (
            RunSettingsDraft { output_language: text("english please"), ..draft() },
            "`output_language` must be a language tag such as en, de or pt-BR",
        ),
    ];
    for (draft, expected) in table {
        assert_eq!(refused(draft), expected);
    }
}

#[test]
fn invalid_model_is_refused_with_its_field() {
    type Set = fn(&mut RunSettingsDraft) -> &mut Option<String>;
    let table: [(&str, Set); 4] = [
        ("model_debater", |draft| &mut draft.model_debater),
        ("model_debater_a", |draft| &mut draft.model_debater_a),
        ("model_debater_b", |draft| &mut draft.model_debater_b),
        ("model_judge", |draft| &mut draft.model_judge),
    ];
    for (field, set) in table {
        let mut draft = RunSettingsDraft::default();
        *set(&mut draft) = Some("gpt".to_owned());
        assert!(refused(draft).starts_with(&format!("`{field}` must be PROVIDER:MODEL")));
    }
}

#[test]
fn model_name_is_a_provider_and_any_name() {
    let name = ModelName::new("ollama:hf.co/me/x:Q4_K_M").expect("it is one");
    assert_eq!((name.provider(), name.model()), ("ollama", "hf.co/me/x:Q4_K_M"));
    assert_eq!(name.to_string(), "ollama:hf.co/me/x:Q4_K_M");
    let name = ModelName::new("my-own_host2:x").expect("it is one");
    assert_eq!(name.provider(), "my-own_host2");
    let long = format!("openai:{}", "x".repeat(200));
    for stranger in
        ["", ":", "openai", "openai:", ":gpt", "o/x:gpt", "openai:g pt", "openai:g\npt", &long]
    {
        assert!(ModelName::new(stranger).is_err(), "{stranger:?}");
    }
}

#[test]
fn language_is_a_well_formed_tag() {
    for tag in ["en", "de", "pt-BR", "zh-Hant-TW", "sr-Latn-RS", "de-CH-1996", "en-u-ca-gregory"] {
        assert!(Language::new(tag.to_owned()).is_ok(), "{tag}");
    }
    let long = format!("en{}", "-abcdefgh".repeat(4));
    for tag in ["", "e", "-en", "en-", "en_US", "en--US", "en US", "1n", "en-x", "ënglish", &long]
    {
        assert!(Language::new(tag.to_owned()).is_err(), "{tag:?}");
    }
}
