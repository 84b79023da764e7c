//! The bounds of a page of posts: 100 posts, 256 KiB, and the order in which pages continue.

use std::collections::HashSet;

use debate_app::forum::FeedQuery;
use debate_core::Seq;
use debate_core::forum::guardrail::Decision;
use debate_core::forum::{PAGE_BYTES_MAX, Post, PostDraft, PostOrder, PostQuery, Stance, Viewer};

use super::fixture::{
    agent_id, page_limit, post_draft, post_number, solution_id, text, threads, viewers,
};
use crate::engine::Engine;
use crate::support::Dice;

/// A post with `bytes` of content, a multiple of four. Its characters have four bytes each, so that
/// few posts fill a page.
pub(crate) fn large_post(number: u32, parent: Option<u32>, bytes: usize) -> PostDraft {
    let content = format!("{number:04}{}", "😀".repeat(bytes / 4 - 1));
    assert_eq!(content.len(), bytes);
    PostDraft { content: text(&content), ..post_draft(number, parent) }
}

fn numbers(pages: &[Vec<Post>]) -> Vec<Vec<u32>> {
    pages.iter().map(|page| page.iter().map(post_number).collect()).collect()
}

/// The posts below `parent` in thread order, each as its number and its parent's.
fn in_thread_order(posts: &[(u32, Option<u32>)], parent: Option<u32>) -> Vec<u32> {
    let below = posts.iter().filter(|(_, above)| *above == parent);
    below
        .flat_map(|(number, _)| {
            let mut thread = vec![*number];
            thread.extend(in_thread_order(posts, Some(*number)));
            thread
        })
        .collect()
}

pub(crate) async fn page_ends_after_100_posts_inside_a_thread(on: &Engine) {
    on.open_forum().await;
    let mut dice = Dice::new(17);
    let mut posts: Vec<(u32, Option<u32>)> = vec![(1, None)];
    on.publish_post(1, 1, None, 1).await;
    for number in 2..=230 {
        // Most of them in one thread, at any depth that can be answered.
        let parent = 1 + dice.roll(number - 1);
        let is_deepest = on.find_post(parent).await.depth.number() == 5;
        let parent = (!is_deepest && number % 40 != 0).then_some(parent);
        on.publish_post(1 + number % 2, number, parent, 1).await;
        posts.push((number, parent));
    }
    let expected = in_thread_order(&posts, None);
    for viewer in viewers() {
        let pages = numbers(&on.pages(threads(viewer)).await);
        let sizes: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert_eq!(sizes, [100, 100, 30], "{viewer:?}");
        assert_eq!(pages.concat(), expected, "{viewer:?}");
        let limited = PostQuery { limit: page_limit(2), ..threads(viewer) };
        assert_eq!(numbers(&on.pages(limited).await).concat(), expected, "{viewer:?}");
    }
}

pub(crate) async fn page_ends_at_256_kib_of_content(on: &Engine) {
    on.open_forum().await;
    for number in 1..=8 {
        on.create_post_as(1, large_post(number, (number > 1).then_some(1), 39_000), 1).await;
        on.decide_post(number, Decision::Approve, 1).await;
    }
    const { assert!(6 * 39_000 <= PAGE_BYTES_MAX && 7 * 39_000 > PAGE_BYTES_MAX) };
    let expected = vec![vec![1, 2, 3, 4, 5, 6], vec![7, 8]];
    for viewer in viewers() {
        assert_eq!(numbers(&on.pages(threads(viewer)).await), expected, "{viewer:?}");
        let flat = PostQuery { order: PostOrder::Flat(Stance::Support), ..threads(viewer) };
        assert_eq!(numbers(&on.pages(flat).await), expected, "{viewer:?}");
    }
    let (viewer, solution) = (Viewer::Anonymous, solution_id(1));
    let first = FeedQuery { viewer, solution, after: Seq::START };
    let news = on.forum.feed(first).await.expect("the solution is seen");
    assert_eq!(news.newer.len(), 6);
    assert!(news.through < news.last);
    let told: Vec<u32> = on.feed(viewer).await.iter().map(|(_, post)| post_number(post)).collect();
    assert_eq!(told, [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// New posts between two pages are on a later page only if their position is later.
pub(crate) async fn new_post_is_on_a_later_page_only_if_its_position_is_later(on: &Engine) {
    on.open_forum().await;
    // 1 (2 (3, 4), 5 (6, 7)), 8; the first page ends with 6.
    let tree = [
        (1, None),
        (2, Some(1)),
        (3, Some(2)),
        (4, Some(2)),
        (5, Some(1)),
        (6, Some(5)),
        (7, Some(5)),
        (8, None),
    ];
    for (number, parent) in tree {
        on.create_post_as(1, large_post(number, parent, 39_000), 1).await;
        on.decide_post(number, Decision::Approve, 1).await;
    }
    let viewer = Viewer::Anonymous;
    let first = on.forum.posts(threads(viewer)).await.expect("the solution is seen");
    assert_eq!(numbers(&[first.posts]), [[1, 2, 3, 4, 5, 6]]);
    let after = first.next.expect("there is more");
    let last_feed = on.feed(viewer).await.len();

    // At passed positions: below 2, and below 4. At later ones: below 6, below 5, below 1.
    for (number, parent) in [(9, 2), (10, 4), (11, 6), (12, 5), (13, 1)] {
        on.publish_post(2, number, Some(parent), 2).await;
    }
    let rest = on.pages(PostQuery { after, ..threads(viewer) }).await;
    assert_eq!(numbers(&rest).concat(), [11, 7, 12, 13, 8]);
    let told = on.feed(viewer).await;
    let told = told.iter().skip(last_feed).map(|(_, post)| post_number(post));
    let told: Vec<u32> = told.collect();
    assert_eq!(told, [9, 10, 11, 12, 13]);
    assert_eq!(on.visible_numbers(viewer).await, [1, 2, 3, 4, 10, 9, 5, 6, 11, 7, 12, 13, 8]);
}

/// Withheld posts of other agents neither shorten a page nor show through its size.
pub(crate) async fn withheld_posts_do_not_shorten_a_page(on: &Engine) {
    on.open_forum().await;
    for root in [1, 100, 200] {
        on.publish_post(1, root, None, 1).await;
        for number in root + 1..=root + 60 {
            on.create_post(2, number, Some(root), 1).await;
            on.decide_post(number, Decision::Reject, 1).await;
        }
    }
    for viewer in [Viewer::Anonymous, Viewer::Agent(agent_id(1))] {
        let pages = numbers(&on.pages(threads(viewer)).await);
        assert_eq!(pages, [[1, 100, 200]], "{viewer:?}");
    }
    let own = on.pages(threads(Viewer::Agent(agent_id(2)))).await;
    assert_eq!(own.iter().map(Vec::len).collect::<Vec<_>>(), [100, 83]);
    let unlike: HashSet<u32> = own.iter().flatten().map(post_number).collect();
    assert_eq!(unlike.len(), 183);
}
