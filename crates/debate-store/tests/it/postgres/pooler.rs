//! `PgBouncer` between the store and its database.

use aw_testbed::{Database, PoolMode, Pooler};
use debate_store::{ConnectError, Postgres, PostgresOptions};

use crate::engine::notifier;
use crate::postgres::store_on;

/// Settings that the store needs, which must never stay on a connection of a pool.
const SETTINGS: [&str; 8] = [
    "jit",
    "enable_seqscan",
    "enable_hashjoin",
    "enable_mergejoin",
    "lock_timeout",
    "statement_timeout",
    "idle_in_transaction_session_timeout",
    "default_transaction_read_only",
];

/// The settings that a client finds on a connection.
fn settings(url: &str) -> Vec<String> {
    let show = SETTINGS.map(|name| format!("show {name}"));
    let show: Vec<&str> = show.iter().map(String::as_str).collect();
    let shown = aw_testbed::sql(url, &show).expect("it can be asked");
    shown.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn pooler_in_transaction_mode_is_refused() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let pooler = Pooler::start(database.url(), PoolMode::Transaction).expect("it can be started");
    let options = PostgresOptions::at(pooler.url().to_owned());
    let err = Postgres::open(&options, notifier()).await.err().expect("it is refused");
    assert!(matches!(err, ConnectError::Pooled { .. }), "{err:?}");
    assert!(err.to_string().contains("pool_mode=session"), "{err}");
    for refused in [
        Postgres::inspect(pooler.url()).await.err(),
        Postgres::migrate(pooler.url()).await.err(),
        Postgres::source(pooler.url()).await.err(),
        Postgres::destination(pooler.url()).await.err(),
    ] {
        assert!(matches!(refused, Some(ConnectError::Pooled { .. })), "{refused:?}");
    }
    assert_eq!(settings(pooler.url()), settings(database.url()));
    let tables = "select count(*) from pg_tables where schemaname = 'public'";
    assert_eq!(database.sql(&[tables]).expect("it can be asked"), "0");
}

#[tokio::test]
async fn pooler_in_session_mode_works_and_keeps_its_settings() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let pooler = Pooler::start(database.url(), PoolMode::Session).expect("it can be started");
    let (here, there) = (store_on(pooler.url()).await, store_on(pooler.url()).await);
    let debate = here.open_long_debate(3).await;
    here.create_run(1).await;
    let mut subscription = there.subscribe(debate);
    here.add_argument(debate, 4, crate::engine::turn(4)).await;
    assert_eq!(
        crate::engine::with_deadline(subscription.changed()).await,
        debate_app::Notification::Changed
    );
    assert_eq!(there.arguments(debate).await.len(), 5);
    drop((here, there));
    // The next client gets each used connection as the store left it.
    let untouched = settings(database.url());
    for _ in 0..20 {
        assert_eq!(settings(pooler.url()), untouched);
    }
}
