//! The arena's pages, over HTTP without a browser.

use reqwest::Method;

use super::person::{Person, leads_to};
use crate::support::{Cli, Debate, Server, Setup, id_of};

/// Creates a debate with this number of arguments, the motion included.
async fn debate_of(server: &Server, entries: usize) -> Debate<'_> {
    let debate = Debate::open(server).await;
    let mut last = debate.motion.clone();
    for seq in 2..=entries {
        let role = if seq % 2 == 0 { "opponent" } else { "proposer" };
        last = id_of(&debate.claim(role, &last, &format!("said-{seq}")).await);
    }
    debate
}

/// The sequence numbers of the arguments on a page, in order.
fn places(page: &str) -> Vec<usize> {
    let marks = page.split("data-seq=\"").skip(1);
    let place = |rest: &str| rest.split('"').next().and_then(|number| number.parse().ok());
    marks.map(|rest| place(rest).expect("a place is a number")).collect()
}

#[tokio::test]
async fn every_page_says_what_it_may_load_and_answers_head() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let person = Person::at(&server);
    for (path, status) in [
        ("/", 200),
        ("/arena", 200),
        ("/arena/new", 200),
        (&*format!("/arena/{}", debate.id), 200),
        (&format!("/arena/{}/rule", debate.id), 200),
        (&format!("/arena/{}/delete", debate.id), 200),
        ("/arena/00000000-0000-4000-8000-000000000000", 404),
        ("/arena/nonsense", 404),
        ("/arena/%20", 400),
        ("/arena?state=nonsense", 400),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let reply = person.send(person.request(method.clone(), path)).await;
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
    let wrong = person.send(person.request(Method::DELETE, "/arena")).await;
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET,HEAD")));
    assert!(wrong.text.contains("Method not allowed"), "{}", wrong.text);
}

#[tokio::test]
async fn what_pages_load_is_kept_for_ever_under_an_address_that_changes() {
    let server = Server::start().await;
    let person = Person::at(&server);
    let page = person.get("/").await.text;
    let loaded: Vec<_> = page.split("=\"/assets/").skip(1).collect();
    assert_eq!(loaded.len(), 3, "an icon, a style, a script");
    for asset in loaded {
        let path = format!("/assets/{}", asset.split('"').next().unwrap());
        let reply = person.get(&path).await;
        assert_eq!(reply.status, 200, "{path}");
        assert!(path.contains("?v="), "{path}");
        assert_eq!(reply.header("cache-control"), Some("public, max-age=31536000, immutable"));
    }
    for nothing in ["/assets/nothing.js", "/assets/..%2fCargo.toml", "/assets/%00"] {
        assert_eq!(person.get(nothing).await.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn a_lost_browser_gets_a_page_and_a_program_the_envelope() {
    let server = Server::start().await;
    let person = Person::at(&server);
    let browser = person.request(Method::GET, "/nothing").header("accept", "text/html,*/*");
    let page = person.send(browser).await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("Page not found"), "{}", page.text);
    assert_eq!(person.get("/nothing").await.code(), "NOT_FOUND");
    let api = person.request(Method::GET, "/debates/nonsense").header("accept", "text/html");
    assert_eq!(person.send(api).await.code(), "DEBATE_NOT_FOUND", "the API keeps its answers");
}

#[tokio::test]
async fn a_slash_too_many_leads_to_the_page_and_nowhere_else() {
    let server = Server::start().await;
    let person = Person::at(&server);
    for (path, place) in [
        ("/arena/", "/arena"),
        ("/runs//", "/runs"),
        ("/forum/?cursor=x", "/forum?cursor=x"),
        ("/forum/mine/", "/forum/mine"),
    ] {
        let reply = person.get(path).await;
        assert_eq!((reply.status, reply.header("location")), (308, Some(place)), "{path}");
    }
    for path in ["//example.org/", "/\\example.org/", "/nothing/"] {
        let reply = person.get(path).await;
        assert_eq!((reply.status, reply.header("location")), (404, None), "{path}");
    }
    let sent = person.send(person.request(Method::POST, "/arena/new/")).await;
    assert_eq!(sent.status, 404, "a form goes where it says");
}

#[tokio::test]
async fn a_long_debate_opens_at_its_end_and_every_place_has_an_address() {
    let server = Server::start().await;
    let debate = debate_of(&server, 180).await;
    let person = Person::at(&server);
    let here = format!("/arena/{}", debate.id);
    let page = |query: &str| format!("{here}{query}");
    let newest = person.get(&here).await.text;
    let from = |first: usize, last: usize| [1].into_iter().chain(first..=last).collect::<Vec<_>>();
    assert_eq!(places(&newest), from(131, 180), "the motion, and the newest fifty");
    assert!(newest.contains("?before=131#turns") && !newest.contains("rel=\"next\""));
    for (query, expected) in [
        ("?before=131", from(81, 130)),
        ("?after=130", from(131, 180)),
        ("?at=1", from(2, 51)),
        ("?at=100", from(95, 144)),
        ("?at=99999999999999", from(131, 180)),
        ("?at=-1&before=x", from(131, 180)),
    ] {
        assert_eq!(places(&person.get(&page(query)).await.text), expected, "{query}");
    }
    let (mut seen, mut query) = (vec![1], "?at=1".to_owned());
    while seen.len() < 180 {
        let last = seen[seen.len() - 1];
        let shown = places(&person.get(&page(&query)).await.text);
        let fresh: Vec<_> = shown.into_iter().filter(|place| *place > last).collect();
        assert!(!fresh.is_empty(), "{query} shows nothing new");
        seen.extend(fresh);
        query = format!("?after={}", seen[seen.len() - 1]);
    }
    assert_eq!(seen, (1..=180).collect::<Vec<_>>(), "page by page, all of it");
    let at_motion = person.get(&page(&format!("?at={}", debate.motion))).await;
    assert_eq!(leads_to(&at_motion), format!("{here}?at=1#seq-1"));
    let nowhere = person.get(&page("?at=00000000-0000-4000-8000-000000000000")).await;
    assert_eq!(nowhere.status, 404);
    assert!(newest.contains("?at=130#seq-130\" data-place=\"130\">reply to #130"), "{newest}");
    let old = person.get(&format!("/debate/debates/{}", debate.id)).await;
    assert_eq!((old.status, old.header("location")), (308, Some(&*here)));
}

#[tokio::test]
async fn what_is_new_comes_as_the_page_would_show_it() {
    let server = Server::start().await;
    let debate = debate_of(&server, 120).await;
    let person = Person::at(&server);
    let news = |after: &'static str| person.get_news(&debate.id, after);
    assert_eq!(places(&news("118").await.text), [119, 120]);
    assert_eq!(places(&news("0").await.text), (1..=50).collect::<Vec<_>>(), "a page at a time");
    assert_eq!(places(&news("120").await.text), [0_usize; 0]);
    assert!(news("118").await.text.contains("reply to #118"), "also what is not among the news");
    assert!(news("118").await.text.contains("data-last=\"120\""));
    for nowhere in ["121", "x", "-1", ""] {
        assert_eq!(news(nowhere).await.status, 400, "{nowhere}");
    }
    debate.lead_to("CLOSED").await;
    assert!(news("122").await.text.contains("data-over"));
}

#[tokio::test]
async fn the_list_is_searched_filtered_and_paged() {
    let server = Server::start().await;
    let person = Person::at(&server);
    for number in 1..=70 {
        let title = format!("Question {number} & <more>");
        Debate::open_with(&server, |body| body["title"] = title.into()).await;
    }
    let special = Debate::open_with(&server, |body| body["title"] = "Needle".into()).await;
    special.lead_to("AWAITING_ARBITRATOR").await;
    let rows = |page: &str| page.matches("class=\"title\"").count();
    let first = person.get("/arena").await.text;
    assert!(first.contains("71 debates") && first.contains("Question 70 &#38; &#60;more&#62;"));
    let mut seen = rows(&first);
    let mut page = first;
    while let Some(next) = page.split("rel=\"next\" href=\"").nth(1) {
        let next = next.split('"').next().unwrap().replace("&#38;", "&");
        page = person.get(&next).await.text;
        seen += rows(&page);
    }
    assert_eq!(seen, 71, "page by page, each once");
    assert_eq!(rows(&person.get("/arena?q=NEEDLE").await.text), 1);
    assert_eq!(rows(&person.get("/arena?state=AWAITING_ARBITRATOR").await.text), 1);
    let none = person.get("/arena?state=CLOSED").await.text;
    assert_eq!(rows(&none), 0);
    assert!(none.contains("No debates match this filter."), "{none}");
    let none = person.get("/arena?q=haystack").await.text;
    assert!(none.contains("No debates match this search."), "{none}");
    let unopposed = person.get("/arena?state=UNOPPOSED&q=question+7").await.text;
    assert_eq!(rows(&unopposed), 2, "7 and 70");
    assert!(unopposed.contains("value=\"question 7\""), "what was searched for stands there");
    assert_eq!(person.get("/arena?cursor=nonsense").await.status, 400);
}

#[tokio::test]
async fn the_first_page_tells_what_needs_you_or_how_to_begin() {
    let server = Server::start().await;
    let person = Person::at(&server);
    let empty = person.get("/").await.text;
    assert!(empty.contains("No debates yet") && empty.contains("aw debate create"), "{empty}");
    let debate = Debate::open(&server).await;
    let calm = person.get("/").await.text;
    assert!(
        calm.contains("Nothing to do. Debates that need a ruling")
            && calm.contains("Active debates"),
        "{calm}"
    );
    debate.lead_to("AWAITING_ARBITRATOR").await;
    let urgent = person.get("/").await.text;
    assert!(urgent.contains("class=\"card\"") && urgent.contains("Needs a ruling"), "{urgent}");
    assert!(!urgent.contains("Active debates"), "{urgent}");
}

#[tokio::test]
async fn every_page_ends_with_the_version_and_the_api_reference() {
    let server = Server::start().await;
    let person = Person::at(&server);
    for path in ["/", "/arena", "/arena/00000000-0000-4000-8000-000000000000"] {
        let page = person.get(path).await.text;
        let footer = page.split("<footer").nth(1).expect("every page has a footer");
        let version = format!("aweave {}", env!("CARGO_PKG_VERSION"));
        assert!(footer.contains(&version), "{path}: {footer}");
        assert!(footer.contains("href=\"/docs\">API reference</a>"), "{path}: {footer}");
    }
    let empty = person.get("/arena").await.text;
    assert!(empty.contains("No debates yet. In a debate,"), "{empty}");
}

#[tokio::test]
async fn automatic_ruling_is_shown_as_closed_automatically() {
    let server = Server::start().await;
    let person = Person::at(&server);
    let automatic = Debate::open_with(&server, |body| body["auto_ruling"] = true.into()).await;
    let claim = id_of(&automatic.claim("opponent", &automatic.motion, "c-1").await);
    automatic.ask("resolution", &claim, "r-1").await;
    let ruled = Debate::open(&server).await;
    ruled.lead_to("CLOSED").await;
    for (debate, title) in
        [(&automatic, "Closed automatically"), (&ruled, "Ruling by the arbitrator")]
    {
        let page = person.get(&format!("/arena/{}", debate.id)).await.text;
        let heading = page.rsplit("<h3 id=\"title-").next().expect("there are headings");
        let heading = heading.split(['>', '<']).nth(1).expect("a heading has a text");
        assert_eq!(heading, title);
        let export = person.get(&format!("/arena/{}/export.md", debate.id)).await.text;
        let heading = export.lines().rfind(|line| line.starts_with("## "));
        assert!(heading.is_some_and(|heading| heading.ends_with(title)), "{export}");
        assert!(export.contains("\n- state: Closed (`CLOSED`)\n"), "{export}");
    }
}

#[tokio::test]
async fn what_was_said_is_shown_and_never_obeyed() {
    let server = Server::start().await;
    let debate = Debate::open_with(&server, |body| {
        body["title"] = "<b>\"bold\"</b> & \u{202e}turned".into();
        body["motion_content"] =
            "# Big\n\n<img src=x onerror=alert(1)> ![p](http://x.test/p.png)".into();
    })
    .await;
    let person = Person::at(&server);
    for path in ["/", "/arena", &format!("/arena/{}", debate.id)] {
        let page = person.get(path).await.text;
        assert!(
            page.contains("&#60;b&#62;&#34;bold&#34;&#60;/b&#62; &#38; ⟨U+202E⟩turned"),
            "{page}"
        );
        assert!(!page.contains('\u{202e}') && !page.contains("<b>"), "{page}");
        assert!(!page.contains("<img"), "{page}");
    }
    let page = person.get(&format!("/arena/{}", debate.id)).await.text;
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{page}");
    let rel = "rel=\"noopener noreferrer nofollow ugc\"";
    assert!(page.contains(&format!("<a href=\"http://x.test/p.png\" {rel}>p</a>")), "{page}");
}

#[tokio::test]
async fn a_debate_can_be_taken_away_whole() {
    let server = Server::start().await;
    let debate = debate_of(&server, 60).await;
    let person = Person::at(&server);
    let json = person.get(&format!("/arena/{}/export.json", debate.id)).await;
    assert_eq!(json.data(), debate.read().await, "what the API answers");
    let name = format!("attachment; filename=\"debate-{}.json\"", debate.id);
    assert_eq!(json.header("content-disposition"), Some(&*name));
    let markdown = person.get(&format!("/arena/{}/export.md", debate.id)).await;
    assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(markdown.text.starts_with("# Cache the index\n"), "{}", markdown.text);
    assert!(markdown.text.contains("## 60. Claim by the opponent\n"), "{}", markdown.text);
    assert!(markdown.text.contains("> the opponent says said-60\n"), "{}", markdown.text);
    assert_eq!(markdown.text.matches("\n## ").count(), 60);
    let nothing = "/arena/00000000-0000-4000-8000-000000000000/export.md";
    assert_eq!(person.get(nothing).await.status, 404);
}

#[tokio::test]
async fn the_command_line_opens_the_page_of_a_debate() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let words = ["debate", "open", "--debate-id", &debate.id, "--format", "text"];
    let told = Cli::at(&server).run(&words).await;
    let page = format!("{}/arena/{}", server.url, debate.id);
    assert!(told.out.contains(&page), "{}{}", told.out, told.err);
    let path = page.strip_prefix(&server.url).expect("it is here");
    let shown = Person::at(&server).get(path).await;
    assert_eq!(shown.status, 200);
    assert!(shown.text.contains("<h1>Cache the index</h1>"), "{}", shown.text);
}

#[tokio::test]
async fn an_argument_that_is_too_long_to_look_at_is_shown_in_part() {
    let server = Setup::new().env("DEBATE_MAX_CONTENT_LENGTH", "1000000").start().await;
    let long = format!("{}ä{}", "x".repeat(64 * 1024 - 1), "y".repeat(100_000));
    let debate =
        Debate::open_with(&server, |body| body["motion_content"] = long.as_str().into()).await;
    let person = Person::at(&server);
    let page = person.get(&format!("/arena/{}", debate.id)).await.text;
    assert!(page.contains("(165537 bytes)") && !page.contains("yyyy"), "{}", page.len());
    let export = person.get(&format!("/arena/{}/export.md", debate.id)).await.text;
    assert!(export.contains(&long), "an export has all of it");
}
