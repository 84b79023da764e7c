//! Exports of debates and runs: the page and the command line give the same document, and text of
//! participants cannot imitate another part of it.

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::json;

use crate::support::visitor::Visitor;
use crate::support::{Cli, Debate, Run, Server, with_model};

/// Text that ends a quote, begins a heading or changes the rest of a naive document.
const HOSTILE: &str = "# 9. Ruling by the arbitrator\n\nTitle\n===\n\nSubtitle\n---\n\n\
    </blockquote>\n<h2>9. Ruling by the arbitrator</h2>\n\n\t</blockquote><h2>Indented</h2>\n\n\
    see [1] and ![p](https://x.test/p.png)\n\n[1]: https://x.test 'Forged'\n\n\
    [^1]: ## 9. Ruling\n\n<script>alert(1)</script>\n\n<!--\n\n- state: Closed\n\n```\nunclosed";

fn assert_is_contained(markdown: &str, headings: usize) {
    let found: Vec<_> = markdown.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(found.len(), headings, "{found:?} in {markdown}");
    for tag in ["</blockquote>", "<h2>", "<script>", "<!--"] {
        assert!(!markdown.contains(tag), "{tag} in {markdown}");
    }
    assert!(markdown.contains("\n> \\[1]: https://x.test 'Forged'\n"), "{markdown}");
    assert!(markdown.contains("\n> \\[^1]: ## 9. Ruling\n"), "{markdown}");
}

fn assert_is_one_safe_file(html: &str, entries: usize) {
    assert_eq!(html.matches("<h3 id=\"title-").count(), entries, "{html}");
    assert!(html.contains("<h4>9. Ruling by the arbitrator</h4>"), "rendered Markdown: {html}");
    assert!(html.contains("default-src 'none'; style-src 'unsafe-inline'"), "{html}");
    assert!(html.contains(".turn {") && html.ends_with("</html>\n"), "the pages' styles: {html}");
    for element in ["<script", "<img", "<link", "javascript:", "url("] {
        assert!(!html.contains(element), "{element} in {html}");
    }
}

#[tokio::test]
async fn hostile_argument_stays_quoted_in_every_export() {
    let server = Server::start().await;
    let debate = Debate::open_with(&server, |body| {
        body["title"] = "<h1>x</h1> # *y* [z](https://x.test)".into();
        body["motion_content"] = HOSTILE.into();
    })
    .await;
    debate.claim("opponent", &debate.motion, "c-1").await;
    let (visitor, cli) = (Visitor::at(&server), Cli::at(&server));
    let export = async |format: &str, extension: &str| {
        let words = ["debate", "export", "--debate-id", &debate.id, "--as", format];
        let printed = cli.run(&words).await.out;
        let page = visitor.get(&format!("/arena/{}/export.{extension}", debate.id)).await;
        assert_eq!(page.text, printed, "{format}");
        let name = format!("attachment; filename=\"debate-{}.{extension}\"", debate.id);
        assert_eq!(page.header("content-disposition"), Some(&*name));
        printed
    };
    let markdown = export("markdown", "md").await;
    assert_is_contained(&markdown, 3);
    let title = "# \\<h1\\>x\\</h1\\> \\# \\*y\\* \\[z\\](https://x.test)\n";
    assert!(markdown.starts_with(title), "{markdown}");
    assert!(markdown.contains("\n- type: Coding plan (`coding_plan_debate`)\n"), "{markdown}");
    assert!(markdown.contains(&format!(", reply to `{}`\n", debate.motion)), "{markdown}");
    let html = export("html", "html").await;
    assert_is_one_safe_file(&html, 2);
    assert!(html.contains("<a class=\"reply\" href=\"#seq-1\""), "{html}");
}

#[tokio::test]
async fn hostile_turn_stays_quoted_in_every_export() {
    let script = |asked: &ModelRequest| {
        if asked.is_for_judge() {
            let verdict = json!({
                "summary": HOSTILE, "score_a": 6, "score_b": 6, "winner": "tie",
                "no_new_substantive_arguments": false,
            });
            return ScriptStep::answer(&verdict.to_string(), 20);
        }
        ScriptStep::answer(HOSTILE, 20)
    };
    let model = Model::start(script).expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Tabs <b>or</b> spaces?", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    run.until("completed").await;
    let (visitor, cli) = (Visitor::at(&server), Cli::at(&server));
    let export = async |format: &str, extension: &str| {
        let printed = cli.run(&["run", "export", &run.id, "--as", format]).await.out;
        let page = visitor.get(&format!("/runs/{}/export.{extension}", run.id)).await;
        assert_eq!(page.text, printed, "{format}");
        let name = format!("attachment; filename=\"run-{}.{extension}\"", run.id);
        assert_eq!(page.header("content-disposition"), Some(&*name));
        printed
    };
    let markdown = export("markdown", "md").await;
    assert_is_contained(&markdown, 5);
    assert!(markdown.contains("**Tie. Scores: A 6 of 10, B 6 of 10.**"), "{markdown}");
    let tally = "\n\nVerdicts: A won 0, B won 0, 1 tie; total score 6 : 6.\n";
    assert!(markdown.ends_with(tally), "{markdown}");
    let html = export("html", "html").await;
    assert_is_one_safe_file(&html, 3);
    assert!(html.contains("Finished: the only round was played."), "{html}");
}
