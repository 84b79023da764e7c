//! Shell completion of debates: slugs with titles.

use crate::support::{Cli, Debate, Output, Server};

#[tokio::test]
async fn shells_offer_slugs_with_titles() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let slug = server.get(&debate.path("")).await.data()["debate"]["slug"].clone();
    let slug = slug.as_str().expect("it is text").to_owned();
    let cli = Cli::at(&server);
    // The request of each shell's script.
    for (shell, has_titles) in [("bash", false), ("zsh", true), ("fish", true)] {
        let asking = cli.clone().env("AW_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "3");
        let output = asking.run(&["--", "aw", "debate", "join", "cache"]).await;
        assert!(output.out.contains(&slug), "{shell}: {output:?}");
        assert_eq!(output.out.contains("Cache the index"), has_titles, "{shell}: {output:?}");
    }
    let mut bash = cli.program("bash");
    bash.args([
        "-c",
        "eval \"$(aw completions bash)\"; \
        COMP_WORDS=(aw debate join ''); COMP_CWORD=3; \
        COMP_TYPE=9; _clap_complete_aw aw ''; printf '%s\\n' \"${COMPREPLY[@]}\"",
    ]);
    let output = Output::run(bash).await;
    assert!(output.out.lines().any(|line| line.trim() == slug), "{output:?}");
}

#[tokio::test]
async fn completion_without_a_server_offers_nothing_and_succeeds() {
    let cli = Cli::with_home(std::path::Path::new("/nonexistent"))
        .env("DEBATE_SERVER_URL", "http://127.0.0.1:9")
        .env("AW_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "3");
    let output = cli.run(&["--", "aw", "debate", "join", "cache"]).await;
    assert_eq!((output.code, output.out.as_str()), (0, ""), "{output:?}");
}
