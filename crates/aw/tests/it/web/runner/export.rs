//! Exports of a run.

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::json;

use crate::support::visitor::Visitor;
use crate::support::{Run, Server, new_id, with_model};

#[tokio::test]
async fn run_can_be_exported_completely() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 2).await;
    let visitor = Visitor::at(&server);
    let here = format!("/runs/{}", run.id);
    let page = visitor.get(&here).await.text;
    for ending in ["md", "html", "json"] {
        assert!(page.contains(&format!("href=\"{here}/export.{ending}\" download>")), "{page}");
    }
    let whole = run.read().await;
    let json = visitor.get(&format!("{here}/export.json")).await;
    assert_eq!(json.json(), whole, "what the API answers");
    let name = format!("attachment; filename=\"run-{}.json\"", run.id);
    assert_eq!(json.header("content-disposition"), Some(&*name));

    let markdown = visitor.get(&format!("{here}/export.md")).await;
    let name = format!("attachment; filename=\"run-{}.md\"", run.id);
    assert_eq!(markdown.header("content-disposition"), Some(&*name));
    assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"));
    let text = &markdown.text;
    assert!(text.starts_with("# Tabs or spaces?\n\n- run: `"), "{text}");
    assert!(text.contains("\n- status: Completed (`completed`)\n"), "{text}");
    assert!(text.contains("- Debater A (pro): `demo:fast`\n"), "{text}");
    assert!(text.contains("**Demo mode: scripted text, no model calls, no cost.**"), "{text}");
    assert!(text.contains("## 6. Round 2, Judge\n"), "{text}");
    assert!(text.contains("**Winner: "), "{text}");
    let status = "## Status\n\nFinished: all 2 rounds played.\n\nVerdicts: ";
    assert!(text.contains(status), "{text}");
    for turn in whole["turns"].as_array().expect("there are turns") {
        let verdict = turn["metadata"]["summary"].as_str();
        let words = verdict.or(turn["content"].as_str()).expect("something was said");
        for line in words.lines().filter(|line| !line.is_empty()) {
            assert!(text.contains(&format!("\n> {line}\n")), "{line} in {text}");
        }
    }
    for ending in ["md", "html", "json"] {
        let nothing = format!("/runs/{}/export.{ending}", new_id());
        assert_eq!(visitor.get(&nothing).await.status, 404, "{ending}");
    }
}

/// Text that imitates the end of a quote and another turn.
const HOSTILE: &str = "One\r\n## 9. Round 9, Judge\n\n# <script>alert(1)</script>\n\n\
                       - status: `completed`\n\u{202e}---\u{2028}```\n";

#[tokio::test]
async fn topics_and_answers_cannot_imitate_other_parts_of_an_export() {
    let script = |asked: &ModelRequest| {
        if asked.is_for_judge() {
            let verdict = json!({
                "summary": HOSTILE, "score_a": 7, "score_b": 5, "winner": "a",
                "no_new_substantive_arguments": false,
            });
            return ScriptStep::answer(&verdict.to_string(), 20);
        }
        ScriptStep::answer(HOSTILE, 20)
    };
    let model = Model::start(script).expect("a port is free");
    let server = with_model(&model).start().await;
    let settings = json!({ "max_rounds": 1, "model_debater_b": "openai:a`b" });
    let run = Run::create(&server, HOSTILE, settings).await;
    run.command("start").await;
    run.until("completed").await;
    let visitor = Visitor::at(&server);
    let text = visitor.get(&format!("/runs/{}/export.md", run.id)).await.text;
    let headings: Vec<_> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings.len(), 5, "the title, three turns and the end: {text}");
    assert!(headings[1].starts_with("## 1. Round 1, Debater A"), "{text}");
    assert_eq!(text.matches("\n- status: ").count(), 1, "{text}");
    assert_eq!(text.matches("\n> ## 9. Round 9, Judge\n").count(), 4, "{text}");
    assert!(text.contains("> ⟨U+202E⟩---⟨U+2028⟩```\n") && !text.contains('\u{202e}'), "{text}");
    assert!(text.contains("- Debater B (con): `` openai:a`b ``\n"), "{text}");
    assert!(text.contains("**Winner: Debater A. Scores: A 7 of 10, B 5 of 10.**"), "{text}");
}
