//! The bounds of a page of posts.

use debate_core::forum::{PAGE_BYTES_MAX, PAGE_POSTS_MAX, PageBudget};

#[test]
fn page_holds_100_posts_at_most() {
    for mut room in [PageBudget::new(), PageBudget::default()] {
        assert_eq!((0..200).filter(|_| room.try_add(50)).count(), 100);
    }
    assert_eq!(PAGE_POSTS_MAX, 100);
}

#[test]
fn page_holds_256_kib_at_most_but_at_least_one_post() {
    let mut room = PageBudget::new();
    assert!(room.try_add(PAGE_BYTES_MAX - 50));
    assert!(!room.try_add(51));
    assert!(room.try_add(50));
    assert!(!room.try_add(1));
    let mut room = PageBudget::new();
    assert!(room.try_add(PAGE_BYTES_MAX + 1));
    assert!(!room.try_add(1));
}
