//! The runner's part of the contract.

pub(crate) mod acquire;
pub(crate) mod begin_call;
pub(crate) mod commands;
pub(crate) mod create;
pub(crate) mod fixture;
pub(crate) mod list;
pub(crate) mod model;
pub(crate) mod new_turns;
pub(crate) mod notifications;
pub(crate) mod settle;

#[expect(dead_code, reason = "those that only insert have no plan to look at")]
#[path = "../../../../src/runner/statements.rs"]
pub(crate) mod sql;

/// Makes each function a test of the engine that `$start` starts.
macro_rules! runner_tests {
    ($start:path; $($subject:ident { $($fact:ident)* })*) => {$(
        mod $subject {$(
            #[tokio::test]
            async fn $fact() {
                let engine = $start().await;
                crate::contract::runner::$subject::$fact(&engine).await;
            }
        )*}
    )*};
}

/// All tests of the runner, for the engine that `$start` starts.
macro_rules! runner_suite {
    ($start:path) => {
        crate::contract::runner::runner_tests! { $start;
            create {
                create_saves_every_setting_of_a_run
                retried_create_returns_the_current_state_of_the_run
                create_with_a_used_key_and_other_content_is_refused
                create_without_a_key_always_adds_a_run
                parallel_creates_with_one_key_add_one_run
                deleted_run_is_not_found_and_its_key_is_unused
                missing_run_is_not_found_by_any_operation
            }
            commands {
                every_command_in_every_status_follows_the_rules
                start_makes_a_run_due_and_a_refused_command_changes_nothing
                stop_without_a_worker_takes_effect_at_once
                stop_during_a_step_keeps_its_turn
                cancel_ends_the_lease_of_the_worker
                delete_ends_the_lease_of_the_worker
                ui_language_is_applied_where_the_creation_named_none
                run_with_an_unpriced_model_does_not_start_while_cost_is_limited
            }
            acquire {
                no_run_is_due_before_a_start
                longest_due_run_is_acquired_first
                leased_run_is_not_acquired_again
                run_is_acquired_again_after_its_lease_expired
                renewed_lease_keeps_a_run
                parallel_workers_acquire_different_runs
                stopping_run_of_a_lost_worker_is_stopped
                call_of_a_lost_worker_becomes_unknown
                run_with_an_unknown_call_is_stopped_with_the_policy_hold
                run_fails_after_four_crashes_in_one_turn
            }
            begin_call {
                begun_call_is_charged_with_its_limit
                repeated_begin_returns_the_same_call
                call_without_the_lease_is_refused
                stopping_run_begins_no_new_turn
                begin_saves_the_result_of_the_previous_call
                daily_token_limit_is_never_exceeded
                daily_cost_limit_is_never_exceeded
                demo_calls_are_exempt_from_daily_limits
                daily_charge_is_corrected_by_the_reported_usage
                tokens_are_counted_per_day
            }
            settle {
                settle_saves_every_field_of_a_turn
                turns_of_a_complete_run_are_saved_in_order
                failed_attempt_is_shown_and_due_again_later
                permanent_failure_ends_the_run
                reached_limit_completes_the_run
                released_run_is_due_at_once
                repeated_result_is_saved_once
                result_of_a_lost_lease_is_discarded_and_its_tokens_count
                cost_of_a_call_is_saved_after_a_cancel
                existing_turn_is_not_requested_again
            }
            new_turns {
                turns_after_every_position_are_new
                position_beyond_the_end_has_no_new_entries
                position_of_another_run_is_refused
                pages_of_many_entries_join_without_a_gap
                pages_of_large_entries_join_without_a_gap
                changes_after_a_position_contain_no_earlier_turns_and_calls
                changes_of_an_unknown_run_are_refused
            }
            list {
                list_is_ordered_by_last_change
                each_status_lists_its_runs
                next_page_is_announced_only_if_it_has_entries
                pages_during_writes_miss_no_run
            }
            notifications {
                visible_write_notifies_subscribers_and_due_run_notifies_workers
                invisible_write_notifies_no_subscriber
                cursor_change_by_a_call_notifies_subscribers
                unknown_call_of_a_crash_notifies_subscribers
            }
            model {
                random_history_matches_the_in_memory_model
            }
        }
    };
}

pub(crate) use runner_suite;
pub(crate) use runner_tests;
