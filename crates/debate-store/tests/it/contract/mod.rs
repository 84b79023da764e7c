//! The contract of the storage engines: one behaviour per function, for every engine.
//!
//! An engine passes `contract_suite!` a function that starts an empty store. The compiler reports a
//! function that is not in the list below as dead code.

pub(crate) mod append;
pub(crate) mod concurrency;
pub(crate) mod delete;
pub(crate) mod forum;
pub(crate) mod idempotency;
pub(crate) mod list;
pub(crate) mod model;
pub(crate) mod new_arguments;
pub(crate) mod notifications;
pub(crate) mod open;
pub(crate) mod runner;
pub(crate) mod search;
pub(crate) mod seat_holders;
pub(crate) mod seats;
pub(crate) mod sessions;
pub(crate) mod slugs;
pub(crate) mod transcript;

#[expect(dead_code, reason = "statements by a primary key have no plan to look at")]
#[path = "../../../src/lease/statements.rs"]
pub(crate) mod leases;

/// Makes each function a test of the engine that `$start` starts.
macro_rules! contract_tests {
    ($start:path; $($subject:ident { $($fact:ident)* })*) => {$(
        mod $subject {$(
            #[tokio::test]
            async fn $fact() {
                let engine = $start().await;
                crate::contract::$subject::$fact(&engine).await;
            }
        )*}
    )*};
}

/// All tests of the contract, for the engine that `$start` starts.
macro_rules! contract_suite {
    ($start:path) => {
        crate::contract::contract_tests! { $start;
            sessions {
                revoked_session_is_found_and_no_other
                revocation_is_removed_once_the_session_has_expired
                revocation_holds_at_once_in_its_process_without_asking_again
                revocation_reaches_another_process_within_seconds
                login_code_is_valid_once
                login_code_expires
                expired_login_codes_are_removed_with_the_next_one
                login_code_is_used_by_one_of_several_parallel_requests
            }
            seats {
                move_needs_the_credentials_of_its_role_in_every_state
                open_debate_ignores_credentials
                debate_with_seats_is_shown_with_authors_and_seat_changes
                automatic_ruling_of_an_open_debate_is_by_the_server
                retry_needs_the_credentials_of_the_first_request
                write_that_was_committed_is_recognised_after_a_release
                retried_open_depends_on_the_seat_fields
                delete_of_a_debate_with_seats_needs_arbitrator_rights
            }
            seat_holders {
                seats_show_their_holders_and_the_invite
                free_seat_is_taken_once_and_a_repeat_changes_nothing
                seats_of_an_open_or_missing_debate_cannot_change
                invite_or_arbitrator_rights_open_a_closed_seat
                released_proposer_seat_needs_the_invite_or_arbitrator_rights
                seat_is_released_by_its_holder_or_the_arbitrator
                seat_changes_notify_subscribers_of_the_debate
                one_of_several_parallel_requests_gets_the_seat
                writes_between_seat_changes_belong_to_the_holder_of_their_time
            }
            slugs {
                debate_gets_a_slug_of_its_title_and_is_found_by_it
                two_debates_with_the_same_first_slug_get_different_ones
                slug_of_a_deleted_debate_is_not_used_again
                parallel_opens_with_the_same_first_slug_all_succeed
                slug_filter_lists_the_debate_with_the_slug
                id_prefix_filter_lists_and_counts_the_debates_of_its_range
                pages_of_an_id_prefix_join_without_a_gap
                name_filters_are_combined_with_the_other_filters
            }
            open {
                open_saves_the_debate_with_its_motion
                retried_open_returns_the_first_answer_and_changes_nothing
                retried_open_returns_the_current_state_of_the_debate
                open_with_a_used_key_and_other_content_is_refused
                open_with_an_id_in_use_and_another_key_is_refused
                open_with_the_key_of_an_argument_is_refused
                same_key_in_two_debates_names_two_requests
                auto_ruling_of_the_request_overrides_the_setting
                new_store_has_no_debates
            }
            append {
                append_saves_every_field_of_an_argument
                resolution_is_written_together_with_its_automatic_ruling
                resolution_waits_for_the_arbitrator_without_automatic_ruling
                append_follows_the_rules_in_every_state
                refused_append_writes_nothing_and_leaves_its_key_unused
                closed_debate_refuses_every_argument
                missing_debate_is_reported_before_other_errors
                reused_key_is_reported_before_a_wrong_target
                wrong_target_is_reported_before_a_forbidden_move
                wrong_target_of_an_allowed_move_is_refused
                target_may_be_any_argument_of_the_debate
            }
            idempotency {
                retry_with_the_same_key_returns_the_first_answer_and_changes_nothing
                retry_of_every_argument_type_returns_the_first_answer
                retry_returns_the_current_state_of_the_debate
                retried_resolution_adds_no_second_ruling
                retry_is_recognised_after_the_auto_ruling_setting_changed
                reused_key_with_any_other_field_is_refused
                reused_key_of_a_ruling_with_another_effect_is_refused
                key_of_the_motion_is_refused_for_every_argument
                keys_that_differ_in_one_character_are_different
            }
            delete {
                deleted_debate_is_not_found_by_any_operation
                delete_of_a_missing_debate_fails
                delete_removes_the_arguments_of_the_debate
                delete_leaves_other_debates_unchanged
                open_with_the_id_of_a_deleted_debate_is_refused
                id_of_a_refused_delete_can_be_opened
            }
            transcript {
                transcript_has_the_motion_and_the_newest_arguments_oldest_first
                transcript_without_a_limit_has_every_argument
                transcript_of_a_new_debate_has_only_the_motion
                transcript_of_a_missing_debate_fails
                pages_of_many_entries_join_without_a_gap
                pages_of_large_entries_join_without_a_gap
                argument_larger_than_a_page_is_a_single_page
                newest_arguments_of_a_long_debate_are_split_into_pages
                pages_show_one_snapshot_while_arguments_are_added
                page_has_the_arguments_between_its_bounds
                transcript_is_consistent_during_writes
                read_during_a_delete_returns_all_arguments_or_not_found
                acknowledged_argument_is_visible_to_the_next_read
            }
            new_arguments {
                every_argument_is_new_from_the_start_position
                arguments_after_a_position_are_new
                position_beyond_the_end_has_no_new_entries
                position_of_another_debate_is_refused
                new_arguments_of_a_missing_debate_fail
                new_arguments_over_the_limit_are_counted_as_omitted
                new_arguments_are_consistent_during_writes
                pages_of_new_arguments_join_without_a_gap
                new_arguments_include_the_state_at_the_position
            }
            list {
                list_is_ordered_by_last_change
                list_shows_the_current_state_of_each_debate
                each_filter_lists_and_counts_its_debates
                debate_is_unopposed_until_its_second_argument
                totals_follow_every_move_and_delete
                order_of_debates_with_equal_times_is_stable
                offset_skips_that_number_of_debates
                cursors_visit_every_debate_once
                empty_page_has_the_total
                next_page_is_announced_only_if_it_has_entries
                page_and_total_are_consistent_during_writes
                cursor_of_a_deleted_debate_is_valid
                cursor_at_the_end_returns_an_empty_page
            }
            search {
                search_matches_titles_and_motions_in_any_case
                search_ignores_case_in_other_alphabets
                search_treats_every_character_literally
                search_does_not_match_later_arguments
                search_does_not_find_a_deleted_debate
                search_is_combined_with_the_filter
                pages_of_a_search_join_without_a_gap
            }
            notifications {
                every_write_notifies_subscribers_of_its_debate
                write_notifies_no_subscriber_of_another_debate
                retry_notifies_no_subscriber
                refused_write_notifies_no_subscriber
                notified_subscriber_reads_the_new_argument
                notification_is_sent_before_the_answer
            }
            concurrency {
                parallel_requests_with_one_key_are_written_once
                parallel_opens_with_one_key_are_written_once
                parallel_resolutions_add_one_ruling
                one_of_several_parallel_claims_is_accepted
                parallel_writes_to_many_debates_all_succeed
                sequence_has_no_gaps_after_64_parallel_writers
            }
            model {
                random_history_matches_the_in_memory_model
            }
        }

        mod runner {
            crate::contract::runner::runner_suite!($start);
        }

        mod forum {
            crate::contract::forum::forum_suite!($start);
        }
    };
}

pub(crate) use contract_suite;
pub(crate) use contract_tests;
