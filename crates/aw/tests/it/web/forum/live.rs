//! A solution's page while agents post and reviewers decide.

use serde_json::json;

use crate::support::browser::Browser;
use crate::support::forum::{Caller, id, problem, solution, stance};
use crate::support::proxy::Proxy;
use crate::web::forum::{create_flagged, decide, key_of, with_two_reviewers};

const NOTES: &str = "It was read and decided.";

/// The sequence numbers of the posts on the page with their depth, in order.
const POST_POSITIONS: &str = "[...document.querySelectorAll('.post')]
    .map(({ dataset: { seq, depth } }) => `${seq}/${depth}`)";

async fn wait_until_live(browser: &Browser) {
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
}

async fn wait_for_posts(browser: &Browser, places: &[&str]) {
    let places = json!(places).to_string();
    browser.wait_for(&format!("JSON.stringify({POST_POSITIONS}) === {places:?}")).await;
}

/// Waits until this post has the mark.
async fn wait_for_mark(browser: &Browser, seq: u32, mark: &str) {
    let chip = format!("(document.querySelector('#seq-{seq} .chip')?.textContent ?? '')");
    browser.wait_for(&format!("{chip} === {mark:?}")).await;
}

/// Signs in through the page.
async fn sign_in(browser: &Browser, base: &str, secret: &str, says: &str) {
    browser.visit(&format!("{base}/forum/login")).await;
    browser.fill("#key", secret).await;
    browser.click("main button.strong").await;
    browser.wait_for("location.pathname === '/forum'").await;
    assert_eq!(browser.text(".sits p").await, says);
}

/// A full page reports new posts after it and links to them.
async fn assert_full_page_links_to_new_posts(
    browser: &Browser,
    by: &Caller<'_>,
    page: &str,
    path: &str,
) {
    for number in 0..19 {
        create_flagged(by, path, &stance("support", &format!("Root {number}"), None)).await;
    }
    browser.visit(page).await;
    wait_until_live(browser).await;
    let full = browser.count(".post").await;
    assert_eq!((full, browser.count("[rel=next]").await), (23, 1), "20 threads, and more");
    create_flagged(by, path, &stance("oppose", "One more", None)).await;
    browser.wait_for("document.getElementById('pill').textContent === '1 new ↓'").await;
    assert_eq!(browser.count(".post").await, full);
    browser.click("#pill").await;
    browser.wait_for("document.getElementById('seq-25') !== null").await;
}

#[tokio::test]
async fn posts_appear_live_in_thread_order_across_restarts_without_gap_or_duplicate() {
    let proxy = Proxy::refusing().await;
    let setup = with_two_reviewers().env("DEBATE_ALLOWED_HOSTS", &proxy.address);
    let server = setup.start().await;
    proxy.forward_to(server.address());
    let ada = Caller::register(&server, "ada").await;
    let raised = create_flagged(&ada, "/problems", &problem()).await;
    decide(&server, &raised, "approve", NOTES).await;
    let about = create_flagged(&ada, "/solutions", &solution(id(&raised))).await;
    decide(&server, &about, "approve", NOTES).await;
    let path = format!("/solutions/{}/debates", id(&about));
    let page = format!("/forum/solutions/{}", id(&about));
    let base = format!("http://{}", proxy.address);

    let browser = Browser::open().await;
    let banner = "Signed in as ada. You also see your own unpublished posts.";
    sign_in(&browser, &base, key_of(&ada), banner).await;
    browser.visit(&format!("{base}{page}")).await;
    wait_until_live(&browser).await;
    assert_eq!(browser.text("#nothing").await, "No posts yet.");

    // The author's post appears immediately with a mark; the mark disappears with the approval.
    let first = create_flagged(&ada, &path, &stance("support", "First", None)).await;
    wait_for_posts(&browser, &["1/1"]).await;
    wait_for_mark(&browser, 1, "Waiting for review").await;
    decide(&server, &first, "approve", NOTES).await;
    wait_for_mark(&browser, 1, "").await;
    let second = create_flagged(&ada, &path, &stance("oppose", "Second", None)).await;
    create_flagged(&ada, &path, &stance("question", "Answer", Some(id(&first)))).await;
    wait_for_posts(&browser, &["1/1", "3/2", "2/1"]).await;

    // Posts that are written while the server is down appear once after the restart.
    let key = key_of(&ada).to_owned();
    proxy.refuse();
    server.kill().await;
    browser.wait_for("document.getElementById('live').textContent === 'Reconnecting…'").await;
    let server = setup.start().await;
    let ada = Caller::with(&server, &key);
    decide(&server, &second, "reject", NOTES).await;
    let below = create_flagged(&ada, &path, &stance("modify", "Below", Some(id(&first)))).await;
    create_flagged(&ada, &path, &stance("support", "Deeper", Some(id(&below)))).await;
    proxy.forward_to(server.address());
    wait_for_posts(&browser, &["1/1", "3/2", "4/2", "5/3", "2/1"]).await;
    wait_for_mark(&browser, 2, "Rejected").await;
    wait_until_live(&browser).await;
    assert_eq!(browser.text("#count").await, "1 post");
    browser.press("j").await;
    assert_eq!(browser.eval("document.activeElement.id").await, "seq-1");
    browser.click("#seq-5 .reply").await;
    assert_eq!(browser.eval("document.activeElement.id").await, "seq-4");

    assert_full_page_links_to_new_posts(&browser, &ada, &format!("{base}{page}"), &path).await;

    // A visitor who is not signed in sees public posts, also live and also after a late approval.
    browser.visit(&format!("{base}/forum")).await;
    browser.click(".sits button").await;
    browser
        .wait_for("document.querySelector('.sits p').textContent.includes('Not signed in')")
        .await;
    browser.visit(&format!("{base}{page}")).await;
    wait_until_live(&browser).await;
    wait_for_posts(&browser, &["1/1"]).await;
    decide(&server, &below, "approve", NOTES).await;
    wait_for_posts(&browser, &["1/1", "4/2"]).await;
    let gone = ada.call(reqwest::Method::DELETE, &path.replace("/debates", ""), None).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    browser.wait_for("document.getElementById('live').textContent.includes('was deleted')").await;
    browser.close().await;
}

#[tokio::test]
async fn forum_pages_sign_in_and_sign_out_work_without_javascript() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let raised = create_flagged(&ada, "/problems", &problem()).await;
    let about = create_flagged(&ada, "/solutions", &solution(id(&raised))).await;
    let path = format!("/solutions/{}/debates", id(&about));
    create_flagged(&ada, &path, &stance("support", "First", None)).await;
    let browser = Browser::open().await;
    browser.disable_script().await;
    browser.visit(&format!("{}/forum", server.url)).await;
    assert_eq!(
        browser.text(".calm").await,
        "No problems yet. Post the first one as an agent, as shown below."
    );
    browser.click(".sits a").await;
    browser.fill("#key", key_of(&ada)).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.rows .title') !== null").await;
    browser.click(".rows .title").await;
    browser.wait_for("location.pathname.startsWith('/forum/problems/')").await;
    assert_eq!(browser.text("h1").await, "Wells run dry in late summer");
    browser.click(".rows .title").await;
    browser.wait_for("location.pathname.startsWith('/forum/solutions/')").await;
    assert_eq!(browser.eval(POST_POSITIONS).await, json!(["1/1"]));
    assert_eq!(browser.eval("document.getElementById('live').hidden").await, true);
    browser.click(".choices a:nth-child(3)").await;
    browser.wait_for("location.search === '?stance=oppose'").await;
    assert_eq!(browser.count(".post").await, 0);
    browser.click(".sits button").await;
    browser.wait_for("location.pathname === '/forum'").await;
    assert_eq!(browser.count(".rows .title").await, 0, "and everything of its own is gone");
    browser.close().await;
}
