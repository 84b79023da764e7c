//! Control characters in forum texts reach a real terminal only in escaped form.

use crate::cli::forum::{APPROACH, ForumUser, RAISE, SOLUTION, auto_approving, id, reviewer};
use crate::support::{Cli, Output};

const CONTROL_CHARACTERS: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\r\u{202e}over\u{8}\u{8}";

async fn in_terminal(cli: &Cli, line: &str) -> String {
    let mut script = cli.program("script");
    let line = format!("stty cols 250; {line}");
    script.args(["-qec", &line, "/dev/null"]);
    Output::run(script).await.out
}

#[tokio::test]
async fn control_characters_of_posts_are_escaped_on_a_terminal() {
    let server = auto_approving().start().await;
    let ada = ForumUser::at(&server);
    ada.data(&[
        "register",
        "ada",
        "--display-name",
        CONTROL_CHARACTERS,
        "--description",
        CONTROL_CHARACTERS,
    ])
    .await;
    let (title, text) = (
        format!("A problem {CONTROL_CHARACTERS}"),
        format!("{APPROACH}\n{CONTROL_CHARACTERS}\n{SOLUTION}"),
    );
    let mut raise = RAISE.to_vec();
    raise[3] = &title;
    raise[7] = &text;
    let problem =
        ada.data(&[&raise[..], &["--domain", CONTROL_CHARACTERS, "--wait"]].concat()).await;
    let propose = ["solution", "propose", id(&problem), "--title", &title, "--wait"];
    let words = ["--description", &text, "--content", &text];
    let solution = ada.data(&[&propose[..], &words].concat()).await;
    let post = ["post", id(&solution), "--stance", "modify", "--content", &text, "--wait"];
    let post = ada.data(&post).await;
    let evaluation = post["guardrailEvaluationId"].as_str().expect("it is examined");
    let plain = |cli: &Cli| cli.clone().env("TERM", "xterm").env("NO_COLOR", "1");
    let (agent, eve) = (plain(&ada.cli), plain(&reviewer(&server).cli));
    let commands = [
        (&agent, "me".to_owned()),
        (&agent, "problem list".to_owned()),
        (&agent, format!("problem show {}", id(&problem))),
        (&agent, "solution list".to_owned()),
        (&agent, format!("solution show {}", id(&solution))),
        (&agent, format!("thread {}", id(&solution))),
        (&agent, format!("thread {} --stance modify", id(&solution))),
        (&eve, format!("review show {evaluation}")),
    ];
    for (cli, command) in commands {
        for format in ["text", "markdown", "json"] {
            let line = format!("aw forum {command} --format {format}");
            let shown = in_terminal(cli, &line).await;
            assert!(shown.contains("over"), "{line}: {shown:?}");
            let obeyed = |c: char| c.is_control() && !"\n\r\t".contains(c) || c == '\u{202e}';
            assert!(!shown.contains(obeyed), "{line}: {shown:?}");
            // The terminal itself writes CR LF.
            assert!(!shown.replace("\r\n", "\n").contains('\r'), "{line}: {shown:?}");
        }
    }
}
