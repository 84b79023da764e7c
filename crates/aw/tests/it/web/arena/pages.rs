//! The arena's pages, over HTTP without a browser.

use reqwest::Method;

use crate::support::visitor::{Visitor, redirect_target};
use crate::support::{Cli, Debate, Server, Setup, argument_id};

/// Creates a debate with this number of arguments, the motion included.
async fn create_debate_of_length(server: &Server, entries: usize) -> Debate<'_> {
    let debate = Debate::open(server).await;
    let mut last = debate.motion.clone();
    for seq in 2..=entries {
        let role = if seq % 2 == 0 { "opponent" } else { "proposer" };
        last = argument_id(&debate.claim(role, &last, &format!("said-{seq}")).await);
    }
    debate
}

/// The sequence numbers of the arguments on a page, in order.
fn seqs(page: &str) -> Vec<usize> {
    let marks = page.split("data-seq=\"").skip(1);
    let place = |rest: &str| rest.split('"').next().and_then(|number| number.parse().ok());
    marks.map(|rest| place(rest).expect("a place is a number")).collect()
}

#[tokio::test]
async fn every_page_has_a_content_security_policy_and_answers_head() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    for (path, status) in [
        ("/", 200),
        ("/arena", 200),
        ("/arena/new", 200),
        (&*format!("/arena/{}", debate.id), 200),
        (&format!("/arena/{}/rule", debate.id), 200),
        (&format!("/arena/{}/delete", debate.id), 200),
        ("/arena/00000000-0000-4000-8000-000000000000", 404),
        ("/arena/cache-the-index-0000", 404),
        ("/arena/nonsense", 400),
        ("/arena/%20", 400),
        ("/arena?state=nonsense", 400),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let reply = visitor.send(visitor.request(method.clone(), path)).await;
            assert_eq!(reply.status, status, "{method} {path}");
            assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
            let policy = reply.header("content-security-policy").expect("there is one");
            assert_eq!(
                policy,
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                 connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            );
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(reply.header("referrer-policy"), Some("same-origin"));
            assert_eq!(reply.header("x-frame-options"), Some("DENY"));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            assert_eq!(method == Method::HEAD, reply.text.is_empty(), "{path}");
            assert!(!reply.text.contains(" style=") && !reply.text.contains("<style"), "{path}");
            assert!(!reply.text.contains("onclick") && !reply.text.contains("<script>"), "{path}");
        }
    }
    let wrong = visitor.send(visitor.request(Method::DELETE, "/arena")).await;
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET,HEAD")));
    assert!(wrong.text.contains("Method not allowed"), "{}", wrong.text);
}

#[tokio::test]
async fn assets_are_immutable_under_versioned_addresses() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let page = visitor.get("/").await.text;
    let loaded: Vec<_> = page.split("=\"/assets/").skip(1).collect();
    assert_eq!(loaded.len(), 3, "an icon, a style, a script");
    for asset in loaded {
        let path = format!("/assets/{}", asset.split('"').next().unwrap());
        let reply = visitor.get(&path).await;
        assert_eq!(reply.status, 200, "{path}");
        assert!(path.contains("?v="), "{path}");
        assert_eq!(reply.header("cache-control"), Some("public, max-age=31536000, immutable"));
    }
    for nothing in ["/assets/nothing.js", "/assets/..%2fCargo.toml", "/assets/%00"] {
        assert_eq!(visitor.get(nothing).await.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn unknown_path_gets_an_html_page_in_a_browser_and_the_envelope_otherwise() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let browser = visitor.request(Method::GET, "/nothing").header("accept", "text/html,*/*");
    let page = visitor.send(browser).await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("Page not found"), "{}", page.text);
    assert_eq!(visitor.get("/nothing").await.code(), "NOT_FOUND");
    let api = visitor.request(Method::GET, "/debates/nonsense").header("accept", "text/html");
    assert_eq!(visitor.send(api).await.code(), "INVALID_INPUT", "the API keeps its answers");
}

#[tokio::test]
async fn trailing_slash_redirects_to_the_page_on_this_server() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    for (path, place) in [
        ("/arena/", "/arena"),
        ("/runs//", "/runs"),
        ("/forum/?cursor=x", "/forum?cursor=x"),
        ("/forum/mine/", "/forum/mine"),
    ] {
        let reply = visitor.get(path).await;
        assert_eq!((reply.status, reply.header("location")), (308, Some(place)), "{path}");
    }
    for path in ["//example.org/", "/\\example.org/", "/nothing/"] {
        let reply = visitor.get(path).await;
        assert_eq!((reply.status, reply.header("location")), (404, None), "{path}");
    }
    let sent = visitor.send(visitor.request(Method::POST, "/arena/new/")).await;
    assert_eq!(sent.status, 404, "a form goes where it says");
}

#[tokio::test]
async fn long_debate_opens_at_its_last_page_and_every_argument_has_an_address() {
    let server = Server::start().await;
    let debate = create_debate_of_length(&server, 180).await;
    let visitor = Visitor::at(&server);
    let here = debate.page().await;
    let page = |query: &str| format!("{here}{query}");
    let newest = visitor.get(&here).await.text;
    let from = |first: usize, last: usize| [1].into_iter().chain(first..=last).collect::<Vec<_>>();
    assert_eq!(seqs(&newest), from(131, 180), "the motion, and the newest fifty");
    assert!(newest.contains("?before=131#turns") && !newest.contains("rel=\"next\""));
    for (query, expected) in [
        ("?before=131", from(81, 130)),
        ("?after=130", from(131, 180)),
        ("?at=1", from(2, 51)),
        ("?at=100", from(95, 144)),
        ("?at=99999999999999", from(131, 180)),
        ("?at=-1&before=x", from(131, 180)),
    ] {
        assert_eq!(seqs(&visitor.get(&page(query)).await.text), expected, "{query}");
    }
    let (mut seen, mut query) = (vec![1], "?at=1".to_owned());
    while seen.len() < 180 {
        let last = seen[seen.len() - 1];
        let shown = seqs(&visitor.get(&page(&query)).await.text);
        let fresh: Vec<_> = shown.into_iter().filter(|place| *place > last).collect();
        assert!(!fresh.is_empty(), "{query} shows nothing new");
        seen.extend(fresh);
        query = format!("?after={}", seen[seen.len() - 1]);
    }
    assert_eq!(seen, (1..=180).collect::<Vec<_>>(), "page by page, all of it");
    let at_motion = visitor.get(&page(&format!("?at={}", debate.motion))).await;
    assert_eq!(redirect_target(&at_motion), format!("{here}?at=1#seq-1"));
    let nowhere = visitor.get(&page("?at=00000000-0000-4000-8000-000000000000")).await;
    assert_eq!(nowhere.status, 404);
    assert!(newest.contains("?at=130#seq-130\" data-place=\"130\">reply to #130"), "{newest}");
    let old = visitor.get(&format!("/debate/debates/{}", debate.id)).await;
    let by_id = format!("/arena/{}", debate.id);
    assert_eq!((old.status, old.header("location")), (308, Some(&*by_id)));
}

#[tokio::test]
async fn new_arguments_are_loaded_with_the_html_of_the_page() {
    let server = Server::start().await;
    let debate = create_debate_of_length(&server, 120).await;
    let visitor = Visitor::at(&server);
    let news = |after: &'static str| visitor.get_new_arguments(&debate.id, after);
    assert_eq!(seqs(&news("118").await.text), [119, 120]);
    assert_eq!(seqs(&news("0").await.text), (1..=50).collect::<Vec<_>>(), "a page at a time");
    assert_eq!(seqs(&news("120").await.text), [0_usize; 0]);
    assert!(news("118").await.text.contains("reply to #118"), "also what is not among the news");
    assert!(news("118").await.text.contains("data-last=\"120\""));
    for nowhere in ["121", "x", "-1", ""] {
        assert_eq!(news(nowhere).await.status, 400, "{nowhere}");
    }
    debate.advance_to("CLOSED").await;
    assert!(news("122").await.text.contains("data-over"));
}

#[tokio::test]
async fn debate_list_is_searched_filtered_and_paged() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    for number in 1..=70 {
        let title = format!("Question {number} & <more>");
        Debate::open_with(&server, |body| body["title"] = title.into()).await;
    }
    let special = Debate::open_with(&server, |body| body["title"] = "Needle".into()).await;
    special.advance_to("AWAITING_ARBITRATOR").await;
    let rows = |page: &str| page.matches("class=\"title\"").count();
    let first = visitor.get("/arena").await.text;
    assert!(first.contains("71 debates") && first.contains("Question 70 &#38; &#60;more&#62;"));
    let mut seen = rows(&first);
    let mut page = first;
    while let Some(next) = page.split("rel=\"next\" href=\"").nth(1) {
        let next = next.split('"').next().unwrap().replace("&#38;", "&");
        page = visitor.get(&next).await.text;
        seen += rows(&page);
    }
    assert_eq!(seen, 71, "page by page, each once");
    assert_eq!(rows(&visitor.get("/arena?q=NEEDLE").await.text), 1);
    assert_eq!(rows(&visitor.get("/arena?state=AWAITING_ARBITRATOR").await.text), 1);
    let none = visitor.get("/arena?state=CLOSED").await.text;
    assert_eq!(rows(&none), 0);
    assert!(none.contains("No debates match this filter."), "{none}");
    let none = visitor.get("/arena?q=haystack").await.text;
    assert!(none.contains("No debates match this search."), "{none}");
    let unopposed = visitor.get("/arena?state=UNOPPOSED&q=question+7").await.text;
    assert_eq!(rows(&unopposed), 2, "7 and 70");
    assert!(unopposed.contains("value=\"question 7\""), "what was searched for stands there");
    assert_eq!(visitor.get("/arena?cursor=nonsense").await.status, 400);
}

#[tokio::test]
async fn home_page_shows_pending_rulings_or_the_first_step() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let empty = visitor.get("/").await.text;
    assert!(empty.contains("No debates yet") && empty.contains("aw debate create"), "{empty}");
    let debate = Debate::open(&server).await;
    let calm = visitor.get("/").await.text;
    assert!(
        calm.contains("Nothing to do. Debates that need a ruling")
            && calm.contains("Active debates"),
        "{calm}"
    );
    debate.advance_to("AWAITING_ARBITRATOR").await;
    let urgent = visitor.get("/").await.text;
    assert!(urgent.contains("class=\"card\"") && urgent.contains("Needs a ruling"), "{urgent}");
    assert!(!urgent.contains("Active debates"), "{urgent}");
}

#[tokio::test]
async fn every_page_ends_with_the_version_and_the_api_reference() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    for path in ["/", "/arena", "/arena/00000000-0000-4000-8000-000000000000"] {
        let page = visitor.get(path).await.text;
        let footer = page.split("<footer").nth(1).expect("every page has a footer");
        let version = format!("aweave {}", env!("CARGO_PKG_VERSION"));
        assert!(footer.contains(&version), "{path}: {footer}");
        assert!(footer.contains("href=\"/docs\">API reference</a>"), "{path}: {footer}");
    }
    let empty = visitor.get("/arena").await.text;
    assert!(empty.contains("No debates yet. In a debate,"), "{empty}");
}

#[tokio::test]
async fn automatic_ruling_is_shown_as_closed_automatically() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let automatic = Debate::open_with(&server, |body| body["auto_ruling"] = true.into()).await;
    let claim = argument_id(&automatic.claim("opponent", &automatic.motion, "c-1").await);
    automatic.ask("resolution", &claim, "r-1").await;
    let ruled = Debate::open(&server).await;
    ruled.advance_to("CLOSED").await;
    for (debate, title) in
        [(&automatic, "Closed automatically"), (&ruled, "Ruling by the arbitrator")]
    {
        let page = visitor.get(&format!("/arena/{}", debate.id)).await.text;
        let heading = page.rsplit("<h3 id=\"title-").next().expect("there are headings");
        let heading = heading.split(['>', '<']).nth(1).expect("a heading has a text");
        assert_eq!(heading, title);
        let export = visitor.get(&format!("/arena/{}/export.md", debate.id)).await.text;
        let heading = export.lines().rfind(|line| line.starts_with("## "));
        assert!(heading.is_some_and(|heading| heading.ends_with(title)), "{export}");
        assert!(export.contains("\n- state: Closed (`CLOSED`)\n"), "{export}");
    }
}

#[tokio::test]
async fn markup_in_arguments_is_escaped() {
    let server = Server::start().await;
    let debate = Debate::open_with(&server, |body| {
        body["title"] = "<b>\"bold\"</b> & \u{202e}turned".into();
        body["motion_content"] =
            "# Big\n\n<img src=x onerror=alert(1)> ![p](http://x.test/p.png)".into();
    })
    .await;
    let visitor = Visitor::at(&server);
    for path in ["/", "/arena", &format!("/arena/{}", debate.id)] {
        let page = visitor.get(path).await.text;
        assert!(
            page.contains("&#60;b&#62;&#34;bold&#34;&#60;/b&#62; &#38; ⟨U+202E⟩turned"),
            "{page}"
        );
        assert!(!page.contains('\u{202e}') && !page.contains("<b>"), "{page}");
        assert!(!page.contains("<img"), "{page}");
    }
    let page = visitor.get(&format!("/arena/{}", debate.id)).await.text;
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{page}");
    let rel = "rel=\"noopener noreferrer nofollow ugc\"";
    assert!(page.contains(&format!("<a href=\"http://x.test/p.png\" {rel}>p</a>")), "{page}");
}

#[tokio::test]
async fn debate_can_be_exported_completely() {
    let server = Server::start().await;
    let debate = create_debate_of_length(&server, 60).await;
    let visitor = Visitor::at(&server);
    let json = visitor.get(&format!("/arena/{}/export.json", debate.id)).await;
    assert_eq!(json.data(), debate.read().await, "what the API answers");
    let name = format!("attachment; filename=\"debate-{}.json\"", debate.id);
    assert_eq!(json.header("content-disposition"), Some(&*name));
    let markdown = visitor.get(&format!("/arena/{}/export.md", debate.id)).await;
    assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(markdown.text.starts_with("# Cache the index\n"), "{}", markdown.text);
    assert!(markdown.text.contains("## 60. Claim by the opponent\n"), "{}", markdown.text);
    assert!(markdown.text.contains("> the opponent says said-60\n"), "{}", markdown.text);
    assert_eq!(markdown.text.matches("\n## ").count(), 60);
    let nothing = "/arena/00000000-0000-4000-8000-000000000000/export.md";
    assert_eq!(visitor.get(nothing).await.status, 404);
}

#[tokio::test]
async fn command_line_prints_the_address_of_a_debates_page() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let words = ["debate", "open", "--debate-id", &debate.id, "--format", "text"];
    let output = Cli::at(&server).run(&words).await;
    let page = format!("{}/arena/{}", server.url, debate.id);
    assert!(output.out.contains(&page), "{}{}", output.out, output.err);
    let path = page.strip_prefix(&server.url).expect("it is here");
    let shown = Visitor::at(&server).get(path).await;
    assert_eq!(shown.status, 200);
    assert!(shown.text.contains("<h1>Cache the index</h1>"), "{}", shown.text);
}

#[tokio::test]
async fn very_long_argument_is_shown_in_part() {
    let server = Setup::new().env("DEBATE_MAX_CONTENT_LENGTH", "1000000").start().await;
    let long = format!("{}ä{}", "x".repeat(64 * 1024 - 1), "y".repeat(100_000));
    let debate =
        Debate::open_with(&server, |body| body["motion_content"] = long.as_str().into()).await;
    let visitor = Visitor::at(&server);
    let page = visitor.get(&format!("/arena/{}", debate.id)).await.text;
    assert!(page.contains("(165537 bytes)") && !page.contains("yyyy"), "{}", page.len());
    let export = visitor.get(&format!("/arena/{}/export.md", debate.id)).await.text;
    assert!(export.contains(&long), "an export has all of it");
}
