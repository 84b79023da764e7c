//! Configuration of the runner at start, and one-line refusals.

use std::os::unix::fs::PermissionsExt;

use aw_testbed::{Model, ScriptStep};
use serde_json::json;

use crate::support::{Run, Server, Setup};

/// A setup with this configuration file.
fn with_config(setup: Setup, text: &str) -> Setup {
    let file = setup.home().path().join("aw.toml");
    std::fs::write(&file, text).expect("the folder is ours");
    setup.env("AW_CONFIG", &file.display().to_string())
}

#[tokio::test]
async fn invalid_value_stops_the_start_with_one_line_that_names_it() {
    for (variable, value, accepted) in [
        ("DEBATE_MAX_ROUNDS", "0", "a whole number from 1 to 100"),
        ("DEBATE_MAX_ROUNDS", "many", "a whole number from 1 to 100"),
        ("DEBATE_MAX_RUNTIME_SECONDS", "86401", "a whole number from 1 to 86400"),
        ("DEBATE_MAX_TOTAL_OUTPUT_TOKENS", "2000001", "a whole number from 1 to 2000000"),
        ("DEBATE_MAX_TOKENS_DEBATER", "20001", "a whole number from 1 to 20000"),
        ("DEBATE_MAX_TOKENS_JUDGE", "-1", "a whole number from 1 to 20000"),
        ("RUNNER_WORKERS", "10001", "a whole number from 0 to 10000"),
        ("RUNNER_LEASE_SECONDS", "0", "a whole number from 1 to 30"),
        ("RUNNER_LEASE_SECONDS", "31", "a whole number from 1 to 30"),
        ("RUNNER_ON_UNKNOWN", "guess", "retry or hold"),
        ("RUNNER_DAILY_TOKENS", "0", "a whole number from 1 to 1000000000000"),
        ("RUNNER_CALL_TIMEOUT_SECONDS", "3601", "a whole number from 1 to 3600"),
        ("RUNNER_MODEL_DEBATER", "gpt-4.1", "expected PROVIDER:MODEL"),
        (
            "RUNNER_MODEL_DEBATER",
            "openai:gpt-4.1",
            "is not configured; configured models: demo:fast",
        ),
        ("RUNNER_MODEL_JUDGE", "demo:slow", "is not configured; configured models: demo:fast"),
        ("OPENAI_BASE_URL", "ftp://models.test", "invalid base URL of openai: expected http"),
    ] {
        let (status, output) = Setup::new().env(variable, value).start_refused().await;
        assert!(!status.success(), "{variable}={value}");
        assert_eq!(output.lines().count(), 1, "{output}");
        let named = output.contains(variable) || variable == "OPENAI_BASE_URL";
        assert!(named && output.contains(accepted), "{variable}={value}: {output}");
    }
}

#[tokio::test]
async fn unusable_config_file_is_reported_with_its_path_and_a_remedy() {
    for (text, said_to_be) in [
        ("[provider", "aw.toml"),
        ("[providers.x]\n", "unknown table [providers]; expected [provider.NAME]"),
        ("provider = 3\n", "provider must be a table: write [provider.NAME]"),
        ("provider.x = 3\n", "[provider.x]: invalid type"),
        ("[provider.x]\n", "[provider.x]: `kind` must be one of openai, anthropic, gemini, ollama"),
        ("[provider.x]\nkind = \"llama\"\n", "`kind` must be one of"),
        ("[provider.x]\nkind = 3\n", "[provider.x]: invalid type"),
        ("[provider.x]\nkind = \"openai\"\nkey = \"sk-canary\"\n", "unknown field `key`"),
        ("[provider.x]\nkind = \"openai\"\n", "API key missing: set `key_env` to the variable"),
        ("[provider.anthropic]\n", "[provider.anthropic]: API key missing"),
        (
            "[provider.x]\nkind = \"openai\"\nkey_env = \"NO_SUCH\"\n",
            "`key_env` is NO_SUCH, but that variable is not set",
        ),
        ("[provider.x]\nkind = \"openai\"\nbase_url = \"x.test\"\n", "invalid base URL of x"),
        ("[provider.demo]\nkind = \"ollama\"\n", "name demo is used twice or reserved"),
        ("[provider.\"a b\"]\nkind = \"ollama\"\n", "invalid name \"a b\""),
        ("[provider.ollama]\nprice_input_per_million = 1\n", "together; `currency` needs both"),
        ("[provider.ollama]\ncurrency = \"USD\"\n", "together; `currency` needs both"),
        (
            "[provider.ollama]\nprice_input_per_million = -1\nprice_output_per_million = 1\n",
            "`price_input_per_million` must be a number from 0 to 1000000",
        ),
        (
            "[provider.ollama]\nprice_input_per_million = 1\nprice_output_per_million = 1\n\
             currency = \"usd\"\n",
            "`currency` must be three capital letters",
        ),
        ("[command.x]\n", "missing field `argv`"),
        ("[command.x]\nargv = []\n", "the command x has an empty argv"),
        ("[command.x]\nargv = \"claude -p\"\n", "[command.x]: invalid type"),
        ("[command.x]\nargv = [\"true\"]\nshell = true\n", "unknown field `shell`"),
        ("[command.x]\nargv = [\"true\"]\ntimeout_seconds = 0\n", "from 1 to 3600"),
        ("[command.x]\nargv = [\"true\"]\ntimeout_seconds = 200\n", "RUNNER_CALL_TIMEOUT_SECONDS"),
    ] {
        let (status, output) = with_config(Setup::new(), text).start_refused().await;
        assert!(!status.success(), "{text}");
        assert_eq!(output.lines().count(), 1, "{output}");
        assert!(output.contains(said_to_be) && !output.contains("canary"), "{text}: {output}");
    }
}

#[tokio::test]
async fn invalid_provider_key_is_named_and_not_printed() {
    for variable in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
        let (status, output) = Setup::new().env(variable, "s3cret key").start_refused().await;
        assert!(!status.success());
        assert!(output.contains(variable) && !output.contains("s3cret"), "{output}");
    }
}

#[tokio::test]
async fn config_file_that_is_world_writable_or_a_directory_is_refused() {
    let setup = with_config(Setup::new(), "[command.x]\nargv = [\"true\"]\n");
    let file = setup.home().path().join("aw.toml");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&file, mode(0o666)).expect("the file is ours");
    let (_, output) = setup.start_refused().await;
    assert!(output.contains("other users can write to it: run chmod go-w"), "{output}");
    std::fs::remove_file(&file).expect("the file is ours");
    std::fs::create_dir(&file).expect("the folder is ours");
    let (_, output) = setup.start_refused().await;
    assert!(output.contains("cannot read") && output.contains("AW_CONFIG"), "{output}");
}

#[tokio::test]
async fn config_with_commands_is_refused_unless_only_its_owner_can_write_it() {
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    let with_command = || with_config(Setup::new(), "[command.x]\nargv = [\"true\"]\n");
    for writable in [0o664, 0o646, 0o620] {
        let setup = with_command();
        let file = setup.home().path().join("aw.toml");
        std::fs::set_permissions(&file, mode(writable)).expect("the file is ours");
        let (status, output) = setup.start_refused().await;
        assert!(!status.success() && output.contains("run chmod go-w"), "{writable:o}: {output}");
        assert_eq!(output.lines().count(), 1, "{output}");
    }
    let setup = with_command();
    let file = setup.home().path().join("aw.toml");
    std::fs::set_permissions(&file, mode(0o644)).expect("the file is ours");
    setup.start().await;
    // A file of another user is refused; only root can change the owner of a file.
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&file, Some(4242), None).expect("root may");
        let (status, output) = setup.start_refused().await;
        assert!(!status.success() && output.contains("user 4242 owns it"), "{output}");
        assert_eq!(output.lines().count(), 1, "{output}");
    }
}

#[tokio::test]
async fn config_with_providers_only_is_refused_when_it_is_world_writable() {
    let text = "[provider.x]\nkind = \"ollama\"\nbase_url = \"http://x.test\"\n";
    let setup = with_config(Setup::new(), text);
    let file = setup.home().path().join("aw.toml");
    let mode = std::fs::Permissions::from_mode(0o666);
    std::fs::set_permissions(&file, mode).expect("the file is ours");
    let (status, output) = setup.start_refused().await;
    assert!(!status.success() && output.contains("run chmod o-w"), "{output}");
}

#[tokio::test]
async fn variables_of_the_original_server_cause_a_warning_unless_the_new_ones_are_set() {
    let names = [
        ("AUTH_TOKEN", "DEBATE_AUTH_TOKEN"),
        ("SERVER_HOST", "DEBATE_SERVER_HOST"),
        ("SERVER_PORT", "DEBATE_SERVER_PORT"),
    ];
    let original = |setup: Setup| {
        setup
            .env("AUTH_TOKEN", "canary-of-the-original")
            .env("SERVER_HOST", "0.0.0.0")
            .env("SERVER_PORT", "1")
    };
    let server = original(Setup::bare()).env("DEBATE_SERVER_PORT", "0").traced().start().await;
    let warned = |log: &str, name: &str| {
        let names = format!("\"variable.name\":\"{name}\"");
        let message = "environment variable ignored";
        log.lines().any(|line| line.contains(message) && line.contains(&names))
    };
    let log = server.trace_log();
    assert!(warned(&log, "AUTH_TOKEN") && warned(&log, "SERVER_HOST"), "{log}");
    assert!(log.contains("DEBATE_AUTH_TOKEN") && log.contains("DEBATE_SERVER_HOST"), "{log}");
    assert!(!warned(&log, "SERVER_PORT"), "ours is set: {log}");
    assert!(!log.contains("canary"), "{log}");
    drop(server);
    let server = original(Setup::new())
        .env("DEBATE_AUTH_TOKEN", "a-token-of-sixteen-letters")
        .env("DEBATE_SERVER_HOST", "127.0.0.1")
        .start()
        .await;
    let log = server.log();
    assert!(names.iter().all(|(name, _)| !warned(&log, name)), "{log}");
}

#[tokio::test]
async fn first_screen_lists_the_providers_and_no_key() {
    let server = Server::start().await;
    assert!(
        server.first_screen.contains("models    demo:fast, demo:paced"),
        "{}",
        server.first_screen
    );
    assert!(server.first_screen.contains("default: demo:paced"), "{}", server.first_screen);
    let text = "[provider.deepseek]\nkind = \"openai\"\nbase_url = \"http://deepseek.test/v1\"\n\
                key_env = \"DEEPSEEK_KEY\"\n[command.claude]\nargv = [\"claude\", \"-p\"]\n";
    let setup = with_config(Setup::new(), text)
        .env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
        .env("OPENAI_API_KEY", "sk-canary-1")
        .env("DEEPSEEK_KEY", "sk-canary-2")
        .env("OLLAMA_HOST", "0.0.0.0:11434")
        .env("RUNNER_MODEL_JUDGE", "openai:gpt-4.1");
    let server = setup.traced().start().await;
    let expected = "models    deepseek:MODEL, ollama:MODEL, openai:MODEL, command:claude, \
                    demo:fast, demo:paced";
    assert!(server.first_screen.contains(expected), "{}", server.first_screen);
    let defaults = "default: demo:paced for debaters, openai:gpt-4.1 for the judge";
    assert!(server.first_screen.contains(defaults), "{}", server.first_screen);
    assert!(!server.first_screen.contains("canary") && !server.trace_log().contains("canary"));
    let body = json!({ "topic": "t", "settings": { "model_judge": "x:y" } });
    let reply = server.post("/runner/debates", &body).await;
    assert_eq!(reply.status, 422);
    assert!(reply.text.contains("deepseek:MODEL"), "it says what there is: {}", reply.text);
}

#[tokio::test]
async fn server_settings_are_the_defaults_of_runs() {
    let text = "max_rounds = 7\nrunner_model_judge = \"demo:fast\"\nrunner_workers = 0\n";
    let setup = with_config(Setup::new(), text)
        .env("DEBATE_MAX_RUNTIME_SECONDS", "60")
        .env("DEBATE_MAX_TOTAL_OUTPUT_TOKENS", "1000")
        .env("DEBATE_MAX_TOKENS_DEBATER", "50")
        .arg("--max-tokens-judge")
        .arg("40");
    let server = setup.start().await;
    let run = Run::create(&server, "t", json!({ "max_tokens_debater": 51 })).await;
    let settings = run.debate().await["settings"].clone();
    assert_eq!(
        settings,
        json!({
            "debater_a_side": "pro", "output_language": "en", "judge_mode": "round",
            "max_rounds": 7, "max_runtime_seconds": 60, "max_total_output_tokens": 1000,
            "max_tokens_debater": 51, "max_tokens_judge": 40,
            "model_debater": "demo:paced", "model_debater_a": "demo:paced",
            "model_debater_b": "demo:paced", "model_judge": "demo:fast", "prompt_version": "v2",
        })
    );
}

#[tokio::test]
async fn provider_command_sees_neither_the_token_nor_any_key() {
    let text = "[provider.deepseek]\nkind = \"openai\"\nbase_url = \"http://deepseek.test/v1\"\n\
                key_env = \"DEEPSEEK_KEY\"\n[command.env]\nargv = [\"env\"]\n";
    let server = with_config(Setup::new(), text)
        .env("DEBATE_AUTH_TOKEN", "canary-1")
        .env("OPENAI_API_KEY", "canary-2")
        .env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
        .env("ANTHROPIC_API_KEY", "canary-3")
        .env("GEMINI_API_KEY", "canary-4")
        .env("DEEPSEEK_KEY", "canary-5")
        .env("HARMLESS", "seen")
        .start()
        .await
        .with_token("canary-1");
    let settings = json!({ "max_rounds": 1, "model_debater": "command:env",
                           "model_judge": "demo:fast" });
    let run = Run::create(&server, "t", settings).await;
    run.command("start").await;
    run.until("completed").await;
    let output = run.read().await["turns"][0]["content"].as_str().expect("text").to_owned();
    assert!(output.contains("HARMLESS=seen"), "{output}");
    assert!(!output.contains("canary") && !output.contains("DEBATE_DATABASE_URL"), "{output}");
}

#[tokio::test]
async fn provider_key_is_sent_to_its_provider_only() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let text = format!(
        "[provider.mine]\nkind = \"openai\"\nbase_url = \"{0}\"\nkey_env = \"MY_KEY\"\n\
         [provider.keyless]\nkind = \"openai\"\nbase_url = \"{0}\"\n",
        model.url()
    );
    let server = with_config(Setup::new(), &text)
        .env("OPENAI_API_KEY", "canary-usual")
        .env("OPENAI_BASE_URL", model.url())
        .env("MY_KEY", "canary-mine")
        .traced()
        .start()
        .await;
    let settings = json!({ "max_rounds": 1, "model_debater_a": "mine:x",
                           "model_debater_b": "keyless:x", "model_judge": "openai:x" });
    let run = Run::create(&server, "Keys", settings).await;
    run.command("start").await;
    run.until("completed").await;
    let sent: Vec<_> = model
        .requests()
        .iter()
        .map(|asked| {
            let line = asked.head.lines().find_map(|line| line.strip_prefix("authorization: "));
            line.unwrap_or("none").to_owned()
        })
        .collect();
    assert_eq!(sent, ["Bearer canary-mine", "none", "Bearer canary-usual"]);
    assert!(!server.trace_log().contains("canary"), "no key in the log");
}
