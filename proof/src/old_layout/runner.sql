-- Completed runs with one debater's turn and one judge's turn, for layouts 3 to 5. `numbers` says
-- how many.
insert into runs
    (id, topic, status, stop_reason, debater_a_side, output_language, judge_mode, max_rounds,
     max_runtime_seconds, max_total_output_tokens, max_tokens_debater, max_tokens_judge,
     model_debater, model_debater_a, model_debater_b, model_judge, prompt_version, next_round,
     next_actor, last_seq, completed_rounds, spent, ran, tries, term, idempotency_key, fingerprint,
     created_at, updated_at)
select unhex(printf('a0%030x', number)), 'Topic ' || number || ' – 井戸', 'completed',
       'max_rounds', 'pro', 'en', 'round', 1, 600, 8000, 600, 400, 'demo:fast', 'demo:fast',
       'demo:fast', 'demo:fast', 'v1', 2, 'debater_a', 2, 1, 100 + number, 52162, 0, 4,
       'key ' || number, unhex(printf('%064x', number)), 1767225600000000 + number * 1000000,
       1767225600500000 + number * 1000000
from numbers;

insert into run_turns
    (id, run_id, seq, round, actor, content, model, prompt_tokens, completion_tokens, outcome,
     created_at)
select unhex(printf('a1%030x', number)), unhex(printf('a0%030x', number)), 1, 1, 'debater_a',
       'I speak in favour of topic ' || number || '.', 'demo:fast', 309, 91, 'ok',
       1767225600200000 + number * 1000000
from numbers;

insert into run_turns
    (id, run_id, seq, round, actor, content, model, prompt_tokens, completion_tokens, outcome,
     verdict_valid, summary, score_a, score_b, winner, no_new_substantive_arguments, created_at)
select unhex(printf('a2%030x', number)), unhex(printf('a0%030x', number)), 2, 1, 'judge',
       'Winner: A', 'demo:fast', 583, 50, 'ok', 1, 'Round 1 is over.', 9, number % 9, 'a', 0,
       1767225600400000 + number * 1000000
from numbers;

insert into run_calls
    (id, run_id, round, actor, number, model, allowed, started_at, finished_at, called,
     prompt_tokens, completion_tokens)
select unhex(printf('a3%030x', number)), unhex(printf('a0%030x', number)), 1, 'debater_a', 1,
       'demo:fast', 600, 1767225600100000 + number * 1000000, 1767225600200000 + number * 1000000,
       'ok', 309, 91
from numbers;

insert into run_days (day, spent) select 20000 + number, 1000 * number from numbers;
