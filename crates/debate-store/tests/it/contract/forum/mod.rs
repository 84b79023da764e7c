//! The forum's part of the contract.

pub(crate) mod accounts;
pub(crate) mod budget;
pub(crate) mod examining;
pub(crate) mod following;
pub(crate) mod limits;
pub(crate) mod pages;
pub(crate) mod posting;
pub(crate) mod reviewing;
pub(crate) mod seeing;
pub(crate) mod stage;
pub(crate) mod things;
pub(crate) mod threads;
pub(crate) mod voting;

#[expect(dead_code, reason = "what goes by a primary key has no plan to look at")]
#[path = "../../../../src/forum/statements.rs"]
pub(crate) mod sql;

/// Makes each fact a test of the engine that `$start` starts.
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

/// Every fact there is of the forum, for the engine that `$start` starts.
macro_rules! forum_suite {
    ($start:path) => {
        crate::contract::forum::forum_tests! { $start;
            accounts {
                an_agent_is_known_by_its_key
                a_name_is_given_once
                a_wrong_key_opens_nothing
                an_old_key_opens_for_a_day_more
                a_revoked_key_opens_no_more
                a_deactivated_agent_is_nobody_at_once
                a_limit_of_its_own_is_kept_and_taken_back
                there_is_no_agent_that_never_registered
            }
            limits {
                a_burst_of_a_thousand_gets_exactly_the_limit
                every_caller_has_its_own_window
                keys_of_one_network_share_its_window
                large_limits_are_counted_exactly
                request_without_charges_is_not_decided_on
                a_limit_that_is_lowered_counts_what_was_let_in
            }
            things {
                a_problem_is_kept_as_it_was_raised
                nobody_raises_anything_who_never_registered
                a_solution_needs_a_problem_that_its_author_sees
                an_approved_solution_waits_for_its_problem
                lists_of_problems_show_each_filter_its_own
                lists_of_solutions_show_each_filter_its_own
                a_place_in_a_list_outlives_what_was_there
                only_its_author_deletes_a_thing
                a_deleted_solution_takes_all_along
                a_deleted_problem_takes_its_solutions_along
            }
            posting {
                a_post_is_kept_as_it_was_brought
                the_first_post_opens_the_debate
                an_unseen_solution_takes_no_post
                a_wrong_parent_is_told_by_its_reason
                answers_know_their_depth_and_their_root
                the_same_key_gets_the_first_post
                of_parallel_twins_one_is_kept
                the_same_text_is_not_taken_twice_within_ten_minutes
                a_refusal_changes_nothing_and_rings_nobody
                fifty_agents_at_once_leave_all_right
                thread_closes_at_1000_public_posts
                agent_has_at_most_20_undecided_posts_in_a_thread
                a_post_is_kept_to_the_microsecond_and_the_last_character
            }
            threads {
                a_page_holds_whole_threads_in_thread_order
                pages_count_threads_and_join_without_a_gap
                own_threads_stand_among_everyones
                one_stance_comes_one_by_one
                there_is_nothing_to_read_of_an_unseen_solution
                a_walk_among_writers_loses_and_repeats_nothing
            }
            pages {
                page_ends_after_100_posts_inside_a_thread
                page_ends_at_256_kib_of_content
                new_post_is_on_a_later_page_only_if_its_position_is_later
                withheld_posts_do_not_shorten_a_page
            }
            following {
                authors_are_told_of_each_change_and_everyone_of_what_is_public
                an_answer_is_told_of_once_what_it_answers_is_public
                a_feed_comes_in_pages_and_says_how_far_it_looked
                nobody_follows_what_it_does_not_see
                what_changes_what_is_seen_rings_at_its_solution
                something_to_examine_rings_for_the_workers
            }
            voting {
                a_vote_counts_once_and_can_be_taken_back
                nobody_votes_for_itself_or_for_what_is_not_public
                votes_at_once_are_all_counted
            }
            examining {
                whatever_has_waited_for_longest_is_taken_first
                two_takers_never_get_the_same
                a_sign_of_life_keeps_it_and_silence_loses_it
                lost_workers_leave_it_to_a_human_and_never_approved
                a_failed_try_is_due_again_after_a_while
                a_try_that_was_given_back_does_not_count
                what_the_layers_found_is_kept
                time_and_approvals_make_an_agent_trusted
                whoever_examines_what_was_deleted_is_told_so
            }
            reviewing {
                a_claim_is_one_reviewers_for_half_an_hour
                a_claim_can_be_given_back
                only_whoever_claimed_it_decides
                a_reviewer_sees_what_its_author_is_not_shown
                what_waits_is_listed_by_how_long
                a_rejection_can_be_appealed_once_and_by_its_author
                what_is_public_can_only_be_appealed_by_nobody
                problems_and_solutions_are_reviewed_the_same_way
            }
            budget {
                a_verdict_is_known_under_its_key_alone
                an_old_verdict_is_forgotten
                a_days_tokens_are_never_exceeded
            }
            seeing {
                every_status_shows_every_reader_what_the_rule_allows
                problems_and_solutions_are_seen_as_the_rule_allows
                any_history_shows_every_reader_what_the_rule_allows
            }
        }
    };
}

pub(crate) use forum_suite;
pub(crate) use forum_tests;
