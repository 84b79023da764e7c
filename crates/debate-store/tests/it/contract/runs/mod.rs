//! The runner's part of the contract.

pub(crate) mod beginning;
pub(crate) mod commanding;
pub(crate) mod creating;
pub(crate) mod following;
pub(crate) mod listing;
pub(crate) mod model;
pub(crate) mod ringing;
pub(crate) mod settling;
pub(crate) mod stage;
pub(crate) mod taking;

#[expect(dead_code, reason = "those that only insert have no plan to look at")]
#[path = "../../../../src/runner/statements.rs"]
pub(crate) mod sql;

/// Makes each fact a test of the engine that `$start` starts.
macro_rules! run_tests {
    ($start:path; $($subject:ident { $($fact:ident)* })*) => {$(
        mod $subject {$(
            #[tokio::test]
            async fn $fact() {
                let engine = $start().await;
                crate::contract::runs::$subject::$fact(&engine).await;
            }
        )*}
    )*};
}

/// Every fact there is of the runner, for the engine that `$start` starts.
macro_rules! run_suite {
    ($start:path) => {
        crate::contract::runs::run_tests! { $start;
            creating {
                a_new_debate_is_kept_with_all_its_settings
                the_same_request_again_gets_the_debate_as_it_stands
                a_key_is_not_taken_for_another_request
                without_a_key_every_request_is_a_new_one
                of_parallel_twins_one_is_made
                a_deleted_debate_is_gone_and_its_key_free
                there_is_nothing_of_a_debate_that_never_was
            }
            commanding {
                every_command_in_every_status_does_what_the_rules_say
                a_start_makes_work_and_a_refusal_changes_nothing
                a_stop_while_nobody_is_at_it_stops_at_once
                a_stop_while_a_worker_is_at_it_keeps_its_turn
                a_cancel_takes_the_debate_from_its_worker
                a_deletion_takes_the_debate_from_its_worker
                ui_language_is_applied_where_the_creation_named_none
                run_with_an_unpriced_model_does_not_start_while_cost_is_limited
            }
            taking {
                nothing_is_due_before_something_was_started
                whoever_has_waited_for_longest_is_taken_first
                what_is_held_is_taken_by_nobody_else
                a_silent_holders_debate_goes_to_the_next_one
                a_sign_of_life_keeps_a_debate
                of_many_takers_each_gets_another_debate
                a_stop_whose_worker_never_came_back_is_tidied_up
                a_call_left_in_flight_becomes_unknown
                with_hold_a_call_of_unknown_outcome_waits_for_a_human
                after_four_crashes_a_turn_is_given_up
            }
            beginning {
                a_call_is_recorded_and_counts_as_all_it_is_allowed
                the_same_call_begun_again_is_the_same_call
                whoever_lost_the_debate_begins_nothing
                a_debate_that_is_to_stop_begins_no_new_turn
                the_end_of_the_call_before_comes_with_the_next
                a_days_tokens_are_never_exceeded
                a_days_cost_is_never_exceeded
                the_demo_is_exempt_from_a_days_limits
                a_day_counts_what_calls_turned_out_to_cost
                each_day_has_its_own_tokens
            }
            settling {
                a_turn_is_kept_as_it_was_brought
                a_whole_debate_is_told_in_order
                a_failed_try_is_shown_and_due_again_later
                a_failure_for_good_ends_it
                a_limit_completes_it
                a_debate_given_back_is_due_at_once
                the_same_end_twice_is_kept_once
                a_zombie_changes_nothing_and_its_tokens_count
                what_a_call_cost_is_kept_after_a_cancel
                a_turn_that_is_there_already_is_not_said_again
            }
            following {
                from_every_position_the_rest_is_new
                a_place_beyond_the_end_has_nothing_newer
                a_position_that_is_no_turn_of_the_debate_is_refused
                the_pages_of_a_long_debate_join_without_a_gap
                the_pages_of_a_debate_with_much_to_say_join_without_a_gap
                changes_after_a_position_contain_no_earlier_turns_and_calls
                changes_of_an_unknown_run_are_refused
            }
            listing {
                the_last_changed_comes_first
                each_status_has_its_own_list
                there_is_a_next_page_only_if_something_is_on_it
                a_walk_while_others_write_misses_nothing
            }
            ringing {
                every_write_that_shows_rings_and_work_calls_the_workers
                what_shows_nothing_rings_nobody
                a_cursor_that_a_call_moved_is_shown
                what_a_crash_left_is_shown_when_it_is_found
            }
            model {
                any_history_leaves_what_it_leaves_on_paper
            }
        }
    };
}

pub(crate) use run_suite;
pub(crate) use run_tests;
