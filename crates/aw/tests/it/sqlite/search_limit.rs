//! Long searches do not delay other requests.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::support::{Debate, Setup};

/// Two searches run and eight wait.
const SEARCHES_MAX: usize = 10;

/// Replaces the search index by one whose text never finishes computing.
const ENDLESS: &str = "drop table debate_search;
    create view debate_search as select id as debate_id, (
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers)
        select count(*) from numbers) as folded
    from debates;";

#[tokio::test]
async fn searches_over_the_limit_are_answered_503_and_lists_are_not_delayed() {
    let server = Setup::sqlite().start().await;
    Debate::open(&server).await;
    let database = rusqlite::Connection::open(server.home().database_name()).expect("it is there");
    database.execute_batch(ENDLESS).expect("the search index can be replaced");
    let mut searches: FuturesUnordered<_> =
        (0..SEARCHES_MAX + 2).map(|_| server.get("/debates?q=motion")).collect();
    for _ in 0..2 {
        let refused = searches.next().await.expect("there are more");
        assert_eq!((refused.status, refused.code().as_str()), (503, "OVERLOADED"));
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    for path in ["/debates", "/runner/debates", "/api/v1/problems", "/", "/arena"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
}
