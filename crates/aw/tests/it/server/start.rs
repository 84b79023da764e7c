//! Start of the server: the first screen, the settings, and one-line refusals.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Cli, Output, Server, Setup};

#[tokio::test]
async fn first_screen_shows_address_database_and_next_command() {
    let server = Server::start().await;
    let screen = &server.first_screen;
    assert!(screen.contains(&server.url), "{screen}");
    assert!(screen.contains(&server.home().database_name()), "{screen}");
    assert!(screen.contains("aw run start") && screen.contains("/docs"), "{screen}");
    assert!(screen.contains("  web       http://"), "{screen}");
    assert!(screen.contains("no token"), "{screen}");
    assert!(screen.contains("no reviewers configured: posts from new agents"), "{screen}");
    let reviewed = Setup::new().env("DEBATE_ADMIN_TOKEN", "a-token-of-anna-0123456789");
    let screen = &reviewed.start().await.first_screen;
    assert!(screen.contains("review queue at /forum/flagged"), "{screen}");
}

#[tokio::test]
async fn printed_command_completes_on_this_server() {
    let token = "a-t0k3n-of-20-digits";
    for token in [None, Some(token)] {
        let mut setup = Setup::new().env("RUNNER_MODEL_DEBATER", "demo:fast");
        setup = setup.env("RUNNER_MODEL_JUDGE", "demo:fast");
        setup = token.iter().fold(setup, |setup, token| setup.env("DEBATE_AUTH_TOKEN", token));
        let server = setup.start().await;
        let mut lines = server.first_screen.lines();
        let command = lines.find(|line| line.starts_with("  aw run start ")).expect("one is shown");
        // The command itself names the server.
        let cli = Cli::with_home(server.home().path()).env("DEBATE_AUTO_START", "false");
        let cli = token.iter().fold(cli, |cli, token| cli.env("DEBATE_AUTH_TOKEN", token));
        let mut bash = cli.program("bash");
        bash.args(["-euc", command]);
        let output = Output::run(bash).await;
        assert_eq!(output.code, 0, "{command}: {output:?}");
        assert!(output.out.contains("\"event\":\"end\""), "{output:?}");
        assert_eq!(server.first_screen.contains("where DEBATE_AUTH_TOKEN is set"), token.is_some());
    }
}

#[tokio::test]
async fn invalid_value_stops_the_start_with_one_line_that_names_it() {
    let cases = [
        ("DEBATE_SERVER_PORT", "http", "a whole number from 0 to 65535"),
        ("DEBATE_SERVER_PORT", "70000", "a whole number from 0 to 65535"),
        ("DEBATE_SERVER_HOST", "no.such.host.invalid", "an address of this machine"),
        ("DEBATE_POLL_TIMEOUT_MS", "soon", "a whole number from 1 to 86400000"),
        ("DEBATE_HTTP_TIMEOUT_MS", "-5", "a whole number from 1 to 86400000"),
        ("DEBATE_HTTP_TIMEOUT_MS", "60000", "more than DEBATE_POLL_TIMEOUT_MS"),
        ("DEBATE_MAX_CONTENT_LENGTH", "0", "a whole number from 1 to 1048576"),
        ("DEBATE_AUTO_RULING", "maybe", "true or false"),
        ("DEBATE_ALLOWED_ORIGINS", "board.example", "origins such as https://"),
        ("DEBATE_ALLOWED_HOSTS", "https://x.example/", "names such as debates.example.org"),
        ("AW_LOG", "verbose", "a level such as info or debug"),
        ("DEBATE_BASE_PATH", "debating", "a path such as /debating"),
        ("DEBATE_BASE_PATH", "/arena", "a path such as /debating"),
        ("DEBATE_WRITE_BATCH", "0", "a whole number from 1 to 4096"),
        ("DEBATE_MIN_FREE_MB", "1.5", "a whole number from 0 to 1073741824"),
        ("AW_LOG", "info,=", "a level such as info or debug"),
        ("AW_LOG_FORMAT", "xml", "text or json"),
    ];
    for (variable, value, accepted) in cases {
        let mut setup = Setup::new().env(variable, value);
        if variable == "DEBATE_SERVER_PORT" {
            setup = Setup::bare().env(variable, value);
        }
        let (status, error) = setup.start_refused().await;
        assert!(!status.success(), "{variable}={value}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(
            error.contains(variable) && error.contains(value) && error.contains(accepted),
            "{error}"
        );
    }
}

#[tokio::test]
async fn invalid_secret_is_named_but_not_printed() {
    let (status, error) =
        Setup::new().env("DEBATE_AUTH_TOKEN", "s3cret token").start_refused().await;
    assert!(!status.success());
    assert!(error.contains("DEBATE_AUTH_TOKEN") && !error.contains("s3cret"), "{error}");
    let url = "postgres://me:s3cret@db/debates";
    let (status, error) = Setup::new().env("DEBATE_DATABASE_URL", url).start_refused().await;
    assert!(!status.success());
    assert!(error.contains("DEBATE_DATABASE_URL") && !error.contains("s3cret"), "{error}");
}

#[tokio::test]
async fn blank_token_counts_as_unset() {
    let setup = Setup::new().env("DEBATE_SERVER_HOST", "0.0.0.0");
    let file = setup.home().path().join("aw.toml");
    std::fs::write(&file, "auth_token = \" \"\n").expect("the folder is ours");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("the file is ours");
    let setup = setup.env("AW_CONFIG", &file.display().to_string());
    let (status, error) = setup.start_refused().await;
    assert!(!status.success() && error.contains("a token is required"), "{error}");
    let setup = Setup::new().env("DEBATE_AUTH_TOKEN", "").env("AW_CONFIG", "");
    assert_eq!(setup.start().await.get("/debates").await.status, 200, "on this machine alone");
}

#[tokio::test]
async fn variable_that_is_not_utf8_is_refused_by_name() {
    let mut command = Setup::new().command();
    let value = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"s\xffcret");
    let output = command.env("DEBATE_AUTH_TOKEN", value).output().await.expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("DEBATE_AUTH_TOKEN"), "{error}");
}

#[tokio::test]
async fn start_on_a_used_port_does_not_touch_the_database() {
    let server = Server::start().await;
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &port);
    let (status, _) = setup.start_refused().await;
    assert!(!status.success());
    assert!(setup.home().is_untouched(), "nothing was made");
}

#[tokio::test]
async fn address_reachable_from_other_hosts_requires_a_token() {
    for host in ["0.0.0.0", "::", "[::]"] {
        let (status, error) = Setup::new().env("DEBATE_SERVER_HOST", host).start_refused().await;
        assert!(!status.success() && error.contains("DEBATE_AUTH_TOKEN"), "{host}: {error}");
    }
    let token = "a-t0k3n-of-20-digits";
    let open = Setup::new().env("DEBATE_SERVER_HOST", "0.0.0.0").env("DEBATE_AUTH_TOKEN", token);
    let server = open.start().await.with_token(token);
    assert!(
        server.first_screen.contains("other machines too, token required"),
        "{}",
        server.first_screen
    );
    assert!(!server.first_screen.contains(token));
    assert_eq!(server.get("/debates").await.status, 200, "the address it prints answers");
}

#[tokio::test]
async fn short_token_is_refused_where_others_can_connect_and_warned_about_elsewhere() {
    let (short, long) = ("15-characters-x", "16-characters-xy");
    for (general, reviewers, refused) in [
        (short, "", Some("DEBATE_AUTH_TOKEN")),
        (long, short, Some("DEBATE_ADMIN_TOKEN")),
        (long, "anna:a-token-of-enough-length,bert:short", Some("DEBATE_ADMIN_TOKEN")),
        (long, "anna:a-token-of-enough-length", None),
        (long, "", None),
    ] {
        let setup = Setup::new().env("DEBATE_AUTH_TOKEN", general);
        let setup = setup.env("DEBATE_ADMIN_TOKEN", reviewers);
        let open = setup.clone().env("DEBATE_SERVER_HOST", "0.0.0.0");
        let server = setup.start().await;
        let message = "token is shorter than recommended";
        let is_warning =
            |line: &&str| line.contains(message) && line.contains("\"token.characters_min\":16");
        let warning = server.log().lines().find(is_warning).map(str::to_owned);
        match refused {
            None => {
                assert_eq!(warning, None);
                drop(server);
                open.start().await;
            }
            Some(variable) => {
                assert!(warning.is_some_and(|line| line.contains(variable)), "{}", server.log());
                drop(server);
                let (status, error) = open.start_refused().await;
                assert!(!status.success() && error.contains(variable), "{error}");
                assert!(!error.contains(short), "the token is not shown: {error}");
            }
        }
    }
}

#[tokio::test]
async fn running_server_is_named_in_the_error() {
    let server = Server::start().await;
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let (status, error) = Setup::bare().env("DEBATE_SERVER_PORT", &port).start_refused().await;
    let running = format!("http://{}", server.address());
    assert!(!status.success() && error.contains("already running"), "{error}");
    assert!(error.contains(&running) && error.contains("`aw open"), "{error}");
    assert!(!error.contains("aw stop"), "it is not the background server: {error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert_eq!(server.get("/health").await.status, 200, "the first goes on");
}

#[tokio::test]
async fn port_of_another_program_is_named_in_the_error() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let (status, error) = Setup::bare().env("DEBATE_SERVER_PORT", &port).start_refused().await;
    assert!(!status.success() && error.contains(&format!("port {port} is in use")), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[tokio::test]
async fn flag_overrides_variable_and_variable_overrides_file() {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    let text = "max_content_length = 7\nauto_ruling = false\nallowed_hosts = [\"a.test\"]\n";
    std::fs::write(&file, text).expect("the folder is ours");
    let path = file.display().to_string();
    let limit = |server: Server| async move {
        let mut body = crate::support::create_body(&crate::support::new_id());
        body["motion_content"] = "x".repeat(100).into();
        let limit = server.post("/debates", &body).await.error()["max_length"].clone();
        // The process and its lock are gone before the next server starts.
        server.kill().await;
        limit
    };
    let by_file = setup.env("AW_CONFIG", &path);
    assert_eq!(limit(by_file.start().await).await, 7);
    let by_variable = by_file.env("DEBATE_MAX_CONTENT_LENGTH", "8");
    assert_eq!(limit(by_variable.start().await).await, 8);
    let by_flag = by_variable.arg("--max-content-length").arg("9");
    assert_eq!(limit(by_flag.start().await).await, 9);
}

#[tokio::test]
async fn config_file_with_an_unknown_setting_or_a_readable_secret_is_refused() {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    let path = file.display().to_string();
    std::fs::write(&file, "prot = 1\n").expect("the folder is ours");
    let setup = setup.env("AW_CONFIG", &path);
    let (_, error) = setup.start_refused().await;
    assert!(error.contains("unknown setting prot") && error.contains("server_port"), "{error}");

    std::fs::write(&file, "auth_token = \"s3cret\"\n").expect("the folder is ours");
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(&file, open).expect("the file is ours");
    let (_, error) = setup.start_refused().await;
    assert!(error.contains("chmod 600") && !error.contains("s3cret"), "{error}");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("the file is ours");
    let server = setup.start().await;
    assert_eq!(server.get("/debates").await.status, 401);

    let (_, error) = Setup::new().env("AW_CONFIG", "/no/such/file").start_refused().await;
    assert!(error.contains("/no/such/file"), "{error}");
}

#[tokio::test]
async fn aw_without_arguments_prints_its_purpose() {
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_aw")).output().await;
    let output = output.expect("the binary starts");
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(shown.contains("The debate server for AI agents"), "{shown}");
    assert!(shown.contains("Start the server"), "{shown}");
    assert!(shown.contains("aw run start"), "{shown}");
}
