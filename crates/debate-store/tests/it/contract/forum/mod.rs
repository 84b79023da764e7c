//! The forum's part of the contract.

pub(crate) mod agents;
pub(crate) mod assessments;
pub(crate) mod evaluations;
pub(crate) mod feed;
pub(crate) mod fixture;
pub(crate) mod pages;
pub(crate) mod posts;
pub(crate) mod rate_limits;
pub(crate) mod review;
pub(crate) mod threads;
pub(crate) mod topics;
pub(crate) mod visibility;
pub(crate) mod votes;

#[expect(dead_code, reason = "what goes by a primary key has no plan to look at")]
#[path = "../../../../src/forum/statements.rs"]
pub(crate) mod sql;

/// Makes each function a test of the engine that `$start` starts.
macro_rules! forum_tests {
    ($start:path; $($subject:ident { $($fact:ident)* })*) => {$(
        mod $subject {$(
            #[tokio::test]
            async fn $fact() {
                let engine = $start().await;
                crate::contract::forum::$subject::$fact(&engine).await;
            }
        )*}
    )*};
}

/// All tests of the forum, for the engine that `$start` starts.
macro_rules! forum_suite {
    ($start:path) => {
        crate::contract::forum::forum_tests! { $start;
            agents {
                agent_is_authenticated_by_its_key
                username_is_registered_once
                wrong_key_is_not_authenticated
                rotated_key_stays_valid_for_a_day
                revoked_key_is_not_authenticated
                key_of_a_deactivated_agent_is_invalid_at_once
                rate_limit_of_an_agent_is_set_and_reset
                unregistered_agent_is_not_found
            }
            rate_limits {
                burst_of_1000_requests_is_accepted_up_to_the_limit
                callers_have_separate_windows
                keys_of_one_network_share_its_window
                large_limits_are_counted_exactly
                request_without_charges_is_not_decided_on
                lowered_limit_counts_earlier_requests
            }
            topics {
                create_saves_every_field_of_a_problem
                unregistered_agent_cannot_create_problems_or_solutions
                solution_of_a_problem_that_its_author_cannot_see_is_refused
                approved_solution_is_withheld_until_its_problem_is_public
                each_filter_lists_its_problems
                each_filter_lists_its_solutions
                list_cursor_of_a_deleted_item_is_valid
                only_the_author_can_delete_a_problem_or_solution
                delete_of_a_solution_removes_its_posts
                delete_of_a_problem_removes_its_solutions
            }
            posts {
                create_saves_every_field_of_a_post
                first_post_changes_the_status_of_the_solution
                post_to_an_invisible_solution_is_refused
                wrong_parent_is_refused_with_its_reason
                replies_have_the_depth_and_root_of_their_thread
                retry_with_the_same_key_returns_the_first_post
                parallel_posts_with_one_key_are_written_once
                same_text_within_10_minutes_is_refused
                refused_post_changes_nothing_and_notifies_no_subscriber
                parallel_posts_of_50_agents_are_all_counted
                thread_closes_at_1000_public_posts
                agent_has_at_most_20_undecided_posts_in_a_thread
                undecided_posts_count_among_1000_newer_withheld_posts
                post_keeps_microseconds_and_the_last_character
            }
            threads {
                page_has_complete_threads_in_thread_order
                pages_count_threads_and_join_without_a_gap
                own_withheld_threads_are_listed_among_public_threads
                posts_of_one_stance_are_listed_without_threads
                posts_of_an_invisible_solution_are_not_found
                pages_during_writes_lose_and_repeat_no_post
            }
            pages {
                page_ends_after_100_posts_inside_a_thread
                page_ends_at_256_kib_of_content
                new_post_is_on_a_later_page_only_if_its_position_is_later
                withheld_posts_do_not_shorten_a_page
            }
            feed {
                feed_shows_authors_every_change_and_others_public_posts
                reply_is_in_the_feed_once_its_parent_is_public
                feed_page_has_its_last_position
                feed_of_an_invisible_solution_is_not_found
                change_of_visible_posts_notifies_subscribers_of_the_solution
                pending_evaluation_notifies_the_workers
            }
            votes {
                vote_is_counted_once_and_can_be_withdrawn
                vote_for_an_own_or_withheld_post_is_refused
                parallel_votes_are_all_counted
            }
            evaluations {
                longest_due_item_is_acquired_first
                parallel_workers_acquire_different_evaluations
                renewal_keeps_a_lease_and_expiry_loses_it
                item_is_flagged_after_too_many_lost_workers
                failed_attempt_is_due_again_after_a_pause
                released_attempt_does_not_count
                results_of_the_layers_are_saved
                agent_is_verified_after_8_days_and_3_approvals
                result_for_a_deleted_item_is_discarded
            }
            review {
                claim_excludes_other_reviewers_for_30_minutes
                claim_can_be_released
                only_the_claiming_reviewer_can_decide
                reviewer_sees_text_and_claim_and_the_author_does_not
                flagged_items_are_listed_oldest_first
                rejected_post_can_be_appealed_once_by_its_author
                public_post_cannot_be_appealed
                problems_and_solutions_are_reviewed_like_posts
            }
            assessments {
                cached_assessment_is_found_by_its_key_only
                old_assessment_is_removed_from_the_cache
                daily_token_limit_is_never_exceeded
            }
            visibility {
                visibility_of_every_status_follows_the_rule
                visibility_of_problems_and_solutions_follows_the_rule
                visibility_follows_the_rule_after_a_random_history
            }
        }
    };
}

pub(crate) use forum_suite;
pub(crate) use forum_tests;
