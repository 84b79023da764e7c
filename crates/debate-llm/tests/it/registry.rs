//! Configured models, and the errors for others.

use std::time::Duration;

use debate_app::llm::{DeltaSender, Llm};
use debate_core::{CallFailure, Usage};
use debate_llm::{
    ConfigError, Configuration, Key, LocalCommand, Provider, ProviderKind, Registry,
    ollama_base_url,
};

use crate::support::{clock, model, registry, request};

fn provider(name: &str) -> Provider {
    let key = Some(Key::new("k").expect("it can be sent"));
    Provider { name: name.to_owned(), kind: ProviderKind::OpenAi, base_url: None, key }
}

fn command(name: &str, argv: &[&str]) -> LocalCommand {
    LocalCommand {
        name: name.to_owned(),
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        timeout: Duration::from_secs(1),
        withheld: Vec::new(),
    }
}

fn refused(configuration: Configuration) -> ConfigError {
    Registry::new(configuration, &clock()).err().expect("it can't be used")
}

#[test]
fn unknown_model_is_refused_with_the_configured_ones() {
    let registry = registry(Configuration {
        providers: vec![provider("openai"), provider("deepseek")],
        commands: vec![command("claude", &["claude", "-p"])],
    });
    for known in ["openai:any", "deepseek:x/y", "command:claude", "demo:fast", "demo:paced"] {
        assert_eq!(registry.check_model(&model(known)), Ok(()), "{known}");
    }
    for unknown in ["anthropic:claude", "OpenAI:x", "command:codex", "demo:slow"] {
        let err = registry.check_model(&model(unknown)).expect_err("it is not configured");
        let available = "deepseek:MODEL, openai:MODEL, command:claude, demo:fast, demo:paced";
        assert_eq!(
            err.to_string(),
            format!("{unknown} is not configured; configured models: {available}")
        );
    }
}

#[tokio::test]
async fn call_of_an_unknown_model_is_permanent_without_usage() {
    let registry = registry(Configuration::default());
    let answer = registry.call(request("openai:gpt"), DeltaSender::without_receiver()).await;
    let err = answer.expect_err("there is only the demo");
    assert_eq!((err.failure, err.usage), (CallFailure::Permanent, Usage::ZERO));
    assert!(err.to_string().ends_with("configured models: demo:fast, demo:paced"), "{err}");
}

#[test]
fn invalid_configuration_is_refused() {
    let providers = |providers| Configuration { providers, commands: Vec::new() };
    let commands = |commands| Configuration { providers: Vec::new(), commands };
    for taken in ["demo", "command"] {
        let expected = ConfigError::NameTaken(taken.to_owned());
        assert_eq!(refused(providers(vec![provider(taken)])), expected);
    }
    let twice = refused(providers(vec![provider("x"), provider("x")]));
    assert_eq!(twice, ConfigError::NameTaken("x".to_owned()));
    let twice = refused(commands(vec![command("x", &["a"]), command("x", &["b"])]));
    assert_eq!(twice, ConfigError::NameTaken("command:x".to_owned()));
    for odd in ["", "a b", "a:b", "a/b"] {
        assert_eq!(refused(providers(vec![provider(odd)])), ConfigError::Name(odd.to_owned()));
    }
    assert_eq!(refused(commands(vec![command("x", &[])])), ConfigError::Argv("x".to_owned()));
    let elsewhere = Provider { base_url: Some("http://u:p@h/".to_owned()), ..provider("x") };
    let err = refused(providers(vec![elsewhere]));
    assert_eq!(err, ConfigError::BaseUrl("x".to_owned()));
    assert!(!err.to_string().contains("u:p"));
}

#[test]
fn provider_kind_has_a_name_and_a_valid_default_base_url() {
    for kind in ProviderKind::ALL {
        assert_eq!(ProviderKind::from_name(kind.name()), Some(kind));
        assert!(kind.default_base_url().starts_with("http"));
        let usual = Provider { kind, ..provider(kind.name()) };
        registry(Configuration { providers: vec![usual], commands: Vec::new() });
    }
    assert_eq!(ProviderKind::from_name("OpenAI"), None);
}

#[test]
fn ollama_host_is_accepted_in_every_notation() {
    for (host, place) in [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:9999", "http://127.0.0.1:9999/v1"),
        (" http://gpu.local:8080/ ", "http://gpu.local:8080/v1"),
        ("https://ollama.example.org", "https://ollama.example.org:443/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("[::1]:7", "http://[::1]:7/v1"),
    ] {
        assert_eq!(ollama_base_url(host), place, "{host}");
    }
}
