//! The contract every storage engine keeps: one fact a function, none of which knows an engine.
//!
//! An engine joins by giving `contract_suite!` a function that starts it empty. A fact that is not
//! in the list below is dead code, which the compiler reports.

pub(crate) mod appending;
pub(crate) mod crowding;
pub(crate) mod deleting;
pub(crate) mod forum;
pub(crate) mod listing;
pub(crate) mod model;
pub(crate) mod opening;
pub(crate) mod reading;
pub(crate) mod replaying;
pub(crate) mod ringing;
pub(crate) mod runs;
pub(crate) mod searching;
pub(crate) mod sessions;
pub(crate) mod waiting;

#[expect(dead_code, reason = "statements by a primary key have no plan to look at")]
#[path = "../../../src/lease/statements.rs"]
pub(crate) mod leases;

/// Makes each fact a test of the engine that `$start` starts.
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

/// Every fact there is, for the engine that `$start` starts.
macro_rules! contract_suite {
    ($start:path) => {
        crate::contract::contract_tests! { $start;
            sessions {
                revoked_session_is_found_and_no_other
                revocation_is_removed_once_the_session_has_expired
                revocation_holds_at_once_in_its_process_without_asking_again
                revocation_reaches_another_process_within_seconds
            }
            opening {
                a_new_debate_is_kept_with_its_motion
                an_opening_again_gets_the_first_answer_and_changes_nothing
                an_opening_again_shows_the_debate_as_it_stands_now
                an_opening_key_is_not_taken_for_another_opening
                an_id_in_use_is_refused_to_every_other_key
                an_opening_with_an_arguments_key_is_another_request
                one_key_names_different_requests_in_different_debates
                the_openers_word_on_automatic_rulings_is_kept
                nothing_is_there_before_the_first_opening
            }
            appending {
                every_argument_is_kept_as_it_was_brought
                a_resolution_and_its_ruling_are_written_together
                without_the_custom_a_resolution_awaits_the_arbitrator
                in_every_state_the_rules_decide
                a_refusal_writes_nothing_and_leaves_its_key_free
                a_closed_debate_takes_nothing_more
                that_there_is_no_debate_is_found_out_first
                a_reused_key_is_found_out_before_a_wrong_target
                a_wrong_target_is_found_out_before_a_wrong_move
                a_wrong_target_is_refused_where_the_move_is_right
                any_argument_of_the_debate_may_be_answered
            }
            replaying {
                a_retry_gets_the_first_answer_and_changes_nothing
                every_kind_of_argument_can_be_retried
                a_retry_shows_the_debate_as_it_stands_now
                a_retried_resolution_brings_no_second_ruling
                a_retry_is_known_whatever_the_servers_custom_is_by_then
                a_key_is_not_taken_for_a_request_that_differs_anywhere
                a_ruling_retried_with_another_verdict_is_another_request
                the_openings_key_is_taken_for_every_argument
                keys_that_look_alike_are_different_keys
            }
            deleting {
                a_deleted_debate_is_gone_for_everyone
                a_debate_that_never_was_can_not_be_deleted
                what_was_said_goes_with_its_debate
                other_debates_stay_as_they_are
                the_id_of_a_deleted_debate_cannot_be_used_again
                an_id_that_was_only_refused_is_free
            }
            reading {
                the_newest_so_many_come_oldest_first_and_the_motion_always
                everything_comes_when_no_number_is_named
                a_debate_with_only_its_motion_has_no_arguments
                there_is_nothing_to_read_where_there_is_no_debate
                the_pages_of_a_long_debate_join_without_a_gap
                the_pages_of_a_debate_with_much_to_say_join_without_a_gap
                an_argument_larger_than_a_page_is_a_page
                the_newest_so_many_of_a_long_debate_come_in_pages_too
                pages_show_the_debate_as_it_was_while_it_goes_on
                a_page_holds_what_lies_between_its_bounds
                a_transcript_is_never_torn
                a_debate_that_is_being_deleted_is_there_or_gone
                an_answer_can_be_read_as_soon_as_it_is_acknowledged
            }
            waiting {
                to_whoever_has_seen_nothing_all_is_new
                what_came_after_an_argument_is_new
                a_place_beyond_the_end_has_nothing_newer
                a_position_that_is_no_argument_of_the_debate_is_refused
                there_is_no_news_of_a_debate_that_never_was
                only_the_newest_come_and_the_others_are_counted
                news_are_never_torn
                the_pages_of_what_is_new_join_without_a_gap
                news_tell_where_the_debate_stood_at_the_position
            }
            listing {
                the_last_changed_comes_first
                a_listed_debate_is_shown_as_it_stands
                each_filter_shows_and_counts_its_own
                a_debate_is_unopposed_until_anything_is_said
                every_move_and_deletion_is_counted
                the_order_of_equals_is_stable
                offsets_pass_over_so_many
                cursors_walk_past_every_debate_once
                an_empty_page_still_tells_the_total
                there_is_a_next_page_only_if_something_is_on_it
                a_page_is_never_torn_from_its_total
                a_cursor_outlives_its_debate
                a_cursor_at_the_end_leads_to_an_empty_page
            }
            searching {
                a_search_looks_at_titles_and_motions_in_any_case
                a_search_knows_the_cases_of_other_alphabets
                every_character_of_a_search_is_meant_as_it_is_written
                a_search_does_not_look_at_answers
                a_deleted_debate_is_found_no_more
                a_search_narrows_what_its_filter_lets_through
                the_pages_of_a_search_join_like_those_of_the_list
            }
            ringing {
                every_write_rings_at_its_debate
                a_write_rings_nowhere_else
                a_retry_rings_nobody
                a_refusal_rings_nobody
                whoever_is_woken_finds_what_is_new
                the_ring_comes_before_the_answer
            }
            crowding {
                of_parallel_twins_one_is_written_and_the_others_get_its_answer
                of_parallel_openings_one_is_written_and_the_others_get_its_answer
                parallel_resolutions_bring_one_ruling
                one_turn_goes_to_one_of_those_who_want_it
                debates_do_not_stand_in_each_others_way
                sixty_four_writers_leave_one_dense_debate
            }
            model {
                any_history_leaves_what_it_leaves_on_paper
            }
        }

        mod runs {
            crate::contract::runs::run_suite!($start);
        }

        mod forum {
            crate::contract::forum::forum_suite!($start);
        }
    };
}

pub(crate) use contract_suite;
pub(crate) use contract_tests;
