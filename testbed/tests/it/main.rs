//! Tests of the testbed with a real PostgreSQL server.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use aw_testbed::{Cluster, Cut, Database, Mode, Options, Programs, Proxy, sql};

#[test]
fn server_has_the_version_of_the_programs_found() {
    let cluster = Cluster::start().unwrap();
    let said = sql(&cluster.url("postgres"), &["show server_version"]).unwrap();
    assert_eq!(said.split(' ').next(), Some(Programs::find().unwrap().version()));
    assert_eq!(cluster.version(), Programs::find().unwrap().version());
}

#[test]
fn committed_rows_survive_both_stop_modes() {
    let mut cluster = Cluster::start().unwrap();
    let database = cluster.create_database().unwrap();
    database.sql(&["create table t (n int)", "insert into t values (1), (2)"]).unwrap();
    let first = cluster.pid().expect("it runs");
    cluster.restart(Mode::Immediate).unwrap();
    assert_ne!(cluster.pid(), Some(first));
    database.sql(&["insert into t values (3)"]).unwrap();

    cluster.stop(Mode::Fast).unwrap();
    assert_eq!(cluster.pid(), None);
    assert!(database.sql(&["select 1"]).is_err(), "no server listens");
    cluster.start_again().unwrap();
    assert_eq!(database.sql(&["select n from t order by n"]).unwrap(), "1\n2\n3");
}

#[test]
fn commit_is_synced_unless_settings_disable_it() {
    let fsync = |cluster: &Cluster| sql(&cluster.url("postgres"), &["show fsync"]).unwrap();
    assert_eq!(fsync(&Cluster::start().unwrap()), "on");
    let settings = vec![("fsync".to_owned(), "off".to_owned())];
    let quick = Cluster::start_with(Options { settings, ..Options::default() }).unwrap();
    assert_eq!(fsync(&quick), "off");
}

#[test]
fn superuser_with_password_connects_only_with_the_right_one() {
    let cluster = Cluster::start().unwrap();
    let ask = |password: &str| {
        sql(&cluster.url_with_password("postgres", password), &["select current_user"])
    };
    assert_eq!(ask(Cluster::password()).unwrap(), "guarded");
    let refused = ask("wrong").unwrap_err().to_string();
    assert!(refused.contains("password authentication failed"), "{refused}");
}

#[test]
fn fresh_database_is_empty_separate_and_dropped_with_its_value() {
    let (one, two) = (Database::fresh().unwrap(), Database::fresh().unwrap());
    one.sql(&["create table t (n int)"]).unwrap();
    assert!(two.sql(&["select n from t"]).is_err());
    let gone = one.url().to_owned();
    drop(one);
    let refused = sql(&gone, &["select 1"]).unwrap_err().to_string();
    assert!(refused.contains("does not exist"), "{refused}");
}

#[test]
fn dropped_cluster_leaves_neither_process_nor_directory() {
    let cluster = Cluster::start().unwrap();
    let (folder, process) = (cluster.dir().to_owned(), process(cluster.pid().unwrap()));
    assert!(folder.exists() && process.exists());
    drop(cluster);
    assert!(!folder.exists() && !process.exists());
}

#[test]
fn closed_proxy_refuses_connections_until_opened() {
    let database = Database::fresh().unwrap();
    let proxy = Proxy::start(database.url()).unwrap();
    assert_eq!(sql(proxy.url(), &["select 1"]).unwrap(), "1");
    proxy.close();
    assert!(sql(proxy.url(), &["select 1"]).is_err());
    proxy.open();
    assert_eq!(sql(proxy.url(), &["select 1"]).unwrap(), "1");
}

#[test]
fn commit_is_cut_before_or_after_it_reaches_the_server() {
    let database = Database::fresh().unwrap();
    database.sql(&["create table t (n int)"]).unwrap();
    let proxy = Proxy::start(database.url()).unwrap();
    for (cut, number) in [(Cut::BeforeCommit, 1), (Cut::AfterCommit, 2)] {
        proxy.arm(cut);
        // A read-only transaction is not cut.
        sql(proxy.url(), &["begin read only", "select n from t", "commit"]).unwrap();
        assert!(proxy.is_armed());
        let insert = format!("insert into t values ({number})");
        let told = sql(proxy.url(), &["begin", &insert, "commit"]);
        assert!(told.is_err() && !proxy.is_armed(), "{cut:?}: {told:?}");
    }
    assert_eq!(database.sql(&["select n from t"]).unwrap(), "2");
}

/// The program and the line that it printed.
fn program() -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aw-testbed"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was built with the tests");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("it was piped");
    BufReader::new(stdout).read_line(&mut line).expect("it prints text");
    (child, line.trim().to_owned())
}

/// The server's folder, and its first process as the kernel shows it.
fn dir_and_process(url: &str) -> (PathBuf, PathBuf) {
    let data = PathBuf::from(sql(url, &["show data_directory"]).expect("it serves"));
    let file = std::fs::read_to_string(data.join("postmaster.pid")).expect("it runs");
    let pid = file.lines().next().and_then(|line| line.parse().ok()).expect("an id");
    (data.parent().expect("it is in a folder").to_owned(), process(pid))
}

fn process(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

#[test]
fn program_serves_until_its_input_ends() {
    let (mut child, url) = program();
    let (folder, process) = dir_and_process(&url);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(!folder.exists() && !process.exists());
}

#[test]
fn killed_owner_leaves_neither_process_nor_directory() {
    let (mut child, url) = program();
    let (folder, process) = dir_and_process(&url);
    child.kill().unwrap();
    child.wait().unwrap();
    // The supervisor removes both; the test runner's time limit turns a hang into a failure.
    while folder.exists() || process.exists() {
        std::thread::yield_now();
    }
}
