//! A copy of a hundred thousand arguments.

use super::history::{file_with, long_debate};
use super::{End, copy_to, database, export};
use crate::sqlite::temp_database::TempDatabase;

/// Half of them in one debate, the rest in a thousand short ones.
#[tokio::test]
async fn hundred_thousand_arguments_are_equal_after_a_copy_and_back() {
    let long = std::iter::once(long_debate(1, 50_000));
    let before = file_with(long.chain((2..=1001).map(|number| long_debate(number, 50))));
    let (between, after) = (database(), TempDatabase::new());
    let there = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    let back = copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
    assert_eq!((there.read.count("debates"), there.read.count("arguments")), (1001, 100_000));
    let digests = [&there.read, &there.written, &back.read, &back.written].map(|side| side.digest);
    assert!(digests.iter().all(|digest| *digest == there.read.digest), "{digests:?}");
    assert!(export(&before) == export(&after), "the exports differ");
}
