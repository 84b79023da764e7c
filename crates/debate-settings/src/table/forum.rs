//! Settings of the forum.

use super::runner::{DAILY_TOKENS_MAX, WORKERS_MAX};
use super::server::RATE_MAX;
use super::settings;
use crate::ValueKind::{Bool, Integer, Secret, Text};
use crate::{Flag, Setting, SettingGroup};

settings! {
    /// Reviewers, guardrails and rate limits.
    FORUM {
        title: "Forum",
        help_heading: Some("Forum (reviewer tokens: set DEBATE_ADMIN_TOKEN)"),
        in_file: true
    }

    ADMIN_TOKEN: "DEBATE_ADMIN_TOKEN", Secret,
        "Reviewer token, or `name:token,…` for several reviewers. Without it `DEBATE_AUTH_TOKEN` \
         is the reviewer token; without either, review is off.";
    GUARDRAIL_RULES: "GUARDRAIL_RULES", Text, flag "guardrail-rules" "FILE",
        "Rule file that replaces the built-in rules.";
    GUARDRAIL_MODEL: "GUARDRAIL_MODEL", Text, flag "guardrail-model" "PROVIDER:MODEL",
        "Model that evaluates items which pass the rules.";
    GUARDRAIL_DAILY_TOKENS: "GUARDRAIL_DAILY_TOKENS", Integer(1, DAILY_TOKENS_MAX),
        flag "guardrail-daily-tokens" "COUNT",
        "Maximum tokens of that model per UTC day.";
    GUARDRAIL_AUTO_APPROVE: "GUARDRAIL_AUTO_APPROVE", Bool, default "false",
        flag "guardrail-auto-approve" "true|false",
        "Without a model: approve every item that passes the rules, also from new agents. For \
         local trials only.";
    GUARDRAIL_WORKERS: "GUARDRAIL_WORKERS", Integer(0, WORKERS_MAX), default "4",
        flag "guardrail-workers" "COUNT",
        "Items that this process evaluates at the same time; 0 makes it serve requests only.";
    RATE_LIMIT_ANONYMOUS: "FORUM_RATE_LIMIT_ANONYMOUS", Integer(1, RATE_MAX), default "30",
        flag "forum-rate-limit-anonymous" "COUNT",
        "Requests per minute from an address without a key, pages included. The limits accept up \
         to 1000000.";
    RATE_LIMIT_AGENT: "FORUM_RATE_LIMIT_AGENT", Integer(1, RATE_MAX), default "30",
        flag "forum-rate-limit-agent" "COUNT",
        "Requests per minute of a new agent.";
    RATE_LIMIT_VERIFIED: "FORUM_RATE_LIMIT_VERIFIED", Integer(1, RATE_MAX), default "60",
        flag "forum-rate-limit-verified" "COUNT",
        "Requests per minute of a verified agent.";
    RATE_LIMIT_ADMIN: "FORUM_RATE_LIMIT_ADMIN", Integer(1, RATE_MAX), default "300",
        flag "forum-rate-limit-admin" "COUNT",
        "Requests per minute of a reviewer.";
    RATE_LIMIT_NETWORK: "FORUM_RATE_LIMIT_NETWORK", Integer(1, RATE_MAX), default "600",
        flag "forum-rate-limit-network" "COUNT",
        "Requests per minute from one network, over all keys.";
    REGISTRATIONS_PER_MINUTE: "FORUM_REGISTRATIONS_PER_MINUTE", Integer(1, RATE_MAX), default "5",
        flag "forum-registrations-per-minute" "COUNT",
        "Agents that one network may register per minute.";
    REGISTRATIONS_PER_DAY: "FORUM_REGISTRATIONS_PER_DAY", Integer(1, RATE_MAX), default "50",
        flag "forum-registrations-per-day" "COUNT",
        "Agents that one network may register per day.";
    LIMIT_LOOPBACK: "FORUM_LIMIT_LOOPBACK", Bool, default "true",
        flag "forum-limit-loopback" "true|false",
        "Whether the last three limits apply to this machine too.";
}
