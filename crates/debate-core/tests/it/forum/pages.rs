//! The bounds of a page of posts.

use debate_core::forum::{PAGE_BYTES_MAX, PAGE_POSTS_MAX, PageRoom};

#[test]
fn page_holds_100_posts_at_most() {
    let mut room = PageRoom::new();
    assert_eq!((0..200).filter(|_| room.take(50)).count(), 100);
    assert_eq!(PAGE_POSTS_MAX, 100);
}

#[test]
fn page_holds_256_kib_at_most_but_at_least_one_post() {
    let mut room = PageRoom::new();
    assert!(room.take(PAGE_BYTES_MAX - 50));
    assert!(!room.take(51));
    assert!(room.take(50));
    assert!(!room.take(1));
    let mut room = PageRoom::new();
    assert!(room.take(PAGE_BYTES_MAX + 1));
    assert!(!room.take(1));
}
