//! The runner's statements. The tests of the query plans include this file, so it uses nothing
//! else.

/// Runs with all columns that `rows::record` decodes.
macro_rules! runs {
    ($rest:literal) => {
        concat!(
            "select id, topic, status, stop_reason, debater_a_side, output_language, judge_mode,
                    max_rounds, max_runtime_seconds, max_total_output_tokens, max_tokens_debater,
                    max_tokens_judge, model_debater, model_debater_a, model_debater_b, model_judge,
                    prompt_version, next_round, next_actor, last_error, last_seq, completed_rounds,
                    spent, ran, tries, term, holder, due, held_since, idempotency_key, fingerprint,
                    created_at, updated_at, output_language_given
             from ",
            $rest
        )
    };
}

/// Turns with all columns that `rows::turn` decodes.
macro_rules! turns {
    ($rest:literal) => {
        concat!(
            "select id, run_id, seq, round, actor, content, model, prompt_tokens,
                    completion_tokens, outcome, verdict_valid, summary, score_a, score_b, winner,
                    no_new_substantive_arguments, created_at, duration_ms, usage_clipped
             from ",
            $rest
        )
    };
}

/// Calls with all columns that `rows::call` decodes.
macro_rules! calls {
    ($rest:literal) => {
        concat!(
            "select id, run_id, round, actor, number, model, allowed, started_at, finished_at,
                    called, prompt_tokens, completion_tokens, prompt_bytes, usd_input_rate,
                    usd_output_rate, usage_clipped
             from ",
            $rest
        )
    };
}

pub(crate) const RUN: &str = runs!("runs where id = $1");

pub(crate) const RUN_OF_KEY: &str = runs!("runs where idempotency_key = $1");

pub(crate) const PAGE: &str = runs!(
    "runs where (updated_at, id) < ($1, $2)
     order by updated_at desc, id desc limit $3"
);

pub(crate) const PAGE_OF_STATUS: &str = runs!(
    "runs where status = $1 and (updated_at, id) < ($2, $3)
     order by updated_at desc, id desc limit $4"
);

pub(crate) const TURNS: &str = turns!("run_turns where run_id = $1 order by seq");

/// The turns after the turn `$2`, or after the sequence number `$3` if `$2` is null, oldest first.
/// A page ends after `$4` rows or `$5` bytes of content.
pub(crate) const TURNS_AFTER: &str = turns!(
    "(select *, cast(sum(octet_length(content)) over (order by seq)
                         - octet_length(content) as bigint) as bytes_before
      from (select * from run_turns
            where run_id = $1
              and seq > coalesce((select seq from run_turns where id = $2 and run_id = $1), $3)
            order by seq limit $4) as most)
          as page
     where bytes_before < $5 order by seq"
);

/// All turns of the judge, if one of them is after the sequence number `$2`; else none.
pub(crate) const JUDGE_TURNS: &str = turns!(
    "run_turns
     where run_id = $1 and actor = 'judge'
       and (select newest.seq from run_turns as newest
            where newest.run_id = $1 and newest.actor = 'judge'
            order by newest.seq desc limit 1) > $2
     order by seq"
);

pub(crate) const LAST_TURN: &str =
    "select round, actor, seq from run_turns where run_id = $1 order by seq desc limit 1";

pub(crate) const SEQ_OF_TURN: &str = "select seq from run_turns where id = $1 and run_id = $2";

pub(crate) const CALLS: &str = calls!("run_calls where run_id = $1 order by round, actor, number");

/// The calls from the round of the turn with the sequence number `$2` on; all without such a turn.
pub(crate) const CALLS_FROM: &str = calls!(
    "run_calls
     where run_id = $1
       and round >= coalesce((select round from run_turns where run_id = $1 and seq = $2), 0)
     order by round, actor, number"
);

pub(crate) const OPEN_CALLS: &str = calls!(
    "run_calls where run_id = $1 and called = 'in_flight'
     order by round, actor, number"
);

pub(crate) const CALL: &str = calls!("run_calls where id = $1 and run_id = $2");

pub(crate) const CALLS_AT: &str = "select count(*) as calls from run_calls
     where run_id = $1 and round = $2 and actor = $3";

/// A token count that the provider did not report counts as the most that the call could use.
pub(crate) const COSTS: &str = "select model, count(*) as calls,
            count(*) filter (where called = 'unknown') as unknown,
            cast(coalesce(sum(prompt_tokens), 0) as bigint) as prompt_tokens,
            cast(sum(coalesce(prompt_tokens, prompt_bytes)) as bigint) as charged_prompt_tokens,
            cast(sum(coalesce(completion_tokens, allowed)) as bigint) as completion_tokens
     from run_calls where run_id = $1 group by model order by model";

/// With a limit per day, transactions that add to a day's charge run one after the other. The
/// number identifies the lock ("tokens").
pub(crate) const LOCK_DAY: &str = "select pg_advisory_xact_lock(128021892001395) where $1::boolean";

pub(crate) const CHARGE_SQLITE: &str = "insert into run_days (day, spent, cost) values ($1, $2, $3)
     on conflict (day) do update
     set spent = spent + excluded.spent, cost = cost + excluded.cost";

/// Spreads a day's charge over 64 rows, by connection, so that transactions rarely wait.
pub(crate) const CHARGE_POSTGRES: &str =
    "insert into run_days (day, slot, spent, cost) values ($1, pg_backend_pid() % 64, $2, $3)
     on conflict (day, slot) do update
     set spent = run_days.spent + excluded.spent, cost = run_days.cost + excluded.cost";

pub(crate) const SPENT_ON: &str = "select cast(coalesce(sum(spent), 0) as bigint) as spent,
            cast(coalesce(sum(cost), 0) as bigint) as cost
     from run_days where day = $1";

pub(crate) const ADD_RUN: &str = "insert into runs
         (id, topic, status, stop_reason, debater_a_side, output_language, judge_mode, max_rounds,
          max_runtime_seconds, max_total_output_tokens, max_tokens_debater, max_tokens_judge,
          model_debater, model_debater_a, model_debater_b, model_judge, prompt_version, next_round,
          next_actor, last_error, last_seq, completed_rounds, spent, ran, tries, term, holder, due,
          held_since, idempotency_key, fingerprint, created_at, updated_at, output_language_given)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
          $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34)";

/// Keeps the last holder until another one acquires the run.
pub(crate) const SAVE_RUN: &str = "update runs
     set status = $1, stop_reason = $2, next_round = $3, next_actor = $4, last_error = $5,
         last_seq = $6, completed_rounds = $7, spent = $8, ran = $9, tries = $10, term = $11,
         holder = coalesce($12, holder), due = $13, held_since = $14, updated_at = $15,
         output_language = $16
     where id = $17";

pub(crate) const DELETE_RUN: &str = "delete from runs where id = $1";

pub(crate) const ADD_TURN: &str = "insert into run_turns
         (id, run_id, seq, round, actor, content, model, prompt_tokens, completion_tokens, outcome,
          verdict_valid, summary, score_a, score_b, winner, no_new_substantive_arguments,
          created_at, duration_ms, usage_clipped)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
          $19)";

pub(crate) const ADD_CALL: &str = "insert into run_calls
         (id, run_id, round, actor, number, model, allowed, started_at, finished_at, called,
          prompt_tokens, completion_tokens, prompt_bytes, usd_input_rate, usd_output_rate,
          usage_clipped)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";

pub(crate) const SAVE_CALL: &str = "update run_calls
     set finished_at = $1, called = $2, prompt_tokens = $3, completion_tokens = $4,
         usage_clipped = $5
     where id = $6";
