//! Start of the server: the first screen, the settings, and one-line refusals.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Cli, Server, Setup, Told};

#[tokio::test]
async fn the_first_screen_says_where_it_listens_where_the_data_is_and_what_to_do_next() {
    let server = Server::start().await;
    let screen = &server.greeting;
    assert!(screen.contains(&server.url), "{screen}");
    assert!(screen.contains(&server.home().database_name()), "{screen}");
    assert!(screen.contains("aw run start") && screen.contains("/docs"), "{screen}");
    assert!(screen.contains("  web       http://"), "{screen}");
    assert!(screen.contains("no token"), "{screen}");
    assert!(screen.contains("no reviewers configured: posts from new agents"), "{screen}");
    let reviewed = Setup::new().env("DEBATE_ADMIN_TOKEN", "a-token-of-anna-0123456789");
    let screen = &reviewed.start().await.greeting;
    assert!(screen.contains("review queue at /forum/flagged"), "{screen}");
}

#[tokio::test]
async fn printed_command_runs_to_its_end_on_this_server() {
    let token = "a-t0k3n-of-20-digits";
    for token in [None, Some(token)] {
        let mut setup = Setup::new().env("RUNNER_MODEL_DEBATER", "demo:fast");
        setup = setup.env("RUNNER_MODEL_JUDGE", "demo:fast");
        setup = token.iter().fold(setup, |setup, token| setup.env("DEBATE_AUTH_TOKEN", token));
        let server = setup.start().await;
        let mut lines = server.greeting.lines();
        let command = lines.find(|line| line.starts_with("  aw run start ")).expect("one is shown");
        // The command itself names the server.
        let cli = Cli::of(server.home().path()).env("DEBATE_AUTO_START", "false");
        let cli = token.iter().fold(cli, |cli, token| cli.env("DEBATE_AUTH_TOKEN", token));
        let mut bash = cli.program("bash");
        bash.args(["-euc", command]);
        let told = Told::of(bash).await;
        assert_eq!(told.code, 0, "{command}: {told:?}");
        assert!(told.out.contains("\"event\":\"end\""), "{told:?}");
        assert_eq!(server.greeting.contains("where DEBATE_AUTH_TOKEN is set"), token.is_some());
    }
}

#[tokio::test]
async fn a_bad_value_stops_the_start_with_one_line_that_names_it() {
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
        let (status, said) = setup.refused().await;
        assert!(!status.success(), "{variable}={value}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.contains(variable) && said.contains(value) && said.contains(accepted),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_secret_that_is_wrong_is_named_but_not_shown() {
    let (status, said) = Setup::new().env("DEBATE_AUTH_TOKEN", "s3cret token").refused().await;
    assert!(!status.success());
    assert!(said.contains("DEBATE_AUTH_TOKEN") && !said.contains("s3cret"), "{said}");
    let url = "postgres://me:s3cret@db/debates";
    let (status, said) = Setup::new().env("DEBATE_DATABASE_URL", url).refused().await;
    assert!(!status.success());
    assert!(said.contains("DEBATE_DATABASE_URL") && !said.contains("s3cret"), "{said}");
}

#[tokio::test]
async fn a_token_that_says_nothing_is_none() {
    let setup = Setup::new().env("DEBATE_SERVER_HOST", "0.0.0.0");
    let file = setup.home().path().join("aw.toml");
    std::fs::write(&file, "auth_token = \" \"\n").expect("the folder is ours");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("the file is ours");
    let setup = setup.env("AW_CONFIG", &file.display().to_string());
    let (status, said) = setup.refused().await;
    assert!(!status.success() && said.contains("a token is required"), "{said}");
    let setup = Setup::new().env("DEBATE_AUTH_TOKEN", "").env("AW_CONFIG", "");
    assert_eq!(setup.start().await.get("/debates").await.status, 200, "on this machine alone");
}

#[tokio::test]
async fn a_variable_that_is_no_text_is_named_and_not_passed_over() {
    let mut command = Setup::new().command();
    let value = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"s\xffcret");
    let output = command.env("DEBATE_AUTH_TOKEN", value).output().await.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("DEBATE_AUTH_TOKEN"), "{said}");
}

#[tokio::test]
async fn a_start_that_finds_its_port_taken_leaves_the_database_alone() {
    let server = Server::start().await;
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &port);
    let (status, _) = setup.refused().await;
    assert!(!status.success());
    assert!(setup.home().is_untouched(), "nothing was made");
}

#[tokio::test]
async fn an_address_that_others_can_reach_needs_a_token() {
    for host in ["0.0.0.0", "::", "[::]"] {
        let (status, said) = Setup::new().env("DEBATE_SERVER_HOST", host).refused().await;
        assert!(!status.success() && said.contains("DEBATE_AUTH_TOKEN"), "{host}: {said}");
    }
    let token = "a-t0k3n-of-20-digits";
    let open = Setup::new().env("DEBATE_SERVER_HOST", "0.0.0.0").env("DEBATE_AUTH_TOKEN", token);
    let server = open.start().await.with_token(token);
    assert!(server.greeting.contains("other machines too, token required"), "{}", server.greeting);
    assert!(!server.greeting.contains(token));
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
                let (status, said) = open.refused().await;
                assert!(!status.success() && said.contains(variable), "{said}");
                assert!(!said.contains(short), "the token is not shown: {said}");
            }
        }
    }
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let server = Server::start().await;
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let (status, said) = Setup::bare().env("DEBATE_SERVER_PORT", &port).refused().await;
    assert!(!status.success() && said.contains(&format!("port {port} is in use")), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(server.get("/health").await.status, 200, "the first goes on");
}

#[tokio::test]
async fn a_flag_wins_over_the_variable_and_the_variable_over_the_file() {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    let text = "max_content_length = 7\nauto_ruling = false\nallowed_hosts = [\"a.test\"]\n";
    std::fs::write(&file, text).expect("the folder is ours");
    let path = file.display().to_string();
    let limit = |server: Server| async move {
        let mut body = crate::support::create_body(&crate::support::new_id());
        body["motion_content"] = "x".repeat(100).into();
        let told = server.post("/debates", &body).await.error()["max_length"].clone();
        // The process and its lock are gone before the next server starts.
        server.kill().await;
        told
    };
    let by_file = setup.env("AW_CONFIG", &path);
    assert_eq!(limit(by_file.start().await).await, 7);
    let by_variable = by_file.env("DEBATE_MAX_CONTENT_LENGTH", "8");
    assert_eq!(limit(by_variable.start().await).await, 8);
    let by_flag = by_variable.arg("--max-content-length").arg("9");
    assert_eq!(limit(by_flag.start().await).await, 9);
}

#[tokio::test]
async fn a_file_with_an_unknown_setting_or_an_open_secret_is_refused() {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    let path = file.display().to_string();
    std::fs::write(&file, "prot = 1\n").expect("the folder is ours");
    let setup = setup.env("AW_CONFIG", &path);
    let (_, said) = setup.refused().await;
    assert!(said.contains("unknown setting prot") && said.contains("server_port"), "{said}");

    std::fs::write(&file, "auth_token = \"s3cret\"\n").expect("the folder is ours");
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(&file, open).expect("the file is ours");
    let (_, said) = setup.refused().await;
    assert!(said.contains("chmod 600") && !said.contains("s3cret"), "{said}");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("the file is ours");
    let server = setup.start().await;
    assert_eq!(server.get("/debates").await.status, 401);

    let (_, said) = Setup::new().env("AW_CONFIG", "/no/such/file").refused().await;
    assert!(said.contains("/no/such/file"), "{said}");
}

#[tokio::test]
async fn a_newcomer_who_types_aw_is_shown_what_it_is() {
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_aw")).output().await;
    let output = output.expect("the binary starts");
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(shown.contains("The debate server for AI agents"), "{shown}");
    assert!(shown.contains("Start the server"), "{shown}");
    assert!(shown.contains("aw run start"), "{shown}");
}
