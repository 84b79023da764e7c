//! Errors of a database that cannot be used, which say what to do.

use aw_testbed::{Cluster, Database};
use debate_store::{ConnectError, Postgres, PostgresOptions};

use crate::engine::notifier;
use crate::postgres::store_on;

async fn refusal(url: &str) -> ConnectError {
    match Postgres::open(&PostgresOptions::at(url.to_owned()), notifier()).await {
        Ok(_) => panic!("it was opened"),
        Err(err) => err,
    }
}

#[tokio::test]
async fn invalid_url_is_refused() {
    for url in ["postgres://", "postgres://h:port/d", "postgres://h/d?sslmode=allow"] {
        let err = refusal(url).await;
        assert!(matches!(err, ConnectError::Url(_)), "{url}: {err:?}");
    }
}

#[tokio::test]
async fn unreachable_server_is_named_in_the_error() {
    let err = refusal("postgres://someone:secret@127.0.0.1:1/debates").await;
    assert!(matches!(err, ConnectError::Unreachable { .. }), "{err:?}");
    let words = err.to_string();
    assert!(words.contains("127.0.0.1:1/debates"), "{words}");
    assert!(!words.contains("secret"), "{words}");
}

#[tokio::test]
async fn wrong_password_and_missing_database_are_different_errors() {
    let cluster = Cluster::start().unwrap();
    let err = refusal(&cluster.url_with_password("postgres", "wrong")).await;
    assert!(matches!(err, ConnectError::Denied { .. }), "{err:?}");
    assert!(!err.to_string().contains("wrong"), "{err}");
    let err = refusal(&cluster.url("nowhere")).await;
    assert!(matches!(err, ConnectError::NoDatabase { .. }), "{err:?}");
}

#[tokio::test]
async fn tables_of_another_program_are_refused_unchanged() {
    let database = Database::fresh().unwrap();
    database.sql(&["create table debates (id int)"]).unwrap();
    let err = refusal(database.url()).await;
    assert!(matches!(err, ConnectError::NotOurs { .. }), "{err:?}");
}

#[tokio::test]
async fn newer_schema_version_is_refused_unchanged() {
    let database = Database::fresh().unwrap();
    drop(store_on(database.url()).await);
    database.sql(&["update schema_meta set value = '999' where key = 'version'"]).unwrap();
    let err = refusal(database.url()).await;
    assert!(matches!(err, ConnectError::Newer { found: 999, .. }), "{err:?}");
}

#[tokio::test]
async fn missing_privilege_is_named_in_the_error() {
    let database = Database::fresh().unwrap();
    let role = format!("{}_guest", database.name());
    database.sql(&[&format!("create role {role} login")]).unwrap();
    let guest = database.url().replacen("postgres@", &format!("{role}@"), 1);
    database.sql(&["revoke create on schema public from public"]).unwrap();
    let err = refusal(&guest).await;
    assert!(matches!(err, ConnectError::NoRights { .. }), "before: {err:?}");
    drop(store_on(database.url()).await);
    let err = refusal(&guest).await;
    assert!(matches!(err, ConnectError::NoRights { .. }), "after: {err:?}");
    assert!(err.to_string().contains(&role), "{err}");
    database.sql(&[&format!("drop role {role}")]).unwrap();
}

#[tokio::test]
async fn two_processes_can_start_at_the_same_time() {
    let database = Database::fresh().unwrap();
    let starts = (0..4).map(|_| store_on(database.url()));
    let engines = futures_util::future::join_all(starts).await;
    engines[0].open_debate(1).await;
    assert_eq!(engines[3].arguments(crate::support::debate_id(1)).await.len(), 1);
}
