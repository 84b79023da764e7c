//! Settings of runs and of model providers.

use super::settings;
use crate::ValueKind::{Integer, OneOf, Secret, Text};
use crate::{Flag, Setting, SettingGroup};

/// More workers than one process can use.
pub(super) const WORKERS_MAX: u64 = 10_000;

/// More tokens than any budget allows.
pub(super) const DAILY_TOKENS_MAX: u64 = 1_000_000_000_000;

/// The longest time limit of a model call, in seconds.
pub const CALL_SECONDS_MAX: u64 = 3600;

settings! {
    /// Defaults of runs, workers and budgets.
    RUNS {
        title: "Runs",
        help_heading: Some("Runs (API keys and providers: see docs/runner.md)"),
        in_file: true
    }

    MAX_ROUNDS: "DEBATE_MAX_ROUNDS", Integer(1, 100), default "5", flag "max-rounds" "COUNT",
        "Maximum number of rounds.";
    MAX_RUNTIME_SECONDS: "DEBATE_MAX_RUNTIME_SECONDS", Integer(1, 86_400), default "600",
        flag "max-runtime-seconds" "SECONDS",
        "Time limit of a run; the time while it is stopped does not count.";
    MAX_TOTAL_OUTPUT_TOKENS: "DEBATE_MAX_TOTAL_OUTPUT_TOKENS", Integer(1, 2_000_000),
        default "8000", flag "max-total-output-tokens" "COUNT",
        "Maximum output tokens of all turns together.";
    MAX_TOKENS_DEBATER: "DEBATE_MAX_TOKENS_DEBATER", Integer(1, 20_000), default "600",
        flag "max-tokens-debater" "COUNT",
        "Maximum output tokens of one debater's turn.";
    MAX_TOKENS_JUDGE: "DEBATE_MAX_TOKENS_JUDGE", Integer(1, 20_000), default "400",
        flag "max-tokens-judge" "COUNT",
        "Maximum output tokens of one judge's turn.";
    MODEL_DEBATER: "RUNNER_MODEL_DEBATER", Text, default "demo:paced",
        flag "runner-model-debater" "PROVIDER:MODEL",
        "Model of the debaters, as `provider:model`.";
    MODEL_JUDGE: "RUNNER_MODEL_JUDGE", Text, default "demo:paced",
        flag "runner-model-judge" "PROVIDER:MODEL",
        "Model of the judge.";
    RUNNER_WORKERS: "RUNNER_WORKERS", Integer(0, WORKERS_MAX), default "16",
        flag "runner-workers" "COUNT",
        "Turns that this process works on at the same time; 0 makes it serve requests only.";
    LEASE_SECONDS: "RUNNER_LEASE_SECONDS", Integer(1, 30), default "15",
        flag "runner-lease-seconds" "SECONDS",
        "Time after which another worker takes over from a worker that stopped responding, 1 to \
         30.";
    ON_UNKNOWN: "RUNNER_ON_UNKNOWN", OneOf(&["retry", "hold"]), default "retry",
        flag "runner-on-unknown" "retry|hold",
        "After a crash left a model call without a known outcome: `retry` calls again and may pay \
         twice, `hold` fails the run until a person retries it.";
    RUNNER_DAILY_TOKENS: "RUNNER_DAILY_TOKENS", Integer(1, DAILY_TOKENS_MAX),
        flag "runner-daily-tokens" "COUNT",
        "Maximum tokens of all runs per UTC day, prompts included.";
    RUNNER_DAILY_COST: "RUNNER_DAILY_COST", Text, flag "runner-daily-cost" "USD",
        "Maximum cost of all runs per UTC day, in USD, such as `5` or `0.50`. Every model then \
         needs a price.";
    CALL_TIMEOUT_SECONDS: "RUNNER_CALL_TIMEOUT_SECONDS", Integer(1, CALL_SECONDS_MAX),
        default "180", flag "runner-call-timeout-seconds" "SECONDS",
        "Time limit of one model call.";
}

settings! {
    /// The variables that other programs use for the same providers.
    PROVIDERS { title: "Runs", help_heading: None, in_file: true }

    OPENAI_API_KEY: "OPENAI_API_KEY", Secret, "Enables the provider `openai`.";
    OPENAI_BASE_URL: "OPENAI_BASE_URL", Text,
        "Address of an OpenAI-compatible server, used instead of OpenAI's.";
    ANTHROPIC_API_KEY: "ANTHROPIC_API_KEY", Secret, "Enables the provider `anthropic`.";
    GEMINI_API_KEY: "GEMINI_API_KEY", Secret, "Enables the provider `gemini`.";
    OLLAMA_HOST: "OLLAMA_HOST", Text, "Enables the provider `ollama` at this address.";
}
